"""Secrets made at run time from a public rule list, to judge the guard by shapes its rules were not written from.

The families are those of the gitleaks configuration (read as facts: the name of a service, the shape of its tokens),
and services that it does not have. Families, file forms and sentences are split in two by a hash of their name: misses
in the open half may be shown, of the held-out half only the figures are printed.
"""
