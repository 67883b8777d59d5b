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
