"""What must never reach the disk: secrets are found and redacted, private parts are left out.

Each file knows one way to recognise a secret: `prefixes` by how it begins, `shapes` by its form, `headers` by the words
of a protocol or of a command, `assignments` by the name that it is given to, `nearby` by the words around a random
token, `prose` by a sentence that tells it, `beside` by a word for it in its line or above, `access` by its own shape in
a sentence that tells what is opened, `files` by the file that it stands in, `numbers` by its check digits. `plain_form`
undoes what hides one from all of them, and `wrapped_lines` what breaks one in two.
"""

from __future__ import annotations

from scrubjay.text.secret_scan.private_tags import without_private
from scrubjay.text.secret_scan.scan import Finding, find_secrets, redact

__all__ = ["Finding", "find_secrets", "redact", "without_private"]
