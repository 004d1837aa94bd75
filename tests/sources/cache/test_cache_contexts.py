"""What is remembered of files: believed exactly as long as it is true."""

from __future__ import annotations

import os
import time
from contextlib import closing
from pathlib import Path

import pytest

from satchel.sources.cache import contexts as module
from satchel.sources.cache.contexts import Tally, signature_of
from satchel.sources.cache.store import Cache
from satchel.sources.candidates import Reading, read_candidates
from satchel.sources.extract import default_registry
from satchel.sources.tree import DiskTree
from satchel.sources.walk import WalkOptions

CODE = '"""A module."""\n\n\ndef add(a: int, b: int) -> int:\n    """Add two numbers."""\n    return a + b\n'


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    (root / "src").mkdir(parents=True)
    (root / "src/a.py").write_text(CODE)
    (root / "src/b.py").write_text(CODE.replace("add", "sum_of"))
    (root / "README.md").write_text("# Read me\n\nAdds numbers.\n\n## Use\n\nCall `add`.\n")
    (root / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(20))
    (root / "data.bin").write_bytes(bytes(range(256)))
    age(root)
    return root


def age(root: Path, seconds: float = 60) -> None:
    """Let all files be old enough to be believed."""
    then = time.time() - seconds
    for path in root.rglob("*"):
        os.utime(path, (then, then))


@pytest.fixture(autouse=True)
def _old_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Times of change cannot be set; the tests of young files set this back."""
    monkeypatch.setattr(module, "RACY_NS", 0)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Paths of the files that are opened."""
    opened: list[str] = []
    read = DiskTree.read

    def spy(self: DiskTree, path: str, limit: int | None = None) -> bytes:
        opened.append(path)
        return read(self, path, limit)

    monkeypatch.setattr(DiskTree, "read", spy)
    return opened


def scan(root: Path, options: WalkOptions | None = None) -> tuple[Reading, Tally]:
    with closing(Cache(root)) as cache:
        reading = read_candidates(root, options or WalkOptions(), default_registry(), cache.contexts)
        cache.contexts.flush()
        assert cache.notices == []
        return reading, cache.contexts.tally


def cold(root: Path, options: WalkOptions | None = None) -> Reading:
    return read_candidates(root, options or WalkOptions(), default_registry())


def test_nothing_is_read_twice(repo: Path, reads: list[str]) -> None:
    first, tally = scan(repo)
    assert tally == Tally(misses=3)
    assert sorted(reads) == ["README.md", "data.bin", "logo.png", "src/a.py", "src/b.py"]
    reads.clear()
    second, tally = scan(repo)
    assert reads == []
    assert tally == Tally(hits=5)
    assert second == first == cold(repo)


def test_one_file_that_changed_is_read_alone(repo: Path, reads: list[str]) -> None:
    scan(repo)
    (repo / "src/a.py").write_text(CODE.replace("add", "plus"))
    reads.clear()
    found, tally = scan(repo)
    assert reads == ["src/a.py"]
    assert tally == Tally(hits=4, stale=1, misses=1)
    assert found == cold(repo)


def test_a_file_that_was_touched_is_read_and_not_cut_again(repo: Path, reads: list[str]) -> None:
    scan(repo)
    os.utime(repo / "src/a.py")
    reads.clear()
    found, tally = scan(repo)
    assert reads == ["src/a.py"]
    assert tally == Tally(hits=4, known=1, stale=1)
    assert found == cold(repo)


def test_same_size_and_same_time_do_not_deceive(repo: Path) -> None:
    """What an editor or a thief of time sets back shows in the time of change, or the inode."""
    scan(repo)
    place = repo / "src/a.py"
    before = place.stat()
    place.write_text(CODE.replace("a + b", "a - b"))
    os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert place.stat().st_size == before.st_size
    found, _ = scan(repo)
    assert found == cold(repo)


def test_an_atomic_save_is_seen(repo: Path) -> None:
    scan(repo)
    place = repo / "src/a.py"
    before = place.stat()
    fresh = repo / "src/.a.py.tmp"
    fresh.write_text(CODE.replace("a + b", "a * b"))
    os.utime(fresh, ns=(before.st_atime_ns, before.st_mtime_ns))
    fresh.replace(place)
    found, _ = scan(repo)
    assert found == cold(repo)


