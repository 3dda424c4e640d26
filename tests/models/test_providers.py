"""Every provider's wire format, spoken with a server that fails in every way; and where keys and texts go."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import apsw
import numpy as np
import pytest

import scrubjay
from scrubjay import Invalid
from scrubjay.errors import EmbedderError, EmbedderMismatch, EmbedderUnavailable, MissingExtra
from scrubjay.interfaces import watch
from scrubjay.models import http
from scrubjay.models.embedders import Embedder, bundled, cut, libraries, onnx, open_embedder
from scrubjay.models.embedders.hashing import Hashing
from scrubjay.models.embedders.prefixes import prefixes
from scrubjay.models.embedders.remote.served import RemoteEmbedder
from scrubjay.models.embedders.windows import batch_of, pieces, tokens, window
from scrubjay.models.http import ModelClient, Timing
from scrubjay.models.providers import Credentials, endpoint
from scrubjay.stores.sqlite.opening.migrations import APPLICATION_ID
from tests.support.clock import Clock
from tests.support.model_server import ModelServer, running
from tests.support.processes import until

set_up = ModelClient.__post_init__

# How each is named on this machine.
SPECS = {
    "ollama": "ollama:{url}#all-minilm",
    "lmstudio": "lmstudio:{url}/v1#all-minilm",
    "openai": "openai:{url}/v1#text-embedding-3-small",
    "gemini": "gemini:{url}/v1beta#gemini-embedding-001",
    "groq": "groq:{url}/openai/v1#some-embedder",
    "openai-compatible": "openai-compatible:{url}/v1#all-minilm",
}
TEXTS = ["User prefers dark mode", "tea", "東京の天気", "Où est la clé ?"]
SQL = Path(scrubjay.__file__).parent / "stores/sqlite/schema"
KEY = "sk-scrubjay0test0key0that0must0stay0unseen"


class Patience:
    """A clock of its own, and a note of each wait instead of the wait itself."""

    def __init__(self) -> None:
        self.now = 0.0
        self.waits: list[float] = []

    def wait(self, stopped: Event, seconds: float) -> bool:
        self.waits.append(seconds)
        self.now += seconds
        return stopped.is_set()


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> Patience:
    patience = Patience()
    monkeypatch.setattr(http, "DEFAULT_TIMING", Timing(clock=lambda: patience.now, wait=patience.wait))
    return patience


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("SCRUBJAY_EMBEDDER_KEY", KEY)
    return KEY


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with running() as state:
        yield state


@pytest.fixture(params=SPECS)
def spec(request: pytest.FixtureRequest, server: ModelServer) -> str:
    return SPECS[request.param].format(url=server.url)


@pytest.fixture
def embedder(spec: str) -> Embedder:
    return opened(spec)


@pytest.fixture(autouse=True)
def hung_up(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """At the end of a test no connection is left open."""
    made: list[ModelClient] = []

    def noted(client: ModelClient) -> None:
        made.append(client)
        set_up(client)

    monkeypatch.setattr(ModelClient, "__post_init__", noted)
    yield
    for each in made:
        each.stop()


@pytest.fixture
def compatible(server: ModelServer) -> str:
    return SPECS["openai-compatible"].format(url=server.url)


def opened(spec: str) -> Embedder:
    embedder = open_embedder(spec)
    assert embedder is not None
    return embedder


# The contract, for every wire format


def test_vectors_come_back_in_the_order_of_the_texts(embedder: Embedder) -> None:
    assert embedder.dimensions == 0
    vectors = embedder.embed(TEXTS)
    assert np.allclose(vectors, Hashing().embed(TEXTS), atol=1e-6)
    assert embedder.dimensions == vectors.shape[1] == 256


def test_no_batch_has_more_texts_or_tokens_than_its_provider_takes(embedder: Embedder, server: ModelServer) -> None:
    assert isinstance(embedder, RemoteEmbedder)
    most = batch_of(embedder.endpoint.provider)
    short = [f"memory number {number}" for number in range(2 * most.texts)]
    long = [f"{number} " + "words in a row " * 400 for number in range(60)]
    texts = short + long + ["東京の天気は明日から雨" * 150, "0123456789" * 200]
    assert np.allclose(embedder.embed(texts), Hashing().embed(texts), atol=1e-6)
    assert sorted(server.texts) == sorted(texts)
    sizes = [(len(batch), sum(map(tokens, batch))) for batch in server.batches]
    assert max(count for count, _ in sizes) == most.texts
    assert 0.8 * most.tokens < max(size for _, size in sizes) <= most.tokens


def test_a_server_that_is_busy_is_asked_again_when_it_said(
    embedder: Embedder, server: ModelServer, patience: Patience
) -> None:
    server.faults = ["busy"]
    assert len(embedder.embed(TEXTS)) == 4
    assert patience.waits == [7.0]


def test_a_date_to_come_back_at_is_understood_and_one_too_far_is_not_waited_for(
    embedder: Embedder, server: ModelServer, patience: Patience
) -> None:
    server.faults, server.retry_after = ["busy"], "Wed, 21 Oct 2099 07:28:00 GMT"
    with pytest.raises(EmbedderUnavailable, match="429"):
        embedder.embed(TEXTS)
    assert patience.waits == []
    with pytest.raises(EmbedderUnavailable, match="tried again in 3600 s"):
        embedder.embed(TEXTS)
    assert server.hits == 1


@pytest.mark.parametrize("fault", ["500", "503", "page", "cut"])
def test_what_passes_is_waited_out_with_growing_pauses(
    embedder: Embedder, server: ModelServer, patience: Patience, fault: str
) -> None:
    server.faults = [fault, fault, fault]
    assert len(embedder.embed(TEXTS)) == 4
    assert [0.25 <= patience.waits[0] <= 0.5, 0.5 <= patience.waits[1] <= 1, 1 <= patience.waits[2] <= 2] == [True] * 3


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("wrong count", "3 vectors for 4 texts"),
        ("ragged", "other than vectors"),
        ("nan", "invalid numbers"),
        ("zeros", "length 0"),
        ("odd", "other than vectors"),
        ("portal", "other than JSON"),
        ("400", "this input is not valid"),
    ],
)
def test_an_answer_that_is_no_answer_is_refused(
    embedder: Embedder, server: ModelServer, fault: str, sentence: str
) -> None:
    server.always = fault
    with pytest.raises(EmbedderError, match=sentence):
        embedder.embed(TEXTS)


def test_vectors_of_another_length_are_refused(embedder: Embedder, server: ModelServer) -> None:
    embedder.embed(TEXTS)
    server.always = "wrong dimensions"
    with pytest.raises(EmbedderError, match="100 dimensions, not 256"):
        embedder.embed(TEXTS)


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [("401", "did not accept the key"), ("404", "model not found"), ("503", "HTTP 503"), ("elsewhere", "HTTP 307")],
)
def test_a_server_that_cannot_help_is_unavailable(
    embedder: Embedder, server: ModelServer, fault: str, sentence: str
) -> None:
    server.always = fault
    with pytest.raises(EmbedderUnavailable, match=sentence):
        embedder.embed(TEXTS)


def test_a_server_that_is_too_slow_is_given_up(
    compatible: str, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "LOCAL_SECONDS", 1.0)
    server.faults = ["slow"]
    assert len(opened(compatible).embed(TEXTS)) == 4
    assert server.hits == 2


def test_a_body_without_end_is_cut_off(
    embedder: Embedder, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "MAX_BYTES", 1_000_000)
    server.always = "endless"
    with pytest.raises(EmbedderError, match="was cut off"):
        embedder.embed(TEXTS)


def test_a_server_on_this_machine_that_was_not_started_is_not_waited_for(spec: str, patience: Patience) -> None:
    gone = spec.replace(spec.partition("127.0.0.1:")[2].partition("/")[0].partition("#")[0], "9")
    with pytest.raises(EmbedderUnavailable, match=r"does not answer \(no connection\)\.$"):
        opened(gone).embed(TEXTS)
    assert patience.waits == []


def test_a_server_that_is_elsewhere_or_has_answered_before_is_waited_for(
    patience: Patience, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running() as server:
        embedder = opened(SPECS["ollama"].format(url=server.url))
        embedder.embed(TEXTS)
    with pytest.raises(EmbedderUnavailable, match="no connection"):
        embedder.embed(TEXTS)
    assert len(patience.waits) == 3
    monkeypatch.setattr("scrubjay.models.providers.is_this_machine", lambda host: False)
    with pytest.raises(EmbedderUnavailable, match="no connection"):
        opened("ollama:http://localhost:9#all-minilm").embed(TEXTS)
    assert len(patience.waits) == 6


def test_the_key_is_sent_and_never_told(embedder: Embedder, server: ModelServer) -> None:
    embedder.embed(TEXTS)
    assert any(KEY in value for value in server.asked[0][1].values())
    server.always = "echo"
    with pytest.raises(EmbedderError) as told:
        embedder.embed(TEXTS)
    assert KEY not in str(told.value) and KEY[3:] not in str(told.value)
    assert KEY not in repr(embedder) + repr(vars(type(embedder)))


def test_it_pauses_after_repeated_failures_and_comes_back_by_itself(
    embedder: Embedder, server: ModelServer, patience: Patience
) -> None:
    server.always = "503"
    for _ in range(4):  # questions are asked once
        with pytest.raises(EmbedderUnavailable, match="503"):
            embedder.embed(["who?"], query=True)
    with pytest.raises(EmbedderUnavailable, match="did not answer 4 times; it is tried again in 15 s"):
        embedder.embed(["who?"], query=True)
    assert server.hits == 4
    patience.now += 16
    with pytest.raises(EmbedderUnavailable, match="503"):
        embedder.embed(["who?"], query=True)
    with pytest.raises(EmbedderUnavailable, match="again in 30 s"):
        embedder.embed(["who?"], query=True)
    server.always = ""
    patience.now += 31
    assert len(embedder.embed(["who?"], query=True)) == 1
    assert len(embedder.embed(TEXTS)) == 4


def test_one_text_that_a_server_falls_over_is_found_and_set_aside(
    path: Path, spec: str, server: ModelServer, clock: Clock
) -> None:
    server.poison = "poison"
    with scrubjay.open(path, embedder=spec, clock=clock) as jay:
        added = jay.add_many([{"text": f"memory {number}"} for number in range(20)] + [{"text": "poison"}])
        assert [bool(one.notes) for one in added] == [False] * 20 + [True]
        assert [one.memory for one in jay.status().quarantined] == [added[-1].memory.id]
        server.poison = ""
        assert jay.backfill(retry=True).embedded == 1


# What is sent


def test_gemini_is_told_what_is_a_question(server: ModelServer) -> None:
    embedder = opened(SPECS["gemini"].format(url=server.url))
    embedder.embed(["who?"], query=True)
    embedder.embed(["Ann"])
    path, _, body = server.asked[0]
    assert path == "/v1beta/models/gemini-embedding-001:batchEmbedContents"
    assert body["requests"][0]["taskType"] == "RETRIEVAL_QUERY"
    assert server.asked[1][2]["requests"][0]["taskType"] == "RETRIEVAL_DOCUMENT"


def test_a_model_that_wants_prefixes_gets_them(server: ModelServer) -> None:
    embedder = opened(f"ollama:{server.url}#nomic-embed-text:v1.5")
    embedder.embed(["who?"], query=True)
    embedder.embed(["Ann"])
    assert server.texts == ["search_query: who?", "search_document: Ann"]
    assert "prefixes/1" in embedder.model


def test_prefixes_go_by_the_names_of_models() -> None:
    assert prefixes("intfloat/multilingual-e5-small") == ("query: ", "passage: ")
    assert prefixes("BAAI/bge-small-en-v1.5")[1] == ""
    assert prefixes("snowflake-arctic-embed2") == ("query: ", "")
    assert prefixes("text-embedding-3-small") == prefixes("all-minilm") == ("", "")


LONG_TEXTS = {
    "prose": "We moved the deploy window to Tuesday, because nobody is there at the weekend to roll back. " * 200,
    "accents": "Où est passée la clé du garage, demanda Zoë à sa sœur aînée ? " * 300,
    "Chinese": "他说明天下午三点在会议室见面，然后一起去吃饭。" * 300,
    "Russian": "Мы перенесли выпуск на вторник, потому что в выходные никого нет. " * 200,
    "code": "def median(values):\n    return sorted(values)[len(values) // 2]\n\n" * 200,
    "log": "2026-04-30T12:00:00Z ERROR worker-7 lost its lease (0x7f3a); requeued 42 jobs\n" * 200,
    "one word": "x" * 20_000,
    "signs": "-=[]{};" * 3_000,
}


@pytest.mark.parametrize("text", LONG_TEXTS.values(), ids=LONG_TEXTS)
@pytest.mark.parametrize("model", ["all-minilm", "nomic-embed-text", "text-embedding-3-small", "gemini-embedding-001"])
def test_pieces_of_a_long_text_fit_the_window_and_cover_it(model: str, text: str) -> None:
    prefix = prefixes(model)[1]
    parts = pieces(text, model)
    assert all(part in text and tokens(prefix + part) + 2 <= window(model) for part in parts)
    reached = 0
    for part in parts:
        found = text.rfind(part, 0, reached + len(part))
        assert found >= 0
        reached = max(reached, found + len(part))
    assert reached == len(text)


def test_a_short_text_is_one_piece() -> None:
    assert pieces("short", "all-minilm") == ["short"] and pieces("", "all-minilm") == [""]


@pytest.mark.parametrize("text", LONG_TEXTS.values(), ids=LONG_TEXTS)
def test_tokens_are_rather_estimated_too_many_than_too_few(text: str) -> None:
    counted = bundled.connect().tokens(text[:5_000])
    assert counted <= tokens(text[:5_000]) <= 3 * counted


# Names and keys


@pytest.mark.parametrize(
    "name",
    ["ollama:", "openai-compatible:some-model", "openai-compatible:ftp://host#m", "openai-compatible:http://#m",
     "openai-compatible:http://u:p@host/v1#m", "openai-compatible:http://host/v1?key=1#m", "gemini:http://host",
     "openai-compatible:http://host:99999999/v1#m"],
)  # fmt: skip
def test_a_name_that_leads_nowhere_is_told_so(name: str) -> None:
    with pytest.raises(Invalid) as told:
        open_embedder(name)
    assert "u:p" not in str(told.value)


def test_the_usual_address_is_no_part_of_a_name() -> None:
    assert endpoint("openai:https://api.openai.com/v1#m").spec == "openai:m"
    assert endpoint("ollama:http://host:1/#m").spec == "ollama:http://host:1#m"
    assert endpoint("openai-compatible:http://host:1#m").url == "http://host:1/v1"
    assert not endpoint("ollama:m").leaves_the_machine and endpoint("openai:m").leaves_the_machine
    assert not endpoint("ollama:http://127.0.0.1:1#m").leaves_the_machine
    assert endpoint("ollama:http://localhost.example.org#m").leaves_the_machine


def test_a_providers_key_goes_to_the_provider_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCRUBJAY_EMBEDDER_KEY")
    monkeypatch.setenv("OPENAI_API_KEY", "mine")
    monkeypatch.setenv("GOOGLE_API_KEY", "hers")
    credentials = Credentials()
    assert credentials.key(endpoint("openai:m")) == "mine"
    assert credentials.key(endpoint("gemini:m")) == "hers"
    assert credentials.key(endpoint("openai:http://elsewhere.example/v1#m")) is None
    assert credentials.key(endpoint("openai-compatible:http://elsewhere.example/v1#m")) is None


def test_a_command_may_tell_the_key_and_its_failure_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCRUBJAY_EMBEDDER_KEY")
    assert Credentials("embedder", "echo from-the-vault").key(endpoint("openai:m")) == "from-the-vault"
    for command in ("echo secret && exit 3", "true"):
        with pytest.raises(Invalid) as told:
            Credentials("embedder", command).key(endpoint("openai:m"))
        assert "secret" not in str(told.value) and "keys.embedder" in str(told.value)


# In a memory


def test_opening_needs_no_network_and_the_first_answer_settles_the_file(
    path: Path, spec: str, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scrubjay.open(path, embedder=spec) as jay:
        jay.stats(), jay.list()
        assert server.hits == 0
        jay.add("User prefers dark mode")
    monkeypatch.setenv("SCRUBJAY_EMBEDDER", spec)
    with scrubjay.open(path) as jay:
        assert jay.search("dark mode").notes == ()
    with pytest.raises(EmbedderMismatch):
        scrubjay.open(path, embedder="hashing")


def test_a_file_does_not_send_texts_anywhere_by_itself(
    path: Path, compatible: str, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scrubjay.open(path, embedder=compatible) as jay:
        jay.add("User prefers dark mode")
    asked = server.hits
    with scrubjay.open(path) as jay:
        assert f"`scrubjay config embedder {compatible}`" in jay.search("dark").notes[0]
        assert "neither opened nor sent anything" in jay.add("Ann likes tea").notes[0]
    assert server.hits == asked
    monkeypatch.setenv("SCRUBJAY_EMBEDDER", compatible)
    with scrubjay.open(path) as jay:
        assert jay.backfill().embedded == 1 and jay.search("dark").notes == ()


def test_what_is_only_set_and_does_not_answer_gives_way_to_the_local_model(
    path: Path, compatible: str, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRUBJAY_EMBEDDER", compatible)
    server.always = "503"
    with scrubjay.open(path) as jay:
        added = jay.add("User prefers dark mode")
        assert "This new file's model is local instead" in added.notes[0]
        assert jay.add("Ann likes tea").notes == ()
        assert jay.stats().model == "all-MiniLM-L6-v2/int8"
    with scrubjay.open(path, embedder="auto") as jay:
        assert jay.stats().without_vector == 0


def test_what_was_named_does_not_give_way(path: Path, compatible: str, server: ModelServer) -> None:
    server.always = "503"
    with scrubjay.open(path, embedder=compatible) as jay:
        assert "without a vector" in jay.add("User prefers dark mode").notes[0]
        assert jay.stats().model is None


def test_the_provider_dies_halfway_and_nothing_is_lost_or_embedded_twice(
    path: Path, compatible: str, server: ModelServer, patience: Patience
) -> None:
    texts = [f"memory number {number}" for number in range(600)]
    with scrubjay.open(path, embedder=compatible) as jay:
        for number, text in enumerate(texts):
            server.always = "cut" if number >= 300 else ""
            jay.add(text, kind="fact")
        assert (jay.stats().memories, jay.stats().without_vector) == (600, 300)
        results = jay.search("memory number 555")
        assert results[0].memory.text == "memory number 555" and "Searched by words only" in results.notes[0]
        with pytest.raises(EmbedderUnavailable):
            jay.backfill()
        server.always = ""
        patience.now += 1_000
        before = len(server.texts)
        filled = jay.backfill()
        assert (filled.embedded, filled.remaining, filled.quarantined) == (300, 0, 0)
        assert sorted(server.texts[before:]) == sorted(texts[300:])
        assert jay.backfill().embedded == 0
        assert jay.search("memory number 555").notes == ()
        assert jay.check(deep=True).problems == []


def test_a_backfill_that_is_cut_short_keeps_what_it_did(
    path: Path, compatible: str, server: ModelServer, patience: Patience
) -> None:
    with scrubjay.open(path, embedder="none") as jay:
        jay.add_many([{"text": f"memory {number}"} for number in range(100)])
    with scrubjay.open(path, embedder=compatible) as jay:
        server.faults = ["", "", ""] + ["503"] * 8
        with pytest.raises(EmbedderUnavailable):
            jay.backfill(batch=20)
        assert jay.stats().without_vector == 60
        patience.now += 1_000
        server.faults = []
        assert jay.backfill().embedded == 60


def test_a_reindex_resumes_and_the_old_vectors_answer_meanwhile(
    path: Path, compatible: str, server: ModelServer, patience: Patience
) -> None:
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add_many([{"text": f"memory {number}"} for number in range(450)])
        server.faults = ["", *[""] * 7, *["503"] * 20]
        with pytest.raises(EmbedderUnavailable):
            jay.reindex(compatible)
        assert jay.search("memory 7", mode="vector").notes == () and jay.stats().model == "hashing/256"
        server.faults, before = [], len(server.texts)
        patience.now += 1_000
        filled = jay.reindex(compatible)
        assert 0 < filled.embedded < 450 and filled.remaining == 0
        assert len(server.texts) - before < 450
        assert jay.stats().model == "all-minilm" and jay.stats().without_vector == 0


def test_moving_back_embeds_nothing_again(path: Path, compatible: str, server: ModelServer) -> None:
    with scrubjay.open(path, embedder=compatible) as jay:
        jay.add_many([{"text": f"memory {number}"} for number in range(70)])
        jay.reindex("hashing")
        assert jay.stats().cache.kept == 70
        asked = len(server.texts)
        assert jay.reindex(compatible).texts == 0
        assert server.texts[asked:] == ["Does this model answer?"]  # how long its vectors are
        jay.delete(1)
        assert jay.stats().cache.kept == 69


def test_the_cache_keeps_to_its_limit(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRUBJAY_CACHE_BYTES", str(10 * 1024))
    with scrubjay.open(path, embedder="hashing") as jay:
        jay.add_many([{"text": f"memory {number}"} for number in range(70)])
        jay.reindex("local")
        assert (jay.stats().cache.kept, jay.stats().cache.kept_bytes) == (10, 10 * 1024)
    monkeypatch.setenv("SCRUBJAY_CACHE_BYTES", str(4 * 1024))
    with scrubjay.open(path) as jay:
        jay.cleanup()
        assert jay.stats().cache.kept == 4


def test_a_program_that_watches_fills_in_vectors_when_the_provider_is_back(
    tmp_path: Path, compatible: str, server: ModelServer, patience: Patience, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "RETRY_SECONDS", 0.1)
    monkeypatch.setattr(watch, "TICK_MS", 50)
    notes, path = tmp_path / "notes", tmp_path / "memory.db"
    notes.mkdir()
    (notes / "a.md").write_text("Apples are red.")
    with scrubjay.open(path, embedder=compatible) as jay:
        jay.add("This settles the file's model")
        jay.sources.add(notes)
    server.always = "503"
    stop, reports = Event(), list[Any]()

    def follow() -> None:
        with scrubjay.open(path, embedder=compatible) as own:
            watch.follow(own, stop, reports.append)

    thread = Thread(target=follow)
    thread.start()
    try:
        with scrubjay.open(path, embedder="none") as jay:
            until(lambda: reports and jay.stats().without_vector == 1)
            server.always = ""
            patience.now += 1_000
            until(lambda: jay.stats().without_vector == 0)
    finally:
        stop.set()
        thread.join()


def test_a_sync_keeps_the_cache_within_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRUBJAY_CACHE_BYTES", "1024")
    notes = tmp_path / "notes"
    notes.mkdir()
    with scrubjay.open(tmp_path / "memory.db", embedder="hashing") as jay:
        jay.sources.add(notes)
        for text in ("Apples are red.", "Pears are green.", "Plums are blue."):
            (notes / "a.md").write_text(text)
            jay.sync(force=True)
        assert jay.stats().cache.kept == 1


def test_vectors_that_an_older_version_kept_are_kept(path: Path) -> None:
    old = [script for script in sorted(SQL.glob("*.sql")) if script.name < "0004"]
    db = apsw.Connection(str(path))
    for number, script in enumerate(old, start=1):
        for _ in db.execute(script.read_text()):
            pass
        db.pragma("user_version", number)
    db.pragma("application_id", APPLICATION_ID)
    db.execute("insert into models (state, spec, name, dimensions, recipe) values ('current', 'hashing', 'm', 2, 'r')")
    db.execute("insert into embeddings values (1, x'00', x'0000803f00000000', '2026-04-30T00:00:00Z')")
    db.close()
    with scrubjay.open(path, embedder="none") as jay:
        assert jay.stats().cache.kept == 1 and jay.check(deep=True).problems == []


# Models of the user's own


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = Path(scrubjay.__file__).parent / "models/embedders/minilm"
    own = tmp_path / "my-model"
    own.mkdir()
    for name in ("model.onnx", "model.weights", "tokenizer.json"):
        (own / name).symlink_to(home / name)
    return own


def test_a_folder_with_a_model_is_an_embedder(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, bundled = opened(f"onnx:{folder}"), opened("local")
    assert own.dimensions == 0
    assert np.abs(own.embed(TEXTS) - bundled.embed(TEXTS)).max() < 1e-4
    assert own.embed([]).shape == (0, 384)
    with scrubjay.open(path, embedder=f"onnx:{folder}") as jay:
        jay.add("User prefers dark mode")
    monkeypatch.setenv("SCRUBJAY_EMBEDDER", f"onnx:{folder}")
    with scrubjay.open(path) as jay:
        assert jay.search("which theme?", mode="vector")[0].memory.id == 1
        assert jay.stats().model == own.model


@pytest.mark.parametrize("text", LONG_TEXTS.values(), ids=LONG_TEXTS)
def test_a_model_in_a_folder_reads_each_piece_whole(folder: Path, text: str) -> None:
    model = bundled.connect()
    assert all(model.tokens(part) + 2 <= onnx.WINDOW_TOKENS for part in cut(opened(f"onnx:{folder}"), text))


def test_a_folder_without_a_model_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match=r"has no model\.onnx"):
        open_embedder(f"onnx:{tmp_path}")


def test_a_model_that_cannot_be_loaded_leaves_words_to_answer(path: Path, tmp_path: Path) -> None:
    for name in ("model.onnx", "tokenizer.json"):
        (tmp_path / name).write_text("{}")
    with scrubjay.open(path, embedder=f"onnx:{tmp_path}") as jay:
        assert "cannot be loaded" in jay.add("User prefers dark mode").notes[0]
        assert len(jay.search("dark mode")) == 1


@pytest.mark.parametrize("name", ["fastembed", "sentence-transformers"])
def test_a_model_whose_library_is_missing_says_what_to_install(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=rf"pip install 'scrubjay\[{name}\]'"):
        open_embedder(f"{name}:some-model")


def test_libraries_are_told_to_fetch_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "fastembed.py").write_text(
        "import numpy as np\n"
        "class TextEmbedding:\n"
        "    def __init__(self, name, local_files_only): assert local_files_only; self.name = name\n"
        "    def embed(self, texts, batch_size): return (np.array([1.0, 0.0]) for _ in texts)\n"
        "    def query_embed(self, texts): return (np.array([0.0, 1.0]) for _ in texts)\n"
    )
    (tmp_path / "sentence_transformers.py").write_text(
        "import numpy as np\n"
        "class SentenceTransformer:\n"
        "    def __init__(self, name, local_files_only): assert local_files_only\n"
        "    def encode(self, texts, normalize_embeddings): return np.array([[float(len(t)), 0.0] for t in texts])\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    quick = opened("fastembed:some-model")
    assert quick.embed(["a", "b"]).tolist() == [[1, 0], [1, 0]] and quick.embed(["a"], query=True).tolist() == [[0, 1]]
    full = opened("sentence-transformers:e5-small")
    assert full.embed(["a"]).tolist() == [[len("passage: a"), 0]] and full.dimensions == 2


def test_work_that_is_stopped_waits_no_longer(
    compatible: str, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.always = "503"
    embedder = opened(compatible)
    assert isinstance(embedder, RemoteEmbedder)

    def stop(stopped: Event, seconds: float) -> bool:
        embedder.client.stop()
        return stopped.is_set()

    embedder.client.timing = Timing(wait=stop)
    with pytest.raises(EmbedderUnavailable, match="was stopped"):
        embedder.embed(TEXTS)
    server.always = ""
    assert len(embedder.embed(TEXTS)) == 4


def test_extra_headers_of_the_settings_are_sent_but_replace_none_of_ours(
    spec: str, server: ModelServer, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCRUBJAY_HEADERS_EMBEDDER", "X-Title: my notes; Content-Type: text/plain")
    monkeypatch.setenv("SCRUBJAY_EMBEDDER", spec)
    with scrubjay.open(path) as jay:
        jay.add("Herons fish at dawn")
    sent = server.asked[0][1]
    assert sent["x-title"] == "my notes" and sent["content-type"] == "application/json"
