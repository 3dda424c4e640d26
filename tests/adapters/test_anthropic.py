"""Anthropic's memory tool: the same answers as the reference on disk, over a memory."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anthropic
import pytest
from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool
from hypothesis import given, settings
from hypothesis import strategies as st

import scrubjay
from scrubjay import Scrubjay
from scrubjay.adapters.anthropic import AsyncMemoryTool, MemoryTool
from scrubjay.types.limits import TEXT_CHARACTERS
from tests.support.scripted_model import scripted_model

PATHS = st.sampled_from(
    "/memories /memories/ /memories/a /memories/a/x /memories/d /memories/d/b.md /memories/d/e/c /memories/d/e/f/g"
    " /memories/.hidden /memories/d/../a /memories/./d/e /memories/../etc/passwd /etc/passwd /memories/../.. a".split()
)
TEXTS = st.text(st.sampled_from("ab \t\r\n-é\U0001f426"), max_size=12)
NUMBERS = st.integers(-1, 5)
COMMANDS = st.one_of(
    st.builds(lambda path, span: {"command": "view", "path": path, "view_range": span}, PATHS,
              st.none() | st.lists(NUMBERS, min_size=2, max_size=2)),
    st.builds(lambda path, text: {"command": "create", "path": path, "file_text": text}, PATHS, TEXTS),
    st.builds(lambda path, old, new: {"command": "str_replace", "path": path, "old_str": old, "new_str": new}, PATHS,
              TEXTS, TEXTS),
    st.builds(lambda path, line, text: {"command": "insert", "path": path, "insert_line": line, "insert_text": text},
              PATHS, NUMBERS, TEXTS),
    st.builds(lambda path: {"command": "delete", "path": path}, PATHS),
    st.builds(lambda old, new: {"command": "rename", "old_path": old, "new_path": new}, PATHS, PATHS),
)  # fmt: skip
OWN_WORDS = (
    "is a file, not a directory",
    "to a path inside itself",
    "does not exist",
)  # where the reference fails with an OSError


@contextmanager
def tool() -> Iterator[MemoryTool]:
    with scrubjay.open(":memory:", embedder="none") as jay:
        yield MemoryTool(jay)


def answer(of: Any, command: dict[str, Any]) -> str:
    try:
        return re.sub(r"^\S+(?=\t.*/$|\t/memories[^\t]*$)", "size", str(of.call(command)), flags=re.MULTILINE)
    except ToolError as refused:
        return f"Error: {refused}"
    except OSError:
        return "Error: of the disk"


def without_empty_folders(root: Path) -> None:
    """Folders that have lost their files are none in a memory."""
    for folder in sorted((path for path in root.rglob("*") if path.is_dir()), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()


@settings(max_examples=40)
@given(st.lists(COMMANDS, max_size=12))
def test_every_answer_is_that_of_the_reference(commands: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder, tool() as ours:
        reference = BetaLocalFilesystemMemoryTool(base_path=folder)
        for command in commands:
            said, expected = answer(ours, command), answer(reference, command)
            if expected == "Error: of the disk":
                assert any(words in said for words in OWN_WORDS)
                return
            assert said == expected
            without_empty_folders(Path(folder) / "memories")


@settings(max_examples=30)
@given(TEXTS | st.text(max_size=200).filter(lambda text: "<private>" not in text))
def test_a_file_comes_back_as_it_was_written(text: str) -> None:
    with tool() as ours:
        ours.call({"command": "create", "path": "/memories/a", "file_text": text})
        shown = str(ours.call({"command": "view", "path": "/memories/a"})).partition("\n")[2]
        assert "\n".join(line[7:] for line in shown.split("\n")) == text


def test_a_folder_is_listed_with_the_sizes_of_its_files(jay: Scrubjay) -> None:
    ours = MemoryTool(jay)
    for path, size in (("a.md", 0), ("d/b.md", 1536), ("d/e/c.md", 2048), ("d/e/f/g.md", 1), (".h/x", 5)):
        ours.call({"command": "create", "path": f"/memories/{path}", "file_text": "x" * size})
    assert ours.call({"command": "view", "path": "/memories"}) == (
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:\n"
        "3.5K\t/memories\n0B\t/memories/a.md\n3.5K\t/memories/d/\n1.5K\t/memories/d/b.md\n2.0K\t/memories/d/e/"
    )


@pytest.mark.every_store
def test_files_are_found_by_meaning_and_keep_their_versions(jay: Scrubjay) -> None:
    ours = MemoryTool(jay)
    ours.call({"command": "create", "path": "/memories/user.md", "file_text": "likes tea\n"})
    ours.call({"command": "str_replace", "path": "/memories/user.md", "old_str": "tea", "new_str": "  tea"})
    ours.call({"command": "rename", "old_path": "/memories/user.md", "new_path": "/memories/people/ann.md"})
    (hit,) = jay.search("who likes tea?")
    assert (hit.memory.title, hit.memory.text) == ("/memories/people/ann.md", "likes   tea\n")
    assert (hit.memory.trust, hit.memory.source) == ("agent", "anthropic")
    assert [memory.text for memory in jay.history(hit.memory.id)] == ["likes tea\n", "likes   tea\n"]


def test_what_is_deleted_goes_with_its_versions_and_can_be_restored(jay: Scrubjay) -> None:
    ours = MemoryTool(jay)
    ours.call({"command": "create", "path": "/memories/a", "file_text": "one"})
    ours.call({"command": "insert", "path": "/memories/a", "insert_line": 1, "insert_text": "two"})
    ours.call({"command": "delete", "path": "/memories/a"})
    assert jay.list(include_superseded=True) == []
    jay.undelete(2)
    assert "two" in str(ours.call({"command": "view", "path": "/memories/a"}))
    assert ours.clear_all_memory() == "All memory cleared" and jay.list() == []


def test_a_file_longer_than_a_memory_is_read_changed_and_deleted_whole(jay: Scrubjay) -> None:
    ours, text = MemoryTool(jay.lend(space="long")), "heron\n" * (TEXT_CHARACTERS // 6 + 1)
    ours.call({"command": "create", "path": "/memories/a", "file_text": f"{text}the end"})
    last = text.count("\n") + 1
    assert ours.call({"command": "view", "path": "/memories/a", "view_range": [last, -1]}) == (
        f"Here's the content of /memories/a with line numbers:\n{last:>6}\tthe end"
    )
    assert ours.call({"command": "view", "path": "/memories"}).endswith("\n976.6K\t/memories/a")  # type: ignore[union-attr]
    ours.call({"command": "str_replace", "path": "/memories/a", "old_str": "the end", "new_str": "The End"})
    shown = str(ours.call({"command": "view", "path": "/memories/a"}))
    assert shown.count("heron") == last - 1 and shown.endswith("The End")
    ours.call({"command": "delete", "path": "/memories/a"})
    assert jay.lend(space="long").list(include_superseded=True) == []


def test_a_file_that_two_programs_create_at_once_is_one_file(jay: Scrubjay) -> None:
    with scrubjay.open(jay.address, embedder="none") as other:
        tools = [AsyncMemoryTool(jay), AsyncMemoryTool(other)]

        async def story() -> list[Any]:
            create = {"command": "create", "path": "/memories/a", "file_text": "x"}
            return await asyncio.gather(*(tool.call(create) for tool in tools * 4), return_exceptions=True)

        answers = sorted(map(str, asyncio.run(story())))
    assert answers == ["File /memories/a already exists"] * 7 + ["File created successfully at: /memories/a"]
    assert len(jay.list()) == 1


def test_other_memories_of_the_space_are_no_files(jay: Scrubjay) -> None:
    jay.add("/memories/a is no file", subject="/memories/a")
    assert MemoryTool(jay).call({"command": "view", "path": "/memories"}) == (
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:\n0B\t/memories"
    )
    assert MemoryTool(jay.lend(space="other")).call({"command": "create", "path": "/memories/a", "file_text": "x"})
    with pytest.raises(ToolError, match="The path /memories/a does not exist"):
        MemoryTool(jay).call({"command": "view", "path": "/memories/a"})


def test_a_secret_is_refused_with_a_sentence(jay: Scrubjay) -> None:
    with pytest.raises(ToolError, match="looks like a secret"):
        MemoryTool(jay).call({"command": "create", "path": "/memories/a", "file_text": "password=hunter2xkcd99"})
    with pytest.raises(ToolError, match="control character"):
        MemoryTool(jay).call({"command": "create", "path": "/memories/a\n0B\t/memories/b", "file_text": "x"})
    assert jay.list() == []


def test_neither_a_long_path_nor_many_occurrences_keep_it_busy(jay: Scrubjay, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = MemoryTool(jay)
    tool.call({"command": "create", "path": "/memories/a", "file_text": "a\n" * 5_000})
    with pytest.raises(ToolError, match="in lines: 1, 2, 3, ") as refused:
        tool.call({"command": "str_replace", "path": "/memories/a", "old_str": "a", "new_str": "b"})
    assert len(str(refused.value)) < 10_000
    monkeypatch.setattr(tool.texts, "find", None)  # a path is refused before anything is looked up
    for name in ("b/" * 5_000 + "c", "b" * 500):
        with pytest.raises(ToolError, match="longer than 500 characters"):
            tool.call({"command": "create", "path": f"/memories/{name}", "file_text": "x"})


def test_a_path_that_could_be_stored_in_part_only_is_not_another(jay: Scrubjay) -> None:
    tool, hidden = MemoryTool(jay), "/memories/<private>b</private>a"
    tool.call({"command": "create", "path": "/memories/a", "file_text": "one"})
    tool.call({"command": "create", "path": "/memories/c", "file_text": "two"})
    for call in (
        {"command": "create", "path": hidden, "file_text": "three"},
        {"command": "rename", "old_path": "/memories/c", "new_path": hidden},
    ):
        with pytest.raises(ToolError, match="only '/memories/a' of it could be stored"):
            tool.call(call)
    assert str(tool.call({"command": "view", "path": "/memories/a"})).endswith("one")


def test_the_asynchronous_tool_gives_the_same_answers(jay: Scrubjay) -> None:
    async def story() -> None:
        ours = AsyncMemoryTool(jay)
        file = "/memories/a"
        calls: list[dict[str, Any]] = [
            {"command": "create", "path": file, "file_text": "one"},
            {"command": "view", "path": file},
            {"command": "str_replace", "path": file, "old_str": "one", "new_str": "two"},
            {"command": "insert", "path": file, "insert_line": 0, "insert_text": "zero"},
            {"command": "rename", "old_path": file, "new_path": "/memories/b"},
            {"command": "delete", "path": "/memories/b"},
        ]
        with tool() as same:
            for call in calls:
                assert await ours.call(call) == same.call(call)
        with pytest.raises(ToolError, match="The path /memories/b does not exist"):
            await ours.call({"command": "delete", "path": "/memories/b"})
        assert await ours.clear_all_memory() == "All memory cleared"
        assert ours.to_dict() == {"type": "memory_20250818", "name": "memory"}

    asyncio.run(story())


def test_a_real_tool_loop_writes_and_reads_files(jay: Scrubjay) -> None:
    create = {"command": "create", "path": "/memories/user.md", "file_text": "prefers dark mode"}
    with scripted_model(("memory", create), ("memory", {"command": "view", "path": "/memories/user.md"})) as model:
        client = anthropic.Anthropic(api_key="none", base_url=model.url)
        runner = client.beta.messages.tool_runner(
            model="m",
            max_tokens=9,
            tools=[MemoryTool(jay)],
            messages=[{"role": "user", "content": "Dark mode, please"}],
        )
        assert runner.until_done().content[0].text == "Done."  # type: ignore[union-attr]
    assert model.asked[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    assert "1\\tprefers dark mode" in str(model.asked[2]["messages"][-1])


def test_neither_a_synced_folder_of_its_name_nor_what_was_imported_are_its_files(jay: Scrubjay, tmp_path: Path) -> None:
    (tmp_path / "anthropic").mkdir()
    (tmp_path / "anthropic" / "a.md").write_text("---\npath: /memories/a\n---\nDo as I say")
    (tmp_path / "anthropic" / "b.md").write_text("No path at all")
    jay.sources.add(tmp_path / "anthropic")
    jay.sync()
    jay.add("No path", kind="passage", source="anthropic", subject="a")
    jay.add(
        "A path", kind="passage", source="anthropic", subject="b", metadata={"path": "/memories/\x1b[31m\nDo as I say"}
    )
    files = MemoryTool(jay)
    files.call({"command": "create", "path": "/memories/c", "file_text": "Mine"})
    assert str(files.call({"command": "view", "path": "/memories"})).split("\n")[1:] == [
        "4B\t/memories",
        "4B\t/memories/c",
    ]
    files.clear_all_memory()
    assert [memory.text for memory in jay.list(sources=["anthropic"])] == ["No path at all", "Do as I say"]


@pytest.mark.parametrize("blank", ["Do as I say", ["Do as I say"], 7, None])
def test_metadata_of_somebody_else_stand_in_for_no_text_of_a_file(jay: Scrubjay, blank: Any) -> None:
    files = MemoryTool(jay)
    for name, text in (("/memories/a", "Mine"), ("/memories/empty", "")):
        files.call({"command": "create", "path": name, "file_text": text})
    mine = min(jay.list(sources=["anthropic"]), key=lambda file: file.id)
    jay.update(mine.id, metadata={"blank": blank})
    assert str(files.call({"command": "view", "path": "/memories/a"})).endswith("1\tMine")
    assert str(files.call({"command": "view", "path": "/memories/empty"})).endswith("1\t")


@pytest.mark.parametrize("number", ["x", None, [1], {"a": 1}, True])
def test_a_part_of_a_long_file_that_the_tool_cannot_have_stored_ends_no_command(jay: Scrubjay, number: Any) -> None:
    files, long = MemoryTool(jay), "The heron counts its eggs. \n" * (TEXT_CHARACTERS // 20)
    files.call({"command": "create", "path": "/memories/a", "file_text": long})
    (first,) = jay.list(sources=["anthropic"], subject="/memories/a", metadata={"continued": True})
    jay.add(
        "No part", kind="passage", source="anthropic/rest", subject="/memories/a",
        metadata={"rest_of": first.uid, "number": number},
    )  # fmt: skip
    assert "No part" not in str(files.call({"command": "view", "path": "/memories/a"}))
    files.call({"command": "delete", "path": "/memories/a"})
