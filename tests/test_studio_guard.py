"""Claims about who may ask the studio, and what it takes from strangers: each attack, and what it is answered."""

from __future__ import annotations

import io
import socket

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")
from starlette.testclient import TestClient

from chemin.exceptions import InvalidInputError, StudyError
from chemin.studio import server
from chemin.studio.desk import Desk
from chemin.studio.guard import Launch
from chemin.studio.home import Home, safe_name
from chemin.studio.jobs import Jobs
from chemin.studio.server import application

LAUNCH = Launch(8765, "the-token-of-this-launch")
HERE = "http://127.0.0.1:8765"
LARGEST = 2**20
PERSON = {"accept": "text/html", "sec-fetch-mode": "navigate"}
CSV = "âge;tension;diagnostic\n" + "".join(f"{30 + i};{i % 7},5;{'ab'[i % 2]}\n" for i in range(40))


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path / "projects")


@pytest.fixture
def stranger(home):
    app = application(Desk(home, Jobs()), LAUNCH, LARGEST)
    with TestClient(app, base_url=HERE, follow_redirects=False) as client:
        yield client


@pytest.fixture
def expert(stranger):
    """Return a client that has handed in the token."""
    stranger.headers["origin"] = HERE
    assert stranger.post("/enter", content=LAUNCH.token).status_code == 204
    return stranger


