"""Bytes to text: encodings, line ends, and what is not text."""

from __future__ import annotations

import codecs
import hashlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from satchel.sources.files import Skipped, SkipReason, SourceFile
from satchel.sources.read import Decoded, Newline, NotText, decode, read_text
from satchel.sources.tree import DiskTree
from satchel.sources.walk import WalkOptions, walk


def text_of(data: bytes) -> Decoded:
    decoded = decode(data)
    assert isinstance(decoded, Decoded)
    return decoded


def test_plain_utf8_is_taken_as_it_is() -> None:
    """The common case has no notes, and the digest is that of the text."""
    decoded = text_of("a = 'ü日🙂'\nb\n".encode())
    assert decoded == Decoded(
        text="a = 'ü日🙂'\nb\n",
        encoding="utf-8",
        newline=Newline.LF,
        notes=(),
        lines=2,
        digest=hashlib.sha256("a = 'ü日🙂'\nb\n".encode()).hexdigest(),
    )


@pytest.mark.parametrize(
    ("data", "text", "newline", "lines"),
    [
        (b"", "", Newline.NONE, 0),
        (b"a", "a", Newline.NONE, 1),
        (b"a\n", "a\n", Newline.LF, 1),
        (b"a\n\n", "a\n\n", Newline.LF, 2),
        (b"a\r\nb\r\n", "a\nb\n", Newline.CRLF, 2),
        (b"a\rb\r", "a\nb\n", Newline.CR, 2),
        (b"a\r\nb\nc", "a\nb\nc", Newline.MIXED, 3),
        (b"a\rb\nc\n", "a\rb\nc\n", Newline.LF, 2),
        (b"a\x0cb\x1cc\xe2\x80\xa8d\n", "a\x0cb\x1cc\u2028d\n", Newline.LF, 1),
    ],
)
def test_line_ends(data: bytes, text: str, newline: Newline, lines: int) -> None:
    """Lines are counted as git and editors count them; only LF remains, and other ends are noted."""
    decoded = text_of(data)
    assert (decoded.text, decoded.newline, decoded.lines) == (text, newline, lines)
    assert bool(decoded.notes) == (newline in (Newline.CRLF, Newline.CR, Newline.MIXED))


def test_a_byte_order_mark_is_removed() -> None:
    """F06: it does not reach the prompt, and does not change the digest."""
    decoded = text_of(codecs.BOM_UTF8 + b"import os\n")
    assert (decoded.text, decoded.encoding) == ("import os\n", "utf-8")
    assert decoded.notes == ("a byte-order mark was removed",)
    assert decoded.digest == text_of(b"import os\n").digest


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_encodings_by_their_mark(encoding: str) -> None:
    """F05: a UTF-16 source is read, not dropped."""
    decoded = text_of(("\ufeff" + "namespace Größe {}\r\n// 日本\r\n").encode(encoding))
    assert (decoded.text, decoded.encoding) == ("namespace Größe {}\n// 日本\n", encoding)
    assert decoded.notes[0] == f"decoded as {encoding} by its byte-order mark"


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark(encoding: str) -> None:
    """F05: mostly ASCII text in UTF-16 is told from binary data by where its NULs stand."""
    assert text_of("class Größe { }\n".encode(encoding)).text == "class Größe { }\n"


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "// où est la forêt très ancienne, été à Noël\n"),
        ("cp1252", "/* función del niño: devuelve la opción */\n"),
        ("cp1252", "# Função que não recebe opções\n"),
        ("cp1252", "// Größe der Tabelle prüfen, Straße\n"),
        ("cp1252", "-- Æblegrød på ø\n"),
        ("cp1252", "x = 'Señor'  # 20°C, “smart quotes” — dash\n"),
        ("cp1250", "# Sprawdź, czy łańcuch jest pusty\n"),
        ("cp1250", "# Zkontroluj, zda řetězec není prázdný\n"),
        ("cp1254", "# Boş dizgi olup olmadığını denetler\n"),
        ("cp1251", "# Проверяет, что строка не пуста\n"),
        ("cp1253", "# Ελέγχει ότι η συμβολοσειρά δεν είναι κενή\n"),
        ("shift_jis", "# 文字列が空でないことを確認する\n"),
        ("euc_kr", "# 문자열이 비어 있지 않은지 확인합니다\n"),
        ("gbk", "# 检查字符串是否为空，并返回结果\n" * 20),
        ("big5", "# 檢查字串是否為空，並傳回結果\n" * 20),
    ],
)
def test_legacy_encodings(encoding: str, text: str) -> None:
    """F02: read with a note that names the encoding and says that it is a guess."""
    decoded = text_of(f"def f():\n    pass\n{text}".encode(encoding))
    assert decoded.text == f"def f():\n    pass\n{text}"
    assert decoded.notes == (f"decoded as {decoded.encoding}, a guess",)


