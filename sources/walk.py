"""All files below a folder that are sources, and an account of every one that is not.

The order of decisions for a path; the first that decides holds:

1. a path in ``explicit`` is in (but a link, a device or version control data never is);
2. links, devices, version control data, our own output, and names that hold secrets are out;
3. ``exclude``;
4. ``.satchelignore``, then ``.ignore``, then git's rules (``.gitignore`` from the folder upwards,
   ``.git/info/exclude``, the user's own file), then our default rules. Within a file the last rule
   that matches wins, and a file nearer to the path wins over one further up. Git's rules never leave
   out what git tracks;
5. ``include``, when given: what it does not match is out;
6. the size limit.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..models.errors import FileError, UsageError
from ..models.globs import path_glob
from .files import DEFAULT_MAX_FILE_BYTES, Skipped, SkipReason, SourceFile
from .gitignore import parse_rules
from .gitinfo import Repository, git_folder
from .gittree import GitTree
from .ignore_chain import Chains, RuleReader, TrackedPaths, Verdict, ancestors, relative_name
from .paths import byte_form, display_path
from .tree import DiskTree, Entry, EntryKind, Tree
from .walk_rules import CACHE_MARKERS, OWN_NAMES, SENSITIVE_NAMES, VCS_NAMES

COUNT_LIMIT: Final = 10_000
"""Entries up to which a folder that is left out is counted; above, its count is unknown."""

_SUBMODULE_PATH: Final = re.compile(rb"^[ \t]*path[ \t]*=[ \t]*(.*?)[ \t\r]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class WalkOptions:
    """What to leave out.

    Attributes
    ----------
    include, exclude
        Globs (:mod:`satchel.models.globs`) on paths relative to the root, in order: the last one that
        matches wins, and a leading ``!`` turns one around. Any character but NUL may stand in them.
    explicit
        Paths, relative to the root, that are in whatever rule says otherwise. A folder brings what is
        below it, save what a rule about other names leaves out.
    own_outputs
        Paths, relative to the root, that this run writes.
    no_ignore
        Read no ignore file, and take what git ignores.
    default_excludes, sensitive_names
        Whether our own tables of junk and of secrets hold.
    global_ignore
        Whether git's ignore file of the user (``core.excludesFile``) counts.
    tracked
        Whether files that git tracks stay although git's rules match them, as for git itself.
    nested
        Whether submodules and repositories inside the repository are walked.
    max_file_bytes
        Largest file, in bytes; ``None`` for no limit.
    revision
        Branch, tag or commit whose files are read, from git's store; the files on disk when empty. All
        that a revision holds is tracked: git's rules leave nothing of it out.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    explicit: tuple[str, ...] = ()
    own_outputs: tuple[str, ...] = ()
    no_ignore: bool = False
    default_excludes: bool = True
    sensitive_names: bool = True
    global_ignore: bool = True
    tracked: bool = True
    nested: bool = False
    max_file_bytes: int | None = DEFAULT_MAX_FILE_BYTES
    revision: str = ""


@dataclass(frozen=True, slots=True)
class WalkResult:
    """Files and skips, both sorted by path; together they are everything below the root.

    ``unmatched`` lists the patterns of ``include`` and ``exclude`` that matched nothing that was
    looked at; ``notes`` says what could not be known (git missing, an ignore file unreadable).
    """

    files: tuple[SourceFile, ...]
    skipped: tuple[Skipped, ...]
    unmatched: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def walk(root: Path, options: WalkOptions | None = None) -> WalkResult:
    """Walk the folder ``root``.

    Raises
    ------
    FileError
        ``root`` is missing or not a folder, an explicit path is missing or goes through a link, or a
        revision is asked for where there is no repository.
    UsageError
        A pattern is empty or malformed, a path lies outside the root, a limit is not positive, or there
        is no such revision.
    """
    if not root.exists():
        raise FileError("there is no such folder", file=str(root))
    if not root.is_dir():
        raise FileError(
            "is not a folder", file=str(root), hint="name its folder, and the file as a path in it"
        )
    return _Walker(Path(os.path.realpath(root)), options or WalkOptions()).run()


