"""What files are for: by convention, name, folder and content, in the languages that people document."""

from __future__ import annotations

import pytest

from satchel.sources.classify import Classification, classify
from satchel.sources.file_classes import FileClass
from satchel.sources.languages import BY_EXTENSION, ROLES, language_of

BY_PATH = {
    FileClass.SOURCE: """
        src/click/core.py app/models/vendor.rb src/main/java/com/example/App.java lib/index.ts cmd/main.go
        src/lib.rs django/test/client.py spring-test/src/main/java/org/springframework/test/web/Client.java
        src/main/java/okhttp3/CipherSuite.java k8s/PodSpec.java tokio-test/src/task.rs latest.js contest.py
        src/Protest.kt internal/testing/helper.go src/attest.c lib/latest_version.rb src/data/store.ts
        pkg/credentials/provider.go app/conf.py celery/tasks.py scripts/build.sh src/documentation.py
        src/generator.py src/lock.rs src/minify.js lib/example.com/client.go schema.py
    """,
    FileClass.TEST: """
        tests/test_core.py pkg/tests/conftest.py core_test.py app/tests.py test/unit/helper.py
        src/Button.test.tsx src/button.spec.ts src/__tests__/a.js cypress/e2e/login.cy.js e2e/start.ts
        server_test.go pkg/testdata/in.yaml tests/common/mod.rs src/tests.rs
        src/test/java/a/FooTest.java core/src/main2/FooTests.java a/FooIT.java a/TestFoo.java
        app/src/androidTest/kotlin/A.kt core/FooSpec.scala core/FooSuite.scala a/FooTest.kt
        MyApp.Tests/Sums.cs Sums/SumsTests.cs spec/models/user_spec.rb test/user_test.rb spec/spec_helper.rb
        tests/Unit/UserTest.php Tests/AppTests/SumTests.swift test/widget_test.dart test/sum_test.exs
        test/sum_SUITE.erl test/core_test.clj test/Spec.hs spec/a_spec.lua t/basic.t test/run.bats
        test_sum.c sum_unittest.cc SumTest.cpp test/runtests.jl tests/testthat/test-a.R features/a.feature
        integration-tests/run.py fixtures/users.json spec/fixtures/x.yml test/fixtures/openapi.yaml
    """,
    FileClass.EXAMPLE: """
        examples/hello.py example/src/main/java/com/acme/Main.java samples/Demo.cs demo/index.js
        crates/a/examples/walk.rs examples/openapi.yaml example_usage.py packages/x/playground/a.ts
        examples/notebook.ipynb
    """,
    FileClass.CONTRACT: """
        api/v1/service.proto schema.graphql schema.prisma openapi.yaml docs/openapi.json petstore.swagger.json
        asyncapi.yml user.schema.json db/schema.rb structure.sql events.avsc service.wsdl types.xsd api.thrift
    """,
    FileClass.DOC: """
        README.md readme.rst README README_KO.md docs/guide/start.md docs/index.rst CHANGELOG.md CHANGES.rst
        LICENSE COPYING LICENSE-MIT CONTRIBUTING.md docs/api.adoc notes.org docs/page.html guide.mdx
        tests/README.md examples/README.md docs/examples/first.md docs/flow.mmd diagrams/a.puml notebook.ipynb
        UNLICENSE docs/notes.txt docs/constraints.txt
    """,
    FileClass.CONFIG: """
        pyproject.toml setup.py setup.cfg package.json tsconfig.json Cargo.toml go.mod pom.xml
        build.gradle.kts
        Makefile Dockerfile Dockerfile.dev docker-compose.yml .github/workflows/ci.yml .eslintrc.json .babelrc
        vite.config.ts jest.config.js .editorconfig .gitignore requirements.txt requirements-dev.txt
        requirements/dev.txt CMakeLists.txt Jenkinsfile Gemfile Rakefile .env.example config/app.yml.example
        main.tf values.yaml docs/conf.py MANIFEST.in BUILD WORKSPACE BUILD.bazel build.rs .clang-format
        src/main/resources/application.properties
    """,
    FileClass.LOCK: """
        poetry.lock package-lock.json yarn.lock Cargo.lock go.sum Gemfile.lock uv.lock pnpm-lock.yaml
        composer.lock web/app/package-lock.json Podfile.lock flake.lock gradle.lockfile
    """,
    FileClass.GENERATED: """
        src/generated/users-client.ts api/service_pb2.py api/service_pb2_grpc.pyi api/service.pb.go
        api/service_grpc.pb.go lib/model.g.dart Form.Designer.cs a.generated.ts app.js.map
        zz_generated.deepcopy.go
        flag_string.go src/__snapshots__/a.snap ui_main.py schema/__generated__/types.ts
    """,
    FileClass.MINIFIED: "dist/app.min.js css/site.min.css lib/a-min.js",
    FileClass.VENDORED: """
        node_modules/x/index.js vendor/github.com/a/b.go third_party/zlib/zlib.c pip/_vendor/rich/table.py
        static/js/jquery-3.7.1.min.js externals/a/b.cpp vendor/a/package-lock.json gradlew Pods/A/a.m
    """,
    FileClass.DATA: """
        data/points.csv events.jsonl logo.svg locale/de/LC_MESSAGES/django.po app/locales/de.json fix.patch
        py.typed run.log
    """,
    FileClass.BINARY: "logo.png app.exe fonts/a.woff2 model.onnx lib/x.jar",
}


