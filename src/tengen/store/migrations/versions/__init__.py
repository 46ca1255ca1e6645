"""The versions. A file here is never changed once it has been in a release."""
