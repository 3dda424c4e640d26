"""The profile: every change is a version, each version can be read, compared and brought back."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scrubjay
from scrubjay import Invalid, NotFound, Scrubjay
from scrubjay.records.nested.differences import same
from scrubjay.records.profile import EMPTY
from tests.support.clock import Clock

SECRET = "ghp_" + "a1B2c3D4e5" * 4  # of the right form, and nobody's
PATHS = ("user_info.name", "preferences.tools[0]", "preferences.working_style", "extra.deep.key", "current_projects[0]")


def test_an_empty_profile_tells_what_could_be_in_it(jay: Scrubjay) -> None:
    assert jay.profile.get() == EMPTY and jay.profile.history() == []
    assert jay.profile.get("preferences.tools") == [] and jay.list() == []


def test_a_value_is_set_by_its_path_with_a_reason(jay: Scrubjay, clock: Clock) -> None:
    version = jay.profile.set("preferences.tools[0]", "uv", reason="said so")
    assert (version.version, version.reason, version.at, version.holds) == (1, "said so", clock.now, True)
    assert jay.profile.get("preferences.tools[0]") == "uv" and jay.profile.get()["user_info"] == EMPTY["user_info"]
    jay.profile.set("preferences.tools[1]", "ruff")
    assert jay.profile.get("preferences.tools") == ["uv", "ruff"]
    jay.profile.unset("preferences.tools[0]")
    assert jay.profile.get("preferences.tools") == ["ruff"]
    assert [one.version for one in jay.profile.history()] == [1, 2, 3]


def test_a_merge_adds_replaces_and_removes(jay: Scrubjay) -> None:
    jay.profile.merge({"user_info": {"name": "Ann", "timezone": None}, "pets": ["Bill"]}, reason="met")
    found = jay.profile.get()
    assert found["user_info"] == {"name": "Ann", "background": None, "current_role": None}
    assert found["pets"] == ["Bill"] and found["preferences"] == EMPTY["preferences"]


def test_a_rollback_is_a_new_version_and_loses_nothing(jay: Scrubjay) -> None:
    for name in ("Ann", "Bea", "Cleo"):
        jay.profile.set("user_info.name", name)
    back = jay.profile.rollback(1, reason="as it was")
    assert (back.version, back.reason) == (4, "as it was") and jay.profile.get("user_info.name") == "Ann"
    names = [one.data["user_info"]["name"] for one in jay.profile.history()]
    assert names == ["Ann", "Bea", "Cleo", "Ann"]
    assert jay.profile.get("user_info.name", version=2) == "Bea"
    assert [one.holds for one in jay.profile.history()] == [False, False, False, True]


def test_what_differs_is_told_path_by_path(jay: Scrubjay) -> None:
    jay.profile.set("user_info.name", "Ann")
    jay.profile.merge({"user_info": {"name": "Bea"}, "pets": ["Bill"], "preferences": {"tools": None}})
    found = [(one.path, one.what, one.before, one.after) for one in jay.profile.diff(1, 2)]
    assert found == [
        ("user_info.name", "changed", "Ann", "Bea"),
        ("preferences.tools", "removed", [], None),
        ("pets", "added", None, ["Bill"]),
    ]
    assert jay.profile.diff(2) == jay.profile.diff(1, 2) and jay.profile.diff(2, 2) == []


def test_setting_what_is_there_already_makes_no_version(jay: Scrubjay) -> None:
    jay.profile.set("user_info.name", "Ann")
    assert jay.profile.set("user_info.name", "Ann").version == 1
    assert jay.profile.rollback(1).version == 1 and len(jay.profile.history()) == 1


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda profile: profile.get("user_info.nam"), "nothing at 'user_info.nam'; did you mean 'name'"),
        (lambda profile: profile.unset("nowhere"), "nothing at 'nowhere'"),
        (lambda profile: profile.set("preferences.tools[5]", "x"), "a list of 0; give an index from 0 to 0"),
        (lambda profile: profile.set("user_info.name.first", "x"), "user_info.name is a single value"),
        (lambda profile: profile.set("a..b", "x"), "is no path"),
        (lambda profile: profile.set("a", float("nan")), "plain JSON"),
        (lambda profile: profile.set("a", {1, 2}), "plain JSON"),
        (lambda profile: profile.set("a", "\ud800"), "half a character"),
        (lambda profile: profile.set("a", "x" * 200_000), "at most 100,000 fit"),
        (lambda profile: profile.merge({}), "Give an object to merge"),
        (lambda profile: profile.merge([1]), "Give an object to merge"),
        (lambda profile: profile.set("a", SECRET), "looks like a secret"),
        (lambda profile: profile.set(f"a.{SECRET}", "x"), "looks like a secret"),
        (lambda profile: profile.merge({"a": {SECRET: 1}}), "looks like a secret"),
        (lambda profile: profile.set("a.password", "correct-horse-9"), "looks like a secret"),
        (lambda profile: profile.set("a", 1, reason=SECRET), "looks like a secret"),
        (lambda profile: profile.rollback(9), "has no version 9; it has 1 to 1"),
        (lambda profile: profile.diff(1, 9), "has no version 9"),
        (lambda profile: profile.get(version=0), "has no version 0"),
    ],
)
def test_bad_input_is_one_sentence_and_changes_nothing(
    jay: Scrubjay, change: Callable[[Any], object], sentence: str
) -> None:
    jay.profile.set("user_info.name", "Ann")
    with pytest.raises((Invalid, NotFound), match=sentence) as refused:
        change(jay.profile)
    assert "\n" not in str(refused.value) and SECRET not in str(refused.value)
    assert len(jay.profile.history()) == 1 and jay.profile.get("user_info.name") == "Ann"


def test_there_is_nothing_to_go_back_to_before_the_first_version(jay: Scrubjay) -> None:
    for ask in (lambda: jay.profile.rollback(1), lambda: jay.profile.diff(1), lambda: jay.profile.get(version=1)):
        with pytest.raises(NotFound, match="no version 1 yet"):
            ask()


def test_the_profile_is_found_as_a_memory_and_kept_up_to_date(jay: Scrubjay) -> None:
    jay.profile.set("preferences.tools[0]", "uv")
    jay.profile.set("preferences.editor", "Helix")
    (hit,) = jay.search("which editor, Helix?", kinds=["profile"])
    assert hit.memory.text == "preferences.tools: uv\npreferences.editor: Helix" and hit.memory.subject == "user"
    jay.profile.set("preferences.editor", "Kakoune")
    assert [one.memory.text.split()[-1] for one in jay.search("editor", kinds=["profile"])] == ["Kakoune"]


def test_redacting_masks_the_secret_in_data_and_memory(jay: Scrubjay) -> None:
    jay.profile.set("keys.github", f"it is {SECRET}", redact=True, reason=f"told {SECRET}")
    (version,) = jay.profile.history()
    (memory,) = jay.list()
    assert SECRET not in f"{version}{memory}{memory.text}" and "redacted" in jay.profile.get("keys.github")


def test_private_parts_are_left_out(jay: Scrubjay) -> None:
    jay.profile.set("user_info.background", "Grew up in Bern <private>and hated it</private>")
    assert "hated" not in str(jay.profile.get()) + jay.list()[0].text


def test_each_space_has_its_own(jay: Scrubjay) -> None:
    jay.profile.set("user_info.name", "Ann")
    other = jay.lend(space="other")
    assert other.profile.get() == EMPTY
    other.profile.set("user_info.name", "Ben")
    assert jay.profile.get("user_info.name") == "Ann" and len(jay.profile.history()) == 1


def test_an_agent_that_changes_it_is_told_how_to_undo_that(jay: Scrubjay) -> None:
    jay.profile.set("user_info.name", "Ann")
    agent = jay.lend(trust="agent", actor="robot")
    changed = agent.profile.set("user_info.name", "Bea")
    assert changed.remarks == ("Version 1 came from the user; `profile rollback 1` undoes this change.",)
    assert (changed.trust, changed.actor) == ("agent", "robot")


def test_it_is_deleted_by_the_id_of_its_memory_and_restored(jay: Scrubjay) -> None:
    jay.profile.set("user_info.name", "Ann")
    last = jay.profile.set("user_info.name", "Bea")
    jay.delete(last.memory)
    assert jay.profile.get() == EMPTY and jay.search("Ann Bea").hits == ()
    jay.undelete(last.memory)
    assert jay.profile.get("user_info.name") == "Bea" and len(jay.profile.history()) == 2


def test_several_writers_lose_no_change(jay: Scrubjay, reopen: Callable[..., Scrubjay]) -> None:
    problems: list[Exception] = []

    def write(name: str) -> None:
        try:
            with reopen(embedder="none") as own:
                for number in range(5):
                    own.profile.set(f"counts.{name}{number}", number)
        except Exception as problem:
            problems.append(problem)

    threads = [Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert len(jay.profile.get("counts")) == 20 and [one.version for one in jay.profile.history()] == [*range(1, 21)]


CHANGES = st.lists(
    st.tuples(st.sampled_from(PATHS), st.text("ab \n", max_size=4) | st.integers() | st.none()), max_size=8
)


@settings(max_examples=15)
@given(CHANGES, st.data())
def test_every_version_can_be_brought_back_exactly(changes: list[tuple[str, Any]], draw: Any) -> None:
    with scrubjay.open(":memory:", embedder="none") as jay:
        for path, value in changes:
            jay.profile.set(path, value)
        before = jay.profile.history()
        if not before:
            return
        wanted = draw.draw(st.sampled_from(before))
        jay.profile.rollback(wanted.version)
        assert same(jay.profile.get(), wanted.data)
        after = jay.profile.history()
        assert [one.data for one in after[: len(before)]] == [one.data for one in before]
        assert jay.check(deep=True).problems == []
