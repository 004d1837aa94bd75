"""The report of a comparison, from tables written here."""

from __future__ import annotations

import json
from pathlib import Path

from bench.compare_report import markdown
from satchel.research.compare import COLUMNS
from satchel.research.tables import csv_text

RUN = {
    **dict.fromkeys(COLUMNS["quality"]),
    "keeps_rules": True,
    "units": 40,
    "tightness": 0.2,
    "best_objective": 100,
    "jaccard": 1.0,
}
TIME = {
    **dict.fromkeys(COLUMNS["times"]),
    "date": "2026-01-01",
    "cores": 2,
    "versions": "numpy=2.0 ortools=9.15",
    "seconds": 0.5,
}


def test_real_and_drawn_problems_have_tables_of_their_own(tmp_path: Path) -> None:
    runs = [("abc-overview-4000", "satchel", 100, 0.0), ("abc-overview-4000", "greedy", 80, 0.2)]
    runs += [("drawn-60-10-0", "satchel", 100, 0.0), ("drawn-60-10-0", "greedy", 99, 0.0005)]
    quality = [
        {
            **RUN,
            "instance": name,
            "engine": engine,
            "objective": objective,
            "loss": loss,
            "status": "optimal" if engine == "satchel" else "heuristic",
        }
        for name, engine, objective, loss in runs
    ]
    lack = dict.fromkeys(COLUMNS["lacks"])
    lacks = [
        {**lack, "instance": "drawn-60-10-0", "engine": "greedy", "best_form": best, "form": form}
        for best, form in ((0, None), (None, 1), (None, 0), (0, 2), (3, 1))
    ]
    times = [{**TIME, "instance": name, "engine": engine} for name, engine, _, _ in runs]
    for name, table in (("quality", quality), ("lacks", lacks), ("times", times)):
        (tmp_path / f"{name}.csv").write_text(csv_text(table, COLUMNS[name]))
    stated = {"engines": ["satchel", "greedy"], "seeds": [0], "timeLimitSeconds": 5.0, "workers": 1}
    (tmp_path / "comparison.json").write_text(json.dumps(stated))
    text = markdown(tmp_path)
    assert "On 1 real and 1 drawn problems" in text
    assert "on 2 cores; numpy 2.0, ortools 9.15." in text
    real, drawn = text.partition("## 1 real problems")[2].split("## 1 drawn problems")
    assert "| greedy | 1 of 1 | 0 | 0 | 20.00% | 20.00% | 20.00% | 1.00 | 0.50 |" in real
    assert "| satchel | 1 of 1 | 1 | 1 | 0 | 0 | 0 | 1.00 | 0.50 |" in drawn
    assert "| greedy | 1 | 0 | 0 | +0.0500% | +0.0500% to +0.0500% | 1 |" in drawn
    # One unit is lacking, two are there beside it; one is fuller in the best pack, one shorter.
    assert "| greedy | 1 | 2 | 1 | 1 |" in drawn
    assert "15 to 25 % (n 1)" in drawn
