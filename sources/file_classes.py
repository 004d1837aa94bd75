"""What tells the class of a file, as tables: folders, names, and first lines."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final, NamedTuple


class FileClass(StrEnum):
    """What a file is for."""

    SOURCE = "source"
    TEST = "test"
    EXAMPLE = "example"
    CONTRACT = "contract"
    DOC = "doc"
    CONFIG = "config"
    DATA = "data"
    GENERATED = "generated"
    LOCK = "lock"
    MINIFIED = "minified"
    VENDORED = "vendored"
    BINARY = "binary"


class PathRule(NamedTuple):
    """Decides by path. ``pattern`` is searched in the path, or matched with the name where ``by_name``.

    ``languages`` limits the rule to files of these languages, when not empty.
    """

    id: str
    file_class: FileClass
    pattern: re.Pattern[str]
    by_name: bool = True
    languages: frozenset[str] = frozenset()


class TextRule(NamedTuple):
    """Decides by content: ``pattern`` is searched in the first ``chars`` characters."""

    id: str
    file_class: FileClass
    pattern: re.Pattern[str]
    chars: int
    languages: frozenset[str] = frozenset()


def _names(text: str) -> re.Pattern[str]:
    """Compile white-space separated names; ``*`` stands for anything within a name."""
    parts = (re.escape(name).replace(r"\*", ".*") for name in text.split())
    return re.compile(f"(?:{'|'.join(parts)})\\Z", re.IGNORECASE)


def _folders(text: str) -> re.Pattern[str]:
    """Compile names of folders, at any depth; ``*`` stands for anything within a name."""
    parts = (re.escape(name).replace(r"\*", "[^/]*") for name in text.split())
    return re.compile(f"(?:\\A|/)(?:{'|'.join(parts)})/")


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_JAVASCRIPT: Final = _set("javascript typescript jsx tsx vue svelte coffeescript")
_JVM: Final = _set("java kotlin scala groovy")
_NATIVE: Final = _set(
    """go rust csharp fsharp vb ruby php swift objc dart elixir erlang clojure haskell lua perl bash fish
    c cpp cuda julia r solidity zig nim ocaml d"""
)
_PROSE: Final = _set("markdown mdx rst asciidoc org text textile wiki rdoc pod typst latex norg quarto man")

VENDORED_RULES: Final = (
    PathRule(
        "vendored:folder",
        FileClass.VENDORED,
        _folders(
            """node_modules bower_components jspm_packages site-packages vendor vendors vendored _vendor
            _vendored third_party third-party thirdparty 3rdparty 3rd_party extern externals Godeps
            Pods Carthage .yarn"""
        ),
        by_name=False,
    ),
    PathRule(
        "vendored:name",
        FileClass.VENDORED,
        re.compile(
            r"(?:gradlew|mvnw)(?:\.\w+)?\Z|jquery(?:[.-]?(?:\d[\d.]*|min|slim|ui|migrate))*\.js\Z"
            r"|bootstrap(?:\.bundle|\.min)*\.(?:js|css)\Z"
            r"|(?:modernizr|d3\.v\d|normalize)(?:[.-][\w.]+)?\.(?:js|css)\Z"
        ),
    ),
)

LOCK_RULES: Final = (
    PathRule(
        "lock:name",
        FileClass.LOCK,
        _names(
            """package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock
            poetry.lock Pipfile.lock uv.lock pdm.lock pixi.lock pylock.toml pylock.*.toml
            conda-lock.y*ml Cargo.lock go.sum go.work.sum Gemfile.lock gems.locked composer.lock
            symfony.lock mix.lock pubspec.lock Podfile.lock Package.resolved Cartfile.resolved
            packages.lock.json paket.lock gradle.lockfile verification-metadata.xml flake.lock
            stack.yaml.lock cabal.project.freeze Manifest.toml .terraform.lock.hcl MODULE.bazel.lock
            buf.lock Chart.lock rebar.lock shard.lock esy.lock.json dub.selections.json renv.lock"""
        ),
    ),
)

MINIFIED_RULES: Final = (
    PathRule("minified:name", FileClass.MINIFIED, re.compile(r".*[.-]min\.(?:[cm]?js|css|html|json)\Z")),
)

GENERATED_RULES: Final = (
    PathRule(
        "generated:name",
        FileClass.GENERATED,
        re.compile(
            r".*(?:_pb2(?:_grpc)?\.pyi?|\.pb(?:\.\w+)?\.(?:go|cc|h|c|dart|swift|rs|ts|js)|_pb\.(?:js|ts|d\.ts|rb)"
            r"|\.g\.(?:dart|cs|i\.cs)|\.freezed\.dart|\.designer\.(?:cs|vb)|\.generated\.\w+|[._]gen\.(?:go|ts|rs)"
            r"|_generated\.\w+|_string\.go|\.(?:js|css|ts)\.map|\.snap|\.tsbuildinfo|\.min\.map)\Z"
            r"|zz_generated\b.*|bindata(?:_\w+)?\.go\Z|R\.java\Z|moc_.*\.cpp\Z|ui_\w+\.(?:h|py)\Z|.*\.pyi?_generated\Z",
            re.IGNORECASE,
        ),
    ),
    PathRule(
        "generated:folder",
        FileClass.GENERATED,
        _folders(
            "generated __generated__ generated-sources generated_sources *.generated autogen _generated"
        ),
        by_name=False,
    ),
)

GENERATED_LINES: Final = 20
"""First lines in which a generator says that it wrote the file."""

GENERATED_MARKER: Final = re.compile(
    r"""^\W*(?:rem\b\W*)?(?:
        (?:this\ (?:file|code)\ is\ )?(?:automatically\ )?@generated\b
        | code\ generated\ (?:by|from)\b
        | this\ (?:\w+\ )?(?:file|code|source|document|module|page|script|header|class)
            \ (?:is|was|has\ been)\ (?:\w+[\ -]){0,2}generated\b
        | (?:an?\ )?auto(?:matically)?[\ -]?generated\ ?(?:by|from|with|using|on|[-:.;,>*/]|$)
        | .{0,60}\bgenerated\b.{0,80}\b(?:do\ not|don't)\ (?:edit|modify)\b
        | generated\ (?:by|from|with|using)\ [\w./@-]+\W*(?:$|v?\d|version\b|on\ \d)
        | .{0,80}(?-i:\bDO\ NOT\ (?:EDIT|MODIFY))\b(?!\ (?:EXCEPT|UNLESS|BELOW|ABOVE))
        | .{0,80}\bdo\ not\ (?:edit|modify)\ (?:this\ file|it|by\ hand|manually|directly)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
"""What a generator writes into a comment line about the file."""

COMMENT_START: Final = re.compile(
    r"\s*(?:#|//|/\*|\*|--|;|%|<!--|<#|\{-|\(\*|\"\"\"|'|\.\.\ |@?rem\b|!|dnl\b)", re.IGNORECASE
)
"""How a comment line begins, in any language."""

_NOT_MAIN: Final = r"\A(?:(?!src/(?:main|test)/)[^/]+/)*?"
"""Folders above ``src/main``: below it `com/example` and `framework/test` are names of packages."""

TEST_RULES: Final = (
    PathRule("doc:readme", FileClass.DOC, re.compile(r"(?i:readme)(?:[._-].*)?\Z"), languages=_PROSE | {""}),
    *(
        PathRule("test:name", FileClass.TEST, re.compile(pattern), languages=_set(languages))
        for languages, pattern in (
            ("python cython", r"(?:test_.*|.*_tests?|conftest|tests?)\.py[iwx]?\Z"),
            (" ".join(_JAVASCRIPT), r".*[._-](?:test|tests|spec|specs|e2e|cy|unit)\.\w+\Z"),
            ("go", r".*_test\.go\Z"),
            ("rust", r"(?:.*_)?tests?\.rs\Z"),
            ("csharp fsharp vb", r".*(?:Tests?|Fixture|TestCase)\.\w+\Z"),
            ("ruby", r"(?:.*_(?:spec|test)|test_.*|(?:spec|test|rails)_helper)\.rb\Z"),
            ("php", r".*(?:Test|TestCase|Cest)\.php\Z"),
            ("swift objc", r".*(?:Tests?|Spec|TestCase)\.\w+\Z"),
            ("dart elixir", r".*_test\.\w+\Z|test_helper\.exs\Z"),
            ("erlang", r".*(?:_SUITE|_tests|_test)\.erl\Z"),
            ("clojure", r".*_test\.clj[cs]?\Z"),
            ("haskell purescript elm", r".*(?:Spec|Tests?)\.\w+\Z"),
            ("lua", r".*_(?:spec|test)\.lua\Z|test_.*\.lua\Z"),
            ("perl", r".*\.t\Z"),
            ("bash fish", r".*\.bats\Z|(?:.*[_-])?tests?(?:[_-].*)?\.\w+\Z"),
            ("c cpp cuda", r"(?:.*[_-])?(?:unit)?tests?\.\w+\Z|(?:unit)?test[_-].*|.*[a-z]Tests?\.\w+\Z"),
            ("julia", r"(?:run)?tests?(?:_.*)?\.jl\Z|test[_-].*\.jl\Z"),
            ("r", r"(?i:test[-_.].*|testthat)\.R\Z|(?i:test-.*\.r)\Z"),
            ("solidity", r".*\.t\.sol\Z|.*Test\.sol\Z"),
            ("gherkin robot", r".*"),
        )
    ),
    PathRule(
        "test:name",
        FileClass.TEST,
        re.compile(_NOT_MAIN + r"(?:[^/]*(?:Tests?|TestCase|TestBase|[a-z0-9]IT)|Test[A-Z]\w*)\.\w+\Z"),
        by_name=False,
        languages=_JVM,
    ),
    PathRule(
        "test:name",
        FileClass.TEST,
        re.compile(_NOT_MAIN + r"[^/]*(?:Specs?|Suite)\.\w+\Z"),
        by_name=False,
        languages=_JVM - {"java"},
    ),
    PathRule("test:folder", FileClass.TEST, re.compile(r"(?:\A|/)src/(?:test|androidTest)/"), by_name=False),
    PathRule(
        "test:folder",
        FileClass.TEST,
        re.compile(
            _NOT_MAIN
            + r"(?:(?:[\w.-]*[._-])?(?:[Tt]ests|unittests?)|__tests__|__mocks__|__snapshots__|__fixtures__"
            r"|(?:integration|unit|functional|acceptance|regression|smoke|system|e2e)[._-]?test"
            r"|fixtures|testdata|test[_-]?data|test[_-](?:fixtures|resources|utils|helpers|suite|cases)"
            r"|androidTest|testFixtures|e2e|cypress|[A-Z]\w*Tests)/"
        ),
        by_name=False,
    ),
    # `django/test/` is a part of what it tests for; `test/` at the top is not.
    PathRule(
        "test:folder",
        FileClass.TEST,
        re.compile(r"\A(?:(?:src|lib|python|app|backend|server|packages/[^/]+)/)?test/", re.IGNORECASE),
        by_name=False,
        languages=_set("python cython"),
    ),
    PathRule(
        "test:folder",
        FileClass.TEST,
        re.compile(_NOT_MAIN + r"test/"),
        by_name=False,
        languages=_JAVASCRIPT | _JVM | _NATIVE | _set("css html json yaml text svg xml csv"),
    ),
    PathRule(
        "test:folder",
        FileClass.TEST,
        re.compile(_NOT_MAIN + r"specs?/"),
        by_name=False,
        languages=_JAVASCRIPT | _set("ruby lua swift objc php groovy crystal haskell elixir"),
    ),
)

EXAMPLE_RULES: Final = (
    PathRule(
        "example:folder",
        FileClass.EXAMPLE,
        re.compile(
            _NOT_MAIN + r"_?(?:examples?(?:[_-](?:code|apps?|projects?))?|samples?|demos?|code[_-]samples"
            r"|cookbooks?|playgrounds?|quickstarts?|snippets)/",
            re.IGNORECASE,
        ),
        by_name=False,
    ),
    PathRule(
        "example:name",
        FileClass.EXAMPLE,
        re.compile(r"(?:example|demo)s?(?:[._-]\w+)*\.\w+\Z|.*[_-](?:example|demo)s?\.\w+\Z", re.IGNORECASE),
    ),
)

CONTRACT_RULES: Final = (
    PathRule(
        "contract:extension",
        FileClass.CONTRACT,
        _names(
            """*.proto *.graphql *.gql *.graphqls *.thrift *.avsc *.avdl *.avpr *.wsdl *.xsd *.raml
            *.smithy *.capnp *.fbs *.webidl *.idl *.asn1 *.tsp *.wit *.prisma *.jsonschema *.rng *.aidl
            *.apib"""
        ),
    ),
    PathRule(
        "contract:name",
        FileClass.CONTRACT,
        re.compile(
            r"(?:.*[._-])?(?:openapi|swagger|asyncapi)(?:[._-].*)?\.(?:ya?ml|json)\Z"
            r"|(?:.*[._-])?schema\.(?:json|ya?ml)\Z|.*postman_collection\.json\Z|(?:schema|structure)\.(?:sql|rb)\Z",
            re.IGNORECASE,
        ),
    ),
)

_OBJECTS: Final = _set("json jsonc json5 yaml")

CONTRACT_TEXTS: Final = (
    TextRule(
        "contract:openapi",
        FileClass.CONTRACT,
        re.compile(r"(?:^|[{,]\s*)[\"']?(?:openapi|swagger|asyncapi)[\"']?\s*:\s*[\"']?\d", re.MULTILINE),
        4096,
        _OBJECTS,
    ),
    TextRule(
        "contract:json-schema",
        FileClass.CONTRACT,
        re.compile(r"(?:^|[{,])\s*[\"']?\$schema[\"']?\s*:\s*[\"']?https?://json-schema\.org/", re.MULTILINE),
        2048,
        _OBJECTS,
    ),
    TextRule(
        "contract:crd",
        FileClass.CONTRACT,
        re.compile(r"^kind:\s*CustomResourceDefinition\b", re.MULTILINE),
        2048,
        _OBJECTS,
    ),
)

DOC_RULES: Final = (
    PathRule(
        "doc:name",
        FileClass.DOC,
        re.compile(
            r"(?i:readme|change(?:s|log)|unlicense|(?:code[_-]of[_-])?conduct|history|news|releases?(?:[_-]notes)?|contributing|contributors|licen[cs]e"
            r"|copying|copyright|notice|authors|maintainers|governance|security|install"
            r"|installation|upgrad(?:e|ing)|migrat(?:ion|ing)|todo|faq|support|roadmap|hacking|thanks|credits"
            r"|changelog|architecture|glossary)(?:[._-].*)?\Z"
        ),
        languages=_PROSE | {""},
    ),
    PathRule(
        "doc:folder",
        FileClass.DOC,
        _folders("docs Docs doc Doc documentation Documentation wiki guides man"),
        by_name=False,
        languages=_PROSE | _set("html jupyter"),
    ),
)

CONFIG_RULES: Final = (
    PathRule("config:bazel", FileClass.CONFIG, re.compile(r"(?:BUILD|WORKSPACE|BUCK)(?:\.bazel)?\Z")),
    PathRule(
        "config:sphinx", FileClass.CONFIG, re.compile(r"(?:\A|/)docs?(?:/\w+)?/conf\.py\Z"), by_name=False
    ),
    PathRule(
        "config:name",
        FileClass.CONFIG,
        _names(
            """setup.py noxfile.py fabfile.py wscript *.config.js *.config.ts *.config.mjs *.config.cjs
            *.config.mts *.conf.js gulpfile.* gruntfile.* .*rc .*rc.js .*rc.cjs .*rc.json .*rc.y*ml
            package.swift build.gradle build.gradle.kts settings.gradle settings.gradle.kts build.sbt
            plugins.sbt mix.exs rebar.config project.clj deps.edn shadow-cljs.edn build.zig build.rs
            *.gemspec gemfile *.podspec podfile fastfile jenkinsfile vagrantfile rakefile *.nimble
            *.cabal dune dune-project *.opam makefile.pl build.pl makefile.am configure.ac configure.in
            cmakelists.txt meson.build default.nix flake.nix shell.nix package.json composer.json
            pom.xml *.csproj tsconfig*.json manifest.in build.bazel workspace.bazel module.bazel *.bzl
            tiltfile .gitignore .dockerignore robots.txt .mailmap codeowners .gitattributes .htaccess
            dockerfile.*"""
        ),
    ),
    PathRule(
        "config:folder",
        FileClass.CONFIG,
        re.compile(r"(?:\A|/)(?:\.github|\.circleci|\.gitlab|\.vscode|\.idea|\.devcontainer|requirements)/"),
        by_name=False,
        languages=_set("yaml json jsonc toml text requirements ini xml"),
    ),
)

DATA_RULES: Final = (
    PathRule(
        "data:folder",
        FileClass.DATA,
        _folders("locale locales i18n l10n translations lang data datasets dataset"),
        by_name=False,
        languages=_set("json jsonc json5 jsonl xml text csv toml yaml properties"),
    ),
)

DATA_TEXTS: Final = (
    TextRule("data:lfs-pointer", FileClass.DATA, re.compile(r"\Aversion https://git-lfs"), 60),
)

SETTINGS_JSON_CHARS: Final = 20_000
"""A JSON file larger than this that nothing names as configuration is data."""

BINARY_EXTENSIONS: Final = _set(
    """png jpg jpeg gif bmp ico icns webp avif tif tiff psd heic mp3 mp4 m4a wav ogg oga ogv webm flac avi mov
    mkv zip gz tgz bz2 xz 7z rar zst tar jar war ear whl egg gem nupkg deb rpm apk dmg iso exe dll so dylib a
    lib o obj class pyc pyo wasm node bin dat db sqlite sqlite3 mdb pdf doc docx xls xlsx ppt pptx odt ods odp
    epub ttf otf woff woff2 eot mo npy npz pkl pickle pt pth onnx h5 hdf5 parquet feather arrow avro orc
    tfrecord safetensors gguf"""
)
"""Extensions of files that are binary, for files whose content is not at hand."""
