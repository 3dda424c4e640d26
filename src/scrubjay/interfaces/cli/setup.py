"""Commands for setup: init, trust, distrust, config, completion; and a demo."""

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
from scrubjay.files import private_files, regular_files
from scrubjay.interfaces import changes, formatting
from scrubjay.interfaces.cli.app import Screen, cli, command, opened
from scrubjay.interfaces.cli.shared import terminal
from scrubjay.interfaces.cli.shared.misspelt import misspelt_decay
from scrubjay.memory.guard import name_without_secret
from scrubjay.models.selection import check_setting
from scrubjay.project import trust as project_trust
from scrubjay.text.safe_text import without_password

__all__: list[str] = []

PER_SPACE_TABLES = sorted({key.partition(".")[0] for key, about in config.KEYS.items() if about.per_space})
TAKE_OVER = "The memories in {} were made elsewhere. They would count as if you had made them yourself."
SPACE_SETTING = re.compile(rf"spaces\.(?P<space>.+)\.(?P<setting>(?:{'|'.join(PER_SPACE_TABLES)})\.[^.]+)")
UNSET = "unset"


@command("init")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".")
def init(screen: Screen, folder: Path) -> None:
    """Create a memory for this project, in .scrubjay/.

    It is used in this folder and all below.

    \b
    cd my-project && scrubjay init
    """
    found, ignore = project_trust.at(folder / config.LOCAL_FOLDER), folder / ".gitignore"
    _refuse_links(folder / config.LOCAL_FOLDER, ignore)
    if not found.is_trusted and not found.is_new:
        raise Invalid(found.refusal)
    made, ignored = not found.is_trusted, _with_ignore_line(ignore)
    project_trust.trust(found.folder)
    if ignored is not None:
        _write_file(ignore, ignored)
    text = f"{'Created a memory for this project' if made else 'This project already has a memory'}: {found.store}"
    kept_out = "" if ignored is None else "; .gitignore keeps it out of git"
    screen.line({"store": str(found.store), "created": made}, text + kept_out)


@command("trust")
@click.argument("path", type=click.Path(exists=True, path_type=Path), required=False)
@click.option("--take-over", is_flag=True, help="Also restore the original trust of its memories.")
@click.option("--list", "listed", is_flag=True, help="Show the projects that you have trusted or distrusted.")
def trust(screen: Screen, path: Path | None, take_over: bool, listed: bool) -> None:
    """Use the memory that came with a project.

    It is looked for in PATH, or in the current folder and those above. Memories made by somebody else count as
    external, their tokens give no access, and their sources are read only inside of the project. If the file is
    replaced or the settings change, you are asked again. --take-over must be confirmed at a terminal.

    \b
    scrubjay trust
    scrubjay trust ~/src/bird --take-over
    scrubjay trust --list
    """
    if listed:
        _show_answers(screen, path, take_over)
        return
    found = _project(path)
    if take_over and found.is_foreign:
        terminal.confirm("--take-over", TAKE_OVER.format(found.folder))
    known = found.is_trusted
    changed = project_trust.take_over(found.folder) if take_over else 0
    found = project_trust.trust(found.folder)
    text = f"{found.folder} is {'already' if known else 'now'} trusted."
    if take_over:
        text += f" {changed} of its memories have their original trust again."
    elif found.is_foreign:
        text += " Its memories count as external; --take-over changes that."
    screen.line({**_project_dict(found), "taken_over": changed}, text)


@command("distrust")
@click.argument("path", type=click.Path(exists=True, path_type=Path), required=False)
def distrust(screen: Screen, path: Path | None) -> None:
    """Do not use a project's memory, and do not ask again.

    \b
    scrubjay distrust
    scrubjay distrust ~/src/bird
    """
    answer = project_trust.distrust(_project(path).folder)
    screen.line(_project_dict(project_trust.at(Path(answer.path))), f"{answer.path} is no longer used.")


def _project(path: Path | None) -> project_trust.Project:
    """The project memory for a path: the folder .scrubjay itself, the project's folder, or one below it."""
    start = (path or Path.cwd()).absolute()
    found = project_trust.find(start.parent if start.name == config.LOCAL_FOLDER else start)
    if found is None:
        raise Invalid(f"There is no {config.LOCAL_FOLDER} in {start} or above; `scrubjay init` creates one.")
    return found


def _show_answers(screen: Screen, path: Path | None, take_over: bool) -> None:
    if path is not None or take_over:
        raise Invalid("--list shows all projects; give it alone.")
    found = [project_trust.at(Path(one.path)) for one in project_trust.answers()]
    rows = [[str(one.folder), _state(one), "" if one.is_foreign else "yes"] for one in found]
    table = formatting.table(["project", "state", "yours"], rows)
    data = {"projects": list(map(_project_dict, found))}
    screen.show(data, table or "You have not trusted or distrusted any project.")


