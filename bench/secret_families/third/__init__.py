"""The third part: families, files and sentences from public pages of services, written when the rules had been changed
because of the other two, and scored once before any rule was changed because of it. Its writer had read the rules.
"""

from collections.abc import Mapping
from pathlib import Path

from bench.secret_families.values import read_families

__all__ = ["FAMILIES", "FIRST_SIGHT"]

FAMILIES = read_families(Path(__file__).parent / "services.txt")

# As in the fresh part; all of it has been looked at since.
FIRST_SIGHT: Mapping[tuple[str, str], tuple[int, int, int, int]] = {
    ("families", "all"): (70, 2800, 2730, 7),
    ("files and commands", "all"): (35, 1400, 1158, 6),
    ("sentences", "all"): (21, 882, 829, 2),
}
