// Written by `scrubjay install`; `scrubjay uninstall` removes it.
const COMMAND = ["scrubjay"]
