"""Records through the command line: each verb, in words for people and JSON for programs, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.commands import Answer, Run

SECRET = "ghp_" + "a1B2c3D4e5" * 4  # of the right form, and nobody's


def refused(answer: Answer, code: int = 2) -> str:
    """The one sentence of a refusal."""
    assert (answer.code, answer.out) == (code, ""), answer
    assert answer.err.startswith("Error: ") and answer.err.count("\n") == 1 and len(answer.err) < 400
    return answer.err


def test_the_profile_is_set_shown_compared_and_rolled_back(run: Run) -> None:
    assert run("profile", "set", "preferences.tools[0]", "uv", "--reason", "said so").out == (
        "The profile is at version 1: said so\n"
    )
    assert run("profile", "set", "preferences.tabs", "4").out == "The profile is at version 2.\n"
    assert run("profile", "get", "preferences.tabs", "--json").json == {"path": "preferences.tabs", "value": 4}
    assert run("profile", "get", "preferences.tools[0]").out == '"uv"\n'
    assert json.loads(run("profile").out)["preferences"]["tools"] == ["uv"]
    assert run("profile", "diff", "1", "2").out == "+ preferences.tabs: 4\n"
    run("profile", "merge", '{"user_info": {"name": "Ann"}}')
    run("profile", "unset", "preferences.tabs")
    assert run("profile", "diff", "3", "4").out == "- preferences.tabs: 4\n"
    assert run("profile", "rollback", "1").out == "The profile is at version 5: rollback to version 1\n"
    lines = run("profile", "history").out.splitlines()
    assert lines[1].split()[:2] == ["1", "was"] and lines[5].split()[:2] == ["5", "is"]
    assert [one["version"] for one in run("profile", "history", "--json").json["versions"]] == [1, 2, 3, 4, 5]
    assert run("profile", "get", "preferences.tools", "--version", "3", "--json").json["value"] == ["uv"]


def test_a_contact_is_created_found_changed_and_deleted(run: Run) -> None:
    made = run("contacts", "create", "Ann", "Lee", "--email", "ann@example.org", "--role", "CTO", "--notes", "Tea")
    assert made.out == "Contact 1 is at version 1: Ann Lee\n"
    shown = run("contacts", "get", "1").out
    assert shown.startswith("id          1\n") and "notes\n  Tea\n" in shown
    assert run("contacts", "update", "ann@example.org", "--company", "Initech", "--clear", "role").code == 0
    assert run("contacts", "get", "1", "--json").json["role"] is None
    assert run("contacts", "--name", "lee").out.splitlines()[1].split() == [
        "1", "Ann", "Lee", "ann@example.org", "Initech", "work",
    ]  # fmt: skip
    assert run("contacts", "diff", "1", "1", "2").out == '~ company: null → "Initech"\n~ role: "CTO" → null\n'
    found = run("search", "Initech", "--json").json["results"]
    assert run("contacts", "get", str(found[0]["id"]), "--json").json["id"] == 1
    assert run("contacts", "rollback", "1", "1", "--reason", "wrong").code == 0
    assert run("contacts", "history", "1").out.splitlines()[-1].endswith("wrong")
    gone = run("contacts", "delete", "ann@example.org")
    assert gone.out == "Deleted contact 1; `scrubjay undelete 3` restores it.\n"
    assert run("contacts").out == "There are no contacts.\n"
    assert run("undelete", "3").code == 0 and len(run("contacts", "--json").json["contacts"]) == 1
    assert "contact updated" in run("timeline").out


def test_a_project_has_people_a_repository_and_sources(run: Run, place: Path) -> None:
    run("contacts", "create", "Ann", "--email", "ann@example.org")
    (place / ".git").mkdir()
    (place / ".git/config").write_text('[remote "origin"]\n\turl = git@github.com:ann/orion.git\n')
    made = run(
        "projects", "create", "Orion", "--repository", ".", "--contact", "ann@example.org", "--participant", "1",
        "--priority", "high", "--json",
    ).json  # fmt: skip
    assert (made["repository"], made["primary_contact"], made["participants"]) == ("github.com/ann/orion", 1, [1])
    source = run("projects", "set-source", "Orion", "jira", "--external-id", "ORI", "--checked", "ok")
    assert source.out.startswith("[2] Orion in jira (ORI): ok, checked 20")
    assert run("projects", "sources", "orion", "--json").json["sources"][0]["status"] == "ok"
    assert len(run("projects", "--contact", "ann@example.org", "--json").json["projects"]) == 1
    assert run("projects", "update", "Orion", "--status", "paused", "--clear", "priority").code == 0
    assert run("projects", "--status", "active", "--json").json == {"projects": []}
    assert run("projects", "remove-source", "Orion", "jira", "--json").json["sources"] == []
    assert "Orion: paused work project." in run("context").out


def test_a_skill_is_due_runs_and_is_written_and_read(run: Run, place: Path) -> None:
    plan = '[{"id": "a", "tool": "git"}, {"id": "b", "tool": "mail", "depends_on": ["a"]}]'
    made = run("skills", "create", "digest", "--instructions", "Collect", "--interval", "5", "--plan", plan)
    shown = run("skills", "get", "digest").out
    assert made.out == "Skill 1 is at version 1: digest\n"
    assert "step b: mail, after a" in shown and "instructions\n  Collect\n" in shown
    assert [one["name"] for one in run("skills", "due", "--json").json["skills"]] == ["digest"]
    run("skills", "ran", "digest", "--status", "warning", "--summary", "late")
    assert run("skills", "due").out == "No skill is due.\n"
    assert run("skills").out.splitlines()[1].split()[-2:] == ["warning", "Collect"]
    run("skills", "update", "digest", "--disable", "--no-notify")
    shown = run("skills", "get", "digest", "--json").json
    assert (shown["enabled"], shown["notify_on_completion"], shown["last_run_summary"]) == (False, False, "late")
    assert run("skills", "write", "digest", "digest.md").out == "Wrote digest.md.\n"
    (place / "digest.md").write_text((place / "digest.md").read_text().replace("Collect", "Gather"))
    assert run("skills", "read", "digest.md", "--json").json["instructions"] == "Gather"
    assert "There is a" not in run("skills", "create", "digest", "--instructions", "x").err
    assert "was known; it stays as it is" in run("skills", "create", "digest", "--instructions", "x").err


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["profile", "get", "user_info.nam"], 3, "did you mean 'name'?"),
        (["profile", "rollback", "9"], 3, "no version 9"),
        (["profile", "rollback", "x"], 2, "'x' is no version"),
        (["profile", "set", "a"], 2, "Write e.g. `scrubjay profile set preferences.tools[0] uv`."),
        (["profile", "history", "x"], 2, "Write e.g. `scrubjay profile history`."),
        (["profile", "merge", "[1]"], 2, "Give a JSON object to merge"),
        (["profile", "set", "a", SECRET], 2, "looks like a secret"),
        (["profile", "get", "--reason", "x"], 2, "--reason cannot be used with `profile get`"),
        (["contacts", "create", "Bo", "--email", "ANN@example.org"], 2, "with this email already (2)"),
        (["contacts", "create", "--email", "bo@example.org"], 2, "The name of a contact cannot be empty"),
        (["contacts", "get", "77"], 3, "There is no contact 77"),
        (["contacts", "update", "2"], 2, "Nothing to update"),
        (["contacts", "update", "2", "--role", "x", "--clear", "role"], 2, "Give --role or --clear role, not both"),
        (["contacts", "update", "--role", "x"], 2, "Name what to update"),
        (["contacts", "diff", "2"], 2, "Name a version"),
        (["contacts", "rollback", "2", "5"], 3, "no version 5"),
        (["contacts", "list", "ann"], 2, "takes options only"),
        (["contacts", "list", "--role", "x"], 2, "--role cannot be used with `contacts list`"),
        (["projects", "create", "X", "--contact", "9"], 3, "There is no contact 9"),
        (["projects", "create", "X", "--repository", "."], 2, "You are in no repository"),
        (["projects", "create", "X", "--repository", "not a repo"], 2, "'not a repo' is no repository"),
        (["projects", "set-source", "X"], 2, "Name a project and a system"),
        (["skills", "create", "x", "--instructions", "y", "--schedule", "never"], 2, "is no cron expression"),
        (["skills", "create", "x", "--instructions", "y", "--plan", "{}"], 2, "--plan must be a JSON list"),
        (["skills", "create", "x", "--instructions", "y", "--plan", '[{"id": "a", "tool": "t", "depends_on": ["a"]}]'],
         2, "in a circle"),
        (["skills", "create", "x"], 2, "The instructions of a skill cannot be empty"),
        (["skills", "read", "none.md"], 2, "none.md cannot be read"),
        (["skills", "write", "x", "y"], 3, "There is no skill x"),
        (["skills", "due", "--summary", "x"], 2, "--summary cannot be used with `skills due`"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence_and_changes_nothing(run: Run, words: list[str], code: int, sentence: str) -> None:
    run("profile", "set", "user_info.name", "Ann")
    run("contacts", "create", "Ann", "--email", "ann@example.org")
    before = run("timeline", "--json").json["events"]
    assert sentence in refused(run(*words), code)
    as_json = run(*words, "--json")
    assert sentence in json.loads(as_json.err)["error"] and as_json.out == ""
    assert run("timeline", "--json").json["events"] == before


def test_nothing_is_created_by_looking(run: Run, home: Path) -> None:
    for command in ("profile", "contacts", "projects", "skills"):
        assert run(command, "--store", "none.db").code == 2
        assert not Path("none.db").exists()


def test_redacting_keeps_the_secret_out(run: Run) -> None:
    assert run("contacts", "create", "Ann", "--notes", f"Her key is {SECRET}", "--redact").code == 0
    assert SECRET not in run("contacts", "get", "1").out + run("get", "1").out


def test_what_is_taken_out_of_the_trash_is_told_as_it_holds(run: Run) -> None:
    run("contacts", "create", "Ann", "--email", "ann@example.org", "--role", "CTO")
    run("contacts", "update", "ann@example.org", "--role", "CEO")
    run("contacts", "delete", "ann@example.org")
    assert run("undelete", "1").out == "Restored 2 Ann, CEO. Email: ann@example.org. Work contact.\n"