def _project_dict(one: project_trust.Project) -> dict[str, Any]:
    return {
        "path": str(one.folder), "trusted": one.is_trusted, "why_not": one.reason or None, "foreign": one.is_foreign
    }  # fmt: skip


def _state(project: project_trust.Project) -> str:
    if project.is_trusted:
        return "used"
    return "not used" if project.is_refused else f"not used: {project.reason}"


def _keys(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(key) for key in config.KEYS if key.startswith(incomplete)]


@command("config", context_settings={"ignore_unknown_options": True})  # a negative number is no option
@click.argument("key", required=False, shell_complete=_keys)
@click.argument("value", required=False, shell_complete=_keys)
@click.option("--local", is_flag=True, help="Write the project's own settings.")
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, resolve_path=True, path_type=Path),
    metavar="PATH",
    help="Set or unset it for yourself, in this folder and all below.",
)
@click.option("--origin", is_flag=True, help="Show where each value comes from: a file, the environment, the default.")
def config_(screen: Screen, key: str | None, value: str | None, local: bool, folder: Path | None, origin: bool) -> None:
    """Show the settings and what they mean, or set or unset one.

    KEY may be search.limit, or spaces.NAME.search.limit for one space.

    \b
    scrubjay config --origin
    scrubjay config search.limit 5
    scrubjay config space work --folder ~/work
    scrubjay config unset search.limit
    """
    if wrong := next((word for word in (key, value) if word and word.startswith("--")), None):
        raise click.NoSuchOption(wrong, ctx=click.get_current_context())
    if folder and (local or value is None):
        raise Invalid("--folder needs a setting and a value, and cannot be used with --local.")
    project = project_trust.find(Path.cwd())
    settings = config.load(project.folder if project and project.is_trusted else None, folder=Path.cwd())
    screen.notes(settings.notes)
    if key is None:
        _show_settings(screen, settings, origin)
    elif key == UNSET:
        _unset(screen, project, value, local, folder)
    elif value is None:
        _show_setting(screen, settings, key, origin)
    else:
        _set(screen, project, settings, key, value, local, folder)


def _show_settings(screen: Screen, settings: config.Settings, origin: bool) -> None:
    shown = [_setting_dict(settings, key) for key in config.KEYS]
    last, head = ("origin", "comes from") if origin else ("what", "what it is")
    rows = [[one["key"], _shown(one["value"]), one[last]] for one in shown]
    where = "" if origin else f"\n\nin {config.config_file()}"
    table = formatting.table(["setting", "value", head], rows) + where
    screen.show({"settings": shown, "file": str(config.config_file())}, table)


def _show_setting(screen: Screen, settings: config.Settings, key: str, origin: bool) -> None:
    shown = _setting_dict(settings, key)
    value = _shown(shown["value"])
    screen.line(shown, f"{value} (from {shown['origin']})" if origin else value)


def _setting_dict(settings: config.Settings, key: str) -> dict[str, Any]:
    space, plain = _split_space(key)
    value = settings.get(config.known(plain), space)
    value = without_password(value) if isinstance(value, str) else value
    return {"key": key, "value": value, "origin": settings.origin(plain, space), "what": config.meaning(plain)}


def _set(
    screen: Screen, project: project_trust.Project | None, settings: config.Settings, key: str, value: str, local: bool,
    folder: Path | None,
) -> None:  # fmt: skip
    path, (space, plain) = _local_file(project, key) if local else config.config_file(), _split_space(key)
    name_without_secret(f"The setting {key}", value)
    if plain == config.GUARD:
        config.refuse_looser_guard(settings, space, config.parse(plain, value))
    check_setting(plain, value)
    if key == config.GUARD and config.parse(key, value) == "off":
        terminal.confirm("guard.secrets off", "With the guard off, passwords and keys are stored and shown to agents.")
    written = _write(path, key, value, folder)
    if local:
        project_trust.note_settings(path.parent)
    screen.line({"key": key, "value": written, "file": str(path)}, f"Set {key} to {value} in {path}")
    screen.notes(misspelt_decay(plain, lambda: opened(None, space or None)))


