"""Symbols: which lines stand together, what their shorter forms show, in every language of the table."""

from __future__ import annotations

from textwrap import dedent

import pytest

from satchel.models import State
from satchel.sources.extract import Document, Extraction, Fragment, default_registry
from satchel.sources.extract.grammars import GRAMMARS

REGISTRY = default_registry()

FILLER = {
    "python": "\n\ndef filler_{n}():\n    value = '{pad}'\n    return value\n",
    "javascript": "\nfunction filler{n} () {{\n  const value = '{pad}'\n  return value\n}}\n",
    "typescript": "\nfunction filler{n}(): string {{\n  const value = '{pad}';\n  return value;\n}}\n",
    "go": '\nfunc filler{n}() string {{\n\tvalue := "{pad}"\n\treturn value\n}}\n',
    "rust": '\nfn filler_{n}() -> &\'static str {{\n    let value = "{pad}";\n    value\n}}\n',
    "kotlin": '\nfun filler{n}(): String {{\n    val value = "{pad}"\n    return value\n}}\n',
    "c": '\nchar *filler{n}(void) {{\n    char *value = "{pad}";\n    return value;\n}}\n',
    "csharp": '\nclass Filler{n} {{\n    string Value() {{\n        return "{pad}";\n    }}\n}}\n',
    "ruby": "\ndef filler_{n}\n  value = '{pad}'\n  value\nend\n",
    "php": "\nfunction filler{n}() {{\n    $value = '{pad}';\n    return $value;\n}}\n",
    "swift": '\nfunc filler{n}() -> String {{\n    let value = "{pad}"\n    return value\n}}\n',
    "scala": '\ndef filler{n}: String = {{\n  val value = "{pad}"\n  value\n}}\n',
    "bash": "\nfiller_{n}() {{\n  local value='{pad}'\n  echo \"$value\"\n}}\n",
    "java": '\nclass Filler{n} {{\n  String value() {{\n    return "{pad}";\n  }}\n}}\n',
}


def extract(language: str, text: str, *, long: bool = True, path: str = "src/a.x") -> Extraction:
    """Extract a dedented text, made long enough to be divided."""
    text = dedent(text).lstrip("\n")
    if long:
        text += "".join(FILLER[language].format(n=n, pad="x" * 200) for n in range(12))
    document = Document(path, text, "source", language)
    extraction = REGISTRY.extract(document)
    check_ownership(document, extraction)
    return extraction


def check_ownership(document: Document, extraction: Extraction, *, unowned: int = 0) -> None:
    """No line belongs to two fragments; texts and forms show just the lines that they say."""
    owned: list[int] = []
    for fragment in extraction.fragments:
        lines = [n for span in fragment.spans for n in range(span.start, span.end + 1)]
        owned.extend(lines)
        shown = fragment.text.split("\n")
        for n in lines:
            if document.lines[n - 1].strip():
                assert document.lines[n - 1] in shown
        for form in fragment.forms:
            inside = {n for span in form.spans for n in range(span.start, span.end + 1)}
            assert inside <= set(lines)
            assert len(form.text) < len(fragment.text)
            kept = [line for line in form.text.split("\n") if line.strip() and "… " not in line]
            assert kept == [document.lines[n - 1] for n in sorted(inside) if document.lines[n - 1].strip()]
    assert len(owned) == len(set(owned))
    every = {n for n, line in enumerate(document.lines, 1) if line.strip()}
    assert len(every - set(owned)) == unowned


def named(extraction: Extraction, name: str) -> Fragment:
    (found,) = [fragment for fragment in extraction.fragments if fragment.name == name]
    return found


def short(fragment: Fragment) -> str:
    (form,) = [form for form in fragment.forms if form.state is State.SYMBOLIZED]
    return form.text


