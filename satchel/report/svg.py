"""Charts as SVG: drawn by Vega here, kept only as far as it is shapes and text.

Vega draws without a browser and without a network (``vl-convert-python`` brings it in its wheel), and what it
returns needs no script and no inline style, so that a page with a strict policy can show it, in its own
colours by day and by night.
"""

from __future__ import annotations

import importlib.util
import re
from typing import Any, Final
from xml.etree import ElementTree

from ..models import UsageError
from .visible import spelled

_SVG: Final = "http://www.w3.org/2000/svg"
_ELEMENTS: Final = frozenset({"svg", "g", "path", "line", "rect", "text", "tspan"})
_ATTRIBUTES: Final = frozenset(
    (
        *("width", "height", "viewBox", "transform", "d", "x", "y", "x1", "x2", "y1", "y2", "dx", "dy"),
        *("fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray"),
        *("stroke-linecap", "stroke-linejoin", "stroke-miterlimit", "opacity", "display"),
        *("font-size", "font-weight", "text-anchor", "pointer-events"),
    )
)
_MARK: Final = re.compile(r"(\d+)\t(.*)", re.DOTALL)
_LONG: Final = re.compile(r"-?\d+\.\d{2,}")


def draw(spec: dict[str, Any], *, title: str) -> str:
    """Return the chart of a Vega or Vega-Lite ``spec`` as an SVG element whose accessible name is ``title``.

    A mark whose description is ``number<TAB>words`` gets the words as its tooltip and the number as
    ``data-i``. Nothing but shapes, text and their looks is kept.

    Raises
    ------
    UsageError
        ``vl-convert-python`` is not installed.
    ValueError
        Vega drew nothing.
    """
    if importlib.util.find_spec("vl_convert") is None:
        raise UsageError(
            "needs vl-convert-python", code="extra_missing", hint="pip install 'satchel[report]'"
        )
    import vl_convert

    lite = "vega-lite" in spec["$schema"]
    text = vl_convert.vegalite_to_svg(spec) if lite else vl_convert.vega_to_svg(spec)
    return _cleaned(text, title)


def _cleaned(text: str, title: str) -> str:
    root = ElementTree.fromstring(text)  # noqa: S314 - Vega wrote it just now: no document type, no entities
    if not any(element.tag.endswith("}text") for element in root.iter()):
        raise ValueError("Vega drew no chart")
    kept = _kept(root)
    assert kept is not None
    kept.set("role", "img")
    kept.set("aria-label", spelled(title))
    kept.set("xmlns", _SVG)
    return ElementTree.tostring(kept, encoding="unicode")


def _kept(element: ElementTree.Element) -> ElementTree.Element | None:
    name = element.tag.rpartition("}")[2]
    if name not in _ELEMENTS or element.get("display") == "none":
        return None
    looks = {key: _LONG.sub(_rounded, value) for key, value in element.items() if key in _ATTRIBUTES}
    if name == "path" and not looks.get("d"):
        return None
    kept = ElementTree.Element(name, looks)
    kept.text = element.text
    mark = _MARK.fullmatch(element.get("aria-label") or "")
    if mark is not None:
        kept.set("data-i", mark[1])
        ElementTree.SubElement(kept, "title").text = mark[2]
    kept.extend(part for child in element if (part := _kept(child)) is not None)
    if name == "g" and not len(kept):
        return None
    return kept


def _rounded(match: re.Match[str]) -> str:
    return f"{float(match[0]):.1f}".removesuffix(".0")
