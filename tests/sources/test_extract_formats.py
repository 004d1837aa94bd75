"""Contracts, configuration and notes: which lines are a unit, how it is called, and what it needs."""

from __future__ import annotations

import json
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.models import Kind, State
from satchel.sources.candidates import read_candidates
from satchel.sources.extract import Document, Extraction, Fragment, default_registry
from satchel.sources.walk import WalkOptions

REGISTRY = default_registry()


def extract(language: str, text: str, *, path: str = "a.x", file_class: str = "config") -> Extraction:
    document = Document(path, dedent(text).lstrip("\n"), file_class, language)
    found = REGISTRY.extract(document)
    check_ownership(document, found)
    return found


def check_ownership(document: Document, found: Extraction) -> None:
    """Every line belongs to one fragment, and texts show just the lines that they say."""
    owned = [n for f in found.fragments for span in f.spans for n in range(span.start, span.end + 1)]
    assert len(owned) == len(set(owned))
    assert {n for n, line in enumerate(document.lines, 1) if line.strip()} <= set(owned)
    for fragment in found.fragments:
        shown = set(fragment.text.split("\n"))
        assert {document.lines[n - 1] for s in fragment.spans for n in range(s.start, s.end + 1)} - {
            ""
        } <= shown
        for form in fragment.forms:
            assert len(form.text) < len(fragment.text)


def named(found: Extraction, name: str) -> Fragment:
    (fragment,) = [fragment for fragment in found.fragments if fragment.name == name]
    return fragment


def lines(fragment: Fragment) -> list[tuple[int, int]]:
    return [(span.start, span.end) for span in fragment.spans]


OPENAPI = """
openapi: 3.0.0
info:
  title: Links
paths:
  # Everything about links.
  /links:
    parameters:
      - $ref: '#/components/parameters/Limit'
    get:
      operationId: listLinks
      summary: List the links.
      description: |
        A long text that says a lot about listing,
        and goes on
        and on
        and on
        and on for more lines than anyone reads.
      responses:
        "200":
          description: Fine.
          content:
            application/json:
              schema:
                $ref: '#/components/schemas/Link'
    post:
      summary: Make one.
      requestBody: {$ref: '#/components/requestBodies/Link'}
      responses: {"201": {description: Made.}}
components:
  schemas:
    Link:
      type: object
      properties:
        url: {type: string}
        owner:
          $ref: '#/components/schemas/Owner'
    Owner:
      type: object
  parameters:
    Limit: {name: limit, in: query}
  requestBodies:
    Link: {content: {}}
"""


def test_openapi_operations_and_schemas() -> None:
    found = extract("yaml", OPENAPI, file_class="contract")
    listed = named(found, "listLinks")
    assert (listed.role, listed.title) == ("operation", "GET /links")
    assert lines(listed) == [(4, 24)]
    assert listed.needs == ("parameters.Limit", "Link")
    assert listed.doc.startswith("List the links.")
    made = named(found, "POST /links")
    assert lines(made) == [(25, 28)]
    assert made.needs == ("requestBodies.Link",)
    assert named(found, "openapi").defines == ()
    link = named(found, "Link")
    assert (link.role, link.needs) == ("schema", ("Owner",))
    assert {"url", "owner"} <= set(link.defines)


def test_openapi_contract_is_without_descriptions() -> None:
    (form,) = named(extract("yaml", OPENAPI, file_class="contract"), "listLinks").forms
    assert form.state is State.CONTRACT
    assert "operationId: listLinks" in form.text
    assert "$ref: '#/components/schemas/Link'" in form.text
    assert "and on" not in form.text
    assert "left out" in form.text


def test_openapi_in_json_and_version_2() -> None:
    contract = {
        "swagger": "2.0",
        "paths": {
            "/a": {
                "get": {"operationId": "getA", "responses": {"200": {"schema": {"$ref": "#/definitions/A"}}}}
            },
            "/b": {"put": {"parameters": [{"$ref": "#/parameters/P"}]}},
        },
        "definitions": {"A": {"type": "object", "properties": {"x": {"type": "string"}}}},
        "parameters": {"P": {"name": "p"}},
    }
    found = extract("json", json.dumps(contract, indent=2), file_class="contract")
    assert named(found, "getA").needs == ("A",)
    assert named(found, "PUT /b").needs == ("parameters.P",)
    assert named(found, "A").defines == ("A", "x")