ATTACKS = {  # what is tried by whoever has the cookie, since browsers send it along → what it is answered
    "a foreign origin": ({"origin": "http://evil.example"}, 403),
    "another port of this machine": ({"origin": "http://127.0.0.1:9999"}, 403),
    "an origin that hides": ({"origin": "null"}, 403),
    "a rebound name": ({"host": "evil.example:8765", "origin": "http://evil.example:8765"}, 421),
    "a rebound name, no port": ({"host": "evil.example"}, 421),
    "this machine by another port": ({"host": "127.0.0.1:80"}, 421),
    "no host": ({"host": ""}, 421),
    "a request that another site makes": ({"sec-fetch-site": "cross-site", "origin": HERE}, 403),
    "a request of a neighbour": ({"sec-fetch-site": "same-site", "origin": HERE}, 403),
    "a wrong cookie": ({"cookie": "chemin-8765=guessed"}, 401),
    "the cookie of another launch": ({"cookie": f"chemin-8766={LAUNCH.token}"}, 401),
    "a body that says it is too long": ({"content-length": str(LARGEST + 1)}, 413),
    "a body of no length": ({"content-length": "many"}, 400),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_is_refused_and_changes_nothing(attack, expert, home):
    headers, status = ATTACKS[attack]
    answer = expert.post("/open", data={"sample": "iris"}, headers=headers)
    assert answer.status_code == status
    assert answer.text.startswith("refused:")
    assert home.names == []


def test_what_changes_something_must_say_where_it_comes_from(expert, home):
    del expert.headers["origin"]
    assert expert.post("/open", data={"sample": "iris"}).status_code == 403
    assert home.names == []


@pytest.mark.parametrize("path", ["/", "/p/iris", "/p/iris/1/data", "/p/iris/1/export/study"])
def test_whoever_has_no_token_sees_no_data(path, stranger, home):
    home.open("iris")
    shown = stranger.get(path, headers=PERSON)
    assert shown.status_code == 401
    assert "iris" not in shown.text
    assert stranger.get(path).status_code == 401
    assert stranger.post("/enter", content="guessed", headers={"origin": HERE}).status_code == 401
    assert not stranger.cookies


def test_the_cookie_is_of_this_site_alone_and_no_script_s(expert):
    answer = expert.post("/enter", content=LAUNCH.token)
    cookie = answer.headers["set-cookie"].lower()
    assert "samesite=strict" in cookie
    assert "httponly" in cookie


def test_a_body_that_lies_about_its_length_is_cut(expert, home):
    def chunks():
        for _ in range(3):
            yield b"x" * (LARGEST // 2)

    kind = {"content-type": "multipart/form-data; boundary=x"}
    assert expert.post("/open", content=chunks(), headers=kind).status_code == 413
    assert home.names == []


def test_a_file_that_is_too_large_is_refused_and_one_that_is_not_is_opened(expert, home):
    large = {"file": ("a.csv", io.BytesIO(b"x" * (LARGEST + 1)))}
    assert expert.post("/open", files=large).status_code == 413
    assert home.names == []
    answer = expert.post("/open", files={"file": ("patients.csv", CSV.encode())})
    assert (answer.status_code, answer.headers["location"]) == (303, "/p/patients/1/data")


NAMES = {  # of a file that is sent → what it is kept as
    "../../etc/passwd": "passwd",
    "..\\..\\windows\\system.ini": "system.ini",
    "/etc/shadow": "shadow",
    "C:evil.csv": "evil.csv",
    "..": "data",
    "a/../b.csv": "b.csv",
    "nul.csv": "nul-.csv",
    "x" * 400 + ".csv": "x" * 60 + ".csv",
    "<script>alert(1)</script>.csv": "script.csv",
    ".bashrc": "bashrc",
    "history.json": "history.json",
    "a\u202ecsv.exe": "a-csv.exe",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_path_in_a_file_name_is_no_path(name, expert, home, tmp_path):
    assert safe_name(name) == NAMES[name]
    before = set(tmp_path.rglob("*"))
    answer = expert.post("/open", files={"file": (name, CSV.encode())})
    assert answer.status_code == 303
    written = {one for one in set(tmp_path.rglob("*")) - before if one.is_file()}
    assert {one.name for one in written} <= {NAMES[name], "history.json"}
    assert all(one.is_relative_to(home.folder / home.names[0]) for one in written)


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py", "/static/%2e%2e%2fserver.py", "/static/french.py", "/p/../history",
        "/p/%2e%2e/1/data", "/p/iris/0/data", "/p/iris/99/data", "/p/none/1/data", "/p/iris/compare?a=1&b=-1",
        "/p/iris/1/export/..%2f..%2fhistory.json", "/p/iris/1/export/study",
    ],
)  # fmt: skip
def test_a_path_in_an_address_leads_nowhere(path, expert, home):
    home.open("iris")
    answer = expert.get(path)
    assert answer.status_code in (404, 422)
    assert "import" not in answer.text


PICKLE = b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00\x8c\x02os\x94."
STRANGE = {
    "a pickle": ("x.csv", PICKLE, "pickle"),
    "a program": ("x.csv", b"\x7fELF" + bytes(100), "program"),
    "nothing": ("x.csv", b"", "empty"),
}


@pytest.mark.parametrize("what", STRANGE)
def test_a_strange_file_is_told_to_be_one(what, expert):
    name, content, told = STRANGE[what]
    answer = expert.post("/open", files={"file": (name, content)})
    if answer.status_code == 303:
        answer = expert.get(answer.headers["location"])
    assert told in answer.text


def test_names_of_columns_and_cells_stay_text(expert):
    script = "<script>alert(1)</script>"
    rows = "".join(f"{i},{script},{'ab'[i % 2]}\n" for i in range(30))
    answer = expert.post("/open", files={"file": ("a.csv", f"n,{script},y\n{rows}".encode())})
    page = expert.get(answer.headers["location"]).text
    assert script not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "innerHTML" not in "".join(
        expert.get(f"/static/{one}").text for one in ("compose.js", "linked.js")
    )


def test_every_answer_carries_the_policy(expert, home):
    home.open("iris")
    paths = ["/", "/static/studio.css", "/static/none", "/p/iris/1/data", "/p/none/1/data"]
    for answer in [*map(expert.get, paths), expert.get("/", headers={"host": "evil.example"})]:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_a_language_leads_back_to_this_site_alone(expert):
    for back in ("//evil.example", "http://evil.example", "/\\evil.example", "\\\\evil.example"):
        answer = expert.post("/language", data={"language": "fr", "back": back})
        assert answer.headers["location"] == "/"
    assert 'lang="fr"' in expert.get("/").text


def test_it_listens_on_this_machine_alone_and_says_when_it_cannot():
    with server._listening(0) as taken:
        assert taken.getsockname()[0] == "127.0.0.1"
        taken.listen()
        with pytest.raises(InvalidInputError, match="pass --port 0"):
            server._listening(taken.getsockname()[1])
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))


def test_one_studio_works_in_a_folder(home):
    with (
        home.alone(),
        pytest.raises(StudyError, match="another studio works in"),
        server._alone(home),
    ):
        pass
