"""The command doctor."""

__all__: list[str] = []
