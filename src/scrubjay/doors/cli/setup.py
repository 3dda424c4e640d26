"""Commands that set things up, and a demonstration."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import click

import scrubjay
from scrubjay import Invalid, config
from scrubjay.doors import render
from scrubjay.doors.cli.app import Screen, cli, command

__all__: list[str] = []


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


@command("config")
@click.argument("key", required=False)
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
        config.known(key)
        screen.show({key: _value(settings, key)}, str(_value(settings, key)))
    else:
        path = _config_path(local)
        _write(path, key, value)
        screen.show({key: value, "file": str(path)}, f"Set {key} to {value} in {path}")


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
        for line in _demonstration(jay):
            click.echo(line)


def _demonstration(jay: scrubjay.Scrubjay) -> Any:
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
        rows = render.hit_rows(jay.search(query, limit=2))
        yield f'\n$ scrubjay search "{query}" -n 2        # {remark}'
        yield render.columns(["id", "score", "kind", "date", "title"], rows)
    newer = jay.supersede(added.memory.id, "User prefers light mode since the new office")
    yield f'\n$ scrubjay supersede {added.memory.id} "{newer.memory.text}"'
    yield f"{newer.memory.id} replaces {added.memory.id}: {newer.memory.title}"
    yield f"\n$ scrubjay history {newer.memory.id}"
    told = jay.history(newer.memory.id)
    rows = [
        ["was" if memory.superseded_at else "is", *row]
        for memory, row in zip(told, render.memory_rows(told), strict=True)
    ]
    yield render.columns(["", "id", "kind", "date", "title"], rows)


def _ignore(path: Path) -> None:
    line = f"{config.LOCAL_FOLDER}/"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    if line not in text.splitlines():
        path.write_text(f"{text}{'' if text.endswith(chr(10)) or not text else chr(10)}{line}\n", encoding="utf-8")


def _value(settings: config.Settings, key: str) -> Any:
    room, _, name = key.rpartition(".")
    return settings.search.get(name) if room == "search" else getattr(settings, name)


def _settings_table(shown: dict[str, Any]) -> str:
    rows = [[key, "(default)" if value is None else str(value), config.KEYS[key][1]] for key, value in shown.items()]
    return f"{render.columns(['setting', 'value', 'what it is'], rows)}\n\nin {config.config_file()}"


def _config_path(local: bool) -> Path:
    if not local:
        return config.config_file()
    folder = config.local_folder(Path.cwd())
    if folder is None:
        raise Invalid("There is no project-local memory here; run `scrubjay init` first.")
    return folder / config.CONFIG_FILE


def _write(path: Path, key: str, text: str) -> None:
    """Set one key, keeping the file's comments and order."""
    import tomlkit

    prefix, _, plain = key.partition(".search.") if key.startswith("spaces.") else ("", "", "")
    value = config.parse(f"search.{plain}" if plain else key, text)
    document = tomlkit.parse(path.read_text(encoding="utf-8")) if path.exists() else tomlkit.document()
    table: Any = document
    *rooms, name = [*prefix.split(".", 1), "search", plain] if plain else key.split(".")
    for room in rooms:
        table = table.setdefault(room, tomlkit.table())
    table[name] = value
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(tomlkit.dumps(document), encoding="utf-8")