@pytest.mark.parametrize(
    ("head", "codec"),
    [
        ("# -*- coding: iso-8859-15 -*-\n", "iso8859-15"),
        ('<?xml version="1.0" encoding="ISO-8859-7"?>\n', "iso8859-7"),
        ('<meta charset="windows-1251">\n', "cp1251"),
        ('@charset "koi8-r";\n', "koi8-r"),
    ],
)
def test_a_declared_encoding_is_better_than_a_guess(head: str, codec: str) -> None:
    """A file says what it is in; the same bytes mean other letters in each of these."""
    head = head.replace("@charset ", "@charset=")
    decoded = text_of(head.encode() + b"\xc1\xe2\xf3\xa4\n")
    assert decoded.encoding == codec
    assert decoded.text == head + b"\xc1\xe2\xf3\xa4\n".decode(codec)


@pytest.mark.parametrize("name", ["idna", "unicode_escape", "utf-7", "rot13", "no-such", "base64", "utf-16"])
def test_a_declaration_names_no_other_codec(name: str) -> None:
    """What a file declares chooses between text encodings, nothing else."""
    decoded = text_of(f"# coding: {name}\n# été\n".encode("latin-1"))
    assert decoded.text == f"# coding: {name}\n# été\n"


def test_damaged_utf8_stays_utf8() -> None:
    """One wrong byte in a large text does not turn all its letters into others."""
    decoded = text_of("Größe, Straße, Höhe, Übung".encode() + b"\xff" + "für".encode())
    assert decoded.text == "Größe, Straße, Höhe, Übung\ufffdfür"
    assert decoded.notes == ("1 invalid UTF-8 sequences were replaced",)


def test_html_with_control_characters_is_text() -> None:
    """F08: odd characters make no binary file of a page."""
    page = b"<html th:text='\x01\x02\x1f\x7f'>\n<p>\x0b\x0c\x1b[0m text</p>\n</html>\n" * 3
    assert text_of(page).text == page.decode()


def test_a_late_nul_is_replaced() -> None:
    """No NUL reaches what is rendered, and the file is not lost for one."""
    decoded = text_of(b"x = 1\n" * 3000 + b"y = '\0'\n")
    assert decoded.text.endswith("y = '\ufffd'\n")
    assert decoded.notes == ("1 NUL characters were replaced",)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "PNG image"),
        (b"%PDF-1.4\n1 0 obj\n", "PDF document"),
        (b"PK\x03\x04\x14\0\0\0", "ZIP archive"),
        (b"\x7fELF\x02\x01\x01\0", "ELF object"),
        (b"\x1f\x8b\x08\0", "gzip data"),
        (bytes(range(256)) * 4, "binary data"),
        (random.Random(1).randbytes(5000), "binary data"),
        (random.Random(2).randbytes(5000).replace(b"\0", b"\x01"), "binary data"),
        (b"a" * 9000 + b"\0" * 100, "binary data"),
        (b"\xff\xfe" + random.Random(3).randbytes(4001), "binary data"),
    ],
)
def test_binary_by_content(data: bytes, kind: str) -> None:
    """The content decides, and the detail says what it seems to be."""
    assert decode(data) == NotText(kind)