def test_python_function() -> None:
    found = extract(
        "python",
        '''
        """A module."""

        import os
        from a.b import (
            c,
        )

        LIMIT = 3


        # Of the cache.
        @cached
        async def fetch(url: str,
                        tries: int = LIMIT) -> bytes:
            """Fetch a page.

            Tries more than once.
            """
            data = await get(url)
            for _ in range(tries):
                data = await get(url)
            return data
        ''',
    )
    fetch = named(found, "fetch")
    assert (fetch.role, fetch.public, fetch.defines) == ("function", True, ("fetch",))
    assert [(span.start, span.end) for span in fetch.spans] == [(11, 22)]
    assert fetch.signature.startswith("@cached\nasync def fetch(url: str,")
    assert "Tries more than once." in fetch.doc
    assert {"get", "LIMIT"} <= fetch.references
    assert short(fetch).split("\n") == [
        "… line 11 of 82 left out",
        "@cached",
        "async def fetch(url: str,",
        "                tries: int = LIMIT) -> bytes:",
        '    """Fetch a page.',
        "    … 17-22 left out",
    ]
    module = named(found, "")
    assert module.role == "module"
    assert module.imports == ("import os", "from a.b import ( c, )")
    assert module.defines == ("LIMIT",)
    assert module.doc == '"""A module."""'


def test_python_class_is_a_head_and_its_methods() -> None:
    """L11, and no text twice: the head never shows a method's lines."""
    body = " + ".join(["1"] * 60)
    methods = "".join(
        f'    def method_{n}(self) -> int:\n        """Number {n}."""\n        return {body}\n\n'
        for n in range(12)
    )
    found = extract(
        "python",
        'class Big(Base):\n    """A big one."""\n\n    size: int = 0\n    name = "x"\n\n'
        "    def __init__(self, a: int) -> None:\n        self.a = a\n        self._b: int = a\n\n" + methods,
    )
    head = named(found, "Big")
    assert head.role == "class"
    assert head.title == "class Big"
    assert "def __init__" in head.text
    assert "return 1" not in head.text
    assert "left out: method_0, method_1" in head.text
    assert {"Big", "size", "name", "__init__", "a", "_b"} == set(head.defines)
    method = named(found, "Big.method_3")
    assert (method.role, method.parent, method.title) == ("method", "Big", "Big.method_3")
    assert "def __init__" in short(head)
    assert "self.a = a" not in short(head)


def test_python_overloads_and_properties_are_one() -> None:
    found = extract(
        "python",
        '''
        @overload
        def get(a: int) -> int: ...
        @overload
        def get(a: str) -> str: ...
        def get(a):
            """Get."""
            return a
        ''',
    )
    assert len(named(found, "get").spans) == 1
    assert [fragment.name for fragment in found.fragments].count("get") == 1


def test_python_definitions_inside_try_and_if() -> None:
    found = extract(
        "python",
        """
        try:
            from fast import parse
        except ImportError:
            def parse(text):
                return text.split()

        if True:
            class Hidden:
                pass
        """,
    )
    assert named(found, "parse").role == "function"
    assert named(found, "Hidden").role == "class"


@pytest.mark.parametrize(
    ("name", "public"), [("name", True), ("_name", False), ("__name", False), ("__name__", True)]
)
def test_python_visibility(name: str, public: bool) -> None:
    found = extract("python", f"def {name}():\n    return 1\n")
    assert named(found, name).public is public


def test_small_file_is_one() -> None:
    found = extract("python", 'import a\n\n\ndef f():\n    """Do."""\n    return a\n', long=False)
    (only,) = found.fragments
    assert (only.role, only.name, only.title) == ("file", "", "a.x")
    assert only.defines == ("f",)


def test_module_without_content_is_marked() -> None:
    assert "imports_only" in named(extract("python", "import a\nimport b\n"), "").tags
    assert "imports_only" not in named(extract("python", "import a\nA = 1\n"), "").tags