@pytest.mark.parametrize(
    ("path", "file_class"),
    [(path, file_class) for file_class, paths in BY_PATH.items() for path in paths.split()],
)
def test_class_by_path(path: str, file_class: FileClass) -> None:
    """Conventions of each language decide; the rule and what it saw are stated."""
    found = classify(path)
    assert found.file_class is file_class, found
    assert found.rule.partition(":")[0] == file_class
    assert found.evidence


@pytest.mark.parametrize(
    ("path", "text", "rule", "evidence"),
    [
        ("a.go", "// Code generated by protoc. DO NOT EDIT.\n\npackage a\n", "generated:marker", "line 1"),
        ("a.py", "#!/usr/bin/python\n# Generated by Django 4.2 on 2024\n", "generated:marker", "line 2"),
        ("a.ts", "/**\n * @generated SignedSource<<abc>>\n */\n", "generated:marker", "line 2"),
        ("a.rs", "// @generated\n", "generated:marker", "line 1"),
        ("a.cs", "//----\n// <auto-generated>\n//  by a tool\n", "generated:marker", "line 2"),
        ("a.js", "/* lint */\n// This file was automatically generated by x\n", "generated:marker", "line 2"),
        ("a.sql", "-- this file is auto-generated\n", "generated:marker", "line 1"),
        ("a.md", "<!-- This file is generated. Do not edit it. -->\n# API\n", "generated:marker", "line 1"),
        ("a.yaml", "# DO NOT EDIT - managed by x\nkey: 1\n", "generated:marker", "line 1"),
        ("api.yaml", "# ours\nopenapi: 3.1.0\ninfo: {}\n", "contract:openapi", "line 2: openapi: 3"),
        ("api.json", '{\n  "swagger": "2.0"\n}\n', "contract:openapi", "line 2"),
        ("api.json", '{"openapi":"3.0.0"}', "contract:openapi", "line 1"),
        ("user.json", '{"$schema": "https://json-schema.org/schema"}', "contract:json-schema", "line 1"),
        ("crd.yaml", "apiVersion: x\nkind: CustomResourceDefinition\n", "contract:crd", "line 2"),
        ("a.bin.txt", "version https://git-lfs.github.com/spec/v1\noid 1\n", "data:lfs-pointer", "line 1"),
        ("big.json", '{"a": 1}' + " " * 30_000, "data:size", "30008 characters"),
    ],
)  # fmt: skip
def test_class_by_content(path: str, text: str, rule: str, evidence: str) -> None:
    """A35: markers in the first lines, and contracts whatever they are called."""
    found = classify(path, text)
    assert found.rule == rule
    assert found.evidence.startswith(evidence)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("gen.py", 'MARKER = "@generated"\nTEXT = "Code generated by us. DO NOT EDIT."\n'),
        ("gen.py", "# Writes files that say DO NOT EDIT BELOW in their head\nx = 1\n"),
        ("a.py", "# keys are generated by the database\nx = 1\n"),
        ("a.py", "# auto-generated keys are unique\nx = 1\n"),
        ("a.py", "x = 1\n" * 30 + "# Code generated by x. DO NOT EDIT.\n"),
        ("a.go", "// do not modify the order of these fields\npackage a\n"),
        ("a.md", "# Generated files\n\nFiles with `DO NOT EDIT` are generated by x.\n"),
        ("ci.yml", "# DO NOT EDIT EXCEPT WHERE INDICATED\non: push\n"),
        ("openapi.py", "# openapi: 3.0\n"),
        ("a.yaml", "key: openapi: 3\nnested:\n  openapi: 3.0\n"),
    ],
)
def test_what_only_speaks_of_generated_files_is_not_generated(path: str, text: str) -> None:
    """A mention is no marker."""
    assert classify(path, text).file_class in (FileClass.SOURCE, FileClass.DOC, FileClass.CONFIG)


