"""Who gets in and who does not: each request here is one that somebody else could make."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
from html.parser import HTMLParser

import pytest

from veridag.app.security import MOST_JSON
from veridag.app.server import hosts_of, is_loopback

TOKEN = "the-token"  # of the fixtures
ADDRESS = "http://127.0.0.1:8000"
UPLOAD = {"file": ("cases.csv", b"a,b\n1,2\n")}


def routes(client) -> list[tuple[str, str]]:
    """Every route of the app as method and address, with what it takes filled in."""
    found = []
    for route in client.app.routes:
        path = re.sub(r"\{(\w+)[^}]*\}", "0", route.path.removesuffix("/{path:path}"))
        methods = getattr(route, "methods", None) or {"GET"}
        found += [(method, path) for method in sorted(methods - {"HEAD"})]
    return found


# ---- the token and the cookie


def test_nothing_is_answered_without_the_cookie(stranger):
    stranger.headers["Origin"] = ADDRESS
    asked = routes(stranger)
    assert len(asked) > 8
    for method, path in asked:
        answer = stranger.request(method, path)
        assert answer.status_code == 403, (method, path)
        assert "address that veridag app printed" in answer.text


def test_the_token_becomes_a_cookie_that_scripts_and_other_sites_cannot_use(stranger):
    answer = stranger.get("/project/abc", params={"token": TOKEN, "run": "3"})
    assert answer.status_code == 303
    assert answer.headers["location"] == "/project/abc?run=3"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Path=/" in cookie
    assert TOKEN not in cookie
    assert stranger.get("/").status_code == 200


@pytest.mark.parametrize("wrong", ["", "the-toke", "the-token2", "THE-TOKEN", "\u00e9", "the-token\0"])
def test_a_wrong_token_opens_nothing(stranger, wrong):
    answer = stranger.get("/", params={"token": wrong})
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers
    assert stranger.get("/").status_code == 403


def test_a_second_token_does_not_hide_a_wrong_one(stranger):
    assert stranger.get(f"/?token=wrong&token={TOKEN}").status_code == 403


@pytest.mark.parametrize("value", ["", "x", TOKEN, '"', "veridag-8000"])
def test_a_wrong_cookie_opens_nothing(stranger, value):
    assert stranger.get("/", headers={"Cookie": f"veridag-8000={value}"}).status_code == 403


def test_cookies_of_other_programs_on_this_machine_stand_in_no_way(stranger):
    cookie = stranger.get("/", params={"token": TOKEN}).headers["set-cookie"].split(";")[0]
    stranger.cookies.clear()
    headers = {"Cookie": f'jupyter{{x}}="a b; c", =; odd; {cookie}; veridag-8001=other'}
    assert stranger.get("/", headers=headers).status_code == 200


def test_the_token_is_no_way_around_the_cookie_for_changes(stranger):
    answer = stranger.post(f"/api/projects?token={TOKEN}", files=UPLOAD, headers={"Origin": ADDRESS})
    assert answer.status_code == 403


def test_the_first_address_leads_to_no_other_host(stranger):
    answer = stranger.get(f"{ADDRESS}//evil.example/", params={"token": TOKEN})
    assert answer.headers["location"].startswith("/evil")
    assert not answer.headers["location"].startswith("//")


def test_two_servers_on_one_machine_use_cookies_of_different_names(stranger):
    cookie = stranger.get("/", params={"token": TOKEN}).headers["set-cookie"]
    assert cookie.startswith("veridag-8000=")


# ---- DNS rebinding, and what other pages send


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "127.0.0.1",
        "127.0.0.1:8001",
        "localhost",
        "127.0.0.1.evil.example:8000",
        "",
    ],
)
def test_another_name_for_this_machine_is_refused(client, host):
    assert client.get("/", headers={"Host": host}).status_code == 400
    assert client.get("/", params={"token": TOKEN}, headers={"Host": host}).status_code == 400


def test_two_hosts_are_refused(client):
    request = client.build_request("GET", "/")
    request.headers = type(request.headers)([("host", "127.0.0.1:8000"), ("host", "evil.example")])
    assert client.send(request).status_code == 400


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://127.0.0.1:9999", "https://127.0.0.1:8000", "http://localhost:8000", ""],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_another_origin_is_refused(client, origin, method):
    options = {"files": UPLOAD} if method == "POST" else {}
    assert client.request(method, "/api/projects", headers={"Origin": origin}, **options).status_code == 403
    assert list(client.app.state.projects) == []


def test_a_change_must_name_its_origin(client, asia):
    del client.headers["Origin"]
    for method, path in (("POST", "/api/projects"), ("DELETE", f"/api/projects/{asia.id}"), ("PUT", "/")):
        assert client.request(method, path).status_code == 403
    assert [project.id for project in client.app.state.projects] == [asia.id]


@pytest.mark.parametrize("site", ["cross-site", "same-site", "nonsense"])
def test_what_another_site_embeds_or_fetches_is_refused(client, site):
    """A page on another port of this machine is of the same site: its requests come with our cookie."""
    headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}
    assert client.get("/api/projects", headers=headers).status_code == 403
    assert (
        client.get("/", headers={**headers, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}).status_code
        == 403
    )


def test_a_link_from_elsewhere_can_be_followed_but_changes_nothing(client):
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert client.get("/", headers=headers).status_code == 200
    assert client.post("/api/projects", files=UPLOAD, headers=headers).status_code == 403


@pytest.mark.parametrize(
    "kind", ["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x", ""]
)
def test_a_form_of_another_page_is_no_change(client, asia, kind):
    before = asia.version
    body = '{"change": {"drop": {"smoke": true}}}'
    answer = client.post(f"/api/projects/{asia.id}/table", content=body, headers={"Content-Type": kind})
    assert answer.status_code == 415
    assert asia.version == before


def test_web_sockets_are_closed(client):
    from starlette.websockets import WebSocketDisconnect

    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/"):
        pass


# ---- sizes


def test_a_table_that_is_too_large_is_refused_and_leaves_nothing(client, projects):
    answer = client.post("/api/projects", files={"file": ("big.csv", b"a" * (2**20 + 1))})
    assert answer.status_code == 413
    assert (
        answer.json()["error"]
        == "That is larger than the 1 MB that are taken here: start veridag app with a larger --max-upload."
    )
    assert list(projects) == []


def test_a_body_in_chunks_is_bounded_while_it_arrives(client, projects):
    sent = 0

    def chunks():
        nonlocal sent
        yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="big.csv"\r\n\r\n'
        for _ in range(1000):
            sent += 2**16
            yield b"a" * 2**16

    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    answer = client.post("/api/projects", content=chunks(), headers=headers)
    assert "content-length" not in answer.request.headers
    assert answer.status_code == 413
    assert list(projects) == []
    assert not projects.folder.exists()


def test_a_choice_is_bounded_whatever_its_length_says(client, asia):
    headers = {"Content-Type": "application/json"}
    large = b" " * (MOST_JSON + 1)
    for content in (large, iter([large])):
        answer = client.post(f"/api/projects/{asia.id}/table", content=content, headers=headers)
        assert answer.status_code == 413
    answer = client.post(f"/api/projects/{asia.id}/table", content=b"{}", headers={**headers, "Content-Length": "-1"})
    assert answer.status_code == 413


def test_a_form_with_many_parts_is_refused(client, projects):
    parts = [("file", (f"{i}.csv", b"a,b\n1,2\n")) for i in range(5)]
    assert client.post("/api/projects", files=parts).status_code == 400
    assert client.post("/api/projects", data={str(i): "x" for i in range(50)}, files=UPLOAD).status_code == 400
    assert list(projects) == []


def packed(name: str, size: int) -> bytes:
    content = b"a,b\n" + b"1,2\n" * (size // 4)
    if name.endswith(".gz"):
        return gzip.compress(content)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("cases.csv", content)
    return archive.getvalue()


@pytest.mark.parametrize("name", ["bomb.csv.gz", "bomb.zip"])
def test_a_packed_table_is_not_unpacked_beyond_the_limit(client, monkeypatch, name):
    monkeypatch.setenv("VERIDAG_UNPACKED_BYTES", "100000")
    made = client.post("/api/projects", files={"file": (name, packed(name, 1_000_000))}).json()
    view = client.get(f"/api/projects/{made['id']}/table").json()
    assert not view["ready"]
    assert "more than 100000 bytes when unpacked" in view["error"]


# ---- names


@pytest.mark.parametrize(
    "id",
    [
        "%2e%2e",
        "..%2f..%2fetc",
        "0" * 12 + "%2f..",
        "%00",
        "A" * 12,
        "0" * 11,
        "0" * 13,
        "é" * 12,
        "0" * 11 + "%0a",
    ],
)
def test_an_id_that_we_did_not_make_names_nothing(client, asia, id):
    assert asia.folder.is_dir()
    for path in (f"/project/{id}", f"/api/projects/{id}/table", f"/api/projects/{id}/knowledge"):
        assert client.get(path).status_code == 404, path
    assert client.request("DELETE", f"/api/projects/{id}").status_code in (404, 405)
    assert asia.folder.is_dir()


@pytest.mark.parametrize(
    "path",
    [
        "../server.py",
        "..%2fserver.py",
        "%2e%2e/project.py",
        "/etc/passwd",
        "steps/../../server.py",
        "report/..%2f..%2fpage.py",
        "report/page.html.j2",
    ],
)
def test_static_files_are_those_of_their_folder_alone(client, path):
    answer = client.get(f"/static/{path}")
    assert answer.status_code == 404
    assert "import" not in answer.text


# ---- what the browser is told


def test_every_answer_forbids_what_pages_do_not_need(client, asia, monkeypatch):
    def fail(*_):
        raise RuntimeError("a defect")

    answers = [
        client.get("/"),
        client.get(f"/project/{asia.id}"),
        client.get(f"/api/projects/{asia.id}/table"),
        client.get("/static/app.js"),
        client.get("/static/report/page.css"),
        client.get("/nowhere"),
        client.get("/", headers={"Host": "evil.example"}),
        client.post("/api/projects", content=b"x"),
    ]
    monkeypatch.setattr("veridag.app.table_step.view_of", fail)
    answers.append(client.get(f"/api/projects/{asia.id}/table"))
    assert [answer.status_code for answer in answers] == [200, 200, 200, 200, 200, 404, 400, 400, 500]
    for answer in answers:
        policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
        assert policy["default-src"] == "'none'"
        assert policy["script-src"] == "'self'"
        assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert "access-control-allow-origin" not in answer.headers
        ours = str(answer.url).startswith(f"{ADDRESS}/static/") and answer.status_code == 200
        assert answer.headers["cache-control"] == ("no-cache" if ours else "no-store")


def test_a_defect_shows_no_inside(client, asia, monkeypatch):
    def fail(*_):
        raise RuntimeError(str(asia.folder))

    monkeypatch.setattr("veridag.app.table_step.view_of", fail)
    answer = client.get(f"/api/projects/{asia.id}/table")
    assert answer.status_code == 500
    assert answer.json() == {"error": "Unexpected RuntimeError: the terminal of veridag app shows where."}


class Tags(HTMLParser):
    """All tags of a page, each with its attributes and the text right after it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None], list[str]]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs), []))

    def handle_data(self, data):
        if self.found:
            self.found[-1][2].append(data)


