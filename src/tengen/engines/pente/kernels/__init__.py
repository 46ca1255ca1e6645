"""The compiled loops of the Pente players."""
