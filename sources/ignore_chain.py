"""Ignore rules of all sources in their order of precedence, read folder by folder."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from .files import SkipReason
from .gitignore import RuleSet, parse_rules
from .gitinfo import Repository, find_repository, ignore_settings, tracked_files
from .gittree import GitTree
from .paths import byte_form, display_path, from_byte_form
from .tree import DiskTree, Tree
from .walk_rules import DEFAULT_EXCLUDES

IGNORE_FILES: Final = (".satchelignore", ".ignore", ".gitignore")
"""Names of the files that hold rules, strongest first; each has a chain of its own."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A path is left out: why, by which rule, and whether that rule is git's own."""

    reason: SkipReason
    detail: str
    from_git: bool = False


@dataclass(frozen=True, slots=True)
class Chains:
    """Rule sets in order of precedence; within each chain the deepest folder's come first."""

    own: tuple[RuleSet, ...] = ()
    plain: tuple[RuleSet, ...] = ()
    git: tuple[RuleSet, ...] = ()
    default: tuple[RuleSet, ...] = ()

    def judge(self, path: str, name: str, *, is_dir: bool) -> Verdict | None:
        """Return the verdict of the first rule set that says anything about ``path`` (byte form)."""
        for chain in (self.own, self.plain, self.git, self.default):
            for rules in chain:
                rule = rules.match(path, name, is_dir=is_dir)
                if rule is None:
                    continue
                if rule.negated:
                    return None
                if chain is self.default:
                    return Verdict(SkipReason.DEFAULT_EXCLUDED, rule.pattern)
                return Verdict(SkipReason.IGNORED, str(rule), chain is self.git)
        return None

    def opened(self, folder: str) -> Chains:
        """Return the chains that hold inside a folder that the user has named (:meth:`RuleSet.opened`)."""
        chains = (self.own, self.plain, self.git, self.default)
        return Chains(*(tuple(rules.opened(folder) for rules in chain) for chain in chains))

    def below(self, found: Iterable[tuple[str, RuleSet]]) -> Chains:
        """Return the chains with the rules of one more folder, given by the name of their file, in front."""
        own, plain, git = self.own, self.plain, self.git
        for name, rules in found:
            if name == ".satchelignore":
                own = (rules, *own)
            elif name == ".ignore":
                plain = (rules, *plain)
            else:
                git = (rules, *git)
        return Chains(own, plain, git, self.default)


@dataclass(frozen=True, slots=True)
class TrackedPaths:
    """What git tracks, as raw paths relative to the walk's root; empty where that is not known.

    ``folded`` says that the repository ignores case.
    """

    files: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    folded: bool = False


