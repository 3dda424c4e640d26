"""Files of other programs, one kind of them in each module. To add one: its reader, and its name in import_others.py.

A reader gives items. What a memory has no field for goes to its metadata.
"""
