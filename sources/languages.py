"""Languages by extension, name, first line, and (where an extension is shared) by content. Data first."""

from __future__ import annotations

import re
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Role(StrEnum):
    """What files of a language are for when nothing else is known about them."""

    CODE = "code"
    PROSE = "prose"
    SETTINGS = "settings"
    DATA = "data"


_EXTENSIONS: Final = {
    Role.CODE: """
        ada: adb ads
        apex: apex trigger
        asm: asm s nasm
        astro: astro
        awk: awk
        bash: sh bash zsh ksh bats
        bat: bat cmd
        c: c h
        clojure: clj cljs cljc edn bb
        cobol: cob cbl cpy
        coffeescript: coffee
        cpp: cc cpp cxx c++ hh hpp hxx h++ ipp inl tpp cppm ixx
        crystal: cr
        csharp: cs csx cake
        css: css
        cuda: cu cuh
        cython: pyx pxd pxi
        d: d di
        dart: dart
        elixir: ex exs heex eex
        elm: elm
        erb: erb
        erlang: erl hrl escript
        fish: fish
        fortran: f f77 f90 f95 f03 f08 for
        fsharp: fs fsi fsx
        gdscript: gd
        gherkin: feature
        gleam: gleam
        glsl: glsl vert frag comp geom
        go: go
        graphql: graphql gql graphqls
        groovy: groovy gvy gy
        handlebars: hbs handlebars
        haskell: hs lhs
        haxe: hx
        hlsl: hlsl
        html: html htm xhtml
        java: java
        javascript: js mjs cjs es6
        jinja: j2 jinja jinja2
        jsx: jsx
        julia: jl
        kotlin: kt kts
        less: less
        lisp: lisp lsp cl el
        liquid: liquid
        lua: lua luau
        matlab: matlab
        nim: nim nims
        nix: nix
        objc: m mm
        ocaml: ml mli
        pascal: pas pp dpr lpr
        perl: pl pm t
        php: php phtml php3 php4 php5 phps
        plsql: pls pkb pks plsql
        powershell: ps1 psm1 psd1
        prolog: prolog
        proto: proto
        pug: pug jade
        purescript: purs
        python: py pyi pyw pyt
        r: r rmd
        racket: rkt
        raku: raku rakumod
        reason: re rei
        robot: robot
        ruby: rb rake gemspec ru rbw podspec
        rust: rs
        sass: sass
        scala: scala sc sbt
        scheme: scm ss
        scss: scss
        smali: smali
        solidity: sol
        sparql: rq sparql
        sql: sql ddl dml psql
        starlark: bzl star bazel
        stylus: styl
        svelte: svelte
        swift: swift
        systemverilog: sv svh
        tcl: tcl
        thrift: thrift
        tsx: tsx
        twig: twig
        typescript: ts mts cts
        vala: vala vapi
        vb: vb vbs bas
        verilog: v vh
        vhdl: vhd vhdl
        vim: vim
        vue: vue
        wat: wat wast
        wgsl: wgsl
        xslt: xsl xslt
        zig: zig
    """,
    Role.PROSE: """
        asciidoc: adoc asciidoc asc
        d2: d2
        dot: dot gv
        jupyter: ipynb
        latex: tex sty bib
        man: man
        markdown: md markdown mdown mkd mdwn
        mdx: mdx
        mermaid: mmd mermaid
        norg: norg
        org: org
        plantuml: puml plantuml pu iuml
        pod: pod
        quarto: qmd
        rdoc: rdoc
        rst: rst rest
        text: txt text
        textile: textile
        typst: typ
        wiki: mediawiki wiki
    """,
    Role.SETTINGS: """
        bicep: bicep
        cmake: cmake
        dhall: dhall
        dockerfile: dockerfile
        dotenv: env
        gradle: gradle
        hcl: hcl tf tfvars nomad
        ini: ini cfg conf cnf inf desktop service editorconfig
        json: json webmanifest
        json5: json5
        jsonc: jsonc
        jsonnet: jsonnet libsonnet
        make: mk mak
        meson: meson
        nginx: nginx
        plist: plist
        properties: properties
        rego: rego
        toml: toml
        xml: xml pom csproj vbproj fsproj vcxproj props targets nuspec resx xaml config
        yaml: yaml yml
        cue: cue
    """,
    Role.DATA: """
        csv: csv
        diff: diff patch
        geojson: geojson
        gettext: po pot
        jsonl: jsonl ndjson
        log: log
        pem: pem crt cer csr
        srt: srt vtt
        strings: strings arb xliff xlf ftl
        svg: svg
        tsv: tsv tab
    """,
}

