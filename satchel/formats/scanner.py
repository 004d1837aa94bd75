"""Reads instance files token by token: one line is in memory at a time, and every error names its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import NoReturn

from ..models import FileError, SchemaError, SourceRef

LARGEST = 2**40
"""The largest weight that a problem holds."""


class Scanner:
    """The lines of a text of numbers and words, from the first to the last.

    Parameters
    ----------
    lines
        Raw lines.
    file
        As the user spelled it, for errors.
    """

    def __init__(self, lines: Iterable[bytes], file: str) -> None:
        self._lines = iter(lines)
        self._pushed: list[tuple[int, str]] = []
        self.file = file
        self.line = 0

    @property
    def ref(self) -> SourceRef:
        """The line that was read last, by the file's name alone: where it lies says nothing of it."""
        name = Path(self.file).name or "-"
        return SourceRef(path=name, start_line=max(1, self.line))

    def texts(self) -> Iterator[str]:
        """Yield the lines that are not blank, stripped."""
        while True:
            if self._pushed:
                self.line, text = self._pushed.pop()
                yield text
                continue
            raw = next(self._lines, None)
            if raw is None:
                return
            self.line += 1
            try:
                text = raw.decode("utf-8-sig" if self.line == 1 else "utf-8").strip()
            except UnicodeDecodeError:
                self.fail("is no text in UTF-8", raw[:20])
            if text:
                yield text

    def back(self, text: str) -> None:
        """Have ``text``, the line that was read last, read again."""
        self._pushed.append((self.line, text))

    def text(self, what: str) -> str:
        """Return the next line that is not blank; ``what`` says what is expected there."""
        found = next(self.texts(), None)
        if found is None:
            self.fail("ends too early", None, hint=f"expected: {what}")
        return found

    def numbers(self, count: int, what: str) -> list[int]:
        """Return the ``count`` whole numbers of the next line."""
        words = self.text(what).split()
        if len(words) != count:
            self.fail(f"holds {len(words)} numbers where {count} belong", " ".join(words), hint=what)
        return [self.whole(word, what) for word in words]

    def many(self, count: int, what: str) -> list[int]:
        """Return the next ``count`` whole numbers, which may go on over several lines."""
        found: list[int] = []
        while len(found) < count:
            words = self.text(f"{count} numbers: {what}").split()
            found += [self.whole(word, what) for word in words]
        if len(found) > count:
            self.fail(f"holds {len(found) - count} numbers too many", found[count], hint=f"{count}: {what}")
        return found

    def whole(self, word: str, what: str, least: int = 0, most: int = LARGEST) -> int:
        """Return ``word`` as a whole number."""
        try:
            number = int(word)
        except ValueError:
            hint = f"{what}; where all are decimal, multiply all of them by the same number"
            self.fail("is not a whole number", word, hint=hint)
        if not least <= number <= most:
            self.fail("is out of range", number, hint=f"{what}: {least} to {most}")
        return number

    def decimal(self, word: str, what: str) -> Decimal:
        """Return ``word`` as the decimal number that it spells: 0 or more, nine digits behind the point."""
        try:
            number = Decimal(word)
        except InvalidOperation:
            self.fail("is not a number", word, hint=what)
        if not (number.is_finite() and 0 <= number <= LARGEST and int(number.as_tuple().exponent) >= -9):
            self.fail("is out of range", word, hint=f"{what}: 0 to {LARGEST}, nine digits behind the point")
        return number

    def value(self, word: str, what: str) -> float:
        """Return ``word`` as a finite number."""
        try:
            number = float(word)
        except ValueError:
            self.fail("is not a number", word, hint=what)
        if not abs(number) <= 1e15:
            self.fail("is out of range", word, hint=f"{what}: -1e15 to 1e15")
        return number

    def nothing_more(self) -> None:
        """Refuse anything but blank lines from here on."""
        rest = next(self.texts(), None)
        if rest is not None:
            self.fail("goes on where it should end", rest, hint="all that was announced has been read")

    def fail(self, message: str, value: object, *, hint: str | None = None) -> NoReturn:
        """Raise an error about the line that was read last."""
        raise SchemaError(
            message, code="instance", file=self.file, line=max(1, self.line), value=value, hint=hint
        )


def lines_of(path: str | Path) -> Iterator[bytes]:
    """Yield the lines of the file at ``path``.

    Raises
    ------
    FileError
        It is missing or cannot be read.
    """
    try:
        with Path(path).open("rb") as file:
            yield from file
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise FileError(f"cannot be read: {reason}", file=str(path), hint="give a file") from None
