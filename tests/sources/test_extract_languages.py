"""Symbols of each language: names, lines, signatures, documentation, visibility, and no line twice."""

from __future__ import annotations

from textwrap import dedent

import pytest

from satchel.models import State
from satchel.sources.extract import Document, Extraction, Fragment, default_registry
from satchel.sources.extract.grammars import GRAMMARS
from satchel.sources.extract.symbols import SMALL_CHARS
from satchel.sources.extract.syntax import Member, read

REGISTRY = default_registry()


def members(language: str, text: str) -> dict[str, Member]:
    """Return all definitions by name, those of a class as ``Class.member``; a second one ends in ``~2``."""
    text = dedent(text).lstrip("\n")
    outline = read(text, Document("a", text).lines, GRAMMARS[language])
    assert outline.errors == []
    found: dict[str, Member] = {}

    def collect(inside: list[Member], above: str) -> None:
        for member in inside:
            name = f"{above}{member.name}"
            found[f"{name}~2" if name in found else name] = member
            if not member.family:
                collect(member.members, f"{name}.")

    collect(outline.members, "")
    return found


def lines(member: Member) -> tuple[int, int]:
    return member.start, member.end


def test_kotlin() -> None:
    found = members(
        "kotlin",
        """
        package a.b

        import x.Y

        /** Holds. */
        @Serializable
        class Box<T>(val size: Int, private val name: String) : Base(size), Closeable {
            /** How many. */
            val count: Int get() = 3

            constructor(size: Int) : this(size, "")

            /** Opens it. */
            override fun open(
                by: Int,
            ): String {
                return "$by"
            }

            private fun hidden() = 1

            companion object {
                fun make() = Box(1)
            }
        }

        internal object Registry {
            fun all() = listOf(1)
        }

        fun <T> List<T>.second(): T = this[1]

        @Test
        fun works() {
            check(true)
        }
        """,
    )
    assert found["Box"].role == "class"
    assert lines(found["Box"]) == (5, 25)
    assert found["Box"].docs is not None
    assert lines(found["Box.open"]) == (13, 18)
    assert found["Box.open"].signature_end == 16
    assert found["Box.constructor"].stays
    assert found["Box.count"].light
    assert not found["Box.hidden"].public
    assert found["Box.Companion.make"].public
    assert not found["Registry"].public
    assert "List.second" in found
    assert found["works"].is_test


def test_kotlin_comment_below_the_package_clause_is_the_class_s() -> None:
    found = members("kotlin", "package a\n\n/**\n * Doc.\n */\nclass A {\n    fun f() = 1\n}\n")
    assert lines(found["A"]) == (3, 8)


def test_scala() -> None:
    found = members(
        "scala",
        """
        package a.b

        import x._

        /** A shape. */
        sealed abstract class Shape[T](val a: Int) extends Base with P {
          private val b = 1
          /** Its size. */
          def size(x: Int)(implicit y: Int): Int = {
            x + y
          }
          private def hidden = 1
          def this() = this(1)
        }
        object Shape {
          def apply(x: Int) = new Shape(x)
        }
        case class Point(x: Int, y: Int)
        trait Named { def name: String }
        enum Color:
          case Red, Green
          def hex = 1
        def top(x: Int): Int = x
        class ShapeSpec extends AnyFlatSpec {
          "a shape" should "have a size" in {
            val x = 1
            assert(x == 1)
          }
          test("works") {
            val x = 1
            assert(x == 1)
          }
        }
        """,
    )
    assert found["Shape.apply"].role == "function"
    assert found["Shape.size"].signature_end == 9
    assert not found["Shape.hidden"].public
    assert found["Shape.this"].stays
    assert found["Named"].role == "trait"
    assert found["Color.hex"].public
    assert found["top"].signature_end == found["top"].end
    assert found["ShapeSpec.a shape have a size"].role == "case"
    assert found["ShapeSpec.works"].role == "case"


