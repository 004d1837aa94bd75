"""``satchel engines``: what can solve a problem instead of Satchel's own search, for comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..console import Line, columns, print_json, print_lines, width
from ..options import Json

if TYPE_CHECKING:
    from ... import EngineSpec


def command(json: Json = False) -> None:
    """List the engines for comparison.

    What each is and whether it proves its answer; --engine takes their names. Without it Satchel's own search
    runs, which is what --solver chooses.
    """
    from ... import engines

    found = engines()
    if json:
        print_json(
            [
                {
                    "name": spec.name,
                    "summary": spec.summary,
                    "features": sorted(feature.value for feature in spec.features),
                    "requires": list(spec.requires),
                    "missing": list(spec.missing),
                }
                for spec in found
            ]
        )
        return
    rows = [["engine", "proves", "keeps all rules", "what it is"]]
    rows += [[spec.name, _proves(spec), _rules(spec), _what(spec)] for spec in found]
    head, *body = columns(rows, indent=0, limit=width())
    print_lines([Line(head, "bold"), *(Line(text) for text in body)])


def _proves(spec: EngineSpec) -> str:
    if not spec.proves:
        return "no"
    return "exactly" if spec.exact else "in floats"


def _rules(spec: EngineSpec) -> str:
    return "yes" if spec.keeps_rules else "no"


def _what(spec: EngineSpec) -> str:
    return f"{spec.summary} (pip install {' '.join(spec.missing)})" if spec.missing else spec.summary