def test_what_an_operation_needs_becomes_a_dependency(tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.mktemp("api")
    (root / "openapi.yaml").write_text(OPENAPI.lstrip("\n"), encoding="utf-8")
    found = {c.id: c for c in read_candidates(root, WalkOptions(), REGISTRY).candidates}
    assert found["api:openapi.yaml#listLinks"].kind is Kind.CONTRACT
    assert "api:openapi.yaml#Link" in found


def test_json_schema() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": {f"p{n}": {"type": "string", "description": "x" * 60} for n in range(20)},
        "$defs": {
            "one": {"$ref": "#/$defs/two"},
            "two": {"type": "object", "properties": {"deep": {"enum": list(range(40))}}},
        },
    }
    found = extract("json", json.dumps(schema, indent=2), file_class="contract")
    assert named(found, "one").needs == ("two",)
    assert "deep" in named(found, "two").defines
    assert any("p3" in fragment.defines for fragment in found.fragments)


def test_compose_services_need_each_other() -> None:
    service = "  {n}:\n    image: {n}:1\n    depends_on: [{of}]\n    environment:\n      - A={pad}\n"
    body = "".join(service.format(n=n, of=of, pad="x" * 1200) for n, of in (("web", "db"), ("db", "disk")))
    found = extract("yaml", f"services:\n{body}volumes:\n  data: {{}}\n", path="compose.yaml")
    web = named(found, "web")
    assert (web.role, web.needs) == ("service", ("db",))
    assert web.text.startswith("services:\n  web:")


def test_jobs_of_a_workflow() -> None:
    job = "  {n}:\n    runs-on: x\n    needs: [{of}]\n    steps:\n      - run: {pad}\n"
    body = "".join(job.format(n=n, of=of, pad="x" * 900) for n, of in (("test", "lint"), ("lint", "")))
    found = extract("yaml", f"name: CI\non: push\njobs:\n{body}", path=".github/workflows/ci.yml")
    assert (named(found, "test").role, named(found, "test").needs) == ("job", ("lint",))


def test_kubernetes_documents() -> None:
    text = "".join(
        f"---\n# About {kind}.\nkind: {kind}\nmetadata:\n  name: web\nspec:\n  text: {'x' * 900}\n"
        for kind in ("Deployment", "Service", "Ingress")
    )
    found = extract("yaml", text, path="deploy/web.yaml")
    assert {"Deployment/web", "Service/web", "Ingress/web"} <= {f.name for f in found.fragments}


def test_a_long_key_is_divided() -> None:
    inner = "".join(f"  key{n}:\n    value: {'x' * 600}\n" for n in range(20))
    found = extract("yaml", f"outer:\n{inner}other: 1\n")
    assert "outer.key19" in {name for fragment in found.fragments for name in fragment.defines}
    assert max(len(fragment.text) for fragment in found.fragments) < 2_000


def test_mistakes_in_yaml_do_not_lose_the_rest() -> None:
    text = "".join(f"key{n}:\n  value: {'x' * 700}\n" for n in range(6))
    found = extract("yaml", text + "{{ template }}\n  : : :\n" + text)
    assert {"key0", "key5"} <= {name for fragment in found.fragments for name in fragment.defines}


def test_graphql() -> None:
    text = '''
    """
    The root.
    """
    type Query {
      "One link."
      link(id: ID!): Link
      links(first: Int = 10): [Link!]!
    }

    # A link.
    type Link implements Node @key(fields: "id") {
      id: ID!
      url: String!
    }

    enum Color {
      RED
      GREEN
    }

    union Any =
      | Link
      | Owner

    scalar Date

    directive @auth(role: String) on FIELD_DEFINITION
    '''
    found = extract("graphql", dedent(text) + "# pad\n" * 400, file_class="contract")
    defined = {name for fragment in found.fragments for name in fragment.defines}
    assert {"Query", "Link", "Color", "Any", "Date", "@auth", "links", "url", "RED"} <= defined
    query = next(fragment for fragment in found.fragments if "Query" in fragment.defines)
    assert query.text.startswith('"""\nThe root.')


def test_proto() -> None:
    text = """
    syntax = "proto3";
    package a;

    // A request. { not a bracket
    message Ask {
      string text = 1;
      message Inner { int32 x = 1; }
    }

    message Answer { string text = 1; }

    /* Answers. */
    service Oracle {
      rpc Tell(Ask) returns (Answer);
    }
    """
    found = extract("proto", dedent(text) + "// pad\n" * 300, file_class="contract")
    oracle = named(found, "Oracle")
    assert (oracle.role, set(oracle.needs)) == ("service", {"Ask", "Answer"})
    assert "Tell" in oracle.defines
    assert lines(oracle)[0][0] == 12


def test_terraform_blocks() -> None:
    text = """
    variable "size" {
      default = 1
    }

    # A link.
    resource "link" "one" {
      tags = { a = "}" }
      size = var.size
    }
    """
    found = extract("hcl", dedent(text) + "# pad\n" * 400)
    assert (named(found, "link.one").role, lines(named(found, "link.one"))) == ("type", [(5, 9)])
    assert lines(named(found, "size")) == [(1, 3)]


