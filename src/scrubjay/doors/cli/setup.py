"""Commands that set things up, and a demonstration."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

import scrubjay
from scrubjay import Invalid, config
from scrubjay.doors import render
from scrubjay.doors.cli import terminal
from scrubjay.doors.cli.app import Screen, cli, command
from scrubjay.fields import nameable

__all__: list[str] = []

ROOMS = sorted({key.partition(".")[0] for key, about in config.KEYS.items() if about.per_space})
OF_ONE_SPACE = re.compile(rf"spaces\.(?P<space>.+)\.(?P<setting>(?:{'|'.join(ROOMS)})\.[^.]+)")


@command("init")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".")
def init(screen: Screen, folder: Path) -> None:
    """Give this project a memory of its own, in .scrubjay/, used from any folder below.

    \b
    cd my-project && scrubjay init
    """
    local = folder.absolute() / config.LOCAL_FOLDER
    there = (local / config.STORE_FILE).exists()
    local.mkdir(exist_ok=True)
    scrubjay.open(local / config.STORE_FILE).close()
    _ignore(folder / ".gitignore")
    text = f"{'There already is' if there else 'Made'} a memory of this project's own: {local / config.STORE_FILE}"
    screen.show({"store": str(local / config.STORE_FILE), "created": not there}, text)


def _keys(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(key) for key in config.KEYS if key.startswith(incomplete)]


@command("config")
@click.argument("key", required=False, shell_complete=_keys)
@click.argument("value", required=False)
@click.option("--local", is_flag=True, help="Write the project's own settings.")
def config_(screen: Screen, key: str | None, value: str | None, local: bool) -> None:
    """Show settings, or set one. KEY may be search.limit, or spaces.NAME.search.limit for one space.

    \b
    scrubjay config
    scrubjay config search.limit 5
    """
    settings = config.load(Path.cwd())
    if key is None:
        shown = {name: _value(settings, name) for name in config.KEYS}
        screen.show({**shown, "file": str(config.config_file())}, _settings_table(shown))
    elif value is None:
        screen.show({key: _value(settings, key)}, _shown(_value(settings, key)))
    else:
        path = _config_path(local)
        nameable(f"The setting {key}", value)
        if key == "guard.secrets" and config.parse(key, value) == "off":
            terminal.confirm(
                "guard.secrets off", "With the guard off, passwords and keys are stored and told to agents."
            )
        written = _write(path, key, value)
        screen.show({key: written, "file": str(path)}, f"Set {key} to {value} in {path}")


@command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(screen: Screen, shell: str) -> None:
    """Print the script that completes commands in your shell.

    \b
    scrubjay completion bash >> ~/.bashrc
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    script = kind(cli, {}, "scrubjay", "_SCRUBJAY_COMPLETE").source()
    screen.show({"shell": shell, "script": script}, script)


@command("demo")
def demo(screen: Screen) -> None:
    """Show what Scrubjay does, on a temporary memory.

    \b
    scrubjay demo
    """
    with tempfile.TemporaryDirectory() as folder, scrubjay.open(Path(folder) / "memory.db", space="demo") as jay:
        steps = list(_demonstration(jay))
        screen.show({"steps": steps}, "\n".join(steps))


def _demonstration(jay: scrubjay.Scrubjay) -> Iterator[str]:
    facts = (
        ("The user cannot eat peanuts", "fact"),
        ("Releases go out on Thursday afternoons", "decision"),
        ("The staging server is called heron-2", "fact"),
        ("User prefers dark mode", "preference"),
    )
    for text, kind in facts:
        added = jay.add(text, kind=kind)
        yield f'$ scrubjay add "{text}" --kind {kind}\n{render.added_line(added)}'
    for query, remark in (
        ("which snacks are dangerous for them?", "found by meaning: no word in common"),
        ("heron-2", "found by exact word"),
    ):
        results = jay.search(query, limit=2)
        yield f'\n$ scrubjay search "{query}" -n 2        # {remark}'
        yield render.hits(results)
        yield from (f"Note: {note}" for note in results.notes)
    newer = jay.supersede(added.memory.id, "User prefers light mode since the new office")
    yield f'\n$ scrubjay supersede {added.memory.id} "{newer.memory.text}"'
    yield f"{newer.memory.id} replaces {added.memory.id}: {newer.memory.title}"
    yield f"\n$ scrubjay history {newer.memory.id}"
    yield render.history(jay.history(newer.memory.id))


def _ignore(path: Path) -> None:
    line = f"{config.LOCAL_FOLDER}/".encode()
    before = path.read_bytes() if path.exists() else b""
    if line not in before.splitlines():
        path.write_bytes(before + (b"\n" if before and not before.endswith(b"\n") else b"") + line + b"\n")


def _value(settings: config.Settings, key: str) -> Any:
    space, plain = _apart(key)
    return settings.get(config.known(plain), space)


def _apart(key: str) -> tuple[str, str]:
    """The space of `spaces.NAME.search.limit`, whose name may hold dots, and the setting; else no space."""
    found = OF_ONE_SPACE.fullmatch(key)
    return (found["space"], found["setting"]) if found else ("", key)


def _shown(value: Any) -> str:
    return "(default)" if value is None else str(value)


def _settings_table(shown: dict[str, Any]) -> str:
    rows = [[key, _shown(value), config.KEYS[key].what] for key, value in shown.items()]
    return f"{render.columns(['setting', 'value', 'what it is'], rows)}\n\nin {config.config_file()}"


def _config_path(local: bool) -> Path:
    if not local:
        return config.config_file()
    folder = config.local_folder(Path.cwd())
    if folder is None:
        raise Invalid("There is no project-local memory here; run `scrubjay init` first.")
    return folder / config.CONFIG_FILE


def _write(path: Path, key: str, text: str) -> Any:
    """Set one key, keeping the file's comments and order."""
    import tomlkit

    space, plain = _apart(key)
    value = config.parse(plain, text)
    document = tomlkit.parse(path.read_text(encoding="utf-8")) if path.exists() else tomlkit.document()
    table: Any = document
    *rooms, name = plain.split(".")
    for room in ("spaces", space, *rooms) if space else rooms:
        table = table.setdefault(room, tomlkit.table())
    table[name] = value
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(tomlkit.dumps(document), encoding="utf-8")
    return value