def test_csharp() -> None:
    found = members(
        "csharp",
        """
        using System;

        namespace A.B
        {
            /// <summary>A box.</summary>
            [Serializable]
            public partial class Box<T> : Base, IBox where T : class
            {
                private readonly int _a;

                public Box(int a) { _a = a; }

                /// <summary>Its size.</summary>
                public int Size { get; set; }

                public async Task<int> OpenAsync(int x)
                {
                    return x;
                }

                public static Box operator +(Box a, Box b) => a;

                private void Hidden() {}

                [Fact]
                public void Works() { Assert(); }
            }

            internal enum Color { Red, Green }
        }
        """,
    )
    assert lines(found["Box"]) == (5, 27)
    assert found["Box.Box"].stays
    assert found["Box.Size"].light
    assert found["Box.Size"].stays
    assert found["Box.OpenAsync"].signature_end == 17
    assert found["Box.operator"].role == "method"
    assert not found["Box.Hidden"].public
    assert found["Box.Works"].is_test
    assert not found["Color"].public


def test_swift() -> None:
    found = members(
        "swift",
        """
        import Foundation

        /// A box.
        @available(iOS 13, *)
        public final class Box<T>: Base, P where T: Q {
            /// Its size.
            public let size: Int
            private var name = 1

            public init(size: Int) { self.size = size }

            /// Opens it.
            public func open(_ x: Int, by: String = "") async throws -> Int {
                return x
            }

            func inside() {}
        }

        public protocol P {
            func open(_ x: Int) -> Int
        }

        extension Box: Equatable {
            public static func == (l: Box, r: Box) -> Bool { true }
        }

        func top(x: Int) -> Int { x }
        """,
    )
    assert lines(found["Box"]) == (3, 18)
    assert found["Box.size"].light
    assert found["Box.init"].stays
    assert found["Box.open"].public
    assert found["P"].role == "trait"
    assert found["P.open"].stays
    assert found["Box as Equatable"].role == "impl"
    assert not found["top"].public


def test_c() -> None:
    found = members(
        "c",
        """
        #ifndef A_H
        #define A_H
        #include <stdio.h>

        #define TWICE(a) do { \\
            a;                \\
            a;                \\
        } while (0)

        /** A pair. */
        typedef struct pair {
            int first;
            char *second;
        } pair_t;

        struct node;
        struct node {
            int x;
        };
        enum color { RED, GREEN };

        /** Adds. */
        static int add(int a,
                       int b)
        {
            return a + b;
        }

        /**
         * Frees it.
         */
        void pair_free(pair_t *pair);
        int short_one(void);

        const int table[] = {
            1,
            2,
        };
        #endif
        """,
    )
    assert found["TWICE"].role == "macro"
    assert (found["pair_t"].role, lines(found["pair_t"])) == ("type", (10, 14))
    assert lines(found["node"]) == (17, 19)
    assert lines(found["add"]) == (22, 27)
    assert found["add"].signature_end == 25
    assert not found["add"].public
    assert found["pair_free"].bare
    assert found["pair_free"].docs is not None
    assert "short_one" not in found
    assert found["table"].role == "constant"


def test_cpp() -> None:
    found = members(
        "cpp",
        """
        #include <vector>
        namespace a {
        namespace b {

        /// A box.
        template <typename T>
        class EXPORTED Box : public Base<T> {
         public:
          explicit Box(int a) : a_(a) {}
          ~Box() = default;
          /// Its size.
          int size() const { return a_; }
          void open(int x);
          bool operator==(const Box& o) const { return true; }

         private:
          void hidden();
          int a_;
        };

        template <class T>
        int Box<T>::count(int x) {
          return x;
        }

        void Box::open(int x) {
          return;
        }

        std::vector<int> &all(int a) {
          static std::vector<int> v;
          return v;
        }

        TEST(BoxTest, Opens) {
          int x = 1;
        }

        }  // namespace b
        }  // namespace a
        """,
    )
    assert lines(found["Box"]) == (5, 19)
    assert found["Box"].docs is not None
    assert found["Box.size"].public
    assert found["Box.open"].bare
    assert lines(found["Box.open~2"]) == (26, 28)
    assert not found["Box.hidden"].public
    assert {"Box.operator==", "Box.~Box", "Box.count", "all"} <= set(found)
    assert (found["BoxTest.Opens"].role, lines(found["BoxTest.Opens"])) == ("case", (35, 37))


