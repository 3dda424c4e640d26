"""The rules that find secrets, one file for each form in which they are written."""
