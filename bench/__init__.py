"""The measuring room: how fast Scrubjay is beside the engine its forebears used, and how well it finds."""