def test_dockerfile_stages() -> None:
    text = "ARG V=1\nFROM python:3 AS build\nRUN {pad}\n\nFROM x AS last\nCOPY --from=build /a /{pad}\n"
    found = extract("dockerfile", text.format(pad="x" * 1_000), path="Dockerfile")
    assert [fragment.name for fragment in found.fragments if fragment.role == "stage"] == ["build", "last"]
    assert named(found, "last").needs == ("build",)


def test_env_example() -> None:
    text = "".join(f"# About {n}.\nKEY_{n}={'x' * 300}\n\n" for n in range(12))
    found = extract("dotenv", text, path=".env.example")
    assert {f"KEY_{n}" for n in range(12)} == {name for f in found.fragments for name in f.defines}


SQL = """
-- Links.
CREATE TABLE IF NOT EXISTS public."links" (
  id integer PRIMARY KEY, -- a semicolon; in a comment
  url text DEFAULT ';',
  CONSTRAINT c CHECK (id > 0)
);

CREATE OR REPLACE FUNCTION public.touch(a int) RETURNS void AS $body$
BEGIN
  UPDATE links SET url = 'x;';
END;
$body$ LANGUAGE plpgsql;

/* For MySQL. */
CREATE PROCEDURE tidy()
BEGIN
  IF 1 THEN
    DELETE FROM links;
  END IF;
  SELECT CASE WHEN 1 THEN 2 END;
END;

CREATE VIEW all_links AS SELECT * FROM links;

INSERT INTO links VALUES (1, 'it''s; here');
INSERT INTO links VALUES (2, 'b');

COPY links (id, url) FROM stdin;
3\tCREATE TABLE no (x int);
\\.

CREATE INDEX ON links (url);
"""


def test_sql_statements() -> None:
    found = extract("sql", SQL + "-- pad\n" * 300, file_class="source")
    table = named(found, "public.links")
    assert (table.role, lines(table), table.defines) == ("type", [(1, 6)], ("public.links", "id", "url"))
    touch = named(found, "public.touch")
    assert (touch.role, lines(touch)) == ("function", [(8, 12)])
    tidy = named(found, "tidy")
    assert lines(tidy)[0][1] == 21
    assert named(found, "all_links").role == "type"
    assert "no" not in {fragment.name for fragment in found.fragments}


def test_sql_with_other_separators() -> None:
    text = """
    DELIMITER //
    CREATE PROCEDURE one() BEGIN SELECT 1; SELECT 2; END//
    CREATE PROCEDURE two() BEGIN SELECT 1; END//
    DELIMITER ;
    CREATE TABLE three (x int);
    GO
    CREATE PROCEDURE four AS SELECT 1
    GO
    CREATE VIEW five AS SELECT 1
    GO
    """
    found = extract("sql", dedent(text) + "-- pad\n" * 300, file_class="source")
    defined = [name for fragment in found.fragments for name in fragment.defines]
    assert [name for name in defined if name != "x"] == ["one", "two", "three", "four", "five"]


@pytest.mark.parametrize(
    ("language", "text", "headings"),
    [
        ("asciidoc", "= Page\n{p}\n== One\n\n----\n== not\n----\n{p}\n=== Deep `x`\n{p}", "Page One Deep x"),
        ("org", "* TODO One :tag:\n{p}\n#+begin_src py\n* not\n#+end_src\n** Two\n{p}", "One Two"),
        ("wiki", "= Page =\n{p}\n== One ==\n{p}", "Page One"),
        ("man", ".TH X 1\n.SH NAME\n{p}\n.SH \"SEE ALSO\"\n{p}", "NAME SEE ALSO"),
        (
            "latex",
            "\\section{One}\n{p}\n\\begin{verbatim}\n\\section{no}\n\\end{verbatim}\n\\subsection*{Two}\n{p}",
            "One Two",
        ),
        ("rdoc", "= One\n{p}\n== Two\n{p}", "One Two"),
        ("pod", "=head1 One\n{p}\n=head2 Two\n{p}", "One Two"),
    ],
)  # fmt: skip
def test_headings_of_other_formats(language: str, text: str, headings: str) -> None:
    found = extract(language, text.replace("{p}", "word " * 400 + "\n"), file_class="doc")
    names = [fragment.name for fragment in found.fragments if fragment.name and "(" not in fragment.name]
    assert " ".join(names) == headings


def notebook(cells: list[dict[str, object]], indent: int | None = 1) -> str:
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}, indent=indent)


PICTURE = "iVBORw0KGgo" * 2_000


