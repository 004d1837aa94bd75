"""One run of one engine on a drawn instance, in its own process: ``python -m bench.one CASE_JSON OUT``.

What is measured, and how, says :mod:`satchel.research.running`.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from satchel.research.running import row_of
from satchel.research.running import surroundings as measured_on
from satchel.research.store import write_whole

from .draw import draw
from .generate import problem_of
from .spec import spec_of

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Case:
    """What is run: the instance, the engine, and its limits."""

    units: int
    seed: int
    engine: str
    limit: float
    workers: int
    dials: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The case as text: rows of the same key are the same run."""
        dials = ",".join(sorted(self.dials))
        return f"{self.units}/{self.seed}/{dials}/{self.engine}/{self.limit:g}/{self.workers}"


def instance_digest(case: Case) -> str:
    """Return the fingerprint of the numbers that the case's instance is drawn from."""
    return draw(spec_of(case.units, case.dials), case.seed).digest()


def run_case(case: Case) -> dict[str, Any]:
    """Run ``case`` here and return its row."""
    arrays = draw(spec_of(case.units, case.dials), case.seed)
    row = row_of(lambda: problem_of(arrays), case.engine, limit=case.limit, workers=case.workers)
    row.pop("selection", None)  # it can be had again, and there are a hundred thousand units
    named = {"key": case.key, "case": asdict(case), "instance": arrays.digest()}
    return named | row | surroundings()


def surroundings() -> dict[str, Any]:
    """Return when and on what is measured, and the commit where it is known."""
    return measured_on(HERE)


def main() -> None:
    """Run the case that the first argument describes; write its row to the file that the second names."""
    data = json.loads(sys.argv[1])
    case = Case(**{**data, "dials": tuple(data.get("dials", ()))})
    write_whole(Path(sys.argv[2]), json.dumps(run_case(case)))


if __name__ == "__main__":
    main()