def test_licence_belongs_to_no_fragment() -> None:
    text = "# Copyright 2020 the authors.\n# Licensed under something.\n\nX = 1\n"
    document = Document("a.py", text, "source", "python")
    extraction = REGISTRY.extract(document)
    check_ownership(document, extraction, unowned=2)
    (only,) = extraction.fragments
    assert only.text == "X = 1"


def test_long_constants_and_long_runs_of_statements() -> None:
    rows = "".join(f"    'key{n}': {n},\n" for n in range(20))
    calls = "".join(f"register({n})\n\n" for n in range(120))
    found = extract("python", f"TABLE = {{\n{rows}}}\n{calls}")
    assert named(found, "TABLE").role == "constant"
    assert all(fragment.text.count("\n") < 200 for fragment in found.fragments)
    assert any(fragment.role == "block" for fragment in found.fragments)


def test_typescript() -> None:
    found = extract(
        "typescript",
        """
        import {a} from './a';

        /** Options of a call. */
        export interface Options {
          /** Seconds. */
          timeout?: number;
          retry: Retry;
        }

        export const run = async (options: Options): Promise<void> => {
          await a(options);
          await a(options);
          await a(options);
        };

        class Hidden {
          #secret = 1;
          private x = 2;
        }

        export type Both = A & B;
        export function over(a: string): void;
        export function over(a: unknown) {
          return a;
        }
        namespace Space {
          export function inside() { return 1; }
        }
        """,
    )
    options = named(found, "Options")
    assert (options.role, options.public) == ("type", True)
    assert {"timeout", "retry"} <= set(options.defines)
    assert named(found, "run").role == "function"
    assert named(found, "run").signature == "export const run = async (options: Options): Promise<void> => {"
    assert named(found, "Hidden").public is False
    assert named(found, "over").text.count("function over") == 2
    assert named(found, "Both").role == "type"
    assert "inside" in named(found, "Space").defines


def test_javascript_commonjs_and_prototypes() -> None:
    found = extract(
        "javascript",
        """
        const { x } = require('y')
        function Foo () {
          return x
        }
        Foo.prototype.bar = function (a) {
          return a + x
        }
        module.exports.build = function (options) {
          return new Foo(options)
        }
        function shown () {
          return 1
        }
        module.exports = { shown, Foo }
        """,
    )
    assert named(found, "Foo.bar").role == "function"
    assert named(found, "build").public
    assert named(found, "shown").public
    assert not named(found, "filler0").public


def test_javascript_test_cases_are_named_by_their_title() -> None:
    found = extract(
        "javascript",
        """
        test('adds two numbers', async () => {
          const a = 1
          const b = 2
          assert.equal(a + b, 3)
        })
        """,
    )
    case = named(found, "adds two numbers")
    assert (case.role, case.defines) == ("case", ())


def test_go() -> None:
    found = extract(
        "go",
        '// Package a does it.\npackage a\n\nimport "fmt"\n\n// Command runs.\ntype Command struct {\n'
        "\tName string\n\thidden int\n}\n\nconst (\n\t// Big is big.\n\tBig = iota\n\tSmall\n)\n\n"
        "// Run runs it.\nfunc (c *Command) Run(args []string) error {\n\tfmt.Println(args)\n"
        "\treturn nil\n}\nfunc helper() {}\n",
    )
    assert named(found, "Command.Run").public
    assert named(found, "Command.Run").text.startswith("// Run runs it.")
    assert not named(found, "helper").public
    assert {"Command", "Name"} <= set(named(found, "Command").defines)
    assert {"Big", "Small"} <= set(named(found, "Big").defines)
    assert named(found, "").doc.startswith("// Package a does it.")


