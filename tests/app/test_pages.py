"""The pages as HTML: what they hold, and that nothing in them runs by itself."""

from __future__ import annotations


def test_a_table_that_is_dropped_becomes_a_project_with_a_page(client, asia_csv):
    answer = client.post("/api/projects", files={"file": ("my cases.csv", asia_csv.read_bytes())})
    assert answer.status_code == 201
    page = client.get(answer.json()["url"])
    assert page.status_code == 200
    assert "my cases.csv" in page.text
    assert client.get(f"/api/projects/{answer.json()['id']}/table").json()["rows"] == 300
    assert f'href="{answer.json()["url"]}"' in client.get("/").text


def test_projects_are_listed_the_newest_first_and_removed(client, make):
    first, second = make("a,b\n1,2\n", "one.csv"), make("a,b\n1,2\n", "two.csv")
    assert [(one["id"], one["name"]) for one in client.get("/api/projects").json()] == [
        (second.id, "two.csv"),
        (first.id, "one.csv"),
    ]
    assert client.request("DELETE", f"/api/projects/{first.id}").status_code == 200
    assert [one["id"] for one in client.get("/api/projects").json()] == [second.id]
    assert client.get(f"/api/projects/{first.id}/table").json() == {
        "error": "This project does not exist any more: go back to the list of projects."
    }


def test_the_page_knows_how_large_a_table_may_be(client):
    assert f'data-most="{2**20}"' in client.get("/").text


def test_a_request_without_a_table_makes_no_project(client, projects):
    for given in ({"data": {"file": "text"}}, {"files": {"other": ("a.csv", b"a,b")}}, {"json": {"file": "x"}}):
        answer = client.post("/api/projects", **given)
        assert answer.status_code == 400
        assert answer.json()["error"]
    assert list(projects) == []


def test_the_page_of_a_project_has_every_step_and_a_link_to_it(client, asia):
    text = client.get(f"/project/{asia.id}").text
    for name in ("table", "knowledge", "learn", "network", "what-if", "export"):
        assert f'<section id="{name}"' in text
        assert f'href="#{name}"' in text


def test_what_the_report_is_made_of_is_served_as_it_has_it(client):
    from veridag.report.rendering import environment

    for name in ("page.css", "page.js", "what_if.js", "what_if_engine.js"):
        answer = client.get(f"/static/report/{name}")
        assert answer.text == environment().get_template(name).render()
        assert answer.headers["content-type"].startswith("text/css" if name.endswith("css") else "text/javascript")


def test_a_static_file_is_kept_until_it_changes(client):
    first = client.get("/static/app.css")
    again = client.get("/static/app.css", headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304
