"""The charts of the page as Vega specifications, each for a wide and for a narrow screen.

Colours are the page's own variables: one drawing serves the light and the dark theme.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..models import PackedZone
from ..tracing import Frontier
from .folders import Folder
from .svg import draw
from .timeline import Step
from .visible import visible

WIDE: Final = 900
NARROW: Final = 350
COLOURS: Final = 8
"""Colours of zones; further zones start again with the first."""

_HEAD: Final = 20
"""Pixels of a folder's heading in the treemap."""

_LITE: Final = "https://vega.github.io/schema/vega-lite/v5.json"
_VEGA: Final = "https://vega.github.io/schema/vega/v5.json"
_INK, _SOFT, _LINE, _FACE = "var(--ink)", "var(--soft)", "var(--line)", "var(--accent)"
_CONFIG: Final[dict[str, Any]] = {
    "font": "sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": _SOFT,
        "titleColor": _SOFT,
        "gridColor": _LINE,
        "domainColor": _LINE,
        "tickColor": _LINE,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 8,
    },
}


@dataclass(frozen=True)
class Chart:
    """A chart as SVG, once for wide screens and once for narrow ones."""

    wide: str
    narrow: str


def zone_colour(number: int) -> str:
    """Return the colour of the zone of this number, of the page's variables."""
    return f"var(--z{number % COLOURS})"


def budget_chart(zones: Sequence[tuple[int, PackedZone]], available: int) -> Chart:
    """Return the tokens of each zone (with its number) beside its minimum, target and maximum."""
    rows = [
        {
            "zone": visible(zone.name),
            "colour": zone_colour(number),
            "used": zone.estimated_tokens,
            "min": zone.min_tokens or None,
            "target": zone.target_tokens,
            "max": min(available, zone.max_tokens or available),
            "end": max(zone.estimated_tokens, min(available, zone.max_tokens or available)),
            "says": f"{number}\t{_zone_words(zone)}",
            "label": f"{zone.estimated_tokens:,}",
        }
        for number, zone in zones
    ]
    return _both(lambda width: _budget(rows, width), "Tokens by zone beside their limits")


def _zone_words(zone: PackedZone) -> str:
    words = [f"{visible(zone.name)}: {zone.estimated_tokens:,} tokens in {zone.units:,} units"]
    limits = (
        ("at least", zone.min_tokens or None),
        ("target", zone.target_tokens),
        ("at most", zone.max_tokens),
    )
    words += [f"{name} {tokens:,}" for name, tokens in limits if tokens is not None]
    return ", ".join(words)


def _budget(rows: list[dict[str, Any]], width: int) -> dict[str, Any]:
    top = max([1, *(max(row["used"], row["max"]) for row in rows)])
    room = 1.1 if width > 600 else 1.3  # for the number behind the longest bar
    x = {"type": "quantitative", "scale": {"domain": [0, round(top * room)], "nice": False}}
    bar = {"type": "bar", "cornerRadiusEnd": 4}
    dot = {"type": "point", "size": 70, "opacity": 1}
    return {
        **_lite(width, rows),
        "height": {"step": 40},
        "encoding": {
            "y": {
                "field": "zone",
                "type": "nominal",
                "sort": None,
                "title": None,
                "axis": {
                    "ticks": False,
                    "domain": False,
                    "labelColor": _INK,
                    "labelLimit": width // 3,
                    "labelPadding": 8,
                },
            },
            "description": {"field": "says"},
        },
        "layer": [
            {
                "mark": {**bar, "color": "var(--track)", "height": 22, "clip": True},
                "encoding": {"x": {**x, "field": "max", "title": None, "axis": _tokens_axis(width)}},
            },
            {
                "mark": {**bar, "height": 22},
                "encoding": {"x": {**x, "field": "used"}, "color": {"field": "colour", "scale": None}},
            },
            {
                "mark": {"type": "tick", "color": _INK, "size": 30, "thickness": 2},
                "encoding": {"x": {**x, "field": "min"}},
            },
            {
                "mark": {**dot, "shape": "diamond", "color": _INK, "fill": "var(--card)"},
                "encoding": {"x": {**x, "field": "target"}},
            },
            {
                "mark": {"type": "text", "align": "left", "dx": 9, "fontSize": 12, "color": _INK},
                "encoding": {"x": {**x, "field": "end"}, "text": {"field": "label"}},
            },
        ],
    }