def test_rust() -> None:
    total = "1 + " * 90
    bodies = "".join(f"    pub fn f{n}(&self) -> usize {{\n        {total}1\n    }}\n" for n in range(8))
    found = extract(
        "rust",
        "//! The crate.\n\nuse std::fmt;\n\n/// A glob.\n#[derive(Clone)]\n"
        "pub struct Glob {\n    re: String,\n}\n\n"
        f"impl Glob {{\n{bodies}}}\n\nimpl fmt::Display for Glob {{\n"
        "    fn fmt(&self) -> R {\n        todo()\n    }\n}\n\n"
        "#[cfg(test)]\nmod tests {\n    #[test]\n    fn works() {\n        assert!(true);\n    }\n}\n"
        "macro_rules! make { () => {} }\n",
    )
    first = named(found, "Glob.f0")
    assert first.text.startswith("impl Glob {\n    pub fn f0")
    assert named(found, "Glob.f7").text.endswith("}\n}")
    assert named(found, "tests").tags == ("test",)
    assert named(found, "make").role == "macro"
    titles = {fragment.title for fragment in found.fragments}
    assert "impl Glob as Display" in titles
    assert named(found, "").doc == "//! The crate."


def test_java() -> None:
    found = extract(
        "java",
        """
        package a.b;

        import java.util.List;

        /** Reads. */
        public final class Reader<T> extends Base {
          /** Where. */
          private final int position;

          public Reader(int position) {
            this.position = position;
          }

          @Override
          public String toString() {
            return "Reader";
          }

          private void secret() {}
        }

        public interface Source {
          void open();
        }
        """,
    )
    reader = named(found, "Reader")
    assert {"Reader", "position", "toString", "secret"} <= set(reader.defines)
    assert "public String toString() {" in short(reader)
    assert "private void secret" not in short(reader)
    assert "open" in named(found, "Source").defines
    assert "imports_only" in named(found, "").tags


@pytest.mark.parametrize("language", sorted(GRAMMARS))
def test_every_language_divides_a_long_file(language: str) -> None:
    same = {"jsx": "javascript", "tsx": "typescript", "cpp": "c", "cuda": "c"}
    sample = same.get(language, language)
    text = "".join(FILLER[sample].format(n=n, pad="x" * 200) for n in range(30))
    text = f"<?php\n{text}" if language == "php" else text
    document = Document("a", text, "source", language)
    found = REGISTRY.extract(document)
    check_ownership(document, found)
    assert len(found.fragments) >= 30
    assert found.notes == ()


@pytest.mark.parametrize("language", sorted(GRAMMARS))
def test_what_does_not_parse_falls_back_with_a_note(language: str) -> None:
    document = Document("a", "((((((((((\n" * 400 + "]]]]\n", "source", language)
    found = REGISTRY.extract(document)
    check_ownership(document, found)
    assert found.fragments
    assert "taken as plain text" in found.notes[0]


def test_a_few_wrong_lines_leave_a_note() -> None:
    found = extract("python", "def good():\n    return 1\n\n\nx = ] ) 5 5 }\n")
    assert named(found, "good").role == "function"
    assert "do not parse as python, from line" in found.notes[0]


@pytest.mark.parametrize("text", ["", "\n\n\n", "   \n\t\n"])
@pytest.mark.parametrize("language", ["python", "markdown", "rst", "yaml", "", "java"])
def test_nothing_comes_of_nothing(language: str, text: str) -> None:
    """H09."""
    assert REGISTRY.extract(Document("a", text, "source", language)).fragments == ()


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("javascript", "[" * 100_000 + "]" * 100_000),
        ("typescript", "namespace A{" * 3_000 + "}" * 3_000),
        ("python", "x = '" + "a" * 1_000_000 + "'\n"),
        ("go", "x" * 1_000_000),
        ("rust", "fn f(){" * 5_000),
        ("markdown", "> " * 3_000 + "a"),
        ("markdown", "[a](b " * 20_000),
    ],
)
def test_hostile_texts_end(language: str, text: str) -> None:
    """E03, E04, H04: no recursion without end, no quadratic time."""
    document = Document("a", text, "source", language)
    check_ownership(document, REGISTRY.extract(document))
