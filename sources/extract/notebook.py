"""Notebooks: the source of their cells and short text outputs; pictures and other data never."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ...models import State
from .base import Document, Extraction, Form, Fragment, NotParsedError, Span, merge
from .keyed import Keyed, documents

_SECTION_CHARS: Final = 6_000
"""Cells below one heading are one fragment up to this many characters."""

_OUTPUT_CHARS: Final = 400
"""Longer outputs are left out, with a mark."""

_HEADING: Final = re.compile(r"^\s{0,3}(#{1,6})\s+(.+?)\s*#*\s*$", re.MULTILINE)
_IMPORT: Final = re.compile(r"^\s*(?:import|from)\s+\S.*$", re.MULTILINE)
_DEFINED: Final = re.compile(r"^\s*(?:async\s+)?(?:def|class)\s+(\w+)|^(\w+)\s*=(?!=)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell: its text as a reader sees it, the lines of the file that its source stands on, its outputs."""

    kind: str
    source: str
    span: Span
    outputs: str

    @property
    def text(self) -> str:
        fenced = self.source if self.kind != "code" else f"```\n{self.source}\n```"
        return f"{fenced}\n{self.outputs}" if self.outputs else fenced


class NotebookExtractor:
    """Cuts Jupyter notebooks at the headings in their cells."""

    name = "notebook"
    version = "1"

    def accepts(self, document: Document) -> bool:
        """Whether the document is a Jupyter notebook."""
        return document.language == "jupyter"

    def extract(self, document: Document) -> Extraction:
        """Return runs of cells; raises ``NotParsedError`` when the text is no notebook."""
        roots = documents(document.text, "json")
        cells = roots[0].child("cells") or roots[0].child("worksheets") if roots else None
        if cells is None:
            raise NotParsedError("is no notebook that can be read")
        items = cells.items()
        nested = [
            cell for item in items for found in (item.child("cells"),) if found for cell in found.items()
        ]
        read = [cell for item in nested or items if (cell := _cell(item)).source.strip() or cell.outputs]
        if not read:
            return Extraction(())
        if len({cell.span.start for cell in read}) < len(read):
            return Extraction((_fragment(document, read, whole=True),))  # all on one line
        runs = list(_runs(read))
        return Extraction(tuple(_fragment(document, run, whole=len(runs) == 1) for run in runs))


def _cell(item: Keyed) -> _Cell:
    source = item.child("source") or item.child("input")
    kind = (item.child("cell_type") or item).text() or "code"
    outputs = item.child("outputs")
    texts = [text for output in (outputs.items() if outputs else ()) for text in _output(output)]
    return _Cell(kind, _joined(source), source.span if source else item.span, "\n".join(texts))


def _joined(node: Keyed | None) -> str:
    """Return a text that is written as one string or as a list of them."""
    if node is None:
        return ""
    parts = node.items()
    texts = [part.value.text() for part in parts if part.value] if parts else []
    if not parts and node.value is not None:
        texts = [node.value.text()]
    return "".join(_string(text) for text in texts).rstrip("\n")


def _string(text: str) -> str:
    try:
        found = json.loads(text)
    except ValueError:
        return text
    return found if isinstance(found, str) else ""


def _output(output: Keyed) -> Iterator[str]:
    """Yield the plain texts of an output; errors by their last line."""
    kind = (output.child("output_type") or output).text()
    if kind == "error":
        name, value = output.child("ename"), output.child("evalue")
        yield "# " + ": ".join(part.text() for part in (name, value) if part)
        return
    plain = output.at("data", "text/plain") or output.child("text")
    text = _joined(plain).strip()
    if text:
        shown = text if len(text) <= _OUTPUT_CHARS else f"… output of {len(text)} characters left out"
        yield "\n".join(f"# {line}" for line in shown.split("\n"))


def _runs(cells: list[_Cell]) -> Iterator[list[_Cell]]:
    run: list[_Cell] = []
    chars = 0
    for cell in cells:
        size = len(cell.text)
        begins = cell.kind == "markdown" and _HEADING.search(cell.source)
        only_headings = all(one.kind == "markdown" and len(one.source) < _OUTPUT_CHARS // 4 for one in run)
        if run and ((begins and not only_headings) or chars + size > _SECTION_CHARS):
            yield run
            run, chars = [], 0
        run.append(cell)
        chars += size
    if run:
        yield run


def _fragment(document: Document, cells: list[_Cell], *, whole: bool) -> Fragment:
    spans = merge(cell.span for cell in cells)
    headings = [
        found[2] for cell in cells if cell.kind == "markdown" for found in _HEADING.finditer(cell.source)
    ]
    code = "\n".join(cell.source for cell in cells if cell.kind == "code")
    text = "\n\n".join(cell.text for cell in cells)
    prose = [cell for cell in cells if cell.kind == "markdown"]
    short = "\n\n".join(cell.source for cell in prose)
    shown = merge(cell.span for cell in prose)
    saves = bool(short) and len(short) < 0.85 * len(text)
    name = headings[0] if headings else f"L{spans[0].start}"
    title = headings[0] if headings else document.path.rpartition("/")[2]
    return Fragment(
        role="file" if whole else "section",
        name="" if whole else name,
        title=title,
        spans=spans,
        text=text,
        forms=(Form(State.EXCERPTED, short, shown),) if saves else (),
        signature="\n".join(headings),
        doc=short,
        defines=tuple(dict.fromkeys(a or b for a, b in _DEFINED.findall(code))),
        imports=tuple(dict.fromkeys(" ".join(line.split()) for line in _IMPORT.findall(code))),
    )
