"""The plots of the pages for whoever shows them elsewhere: the same figures under the same headings."""

import json
import re
from dataclasses import replace

from shoal.report.pages import Audit, audit_html, page_words
from shoal.report.sections import audit_sections, figures_of, front_sections


def test_an_audit_gives_the_plots_of_its_page(audit: Audit):
    found = figures_of(audit_sections(audit))
    page = audit_html(audit)
    drawn = dict(re.findall(r'<script type="application/json" id="([^"]+)">(.*?)</script>', page, re.S))
    assert set(drawn) <= set(found)
    for name, text in drawn.items():
        figure = found[name]["figure"]
        assert figure["data"] == json.loads(text)["data"]
        assert figure["layout"]["paper_bgcolor"] == figure["layout"]["plot_bgcolor"] == "rgba(0,0,0,0)"
    assert found["column-0"]["title"] == "age"
    assert found["risk-figure"]["section"] == "Risk, before and after"
    assert found["column-0"]["table"]["rows"][0] == ("[20, 30)", "640", "634")
    assert all(one["words"] and one["sentence"] for one in found.values())


def test_of_very_many_columns_some_are_drawn(audit: Audit):
    wide = {f"c{i}": [("x", 1.0, 1.0)] for i in range(200)}
    losses = {name: 1 / (i + 1) for i, name in enumerate(reversed(wide))}
    report = replace(audit.report, loss_by_column=losses)
    found = figures_of(audit_sections(replace(audit, report=report, before_after=wide)))
    assert sum(name.startswith("column-") for name in found) == 40
    assert "the first 40 of 200" in found["column-0"]["sentence"]
    assert len(found["loss-figure"]["table"]["rows"]) == 40
    assert found["loss-figure"]["table"]["rows"][0][0] == "c199"
    assert len(json.dumps(found)) < 1_000_000


def test_a_front_to_choose_from_has_no_point_taken(audit: Audit):
    (front,) = figures_of(front_sections(audit.front or ())).values()
    assert len(front["figure"]["data"]) == 1
    assert front["figure"]["data"][0]["x"] == [2, 7, 900]
    points = [
        {"table-ncp": 0.1, "ul": 0.5, "classes": 3, "merges": 1},
        {"table-ncp": 0.2, "ul": 0.4, "classes": 2, "merges": 2},
    ]
    (mixed,) = figures_of(front_sections(points, mixed=True)).values()
    assert mixed["figure"]["data"][0]["y"] == [0.5, 0.4]
    assert front_sections([]) == []


def test_words_are_those_of_the_pages(audit: Audit):
    said = page_words(audit)
    assert said["headline"] == "In age and zip, every record looks the same as at least 4 others."
    assert said["verdict"]["state"] == "holds"
    assert said["judges"] == ["k-anonymity"]
    assert said["attacker"].startswith("Whoever knows all quasi-identifiers")
    assert said["tables"]["losses"]["rows"][0][:2] == ("ncp", "18%")
    assert ["Smallest class", "7", "the claim asks for 5"] in said["tiles"]
    assert any("Several releases" in line for line in said["limits"])
    assert json.loads(json.dumps(said)) is not None