def folder_chart(folders: Sequence[Folder], zones: dict[str, int]) -> Chart:
    """Return a treemap of tokens by folder and file, coloured by zone (``zones``: its number)."""
    nodes: list[dict[str, Any]] = [{"id": 1, "up": None}]
    number = 0
    for folder in folders:
        top = len(nodes) + 1
        name = visible(folder.name)
        says = f"{name}: {folder.tokens:,} tokens"
        nodes.append({"id": top, "up": 1, "label": name, "says": f"-\t{says}", "folder": True})
        for tile in folder.tiles:
            where = visible(tile.path) or f"{tile.files:,} more files in {name}"
            nodes.append(
                {
                    "id": len(nodes) + 1,
                    "up": top,
                    "tokens": tile.tokens,
                    "label": visible(tile.label),
                    "colour": zone_colour(zones[tile.zone]),
                    "size": f"{tile.tokens:,}",
                    "says": f"{number}\t{where}: {tile.tokens:,} tokens, {tile.units:,} units",
                }
            )
            number += 1
    return _both(lambda width: _treemap(nodes, width), "Tokens of the pack by folder and file")


def _treemap(nodes: list[dict[str, Any]], width: int) -> dict[str, Any]:
    height = 460 if width > 600 else 520
    up = -_HEAD  # the root has room for a heading, too, and needs none
    box = {
        "x": {"field": "x0"},
        "x2": {"field": "x1"},
        "y": {"field": "y0", "offset": up},
        "y2": {"field": "y1", "offset": up},
    }
    room = {"signal": "datum.x1 - datum.x0 - 10"}
    fits = "datum.x1 - datum.x0 > 44 && datum.y1 - datum.y0 > %d"
    return {
        "$schema": _VEGA,
        "width": width,
        "height": height,
        "background": None,
        "data": [
            {
                "name": "tree",
                "values": nodes,
                "transform": [
                    {"type": "stratify", "key": "id", "parentKey": "up"},
                    {
                        "type": "treemap",
                        "field": "tokens",
                        "sort": {"field": "value", "order": "descending"},
                        "round": True,
                        "method": "squarify",
                        "ratio": 1.5,
                        "size": [width, height + _HEAD],
                        "paddingInner": 2,
                        "paddingTop": _HEAD,
                        "paddingOuter": 2,
                    },
                ],
            },
            {
                "name": "folders",
                "source": "tree",
                "transform": [{"type": "filter", "expr": "datum.folder"}],
            },
            {"name": "files", "source": "tree", "transform": [{"type": "filter", "expr": "datum.colour"}]},
        ],
        "marks": [
            {
                "type": "rect",
                "from": {"data": "folders"},
                "encode": {"enter": {**box, "fill": {"value": "var(--track)"}, "cornerRadius": {"value": 4}}},
            },
            {
                "type": "rect",
                "from": {"data": "files"},
                "encode": {
                    "enter": {
                        **box,
                        "fill": {"field": "colour"},
                        "fillOpacity": {"value": 0.3},
                        "stroke": {"field": "colour"},
                        "strokeOpacity": {"value": 0.55},
                        "cornerRadius": {"value": 3},
                        "description": {"field": "says"},
                    }
                },
            },
            _label("folders", "label", 6, 14, "datum.x1 - datum.x0 > 30", room, "600", _SOFT),
            _label("files", "label", 6, 15, fits % 18, room, "500", _INK),
            _label("files", "size", 6, 30, fits % 36, room, "normal", _SOFT),
        ],
    }


def _label(
    data: str, field: str, dx: int, dy: int, fits: str, room: dict[str, str], weight: str, colour: str
) -> dict[str, Any]:
    return {
        "type": "text",
        "from": {"data": data},
        "interactive": False,
        "encode": {
            "enter": {
                "x": {"field": "x0", "offset": dx},
                "y": {"field": "y0", "offset": dy - _HEAD},
                "text": {"signal": f"{fits} ? datum.{field} : ''"},
                "limit": room,
                "fontSize": {"value": 11},
                "fontWeight": {"value": weight},
                "fill": {"value": colour},
            }
        },
    }