def test_c_with_macros_and_branches_that_cross_blocks() -> None:
    text = dedent(
        """
        MY_API_BEGIN
        MY_EXPORT int one(int a) {
        #ifdef FAST
          if (a) {
        #else
          if (!a) {
        #endif
            return 1;
          }
          return 0;
        }
        MY_EXPORT int two(int a) MY_NOEXCEPT {
          return a;
        }
        MY_API_END
        """
    )
    outline = read(text, Document("a.c", text).lines, GRAMMARS["c"])
    assert outline.errors == []
    assert [(member.name, lines(member)) for member in outline.members] == [
        ("one", (3, 12)),
        ("two", (13, 15)),
    ]


def test_ruby() -> None:
    found = members(
        "ruby",
        """
        require 'x'

        # Things.
        module A
          VERSION = "1"

          # A box.
          class Box < Base
            attr_reader :x, :y

            def initialize(x)
              @x = x
            end

            # Opens it.
            def open(by = 1, *rest, key:, &block)
              yield by
            end

            def self.make(x)
              new(x)
            end

            private

            def hidden
              2
            end
          end
        end

        class A::Error < StandardError; end

        Pair = Struct.new(:a, :b) do
          def sum
            a + b
          end
        end

        describe "a box" do
          it "opens" do
            x = 1
            expect(x).to eq 1
          end
        end
        """,
    )
    assert found["A"].role == "namespace"
    assert lines(found["A.Box"]) == (7, 29)
    assert found["A.Box.initialize"].stays
    assert found["A.Box.open"].signature_end == 16
    assert lines(found["A.Box.open"]) == (15, 18)
    assert found["A.Box.make"].public
    assert not found["A.Box.hidden"].public
    assert "A.Error" in found
    assert "Pair.sum" in found
    assert found["a box.opens"].role == "case"


def test_php() -> None:
    found = members(
        "php",
        r"""
        <?php
        declare(strict_types=1);

        namespace A\B;

        use X\Y;

        /**
         * A box.
         */
        #[Attr]
        final class Box extends Base implements Openable
        {
            use T;

            private int $a = 1;

            public function __construct(private int $x)
            {
            }

            /** Makes one. */
            public static function make(int $x): self
            {
                return new self($x);
            }

            protected function hidden()
            {
            }
        }

        interface Openable
        {
            public function open();
        }

        if (!function_exists('top')) {
            function top($a)
            {
                return $a;
            }
        }
        """,
    )
    assert lines(found["Box"]) == (8, 31)
    assert found["Box.__construct"].stays
    assert lines(found["Box.make"]) == (22, 26)
    assert not found["Box.hidden"].public
    assert found["Openable.open"].stays
    assert found["top"].role == "function"


def test_php_between_mark_up() -> None:
    found = members(
        "php",
        """
        <h1>Hello</h1>
        <?php function one() {
            return 1;
        }
        ?>
        <b class="x"><?= one() ?></b>
        <?php
        function two() {
            return 2;
        }
        """,
    )
    assert (lines(found["one"]), lines(found["two"])) == ((2, 4), (8, 10))


def test_bash() -> None:
    found = members(
        "bash",
        """
        #!/usr/bin/env bash
        # Tools.

        . ./lib.sh

        # Greets.
        greet() {
          local name=$1
          echo "$name"
        }

        function leave {
          echo bye
        }

        _hidden() ( echo )
        """,
    )
    assert lines(found["greet"]) == (6, 10)
    assert found["greet"].docs is not None
    assert found["leave"].public
    assert not found["_hidden"].public