class RuleReader:
    """Reads the ignore files of a walk.

    Parameters
    ----------
    root
        The folder that is walked, resolved.
    ignore_files, default_excludes, global_ignore, tracked, revision
        Which sources count; see :class:`~satchel.sources.walk.WalkOptions`.
    """

    def __init__(
        self,
        root: Path,
        *,
        ignore_files: bool,
        default_excludes: bool,
        global_ignore: bool,
        tracked: bool,
        revision: str = "",
    ) -> None:
        self._root = root
        self._ignore_files = ignore_files
        self._default_excludes = default_excludes
        self._global_ignore = global_ignore
        self._tracked = tracked
        self._revision = revision
        self.notes: list[str] = []
        """What could not be read or known, in the order met."""

    def start(self) -> tuple[str, Chains, TrackedPaths]:
        """Return prefix, chains and tracked paths for the root: with the rules of all folders above it
        up to the top of its repository.

        The prefix (byte form, empty or ending in a slash) leads from that top to the root.
        """
        repository = find_repository(self._root)
        if repository is None or not self._ignore_files:
            return "", self._defaults(""), TrackedPaths()
        relative = self._root.relative_to(repository.top).as_posix()
        prefix = "" if relative == "." else byte_form(relative) + "/"
        chains, tracked = self._defaults(prefix), TrackedPaths()
        if not self._revision:
            chains, tracked = self.enter_repository(repository, chains, "", "")
        if prefix:
            tree: Tree = DiskTree(repository.top)
            if self._revision:
                tree = GitTree(repository.top, self._revision)
            above = ["", *ancestors(prefix[:-1])]
            for n, folder in enumerate(above):
                raw, inside = from_byte_form(folder), f"{folder}/" if folder else ""
                chains = self.add(chains, tree, raw, "../" * (len(above) - n), inside, tracked)
            chains = chains.opened(prefix[:-1])
        return prefix, chains, tracked

    def enter_repository(
        self, repository: Repository, chains: Chains, prefix: str, folder: str
    ) -> tuple[Chains, TrackedPaths]:
        """Start git's chain afresh for a repository that the walk enters at ``folder`` (raw)."""
        if not self._ignore_files:
            return chains, TrackedPaths()
        personal, folded = ignore_settings(repository.top)
        places = [(repository.common / "info" / "exclude", ".git/info/exclude")]
        if personal is not None and self._global_ignore:
            places.append((personal, "core.excludesFile"))
        sets: list[RuleSet] = []
        for file, origin in places:
            try:
                sets.append(parse_rules(file.read_bytes(), origin, prefix, folded=folded))
            except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
                continue
            except OSError as error:
                self.notes.append(f"{origin} cannot be read ({error.strerror})")
        fresh = replace(chains, git=tuple(rules for rules in sets if len(rules)))
        return fresh, self._tracked_paths(folder, folded=folded)

    def add(
        self, chains: Chains, tree: Tree, folder: str, origin: str, prefix: str, tracked: TrackedPaths
    ) -> Chains:
        """Return the chains with the rules that ``folder`` (raw path in ``tree``) holds itself.

        ``origin`` is what the files' names are shown with; ``prefix`` is the folder in the rules' frame.
        """
        if not self._ignore_files:
            return chains
        found: list[tuple[str, RuleSet]] = []
        for name in IGNORE_FILES[:2] if self._revision else IGNORE_FILES:
            try:
                data = tree.read(f"{folder}/{name}" if folder else name)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:  # a link or a folder of that name holds no rules, as for git
                self.notes.append(f"{origin}{name} is not read as an ignore file ({error.strerror})")
                continue
            rules = parse_rules(data, f"{origin}{name}", prefix, folded=tracked.folded)
            if len(rules):
                found.append((name, rules))
        return chains.below(found) if found else chains

    def _defaults(self, prefix: str) -> Chains:
        data = DEFAULT_EXCLUDES if self._default_excludes else b""
        return Chains(default=(parse_rules(data, "default rules", prefix),))

    def _tracked_paths(self, folder: str, *, folded: bool) -> TrackedPaths:
        if not self._tracked:
            return TrackedPaths(folded=folded)
        files, note = tracked_files(self._root / folder)
        if files is None:
            self.notes.append(f"{display_path(folder) or '.'}: tracked files are not known: {note}")
            return TrackedPaths(folded=folded)
        paths = frozenset(f"{folder}/{path}" if folder else path for path in files)
        return TrackedPaths(paths, frozenset(part for path in paths for part in ancestors(path)), folded)


def ancestors(path: str) -> list[str]:
    """Return the folders above a relative path, outermost first, without the root."""
    found: list[str] = []
    end = path.find("/")
    while end > 0:
        found.append(path[:end])
        end = path.find("/", end + 1)
    return found


def relative_name(given: str, root: Path) -> str | None:
    """Return ``given`` (relative to ``root``, or absolute) as a raw path below it, ``None`` if it is not.

    The text is taken apart, not resolved: what links it goes through is the caller's to check.
    """
    path = Path(os.path.normpath(root / given))
    if not path.is_relative_to(root):
        return None
    inside = path.relative_to(root).as_posix()
    return "" if inside == "." else inside
