"""The fresh part: families, carriers, files, sentences and ordinary text written after the rules, by somebody who had
read neither the rules nor their tests.

It is split in two by a hash of the names, fixed before the first run: of the half called seen, the writers of the rules
may look at what is missed; of the unseen one, only totals are printed. A family of one half is written in carriers of
the same half, so nothing of the unseen half is shown by the other.
"""

from collections.abc import Mapping
from pathlib import Path

from bench.secret_families.values import read_families

__all__ = ["FAMILIES", "FIRST_FALSE_ALARMS", "FIRST_SIGHT"]

FAMILIES = read_families(Path(__file__).parent / "services.txt")

# What the rules caught of this part in its first run, before anybody had changed a rule because of it: of how many
# kinds and texts, how many were caught, and how many kinds were under their aim. It cannot be measured again.
FIRST_SIGHT: Mapping[tuple[str, str], tuple[int, int, int, int]] = {
    ("families", "seen"): (85, 3400, 3035, 31),
    ("families", "unseen"): (83, 3320, 2868, 33),
    ("files and commands", "seen"): (49, 1960, 1523, 12),
    ("files and commands", "unseen"): (55, 2200, 1516, 19),
    ("sentences", "seen"): (19, 798, 490, 19),
    ("sentences", "unseen"): (23, 966, 734, 22),
}
FIRST_FALSE_ALARMS: Mapping[str, tuple[int, int]] = {"seen": (75_813, 140), "unseen": (81_986, 48)}  # texts, flagged