class _Globs:
    """An ordered list of include or exclude patterns that remembers which of them matched something."""

    def __init__(self, patterns: tuple[str, ...], option: str) -> None:
        self._patterns = tuple((p, not p.startswith("!"), _glob(p, option)) for p in patterns)
        self._hits: set[str] = set()
        self.prunes = all(positive for _, positive, _ in self._patterns)
        """Whether a folder that matches can be left whole: no pattern takes anything back."""

    def __len__(self) -> int:
        return len(self._patterns)

    def match(self, path: str) -> str | None:
        """Return the pattern by which ``path`` is meant, or ``None``."""
        found: str | None = None
        for pattern, positive, glob in self._patterns:
            if glob.fullmatch(path):
                self._hits.add(pattern)
                found = pattern if positive else None
        return found

    def unmatched(self) -> Iterator[str]:
        return (pattern for pattern, _, _ in self._patterns if pattern not in self._hits)


def _glob(pattern: str, option: str) -> re.Pattern[str]:
    body = pattern.removeprefix("!")
    if not body.strip("/") or "\0" in body:
        raise UsageError("is not a pattern", field=option, value=pattern, hint="give a glob such as src/*.py")
    try:
        return path_glob(body)
    except re.error as error:
        raise UsageError(f"is not a valid pattern: {error.msg}", field=option, value=pattern) from None


@dataclass(slots=True)
class _Frame:
    """A folder that is being walked.

    ``folder`` is its raw path relative to the root; ``prefix`` its byte form in the rules' frame.
    ``closed`` is set when a rule leaves the folder out and only single files below it are wanted;
    ``named`` when it, or a folder above it, was named explicitly.
    """

    folder: str
    prefix: str
    chains: Chains
    tracked: TrackedPaths
    closed: Verdict | None = None
    named: bool = False

    def path(self, name: str) -> str:
        return f"{self.folder}/{name}" if self.folder else name


