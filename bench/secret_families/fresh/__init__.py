"""The fresh part: families, carriers, files, sentences and ordinary text written after the rules, by somebody who had
read neither the rules nor their tests.

It is split in two by a hash of the names, fixed before the first run: of the half called seen, the writers of the rules
may look at what is missed; of the unseen one, only totals are printed. A family of one half is written in carriers of
the same half, so nothing of the unseen half is shown by the other.
"""

from pathlib import Path

from bench.secret_families.values import read_families

__all__ = ["FAMILIES"]

FAMILIES = read_families(Path(__file__).parent / "services.txt")
