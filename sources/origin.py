"""Where a scan's files are from, one folder or several, as on disk or in a revision; and how old they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from .cache.facts import remembered_history
from .cache.store import Cache
from .candidates import ScannedFile
from .gitinfo import History, run_git
from .roots import labels_of
from .score.freshness import freshness

_SHORT: Final = 12
"""Of several folders, so much of the name of a commit is told."""


@dataclass(frozen=True, slots=True)
class Ages:
    """When files last changed: the history of each folder, by its label.

    Files of one folder alone have no label: its history is under the empty text.
    """

    histories: Mapping[str, History]

    def history_of(self, file: ScannedFile) -> History:
        """Return the history that knows of a file."""
        label = file.path.partition("/")[0] if "" not in self.histories else ""
        return self.histories[label]

    def freshness(self, file: ScannedFile) -> float:
        """Return how fresh a file is, 0..1 (:mod:`.score.freshness`)."""
        return freshness(self.history_of(file), file.source.raw)

    def changed(self, file: ScannedFile) -> int | None:
        """Return when a file last changed, in seconds since 1970; None where git does not know."""
        history = self.history_of(file)
        return history.last_changes.get(file.source.raw, history.horizon)

    @property
    def notes(self) -> tuple[str, ...]:
        """Why something is missing, by folder."""
        return tuple(
            f"{label}: {note}" if label else note
            for label, history in self.histories.items()
            for note in history.notes
        )


@dataclass(frozen=True, slots=True)
class Origin:
    """Folders that are read together.

    Attributes
    ----------
    roots
        The folders, at least one.
    labels
        What the paths of each begin with; an empty text where there is one folder.
    revision
        What is read of them; the files on disk when empty.
    """

    roots: tuple[Path, ...]
    labels: tuple[str, ...]
    revision: str = ""

    @classmethod
    def of(cls, root: Path | Sequence[Path], revision: str = "") -> Self:
        """Return the origin; raises ``UsageError`` when a folder is given twice."""
        roots = (root,) if isinstance(root, Path) else tuple(root)
        return cls(roots, ("",) if len(roots) == 1 else labels_of(roots), revision)

    @property
    def depth(self) -> int:
        """How many parts a path has in front of what is at the top of its folder."""
        return 0 if len(self.roots) == 1 else 1

    def place(self, path: str) -> tuple[Path, str, str]:
        """Return folder, label and path within it of a path that may begin with a label."""
        if len(self.roots) > 1:
            label, _, rest = path.partition("/")
            if label in self.labels:
                return self.roots[self.labels.index(label)], label, rest
        return self.roots[0], self.labels[0], path

    def ages(self, cache: Cache | None) -> Ages:
        """Return when files last changed, up to the revision that is read."""
        pairs = zip(self.roots, self.labels, strict=True)
        return Ages(
            {
                label: remembered_history(root, cache, revision=self.revision, label=label)
                for root, label in pairs
            }
        )

    def unknown_ages(self) -> Ages:
        """Return ages that nothing is known of."""
        return Ages(dict.fromkeys(self.labels, History()))

    def commits(self) -> str | None:
        """Return the commit that is read or checked out; of several folders ``label@commit``, or None."""
        found = []
        for root, label in zip(self.roots, self.labels, strict=True):
            wanted = f"{self.revision}^{{commit}}" if self.revision else "HEAD"
            answer = run_git(root, "rev-parse", "--verify", "--quiet", wanted, accept=(0, 1)).output
            commit = (answer or b"").decode("ascii").strip()
            if commit:
                found.append(f"{label}@{commit[:_SHORT]}" if label else commit)
        return " ".join(found) or None
