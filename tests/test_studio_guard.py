"""Claims about who may ask the studio, and what it takes from strangers: each attack, and what it is answered."""

from __future__ import annotations

import io
import socket
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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

ROOT = Path(__file__).parents[1]
LAUNCH = Launch(8765, "the-token-of-this-launch")
HERE = "http://127.0.0.1:8765"
LARGEST = 2**20
PERSON = {"accept": "text/html", "sec-fetch-mode": "navigate"}
PICKLE = b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00\x8c\x02os\x94."
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


@dataclass(frozen=True)
class Attack:
    """What is tried, by somebody who has the cookie unless it says otherwise, and what it is answered."""

    what: str
    tried: str
    status: int
    said: str
    headers: dict[str, str] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=lambda: {"data": {"sample": "iris"}})

    def __str__(self) -> str:
        return self.what


def sent(name, content):
    return {"files": {"file": (name, content)}}


def packed(content):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data.csv", content)
    return stream.getvalue()


def chunks():
    """Hand out a body that is too long, without saying how long it is."""
    for _ in range(3):
        yield b"x" * (LARGEST // 2)


SCRIPT = "<script>alert(1)</script>"
HOSTILE = f"n,{SCRIPT},y\n" + "".join(f"{i},{SCRIPT},{'ab'[i % 2]}\n" for i in range(30))
FORM = {"content-type": "multipart/form-data; boundary=x"}
CHECK, LEARN, OPEN = "POST /p/iris/1/check", "POST /p/iris/1/learn", "POST /open"
SEEN = "another site"
ATTACKS = [
    Attack("a page of another site sends a form", OPEN, 403, SEEN, {"origin": "http://evil.example"}),
    Attack("… from another port of this machine", OPEN, 403, SEEN, {"origin": "http://127.0.0.1:9999"}),
    Attack("… from an origin that hides", OPEN, 403, SEEN, {"origin": "null"}),
    Attack("… and no origin is named", OPEN, 403, "must say where it comes from", {"origin": ""}),
    Attack("… as the browser itself tells", OPEN, 403, SEEN, {"sec-fetch-site": "cross-site"}),
    Attack("… from a neighbouring site", OPEN, 403, SEEN, {"sec-fetch-site": "same-site"}),
    Attack(
        "another site reads data as a script or a picture", "GET /p/iris/1/pictures.json", 403, SEEN,
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"},
    ),
    Attack(
        "a name that was bound anew to this machine", OPEN, 421, "is not 'evil.example:8765'",
        {"host": "evil.example:8765", "origin": "http://evil.example:8765"},
    ),
    Attack("… without a port", "GET /", 421, "is not 'evil.example'", {"host": "evil.example"}),
    Attack("this machine by another port", "GET /", 421, "is not '127.0.0.1:80'", {"host": "127.0.0.1:80"}),
    Attack("no name of a host", "GET /", 421, "is not ''", {"host": ""}),
    Attack("no cookie", "GET /p/iris/1/pictures.json", 401, "the token is wrong", {"cookie": ""}),
    Attack(
        "a guessed cookie", "GET /p/iris/1/export/study", 401, "the token is wrong",
        {"cookie": "chemin-8765=guessed"},
    ),
    Attack(
        "the cookie of another launch", OPEN, 401, "the token is wrong", {"cookie": f"chemin-8766={LAUNCH.token}"}
    ),
    Attack("a guessed token", "POST /enter", 401, "the token is wrong", body={"content": "guessed"}),
    Attack(
        "an upload that says it is too large", OPEN, 413, "more than 1 MiB", body=sent("a.csv", b"x" * (LARGEST + 1))
    ),
    Attack("… that does not say it", OPEN, 413, "more than 1 MiB", FORM, {"content": chunks}),
    Attack("… of no length", OPEN, 400, "a body of no size", {"content-length": "many"}),
    Attack(
        "a form of too many fields", CHECK, 400, "Too many fields", body={"data": {str(k): "" for k in range(2000)}}
    ),
    Attack(
        "a path in a file name", OPEN, 303, "leads to /p/passwd/1/data …", body=sent("../../etc/passwd", CSV.encode())
    ),
    Attack("… of Windows", OPEN, 303, "leads to /p/system/1/data …", body=sent("..\\..\\system.ini", CSV.encode())),
    Attack("… in an address", "GET /static/%2e%2e%2fserver.py", 404, "Not Found"),
    Attack("… in the name of a project", "GET /p/%2e%2e/1/data", 422, "there is no project"),
    Attack("… of what is taken away", "GET /p/iris/1/export/..%2f..%2fhistory.json", 404, "Not Found"),
    Attack(
        "an address that leads to another site", "POST /language", 303, "leads to / …",
        body={"data": {"language": "fr", "back": "//evil.example"}},
    ),
    Attack("a pickle", OPEN, 303, "is a pickle, not a table", body=sent("a.csv", PICKLE)),
    Attack("a program", OPEN, 303, "is a program", body=sent("a.csv", b"\x7fELF" + bytes(100))),
    Attack("a zip bomb", OPEN, 303, "more than the 0.000977 GiB allowed", body=sent("a.zip", packed(b"1,2\n" * 2**19))),
    Attack(
        "script in names of columns and in cells", OPEN, 303, "&lt;script&gt;alert(1)",
        body=sent("a.csv", HOSTILE.encode()),
    ),
    Attack("code in a kernel", LEARN, 422, "there is no kernel", body={"data": {"kernels": "__import__('os')"}}),
    Attack("a kernel nested without end", LEARN, 422, "at most 50 parentheses", body={"data": {"kernels": "(" * 3000}}),
    Attack("a kernel of many lines", LEARN, 422, "at most 40 lines", body={"data": {"kernels": "linear\n" * 99}}),
    Attack("a job without end", LEARN, 422, "the budget is", body={"data": {"kernels": "linear", "budget": "inf"}}),
    Attack("a link that learns", "GET /p/iris/1/learn", 405, "Method Not Allowed"),
]  # fmt: skip


def answered(attack, expert):
    """Return what an attack is answered: its status, and what is said, there or in the page that it leads to."""
    method, path = attack.tried.split()
    headers = dict(attack.headers)
    if "cookie" in headers:
        expert.cookies.clear()
    if headers.get("origin") == "":
        del headers["origin"], expert.headers["origin"]
    body = {name: one() if callable(one) else one for name, one in attack.body.items()}
    answer = expert.request(method, path, headers=headers, **({} if method == "GET" else body))
    said = answer.text
    if answer.status_code == 303:
        place = answer.headers["location"]
        said = f"leads to {place} … {expert.get(place).text}"
    return answer.status_code, said


@pytest.mark.parametrize("attack", ATTACKS, ids=str)
def test_an_attack_is_answered_as_the_page_of_the_studio_says(
    attack, expert, home, tmp_path, monkeypatch
):
    monkeypatch.setattr("chemin.tables.reader.allowance", lambda: 2**20)
    home.open("iris")
    before = set(tmp_path.rglob("*"))
    status, said = answered(attack, expert)
    assert status == attack.status
    assert attack.said in said
    assert SCRIPT not in said
    assert "import os" not in said
    made = {one for one in set(tmp_path.rglob("*")) - before if one.is_file()}
    assert len(home.project("iris").entries) == 1
    assert bool(made) == (attack.tried == OPEN and status == 303)
    assert all(one.is_relative_to(home.folder) for one in made)


def test_the_page_of_the_studio_has_this_table():
    text = (ROOT / "docs" / "studio.md").read_text(encoding="utf-8")
    lines = [f"| {one.what} | `{one.tried}` | {one.status} | `{one.said}` |" for one in ATTACKS]
    assert [line for line in lines if line not in text] == [], (
        "write these lines into docs/studio.md"
    )


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


def test_a_file_that_is_not_too_large_is_opened(expert):
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
