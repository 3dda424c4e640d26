"""What a page says about the change before it, and the undo that it offers; kept in a cookie for a minute."""

from __future__ import annotations

from urllib.parse import quote, unquote

__all__ = ["Notice"]

SENTENCES = {
    "added": "Remembered.",
    "known": "This was known already.",
    "corrected": "Corrected. The old text stays in the history.",
    "confirmed": "Confirmed: it still holds.",
    "unconfirmed": "Undone: the confirmation was taken back.",
    "updated": "Updated.",
    "deleted": "Deleted. It is in the trash.",
    "undeleted": "Restored from the trash.",
    "reverted": "Undone.",
    "decided": "Decided. The other one stays in the history.",
    "dismissed": "Both stay: they do not contradict each other.",
    "reopened": "Undone. The two are open to a decision again.",
    "linked": "Linked.",
    "unlinked": "The link was taken away.",
    "rated": "Rated. If you rate it again, the last rating counts.",
    "task": "The task was updated.",
    "task-added": "The task was added.",
    "synced": "Synced.",
    "cleaned": "Cleaned up. What was removed is in the trash, below.",
    "revoked": "The token was revoked.",
    "record": "Saved as a new version.",
    "record-first": "Saved.",
    "record-undone": "Undone: the version before holds again.",
    "record-deleted": "Deleted, with all its versions. It is in the trash.",
    "profile-first": "Saved.",
    "profile": "Saved as a new version of the profile.",
}
# Where a form goes that undoes it; the braces stand for what the notice names.
UNDO = {
    "added": "/memories/{}/delete",
    "corrected": "/memories/{}/revert",
    "confirmed": "/memories/{}/confirm?undo=yes",
    "updated": "/memories/{}/revert",
    "deleted": "/memories/{}/undelete",
    "undeleted": "/memories/{}/delete",
    "decided": "/memories/{}/revert?back={}",
    "dismissed": "/conflicts/reopen?older={}&newer={}&back={}",
    "linked": "/memories/{}/unlink?source={}&target={}&word={}",
    "unlinked": "/memories/{}/link?to={}&word={}",
    "task": "/memories/{}/revert?back=/tasks",
    "task-added": "/memories/{}/delete?back=/tasks",
    "record": "/records/{}/{}/rollback?version={}&undo=yes",
    "record-first": "/records/{}/{}/delete",
    "record-deleted": "/memories/{}/undelete",
    "profile-first": "/records/profile?path={}",
    "profile": "/records/profile/rollback?version={}&undo=yes",
}


class Notice:
    """What was done, and to what."""

    def __init__(self, done: str, *names: int | str) -> None:
        self._done = done
        self._names = [quote(str(name), safe="") for name in names]

    @property
    def text(self) -> str:
        return SENTENCES[self._done]

    @property
    def undo(self) -> str | None:
        """Where a form goes that undoes it; None where it names nothing to undo."""
        address = UNDO.get(self._done, "")
        return address.format(*self._names) if self._names and address.count("{}") == len(self._names) else None

    @property
    def written(self) -> str:
        return "|".join([self._done, *self._names])

    @classmethod
    def read(cls, text: str) -> Notice | None:
        """The notice in a cookie; anything else is none."""
        done, *names = text.split("|")
        return cls(done, *map(unquote, names)) if done in SENTENCES else None