class _Walker:
    def __init__(self, root: Path, options: WalkOptions) -> None:
        if options.max_file_bytes is not None and options.max_file_bytes < 1:
            raise UsageError("must be at least 1 byte", field="max_file_bytes", value=options.max_file_bytes)
        self.root = root
        self.options = options
        self.tree: Tree = GitTree(root, options.revision) if options.revision else DiskTree(root)
        self.include = _Globs(options.include, "include")
        self.exclude = _Globs(options.exclude, "exclude")
        self.outputs = frozenset(_inside(path, root, "own_outputs") for path in options.own_outputs)
        self.explicit = frozenset(self._explicit(path) for path in options.explicit)
        self.above_explicit = frozenset(part for path in self.explicit for part in ancestors(path))
        self.secrets = parse_rules(SENSITIVE_NAMES if options.sensitive_names else b"", "sensitive names")
        self.rules = RuleReader(
            root,
            ignore_files=not options.no_ignore,
            default_excludes=options.default_excludes,
            global_ignore=options.global_ignore,
            tracked=options.tracked,
            revision=options.revision,
        )
        self.files: list[SourceFile] = []
        self.skipped: list[Skipped] = []
        self.submodules: set[str] = set()

    def run(self) -> WalkResult:
        prefix, chains, tracked = self.rules.start()
        stack = [_Frame("", prefix, chains, tracked, named="" in self.explicit)]
        while stack:
            frame = stack.pop()
            try:
                entries = self.tree.scan(frame.folder)
            except OSError as error:
                detail = error.strerror or type(error).__name__
                if not frame.folder:
                    raise FileError(f"cannot be listed: {detail}", file=str(self.root)) from None
                self._skip_folder(frame.folder, Verdict(SkipReason.UNREADABLE, detail), None)
                continue
            if self._enter(frame, {entry.name for entry in entries}):
                for entry in entries:
                    self._visit(frame, entry, stack)
        self.files.sort(key=lambda file: file.path)
        self.skipped.sort(key=lambda item: (item.path, item.reason))
        return WalkResult(
            files=tuple(self.files),
            skipped=tuple(self.skipped),
            unmatched=(*self.include.unmatched(), *self.exclude.unmatched()),
            notes=tuple(self.rules.notes),
        )

    def _explicit(self, given: str) -> str:
        """Return an explicit path relative to the root, once it is known to be there and to be no link."""
        path = _inside(given, self.root, "explicit")
        if given in self.options.exclude:
            raise UsageError(
                "is both named and excluded", field="explicit", value=given, hint="drop one of the two"
            )
        for part in (*ancestors(path), path):
            kind = self.tree.kind(part)
            if kind is EntryKind.LINK:
                raise FileError(
                    f"links are not followed, and {display_path(part)} is one",
                    file=display_path(given),
                    hint="name what the link points to, if that is below the root",
                )
            if kind is None:
                raise FileError("there is no such path below the root", file=display_path(given))
            if part.rpartition("/")[2] in VCS_NAMES:
                raise UsageError("version control data is never a source", field="explicit", value=given)
        return path

    def _enter(self, frame: _Frame, names: set[str]) -> bool:
        """Complete the frame with what the folder holds itself; ``False`` when it is left out whole."""
        verdict = None if frame.closed else self._whole(frame, names)
        if verdict is not None:
            if frame.folder not in self.above_explicit:
                self._skip_folder(frame.folder, verdict, self._count(frame.folder))
                return False
            frame.closed = verdict
        if ".gitmodules" in names:
            self._read_submodules(frame)
        if not names.isdisjoint((".gitignore", ".ignore", ".satchelignore")):
            origin = display_path(frame.folder) + "/" if frame.folder else ""
            frame.chains = self.rules.add(
                frame.chains, self.tree, frame.folder, origin, frame.prefix, frame.tracked
            )
        return True

    def _whole(self, frame: _Frame, names: set[str]) -> Verdict | None:
        """Return the verdict on a folder that only its content can give."""
        if not frame.folder:
            return None
        if self.options.default_excludes and frame.folder not in self.explicit:
            for marker, meaning in CACHE_MARKERS.items():
                if marker in names:
                    return Verdict(SkipReason.DEFAULT_EXCLUDED, f"{meaning} ({marker})")
        on_disk = ".git" in names and not self.options.revision
        common = git_folder(self.root / frame.folder / ".git") if on_disk else None
        is_submodule = frame.folder in self.submodules
        if common is None and not is_submodule:
            return None
        if not self.options.nested and frame.folder not in self.explicit:
            if is_submodule:
                return Verdict(SkipReason.SUBMODULE, "listed in .gitmodules")
            return Verdict(SkipReason.NESTED_REPOSITORY, "a repository of its own")
        if common is not None:
            place = Repository(self.root / frame.folder, common)
            frame.chains, frame.tracked = self.rules.enter_repository(
                place, frame.chains, frame.prefix, frame.folder
            )
        return None

    def _read_submodules(self, frame: _Frame) -> None:
        try:
            data = self.tree.read(frame.path(".gitmodules"))
        except OSError:
            return
        for found in _SUBMODULE_PATH.findall(data):
            self.submodules.add(frame.path(os.fsdecode(found.strip(b'"')).strip("/")))

    def _visit(self, frame: _Frame, entry: Entry, stack: list[_Frame]) -> None:
        path = frame.path(entry.name)
        if entry.kind is EntryKind.FOLDER:
            self._visit_folder(frame, entry.name, path, stack)
        elif entry.kind is EntryKind.REPOSITORY:
            self._skip_folder(path, Verdict(SkipReason.SUBMODULE, "a commit of another repository"), None)
        elif entry.kind is EntryKind.LINK:
            self._skip_file(path, SkipReason.SYMLINK, "links are not followed")
        elif entry.kind is EntryKind.OTHER:
            self._skip_file(path, SkipReason.NOT_REGULAR, "a pipe, socket or device")
        else:
            self._visit_file(frame, entry, path)

    def _visit_folder(self, frame: _Frame, name: str, path: str, stack: list[_Frame]) -> None:
        if name in VCS_NAMES:
            self._skip_folder(path, Verdict(SkipReason.VCS, name), None)
            return
        child = _Frame(
            path, f"{frame.prefix}{byte_form(name)}/", frame.chains, frame.tracked, named=frame.named
        )
        if path in self.explicit:
            child.chains = frame.chains.opened(child.prefix[:-1])
            child.named = True
        else:
            child.closed = self._verdict(frame, name, path, is_dir=True)
            wanted = path in self.above_explicit or (
                child.closed is not None and child.closed.from_git and path in frame.tracked.folders
            )
            if child.closed is not None and not wanted:
                self._skip_folder(path, child.closed, self._count(path))
                return
        stack.append(child)

    def _visit_file(self, frame: _Frame, entry: Entry, path: str) -> None:
        explicit = path in self.explicit
        if not explicit:
            if entry.name == ".git":  # a worktree or submodule points to its repository with it
                self._skip_file(path, SkipReason.VCS, entry.name)
                return
            verdict = self._verdict(frame, entry.name, path, is_dir=False) or self._limits(entry, path, frame)
            if verdict is not None:
                self._skip_file(path, verdict.reason, verdict.detail)
                return
        self.files.append(SourceFile(display_path(path), entry.size, explicit, path, self.tree))

    def _verdict(self, frame: _Frame, name: str, path: str, *, is_dir: bool) -> Verdict | None:
        """Judge a path by every rule but the limits."""
        # Asked first so that a pattern counts as matched even where another rule decides.
        pattern = self.exclude.match(path + "/" if is_dir else path) if len(self.exclude) else None
        if name in OWN_NAMES or path in self.outputs:
            return Verdict(SkipReason.OWN_OUTPUT, name)
        secret = self.secrets.match(path, name, is_dir=is_dir)
        if secret is not None and not secret.negated and secret.dir_only == is_dir:
            return Verdict(SkipReason.SENSITIVE_NAME, secret.pattern)
        if pattern is not None and (self.exclude.prunes or not is_dir):
            return Verdict(SkipReason.EXCLUDED, pattern)
        in_bytes = byte_form(name)
        verdict = frame.chains.judge(frame.prefix + in_bytes, in_bytes, is_dir=is_dir)
        if verdict is None:
            verdict = frame.closed
        if verdict is not None and verdict.from_git and not is_dir and path in frame.tracked.files:
            return None
        return verdict

    def _limits(self, entry: Entry, path: str, frame: _Frame) -> Verdict | None:
        if len(self.include) and not frame.named and self.include.match(path) is None:
            return Verdict(SkipReason.NOT_INCLUDED, "no include pattern matches")
        limit = self.options.max_file_bytes
        if limit is not None and entry.size > limit:
            return Verdict(SkipReason.TOO_LARGE, f"{entry.size} bytes, limit {limit}")
        return None

    def _skip_file(self, path: str, reason: SkipReason, detail: str) -> None:
        self.skipped.append(Skipped(display_path(path), reason, detail))

    def _skip_folder(self, path: str, verdict: Verdict, files: int | None) -> None:
        if files == 0 and any(output.startswith(f"{path}/") for output in self.outputs):
            verdict = Verdict(SkipReason.OWN_OUTPUT, "holds nothing else")
        self.skipped.append(Skipped(display_path(path) + "/", verdict.reason, verdict.detail, files))

    def _count(self, folder: str) -> int | None:
        """Return the number of files below a folder, ``None`` above :data:`COUNT_LIMIT` entries.

        Our own output is not counted.
        """
        files = entries = 0
        stack = [folder]
        while stack:
            place = stack.pop()
            try:
                found = self.tree.scan(place)
            except OSError:
                return None
            if self.outputs:
                found = [entry for entry in found if f"{place}/{entry.name}" not in self.outputs]
            entries += len(found)
            if entries > COUNT_LIMIT:
                return None
            for entry in found:
                if entry.kind is not EntryKind.FOLDER:
                    files += 1
                elif entry.name not in VCS_NAMES:
                    stack.append(f"{place}/{entry.name}")
        return files


def _inside(given: str, root: Path, option: str) -> str:
    path = None if "\0" in given else relative_name(given, root)
    if path is None:
        raise UsageError(
            "lies outside the root", field=option, value=given, hint="give a path below the root"
        )
    return path