def test_what_changed_as_it_was_read_is_looked_at_again(
    repo: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Racily clean, in git's words: a later change could leave the very same times."""
    monkeypatch.setattr(module, "RACY_NS", 2_000_000_000)
    os.utime(repo / "src/a.py")
    scan(repo)
    reads.clear()
    _, tally = scan(repo)
    assert "src/a.py" in reads
    assert tally.known == 3
    monkeypatch.setattr(module, "RACY_NS", 0)
    scan(repo)
    reads.clear()
    scan(repo)
    assert reads == []


def test_a_signature_is_racy_by_either_time() -> None:
    young, old = 10_000_000_000, 1_000_000_000
    module_racy = module.RACY_NS
    assert module_racy == 0
    for mtime, ctime, racy in ((old, old, False), (young, old, True), (old, young, True)):
        assert module.Signature(1, mtime, ctime, 1).racy(young - 1) is racy


def test_links_have_no_signature(repo: Path) -> None:
    (repo / "link").symlink_to("README.md")
    assert signature_of(repo / "link") is None
    assert signature_of(repo / "none") is None
    assert signature_of(repo) is None


def test_another_version_of_the_code_serves_none_of_the_old_rows(
    repo: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    scan(repo)
    monkeypatch.setattr("satchel.sources.cache.store.code_version", lambda: "another")
    reads.clear()
    found, tally = scan(repo)
    assert len(reads) == 5
    assert tally == Tally(stale=5, misses=3)
    assert found == cold(repo)


def test_going_back_to_an_earlier_text_cuts_nothing(repo: Path) -> None:
    """A branch is switched and switched back."""
    scan(repo)
    (repo / "src/a.py").write_text("x = 1\n")
    scan(repo)
    (repo / "src/a.py").write_text(CODE)
    found, tally = scan(repo)
    assert tally == Tally(hits=4, known=1, stale=1)
    assert found == cold(repo)


def test_what_is_named_is_not_what_was_skipped(repo: Path) -> None:
    """Our own output is skipped, and read all the same once the user names it."""
    (repo / "pack.md").write_text("# Satchel context pack\n\nText that a user asks for by name.\n")
    first, _ = scan(repo)
    assert "pack.md" not in {file.path for file in first.files}
    named = WalkOptions(explicit=("pack.md",))
    for _ in range(2):
        found, _ = scan(repo, named)
        assert found == cold(repo, named)
        assert "pack.md" in {file.path for file in found.files}


def test_a_limited_scan_forgets_nothing(repo: Path, reads: list[str]) -> None:
    scan(repo)
    with closing(Cache(repo)) as cache:
        options = WalkOptions(include=("*.md",))
        reading = read_candidates(repo, options, default_registry(), cache.contexts)
        assert cache.contexts.forget_missing(file.path for file in reading.files) == []
    reads.clear()
    scan(repo)
    assert reads == []


def test_rows_of_files_that_are_gone_are_dropped(repo: Path) -> None:
    scan(repo)
    (repo / "src/a.py").unlink()
    with closing(Cache(repo)) as cache:
        reading = read_candidates(repo, WalkOptions(), default_registry(), cache.contexts)
        assert cache.contexts.forget_missing(file.path for file in reading.files) == ["src/a.py"]
        assert cache.database.row("SELECT count(*) FROM contexts") == (4,)


def test_bytes_that_rot_are_made_anew(repo: Path) -> None:
    scan(repo)
    with closing(Cache(repo)) as cache:
        cache.database.write(lambda db: db.execute("UPDATE contents SET units = substr(units, 1, 40)"))
    found, tally = scan(repo)
    assert tally == Tally(misses=3, hits=2)
    assert found == cold(repo)
    assert scan(repo)[1] == Tally(hits=5)


@pytest.mark.parametrize("damage", ["'{'", "char(1)", "'[]'", "'{}'", "'null'", "'\"x\"'"])
def test_facts_that_rot_are_made_anew(repo: Path, damage: str) -> None:
    """A byte that flipped in a row's text ended every pack with an internal fault, for good."""
    scan(repo)
    with closing(Cache(repo)) as cache:
        cache.database.write(lambda db: db.execute(f"UPDATE contexts SET facts = {damage}"))
    found, tally = scan(repo)
    assert found == cold(repo)
    assert tally.hits == 0
    assert scan(repo)[1] == Tally(hits=5)


def test_a_cache_that_breaks_in_the_middle_stops_nothing(repo: Path) -> None:
    with closing(Cache(repo)) as cache:
        cache.contexts  # noqa: B018 - loaded before the tables go
        cache.database.write(lambda db: db.execute("DROP TABLE contents"))
        reading = read_candidates(repo, WalkOptions(), default_registry(), cache.contexts)
        cache.contexts.flush()
        assert reading == cold(repo)
        (notice,) = cache.notices
        assert "damaged (no such table: contents)" in notice


@pytest.fixture
def strange(repo: Path) -> Path:
    try:
        (repo / os.fsdecode(b"b\xffd.py")).write_text(CODE)
    except OSError:
        pytest.skip("the file system takes no such name")
    return repo


def test_names_that_are_no_text_are_remembered(strange: Path, reads: list[str]) -> None:
    scan(strange)
    reads.clear()
    found, tally = scan(strange)
    assert reads == []
    assert tally.hits == 6
    assert found == cold(strange)