IMPORTS = {
    "kotlin": ("package a.b\n\nimport x.Y\nimport z.W\n", 2),
    "scala": ("package a.b\n\nimport x.Y\n", 2),
    "csharp": ("using System;\nusing A.B;\nnamespace X;\n", 3),
    "swift": ("import Foundation\n", 1),
    "c": ('#include <stdio.h>\n#include "a.h"\n', 2),
    "cpp": ("#ifndef A_H\n#define A_H\n#include <vector>\n#endif\n", 2),
    "ruby": ("require 'a'\nrequire_relative \"b\"\n", 2),
    "php": ("<?php\nnamespace A;\nuse B\\C;\nrequire 'x.php';\n", 4),
    "bash": (". ./a.sh\nsource b.sh\n", 2),
}


@pytest.mark.parametrize("language", sorted(IMPORTS))
def test_imports(language: str) -> None:
    text, count = IMPORTS[language]
    outline = read(text, Document("a", text).lines, GRAMMARS[language])
    assert len(outline.imports) == count


SAMPLES = {
    "java": ("class Big {\n  int size;\n", "  int m{n}() {{\n    return {body};\n  }}\n", "}\n"),
    "kotlin": ("class Big {\n  val size = 1\n", "  fun m{n}() {{\n    return {body}\n  }}\n", "}\n"),
    "scala": ("class Big {\n  val size = 1\n", "  def m{n}: Int = {{\n    {body}\n  }}\n", "}\n"),
    "csharp": ("class Big {\n  int Size;\n", "  int m{n}() {{\n    return {body};\n  }}\n", "}\n"),
    "swift": ("class Big {\n  let size = 1\n", "  func m{n}() -> Int {{\n    {body}\n  }}\n", "}\n"),
    "cpp": ("class Big {\n  int size;\n", "  int m{n}() {{\n    return {body};\n  }}\n", "};\n"),
    "ruby": ("class Big\n  SIZE = 1\n", "  def m{n}\n    {body}\n  end\n", "end\n"),
    "php": ("<?php\nclass Big {\n  var $a;\n", "  function m{n}() {{\n    {body};\n  }}\n", "}\n"),
}
"""Head, method and end of a class."""


def class_of(language: str, methods: int) -> str:
    body = " + ".join(["1"] * 60)
    opening, method, closing = SAMPLES[language]
    return opening + "".join("\n" + method.format(n=n, body=body) for n in range(methods)) + closing


CLASSES = ["cpp", "csharp", "java", "kotlin", "php", "ruby", "scala", "swift"]


def extract(language: str, text: str) -> Extraction:
    return REGISTRY.extract(Document("a", text, "source", language))


def named(extraction: Extraction, name: str) -> Fragment:
    (found,) = [fragment for fragment in extraction.fragments if fragment.name == name]
    return found


@pytest.mark.parametrize("language", CLASSES)
def test_no_class_holds_the_text_of_its_methods(language: str) -> None:
    """L11: a class and its methods are one family, in which no line is said twice."""
    text = class_of(language, 12)
    found = extract(language, text)
    head = named(found, "Big")
    method = named(found, "Big.m3")
    assert (method.parent, method.role) == ("Big", "method")
    assert "1 + 1" in method.text
    assert "1 + 1" not in head.text
    assert "left out: m0, m1" in head.text
    owned = [n for f in found.fragments for span in f.spans for n in range(span.start, span.end + 1)]
    assert len(owned) == len(set(owned))
    every = {n for n, line in enumerate(Document("a", text).lines, 1) if line.strip()}
    assert every <= set(owned) | {1}


@pytest.mark.parametrize("language", CLASSES)
def test_a_small_file_shows_its_signatures_only_when_shortened(language: str) -> None:
    text = class_of(language, 5)
    assert len(text) <= SMALL_CHARS * 3 // 2
    (only,) = extract(language, text).fragments
    (form,) = [form for form in only.forms if form.state is State.SYMBOLIZED]
    assert "m4" in form.text
    assert "1 + 1" not in form.text


def test_short_properties_stay_with_a_long_head() -> None:
    lines = "".join(f"    /** Number {n}: {'long ' * 20}*/\n    val p{n}: Int = {n}\n" for n in range(80))
    found = extract("kotlin", f"class Big {{\n{lines}\n    fun f(): Int {{\n        return 1\n    }}\n}}\n")
    assert [fragment.name for fragment in found.fragments] == ["Big", "Big.f"]