def _unset(
    screen: Screen, project: project_trust.Project | None, key: str | None, local: bool, folder: Path | None
) -> None:
    if key is None:
        raise Invalid("Name the setting, e.g. `scrubjay config unset search.limit`.")
    _, plain = _split_space(key)
    config.known(plain)
    path = _local_file(project, key) if local else config.config_file()
    if not _remove(path, key, folder):
        raise Invalid(f"{key} is not set in {path}; `scrubjay config {key} --origin` shows where its value comes from.")
    if local:
        project_trust.note_settings(path.parent)
    data = {"key": key, "value": None, "file": str(path)}
    screen.line(data, f"Unset {key} in {path}; its default holds again.")


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
        yield f'$ scrubjay add "{text}" --kind {kind}\n{formatting.added_line(added)}'
    for query, remark in (
        ("which snacks are dangerous for them?", "found by meaning: no word in common"),
        ("heron-2", "found by exact word"),
    ):
        results = jay.search(query, limit=2)
        yield f'\n$ scrubjay search "{query}" -n 2        # {remark}'
        yield formatting.hits(results)
        yield from (f"Note: {note}" for note in results.notes)
    newer = jay.supersede(added.memory.id, "User prefers light mode since the new office")
    yield f'\n$ scrubjay supersede {added.memory.id} "{newer.memory.text}"'
    yield f"{newer.memory.id} replaces {added.memory.id}: {newer.memory.title}"
    yield f"\n$ scrubjay history {newer.memory.id}"
    yield changes.history(jay.history(newer.memory.id))


def _refuse_links(*paths: Path) -> None:
    """A repository may contain a link to any file of the user; nothing is written through a link."""
    for path in paths:
        if path.is_symlink():
            raise Invalid(f"{path} is a symbolic link, and nothing is written through a link; remove it first.")


def _with_ignore_line(path: Path) -> bytes | None:
    """The .gitignore with a line for our folder; None if it has one already."""
    line = f"{config.LOCAL_FOLDER}/".encode()
    before = _read_file(path)
    if line in before.splitlines():
        return None
    return before + (b"\n" if before and not before.endswith(b"\n") else b"") + line + b"\n"


def _read_file(path: Path, follow: bool = False) -> bytes:
    """A file's content; empty if it does not exist."""
    try:
        return regular_files.read_bytes(path, config.MAX_BYTES, follow=follow)
    except FileNotFoundError:
        return b""
    except OSError as problem:
        raise Invalid(f"{path} cannot be used: {problem.strerror}.") from None


def _write_file(path: Path, data: bytes) -> None:
    try:
        private_files.write_users_file(path, data, new_mode=0o666)  # as of any file of a repository
    except OSError as problem:
        raise Invalid(f"{path} cannot be written: {problem.strerror}.") from None


def _split_space(key: str) -> tuple[str, str]:
    """The space, whose name may contain dots, and the setting of `spaces.NAME.search.limit`; else no space."""
    found = SPACE_SETTING.fullmatch(key)
    return (found["space"], found["setting"]) if found else ("", key)


def _shown(value: Any) -> str:
    return {None: "(default)", True: "on", False: "off"}[value] if isinstance(value, bool | None) else str(value)


def _local_file(project: project_trust.Project | None, key: str) -> Path:
    """The file of a project's settings, if a project may have this one."""
    if project is None:
        raise Invalid("This project has no memory of its own; run `scrubjay init` first.")
    if not project.is_trusted:
        raise Invalid(project.refusal)
    _, plain = _split_space(key)
    if not config.is_for_projects(config.known(plain)):
        raise Invalid(f"{plain} cannot be set for a project; leave out --local to set it for yourself.")
    return project.folder / config.CONFIG_FILE


def _write(path: Path, key: str, text: str, folder: Path | None = None) -> Any:
    """Set one key, keeping the file's comments and order."""
    import tomlkit

    space, plain = _split_space(key)
    if folder and (space or not config.is_for_folders(config.known(plain))):
        raise Invalid(f"{key} cannot be set for one folder; leave out --folder to set it everywhere.")
    value = config.parse(plain, text)
    document = _document(path)
    table: Any = document
    *tables, name = _table_names(space, plain, folder)
    for part in tables:
        table = table.setdefault(part, tomlkit.table())
    table[name] = value
    _save(path, document)
    return value


def _table_names(space: str, key: str, folder: Path | None) -> list[str]:
    outer = ("spaces", space) if space else ("folders", str(folder)) if folder else ()
    return [*outer, *key.split(".")]


def _remove(path: Path, key: str, folder: Path | None) -> bool:
    """Remove one key and the tables that are empty then; False if it is not in the file."""
    space, plain = _split_space(key)
    document = _document(path)
    tables: list[Any] = [document]
    names = _table_names(space, plain, folder)
    for name in names[:-1]:
        if name not in tables[-1]:
            return False
        tables.append(tables[-1][name])
    if names[-1] not in tables[-1]:
        return False
    for table, name in reversed(list(zip(tables, names, strict=True))):
        del table[name]
        if table:
            break
    _save(path, document)
    return True


def _document(path: Path) -> Any:
    import tomlkit

    is_local = path.parent.name == config.LOCAL_FOLDER
    if is_local:  # the user's own settings may be a link
        _refuse_links(path, path.parent)
    return tomlkit.parse(_read_file(path, follow=not is_local).decode("utf-8"))


def _save(path: Path, document: Any) -> None:
    import tomlkit

    private_files.make_folder(path.parent)
    private_files.write(path, tomlkit.dumps(document).encode())