def cells() -> list[dict[str, object]]:
    return [
        {"cell_type": "markdown", "source": ["# Intro\n", 'Some "text".\n']},
        {
            "cell_type": "code",
            "source": ["import os\n", "x = 1\n", "print(x)"],
            "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["1\n"]},
                {"output_type": "display_data", "data": {"image/png": PICTURE, "text/plain": ["<Figure>"]}},
                {"output_type": "stream", "text": ["long " * 500]},
            ],
        },
        {"cell_type": "markdown", "source": "## More\n" + "word " * 900},
        {"cell_type": "code", "source": "def f():\n    return 2", "outputs": []},
    ]


def test_notebook_keeps_source_and_short_outputs() -> None:
    """H01."""
    text = notebook(cells())
    document = Document("a.ipynb", text, "doc", "jupyter")
    found = REGISTRY.extract(document)
    assert [fragment.title for fragment in found.fragments] == ["Intro", "More"]
    intro, more = found.fragments
    assert 'Some "text".' in intro.text
    assert "import os\nx = 1\nprint(x)" in intro.text
    assert "# 1\n# <Figure>" in intro.text
    assert "output of 2499 characters left out" in intro.text
    assert intro.imports == ("import os",)
    assert "f" in more.defines
    for fragment in found.fragments:
        assert "iVBOR" not in fragment.text
        for span in fragment.spans:
            assert all("iVBOR" not in line for line in document.lines[span.start - 1 : span.end])
    assert any('"import os' in document.lines[n - 1] for s in intro.spans for n in range(s.start, s.end + 1))


def test_notebook_on_one_line() -> None:
    found = REGISTRY.extract(Document("a.ipynb", notebook(cells(), None), "doc", "jupyter"))
    (only,) = found.fragments
    assert "import os" in only.text
    assert "iVBOR" not in only.text


def test_notes_and_their_links() -> None:
    text = "alias:: Start\n\n- See [[Other page]] and [[Third|this]] and [a file](../src/a.py#L3).\n- [web](https://x.y)\n"
    (only,) = REGISTRY.extract(Document("pages/a.md", text, "doc", "markdown")).fragments
    assert only.tags == ("note",)
    assert only.imports == ("Other page", "Third", "../src/a.py")
    (page,) = REGISTRY.extract(Document("a.md", "# A\n\n[b](b.md)\n", "doc", "markdown")).fragments
    assert (page.tags, page.imports) == ((), ("b.md",))


@pytest.mark.parametrize(
    ("name", "text"), [("a.mmd", "graph TD\n"), ("a.puml", "@startuml\n"), ("a.dot", "digraph {\n")]
)
def test_diagrams_are_whole(name: str, text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    root = tmp_path_factory.mktemp("diagrams")
    (root / name).write_text(text + "  A --> B\n\n" * 400, encoding="utf-8")
    (only,) = read_candidates(root, WalkOptions(), REGISTRY).candidates
    assert only.kind is Kind.DIAGRAM_SOURCE


PIECES = [
    *("openapi: 3.0.0", "paths:", "  /a:", "    get:", "      operationId: x", "components:", "  schemas:"),
    *("key: value", "- item", "  deep: 1", "# comment", "---", "{", "}", "[", "", "  ", "a: [1,", "'", '"'),
    *("CREATE TABLE a (x int);", "BEGIN", "END;", "$$", "$a$", "GO", "DELIMITER //", "/*", "*/", "--", "|"),
    *("COPY a FROM stdin;", "type A {", "message B {", "service C {", "rpc D(B) returns (B);", "union E ="),
    *(
        '"""',
        "FROM x AS y",
        "= Title",
        "== Sub",
        "----",
        "* Org",
        ".SH NAME",
        '"cells": [',
        "\\.",
        ">",
        "| A",
    ),
]
LANGUAGES = [
    "yaml",
    "json",
    "sql",
    "graphql",
    "proto",
    "thrift",
    "hcl",
    "dockerfile",
    "make",
    "asciidoc",
    "org",
]


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(LANGUAGES), st.lists(st.sampled_from(PIECES), max_size=14).map("\n".join), st.booleans()
)
def test_no_text_loses_a_line_or_says_it_twice(language: str, text: str, long: bool) -> None:
    extract(language, text + ("\n" + "x: word\n" * 300 if long else ""))


@pytest.mark.parametrize("language", [*LANGUAGES, "jupyter", "dotenv"])
@pytest.mark.parametrize(
    "piece", ["{", "[", "(", "'", '"', "a: ", "- ", "$$", "/*", "CREATE TABLE a (\n", "BEGIN\n", "= "]
)
def test_hostile_texts_end(language: str, piece: str) -> None:
    """H04."""
    REGISTRY.extract(Document("a", piece * 20_000, "config", language))