HOSTILE = [
    "<script>window.broken=1</script>.csv",
    '"><img src=x onerror=alert(1)>.csv',
    "{{7*7}}.csv",
    "' onclick='x.csv",
    "&lt;b&gt;.csv",
]


def test_no_page_has_a_script_or_a_handler_inside(client, make):
    made = [make("a,b\n1,2\n", name) for name in HOSTILE]
    pages = [client.get("/").text, *(client.get(f"/project/{project.id}").text for project in made)]
    for text in pages:
        tags = Tags(text).found
        assert tags
        for tag, attributes, inside in tags:
            assert not any(name.startswith("on") for name in attributes), attributes
            assert tag not in ("img", "iframe", "object", "embed", "base", "form")
            for name in ("href", "src"):
                assert (attributes.get(name) or "/").startswith(("/", "#")), attributes
            if tag == "script":
                assert attributes["src"].startswith("/static/")
                assert "".join(inside).strip() == ""
    shown = [name.rsplit("/", 1)[-1] for name in HOSTILE]
    titles = [inside for tag, _, inside in Tags(pages[0]).found if tag == "a"]
    assert {"".join(text).strip() for text in titles} >= {*shown}


# ---- where the server listens


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("192.168.1.7", False),
        ("localhost.evil.example", False),
    ],
)
def test_only_the_loopback_interface_is_taken_for_it(host, local):
    assert is_loopback(host) == local


def test_the_names_of_a_loopback_server_are_its_own_and_need_the_port():
    assert set(hosts_of("127.0.0.1", 81)) == {"127.0.0.1:81", "localhost:81", "[::1]:81"}
    assert hosts_of("::1", 81)[0] == "[::1]:81"
    assert "localhost" in hosts_of("localhost", 80)
    assert hosts_of("192.168.1.7", 81) == ("192.168.1.7:81",)
