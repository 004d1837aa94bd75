"""``satchel models``: what is known of models, and how their tokens are counted."""

from __future__ import annotations

from ..console import Line, columns, number, print_json, print_lines, shown, width
from ..options import Json


def command(json: Json = False) -> None:
    """List the models that are known.

    Their windows, and how their tokens are counted: exactly, or by an upper estimate with its band.
    """
    from ... import list_profiles

    profiles = list_profiles()
    if json:
        print_json([profile.to_data() for profile in profiles])
        return
    rows = [["model", "window", "input room", "counts", "band", "as of"]]
    rows += [
        [
            shown(profile.model_id),
            number(profile.context_window),
            number(profile.input_room()),
            "exact" if profile.mode == "exact" else "estimate",
            f"{profile.band[0]:.2f}-{profile.band[1]:.2f}",
            profile.as_of.isoformat(),
        ]
        for profile in profiles
    ]
    head, *body = columns(rows, right={1, 2}, indent=0, limit=width())
    print_lines([Line(head, "bold"), *(Line(text) for text in body)])
