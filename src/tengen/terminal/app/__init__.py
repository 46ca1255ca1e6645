"""The terminal app: screens on matches, tables and the store. docs/guide/terminal.md tells what each one does.

`main` starts it. `menu` and `main` load nothing heavy, so that the menu is there at once; all else is loaded
behind it. What is drawn is worked out by plain functions (`picture`, `aim`, `shown`), which know no widgets.
"""
