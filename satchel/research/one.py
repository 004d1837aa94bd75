"""One run of one engine on a problem file, alone: ``python -m satchel.research.one CASE OUT``."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..files import read_problem
from .running import row_of
from .store import write_whole


@dataclass(frozen=True)
class Case:
    """What is run: the instance by name and file, the engine, and its limits."""

    name: str
    path: str
    engine: str
    limit: float
    workers: int
    seed: int

    @property
    def key(self) -> str:
        """The case as text: rows of the same key on the same instance are the same run."""
        return f"{self.name}/{self.engine}/{self.limit:g}/{self.workers}/{self.seed}"

    def stated(self, digest: str) -> dict[str, Any]:
        """Return what a row says of the case: not where its file was."""
        case = {name: value for name, value in asdict(self).items() if name != "path"}
        return {"key": self.key, "case": case, "instance": digest}


def main() -> None:
    """Run the case that the first argument describes; write its row to the file that the second names."""
    data = json.loads(sys.argv[1])
    digest = data.pop("digest")
    write_row(Case(**data), digest, sys.argv[2])


def write_row(case: Case, digest: str, out: str) -> None:
    """Run ``case`` in this process, and write its row to the file ``out``."""
    row = row_of(
        lambda: read_problem(case.path),
        case.engine,
        limit=case.limit,
        workers=case.workers,
        seed=case.seed,
    )
    write_whole(Path(out), json.dumps(case.stated(digest) | row))


if __name__ == "__main__":
    main()