@pytest.mark.parametrize("seed", range(20))
def test_any_bytes_give_clean_text_or_none(seed: int) -> None:
    """D08: whatever the bytes, the text is valid UTF-8 without NUL, CRLF or lone surrogates."""
    rng = random.Random(seed)
    parts = [
        b"\xed\xa0\x80",
        b"\r\n",
        "é日🙂".encode(),
        b"\xff\xfe",
        b"\x00\xd8",
        b"abc\n",
        b"\0",
        b"\xe9",
        b"x" * 99,
    ]
    for _ in range(300):
        decoded = decode(b"".join(rng.choice(parts) for _ in range(rng.randint(0, 60))))
        if isinstance(decoded, Decoded):
            assert decoded.text.encode("utf-8").decode("utf-8") == decoded.text
            assert not {"\0", "\r\n"} & {*decoded.text, *(decoded.text[n : n + 2] for n in range(99))}
            assert decoded.lines == len(decoded.text.removesuffix("\n").split("\n")) * bool(decoded.text)


def test_large_korean_text_is_read_at_once() -> None:
    """F09: no detection where UTF-8 will do."""
    data = ("문서를 만드는 방법을 설명합니다.\n" * 45_000).encode()
    assert len(data) > 2_000_000
    assert text_of(data).encoding == "utf-8"


def test_the_locale_does_not_matter(tmp_path: Path) -> None:
    """F02: the same text under a locale that is not UTF-8."""
    (tmp_path / "a.py").write_bytes("# Größe 日本\n".encode())
    code = (
        "import sys; from pathlib import Path; from satchel.sources.walk import walk;"
        "from satchel.sources.read import read_text;"
        "print(ascii(read_text(walk(Path(sys.argv[1])).files[0]).text))"
    )
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        capture_output=True,
        env=environment,
        check=True,
        text=True,
    )
    assert done.stdout.strip() == ascii("# Größe 日本\n")


def test_files_that_cannot_be_read_are_skipped_with_a_reason(tmp_path: Path) -> None:
    """B03: each one is named, none is an exception."""
    for name in ("gone.py", "grown.py", "ok.py"):
        (tmp_path / name).write_text("x = 1\n")
    (tmp_path / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    gone, grown, image, ok = walk(tmp_path, WalkOptions(max_file_bytes=100)).files
    (tmp_path / "gone.py").unlink()
    (tmp_path / "grown.py").write_text("x" * 101)
    assert read_text(gone) == Skipped("gone.py", SkipReason.UNREADABLE, "No such file or directory")
    assert read_text(grown, max_bytes=100) == Skipped(
        "grown.py", SkipReason.TOO_LARGE, "has grown to over 100 bytes"
    )
    assert read_text(image) == Skipped("image.png", SkipReason.BINARY, "PNG image")
    assert isinstance(read_text(ok), Decoded)


@pytest.mark.parametrize(
    "text",
    [
        "# Satchel context pack\n\nEvidence",
        "=== Satchel context pack ===\n",
        "<pack-guide>\nSatchel context pack: evidence",
        json.dumps({"schemaVersion": "packed-context.v1", "budget": {}}),
        json.dumps({"schemaVersion": "packing-problem.v1"}, indent=2),
    ],
)
def test_our_own_output_is_known_by_its_first_words(text: str, tmp_path: Path) -> None:
    """G20: wherever it was written and whatever it is called; a file that was named is read."""
    (tmp_path / "out.txt").write_text(text)
    (file,) = walk(tmp_path).files
    assert read_text(file) == Skipped(
        "out.txt", SkipReason.OWN_OUTPUT, "begins like a file that Satchel wrote"
    )
    (named,) = walk(tmp_path, WalkOptions(explicit=("out.txt",))).files
    assert isinstance(read_text(named), Decoded)
    (tmp_path / "out.txt").write_text(f"We read:\n{text}")
    assert isinstance(read_text(file), Decoded)


def test_a_file_can_be_read_without_a_walk(tmp_path: Path) -> None:
    """The tree is the seam: any store that lists and reads files serves."""
    (tmp_path / "a.py").write_text("x = 1\n")
    decoded = read_text(SourceFile("a.py", 6, raw="a.py", tree=DiskTree(tmp_path)))
    assert isinstance(decoded, Decoded)
    assert decoded.text == "x = 1\n"
