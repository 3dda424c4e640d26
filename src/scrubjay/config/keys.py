"""Every setting: its type, default, description and valid values. To add one: a line in `KEYS`."""

from __future__ import annotations

from typing import Any, NamedTuple, get_args

from scrubjay.types import DEFAULT_SPACE, Fusion, Mode
from scrubjay.types.queries import WEIGHTS

__all__ = ["KEYS", "POLICIES", "Key"]

POLICIES = ("refuse", "redact", "off")  # the strictest first
LOG_LEVELS = ("debug", "info", "warning", "error")


class Key(NamedTuple):
    """A setting: its type, default, description and valid values."""

    kind: type
    default: Any
    what: str
    choices: tuple[str, ...] = ()
    least: float = 0.0
    most: float = 1e9
    per_space: bool = False


# `scrubjay config`, the environment variables and the reference page are made from this.
KEYS: dict[str, Key] = {
    "store": Key(str, None, "the memory's file; by default `memory.db` in the data folder"),
    "space": Key(str, DEFAULT_SPACE, "the space that is read and written"),
    "embedder": Key(
        str, None, "the embedder of a new file: local (the default), none, or e.g. ollama:nomic-embed-text"
    ),
    "generator": Key(str, None, "the language model for extract and synthesise; none by default"),
    "keys.embedder": Key(str, None, "a command that prints the embedder's API key, e.g. `pass openai`"),
    "keys.generator": Key(str, None, "the same for the generator"),
    "headers.embedder": Key(str, None, "extra headers for the embedder's server, e.g. `X-Title: notes; X-Team: ops`"),
    "headers.generator": Key(str, None, "the same for the generator's server"),
    "generation.budget": Key(int, 500_000, "how many tokens the generator may use in a month; 0 for no limit"),
    "extract.most": Key(int, 3, "the most memories extracted from one conversation", least=1, most=100, per_space=True),
    "extract.min_confidence": Key(
        float, 0.7, "extracted memories with less confidence are dropped", most=1, per_space=True
    ),
    "extract.min_characters": Key(int, 50, "shorter conversations are skipped", most=1_000_000, per_space=True),
    "auto.extract": Key(
        str,
        "off",
        "when conversations are gone through for memories without being asked: off, session_end or turns",
        ("off", "session_end", "turns"),
        per_space=True,
    ),
    "auto.extractor": Key(
        str,
        "rules",
        "what does that: rules, or the generator within its budget",
        ("rules", "generator"),
        per_space=True,
    ),
    "auto.cleanup": Key(
        bool, False, "clean up when a limit is passed, and once a day at a session's start", per_space=True
    ),
    "search.limit": Key(int, 10, "how many results a search returns", least=1, most=1000, per_space=True),
    "search.mode": Key(str, "hybrid", "hybrid, keyword or vector", get_args(Mode), per_space=True),
    "search.fusion": Key(str, "sum", "how scores are combined: sum or rrf", get_args(Fusion), per_space=True),
    "search.keyword_weight": Key(float, WEIGHTS["keyword"], "the weight of words in the score", per_space=True),
    "search.vector_weight": Key(float, WEIGHTS["vector"], "the weight of meaning in the score", per_space=True),
    "search.min_score": Key(float, 0.0, "results below this score are hidden; a note says so", most=1, per_space=True),
    "search.source_share": Key(
        float,
        0.5,
        "the largest share of files and conversations in the results, if other memories match, too",
        most=1,
        per_space=True,
    ),
    "context.memories": Key(
        int,
        None,
        "how many memories an agent is shown at a time; by default 5, and 20 at a session's start",
        most=1000,
        per_space=True,
    ),
    "context.tokens": Key(int, 500, "how many tokens they may use", most=1_000_000, per_space=True),
    "context.likelihood": Key(
        float,
        None,
        "the least likelihood of what is shown; by default, what `search` calls likely",
        most=1,
        per_space=True,
    ),
    "decay.note": Key(float, 30.0, "days in which a note fades halfway; 0 for never", per_space=True),
    "decay.observation": Key(float, 30.0, "the same for an observation; any kind may be named", per_space=True),
    "chunking.tokens": Key(int, 400, "about how many tokens a passage of a file has", least=50, most=100_000),
    "chunking.overlap": Key(int, 80, "how many of these repeat the passage before", most=50_000),
    "sync.on_session_start": Key(bool, True, "sync the sources when a session starts", per_space=True),
    "sync.on_search": Key(bool, False, "sync the sources after a search that found them changed", per_space=True),
    "sync.watch": Key(bool, True, "sync when files change, in programs that keep running, such as `scrubjay watch`"),
    "sync.debounce_ms": Key(int, 1_500, "how long a file must be unchanged before it is read", most=600_000),
    "sync.interval_minutes": Key(
        int, 0, "how often such a program syncs even without a change; 0 for never", most=100_000
    ),
    "sync.transcript_bytes": Key(
        int, 0, "a watched transcript is read once it has grown by this many bytes", most=1e12
    ),
    "sync.transcript_messages": Key(int, 0, "or by this many lines; with both 0, whenever it has grown"),
    "sync.max_file_bytes": Key(int, 1_000_000, "larger files are skipped; a note says so", most=1e9),
    "sync.cache_days": Key(
        int, 30, "how many days `cleanup` keeps vectors of text that was removed from its file", most=100_000
    ),
    "cache.bytes": Key(int, 100_000_000, "the most bytes of vectors kept for text that is not in use", most=1e12),
    "limits.memories": Key(
        int, 0, "the most memories that `cleanup` leaves in a space; 0 for no limit", per_space=True
    ),
    "limits.bytes": Key(int, 0, "the largest file that `cleanup` leaves; 0 for no limit", most=1e15),
    "trash.days": Key(
        int, 30, "how many days deleted memories can be restored; 0 to erase them at once", most=100_000, per_space=True
    ),
    "guard.secrets": Key(
        str, "refuse", "what to do with secrets: refuse, redact or off (asks at a terminal)", POLICIES, per_space=True
    ),
    "hooks.deadline": Key(
        float,
        5.0,
        "how many seconds a hook of an agent client may take; then it is silent",
        least=0.1,
        most=600,
        per_space=True,
    ),
    "hooks.wait": Key(
        float,
        2.0,
        "how many of them a hook waits for the language model; then words alone answer",
        most=600,
        per_space=True,
    ),
    "hooks.extract": Key(
        bool, False, "whether hooks learn instructions, by rules, when a session ends", per_space=True
    ),
    "log.level": Key(str, "warning", "what servers write to their log: debug, info, warning or error", LOG_LEVELS),
    "log.folder": Key(str, None, "a folder for a daily Markdown file of what was remembered; none by default"),
}