@pytest.mark.parametrize(
    ("path", "text", "file_class"),
    [
        ("app.js", "var a=1;" * 500, FileClass.MINIFIED),
        (
            "app.js",
            "/* licence */\n" + "function(){}" * 400 + "\n//# sourceMappingURL=a\n",
            FileClass.MINIFIED,
        ),
        ("app.css", "a{b:c}" * 300, FileClass.MINIFIED),
        ("app.js", "var a = 1;\n" * 500, FileClass.SOURCE),
        ("app.js", "var a=1;" * 50, FileClass.SOURCE),
        ("icon.py", "ICON = '" + "A" * 9000 + "'\n" + "x = 1\n" * 50, FileClass.MINIFIED),
        ("page.md", "A long paragraph. " * 500, FileClass.DOC),
        ("table.py", "x = 1  # a comment\n" * 500 + "T = '" + "A" * 3000 + "'\n", FileClass.SOURCE),
    ],
)
def test_minified_by_the_shape_of_its_lines(path: str, text: str, file_class: FileClass) -> None:
    """H-like bloat is told by content: long lines make code unreadable, not prose."""
    assert classify(path, text).file_class is file_class


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("a.py", None, "python"),
        ("A.PY", None, "python"),
        ("run", "#!/usr/bin/env python3\n", "python"),
        ("run", "#!/usr/bin/env -S uv run --script\n", "python"),
        ("run", "#!/usr/bin/python3.11 -u\n", "python"),
        ("run", "#!/bin/sh\n", "bash"),
        ("run", "#!/usr/bin/env node\n", "javascript"),
        ("run", "#! /usr/bin/perl -w\n", "perl"),
        ("run", "#!/opt/odd/thing\n", ""),
        ("a.h", "#include <x.h>\nint f(void);\n", "c"),
        ("a.h", "namespace a {\nclass B {};\n}\n", "cpp"),
        ("a.h", "#import <Foundation/Foundation.h>\n@interface A\n@end\n", "objc"),
        ("a.m", "function y = f(x)\n  y = x;\nend\n", "matlab"),
        ("a.m", "#import <A/A.h>\n", "objc"),
        ("a.ts", "export const a = 1\n", "typescript"),
        ("a.ts", '<?xml version="1.0"?>\n<TS></TS>\n', "xml"),
        ("a.tsx", None, "tsx"),
        ("a.jsx", None, "jsx"),
        ("a.mts", None, "typescript"),
        ("git.1", ".TH GIT 1\n", "man"),
        ("release-1.2", "notes\n", ""),
        ("Dockerfile", None, "dockerfile"),
        ("build", "#!/bin/bash\n", "bash"),
        ("BUILD", None, "starlark"),
        ("config.yml.dist", None, "yaml"),
        (".env.example", None, "dotenv"),
        ("docs/topics/a.txt", ".. _topic:\n\nTitle\n=====\n\n.. note:: x\n", "rst"),
        ("a.txt", "plain\n", "text"),
        ("LICENSE", "MIT\n", ""),
        ("feed", "<?xml version='1.0'?><a/>", "xml"),
        ("a.kt", None, "kotlin"),
        ("a.cs", None, "csharp"),
        ("a.swift", None, "swift"),
        ("a.scala", None, "scala"),
        ("a.php", None, "php"),
        ("a.rb", None, "ruby"),
        ("a.sql", None, "sql"),
    ],
)
def test_language(path: str, text: str | None, language: str) -> None:
    """By name, extension, first line, and by content where languages share an extension."""
    assert language_of(path, text)[0] == language
    assert classify(path, text).language == language


def test_the_tables_are_whole() -> None:
    """Every language has a role, and none is spelled in two ways."""
    assert set(BY_EXTENSION.values()) <= set(ROLES)
    assert all(language == language.lower().strip() for language in ROLES)
    assert all(extension == extension.lower() for extension in BY_EXTENSION)


def test_every_path_has_a_class() -> None:
    """Nothing raises and nothing is left without a rule, whatever the name."""
    for path in (
        "",
        "a",
        ".",
        "a/",
        "a\nb.py",
        "\udcff.py",
        ".env",
        "a" * 5000,
        "x/" * 500 + "y.py",
        "a>b\"'.js",
    ):
        for text in (None, "", "\n", "x", "\ufffd" * 10, "#!", "#!/usr/bin/env", "<?xml"):
            assert isinstance(classify(path, text), Classification)


def test_hostile_texts_end() -> None:
    """H04: no rule can be made to backtrack for long."""
    texts = ["# " + "auto " * 200_000, "# " + "generated " * 90_000, "/" * 1_000_000, '{"a":' * 200_000]
    texts += [("# " + "this file is " * 100 + "\n") * 800, " " * 1_000_000, ".. " * 300_000, "<" * 500_000]
    for path in (
        "a.py",
        "a.yaml",
        "a.txt",
        "a.h",
        "a/" * 300 + "b.java",
        "a_" * 2000 + ".cpp",
        "test" * 900 + ".rb",
    ):
        for text in texts:
            classify(path, text)