_NAMES: Final = """
    bash: .bashrc .bash_profile .profile .zshrc .zprofile gradlew configure pkgbuild apkbuild
    cmake: cmakelists.txt
    dockerfile: dockerfile containerfile
    gitignore: .gitignore .ignore .dockerignore .npmignore .eslintignore .prettierignore .helmignore
    gitattributes: .gitattributes
    codeowners: codeowners
    go.mod: go.mod go.work
    groovy: jenkinsfile
    ini: .editorconfig .gitmodules .gitconfig .npmrc .pylintrc .flake8 .coveragerc .pypirc
    jsonc: tsconfig.json jsconfig.json .eslintrc .babelrc .jshintrc .swcrc devcontainer.json
    just: justfile .justfile
    make: makefile gnumakefile kbuild
    meson: meson.build meson_options.txt
    procfile: procfile
    ruby: gemfile rakefile vagrantfile podfile fastfile brewfile guardfile capfile dangerfile berksfile
    starlark: build.bazel workspace.bazel module.bazel tiltfile
    toml: pipfile poetry.lock cargo.lock uv.lock pdm.lock
    yaml: .clang-format .clang-tidy .yamllint .gemrc pnpm-lock.yaml pubspec.lock
    json: composer.lock pipfile.lock .prettierrc .stylelintrc .nycrc .bowerrc package.resolved flake.lock
    vim: .vimrc
"""

_BAZEL: Final = frozenset({"BUILD", "WORKSPACE", "BUCK"})
"""Names that only count in upper case: `build` is a script."""

_FAMILIES: Final = (
    ("dotenv", re.compile(r"\.env\..+|\.env")),
    ("dockerfile", re.compile(r"(?:dockerfile|containerfile)\..+")),
    ("make", re.compile(r"makefile\..+")),
    ("requirements", re.compile(r"(?:[\w.-]+-)?requirements(?:[\w.-]*\.txt|[\w-]*)")),
)
"""Names of many forms, in lower case."""

_INTERPRETERS: Final = """
    awk: awk gawk mawk
    bash: sh bash zsh dash ksh ash
    elixir: elixir
    erlang: escript
    fish: fish
    groovy: groovy
    haskell: runhaskell runghc
    javascript: node nodejs
    julia: julia
    kotlin: kotlin
    lisp: sbcl clisp emacs
    lua: lua luajit
    make: make
    nix: nix-shell
    perl: perl
    php: php
    powershell: pwsh powershell
    python: python pypy uv
    r: rscript
    racket: racket
    ruby: ruby jruby
    scala: scala
    swift: swift
    tcl: tclsh wish expect
    typescript: deno bun ts-node tsx
"""


def _table(lines: str) -> dict[str, str]:
    """Return ``{item: language}`` from lines of ``language: item item``."""
    pairs = (line.strip().partition(": ") for line in lines.strip().splitlines())
    return {item: language for language, _, items in pairs for item in items.split()}


BY_EXTENSION: Final = MappingProxyType(
    {k: v for lines in _EXTENSIONS.values() for k, v in _table(lines).items()}
)
"""Lower-case extension without its dot, to language."""

BY_NAME: Final = MappingProxyType(_table(_NAMES))
"""Lower-case file name, to language."""

BY_INTERPRETER: Final = MappingProxyType(_table(_INTERPRETERS))
"""Program of a ``#!`` line without its version, to language."""

ROLES: Final = MappingProxyType(
    dict.fromkeys((*BY_NAME.values(), *(language for language, _ in _FAMILIES)), Role.SETTINGS)
    | {language: role for role, lines in _EXTENSIONS.items() for language in _table(lines).values()}
)
"""Language, to what its files are for."""