def frontier_chart(found: Frontier) -> Chart:
    """Return value against budget, with this pack's budget and the knee marked."""
    rows = [
        {
            "budget": point.budget,
            "value": found.value(point),
            "proven": point.proven,
            "says": f"{number}\t{point.budget:,} tokens: value {found.value(point):,.4f}, "
            f"{point.units:,} units"
            + ("" if point.proven else f", at most {point.bound / found.scale:,.4f}"),
        }
        for number, point in enumerate(found.points)
    ]
    marks = [{"at": found.current, "is": "this pack"}]
    if found.knee is not None:
        name = "this pack, at the knee" if found.knee == found.current else "knee"
        marks = [{"at": found.knee, "is": name}, *(m for m in marks if found.knee != found.current)]
    return _both(lambda width: _frontier(rows, marks, width), "The best value at each budget")


def _frontier(rows: list[dict[str, Any]], marks: list[dict[str, Any]], width: int) -> dict[str, Any]:
    x = {"field": "budget", "type": "quantitative", "title": "budget, in tokens", "axis": _tokens_axis(width)}
    y = {"field": "value", "type": "quantitative", "title": "value", "scale": {"zero": False, "nice": True}}
    return {
        **_lite(width, rows),
        "height": 280,
        "encoding": {"x": x, "y": y},
        "layer": [
            {"mark": {"type": "area", "color": _FACE, "opacity": 0.1, "interpolate": "monotone"}},
            {"mark": {"type": "line", "color": _FACE, "strokeWidth": 2.5, "interpolate": "monotone"}},
            {
                "mark": {"type": "point", "size": 70, "opacity": 1, "stroke": _FACE, "strokeWidth": 2},
                "encoding": {
                    "fill": {
                        "condition": {"test": "datum.proven", "value": _FACE},
                        "value": "var(--card)",
                    },
                    "description": {"field": "says"},
                },
            },
            {
                "data": {"values": marks},
                "mark": {"type": "rule", "color": _SOFT, "strokeDash": [4, 4]},
                "encoding": {"x": {**x, "field": "at"}, "y": None},
            },
            {
                "data": {"values": marks},
                "mark": {
                    "type": "text",
                    "align": "left",
                    "dx": 6,
                    "dy": 4,
                    "color": _SOFT,
                    "baseline": "bottom",
                },
                "encoding": {"x": {**x, "field": "at"}, "y": {"value": "height"}, "text": {"field": "is"}},
            },
        ],
    }


def timeline_chart(steps: Sequence[Step]) -> Chart:
    """Return the incumbent and the bound against seconds."""
    rows: list[dict[str, Any]] = []
    for number, step in enumerate(steps):
        words = f"{step.seconds:.2f} s, {visible(step.stage)}: "
        for name, value in (("best pack", step.objective), ("bound", step.bound)):
            if value is not None:
                rows.append(
                    {
                        "seconds": step.seconds,
                        "value": value,
                        "line": name,
                        "says": f"{number}\t{words}{name} {value:,.4f}",
                    }
                )
    return _both(lambda width: _timeline(rows, width), "Best pack and bound as the search went on")


def _timeline(rows: list[dict[str, Any]], width: int) -> dict[str, Any]:
    values = [row["value"] for row in rows]
    low, high = min(values), max(values)
    pad = (high - low or abs(high) or 1.0) * 0.1
    colour = {
        "field": "line",
        "type": "nominal",
        "scale": {"domain": ["best pack", "bound"], "range": [_FACE, zone_colour(6)]},
        "legend": {"orient": "top", "title": None, "labelColor": _INK, "labelFontSize": 12},
    }
    return {
        **_lite(width, rows),
        "height": 240,
        "encoding": {
            "x": {"field": "seconds", "type": "quantitative", "title": "seconds since the search began"},
            "y": {
                "field": "value",
                "type": "quantitative",
                "title": "value",
                "scale": {"domain": [low - pad, high + pad], "nice": False},
            },
            "color": colour,
        },
        "layer": [
            {"mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 2.5}},
            {
                "mark": {"type": "point", "filled": True, "size": 60, "opacity": 1},
                "encoding": {"description": {"field": "says"}},
            },
        ],
    }


def _lite(width: int, rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "$schema": _LITE,
        "width": width,
        "background": None,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "config": _CONFIG,
        "data": {"values": rows},
    }


def _tokens_axis(width: int) -> dict[str, Any]:
    label = "datum.value >= 1000 ? format(datum.value / 1000, ',~r') + 'k' : datum.value"
    return {"labelExpr": label, "tickCount": max(3, math.floor(width / 110))}


def _both(spec: Any, title: str) -> Chart:
    return Chart(draw(spec(WIDE), title=title), draw(spec(NARROW), title=title))