_CONTENT: Final = {
    **dict.fromkeys("123456789", (("man", "\\A(?:\\.|'\\\\\")"),)),
    "h": (
        ("objc", r"^\s*(?:@interface|@protocol|@class|#import)\b"),
        (
            "cpp",
            r"^\s*(?:template\s*<|namespace\b|class\s+\w|using\s+\w|public:|private:|protected:)|\bstd::",
        ),
    ),
    "m": (
        ("objc", r"^\s*(?:#import|@interface|@implementation|@protocol|#include)\b"),
        ("matlab", r"^\s*(?:function\b|classdef\b|%)"),
    ),
    "ts": (("xml", r"\A\s*<(?:\?xml|!DOCTYPE TS|TS)\b"),),
    "pl": (("perl", r"^\s*(?:use|package|sub|my)\s"), ("prolog", r"^\s*:-|:-\s*$")),
    "v": (("coq", r"^\s*(?:Theorem|Lemma|Require|Proof|Inductive|Definition)\b"),),
    "cls": (("latex", r"^\s*\\"), ("vb", r"\AVERSION\b"), ("apex", r"\bclass\b")),
    "inc": (("php", r"<\?php"), ("asm", r"^\s*(?:\.macro|%macro)\b")),
    "fs": (("glsl", r"^\s*(?:#version|precision\s|void\s+main)"),),
    "mm": (("nroff", r"\A\."),),
    "d": (("make", r"\A[^\n:]+:.*\\$"), ("dtrace", r"^\s*#pragma D\b")),
    "conf": (("nginx", r"^\s*(?:server|http|location\b[^\n]*)\s*\{"), ("apache", r"^\s*<\w+[^>\n]*>\s*$")),
    "txt": (("rst", r"^\.\. (?:[\w-]+::|_[\w -]+:)|:(?:ref|doc|class|func|meth|mod|term):`"),),
}
"""Extensions that languages share: languages and what stands in their files; the first that fits wins."""

_BY_CONTENT: Final = {
    extension: tuple((language, re.compile(pattern, re.MULTILINE)) for language, pattern in choices)
    for extension, choices in _CONTENT.items()
}

_CONTENT_CHARS: Final = 20_000
"""How much of a file is looked at for its language."""

_SHEBANG: Final = re.compile(
    r"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+|\w+=\S*\s+)*)?(?:\S*/)?([\w+-]+?)[\d.]*(?:\s|$)"
)

_TEMPLATE: Final = re.compile(r"\.(?:example|sample|template|tmpl|tpl|dist|in|default|orig|bak)$")
"""Endings that say nothing of the language: the name before them does."""


def language_of(path: str, text: str | None = None) -> tuple[str, str]:
    """Return the language of a file and what told it; both empty when nothing did.

    Parameters
    ----------
    path
        POSIX path; only its last part counts.
    text
        The content, if known: for shared extensions, and for files without one.
    """
    if path.rpartition("/")[2] in _BAZEL:
        return "starlark", f"name {path.rpartition('/')[2]}"
    name = path.rpartition("/")[2].lower()
    while (bare := _TEMPLATE.sub("", name)) not in (name, ""):
        name = bare
    if name in BY_NAME:
        return BY_NAME[name], f"name {name}"
    extension = name.rpartition(".")[2] if "." in name else ""
    for language, names in _FAMILIES:
        if names.fullmatch(name):
            return language, f"name {name}"
    if text is not None:
        for language, pattern in _BY_CONTENT.get(extension, ()):
            if pattern.search(text[:_CONTENT_CHARS]):
                return language, f"content, for .{extension}"
    if extension in BY_EXTENSION:
        return BY_EXTENSION[extension], f"extension .{extension}"
    if text is not None and text.startswith("#!"):
        found = _SHEBANG.match(text)
        if found and found[1].lower() in BY_INTERPRETER:
            return BY_INTERPRETER[found[1].lower()], f"first line, {found[1]}"
    if text is not None and text.startswith("<?xml"):
        return "xml", "first line, <?xml"
    return "", ""
