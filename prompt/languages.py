"""Fence languages: a table of ours, so that nothing of a repository stands in a fence's info string."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Final

_BY_LANGUAGE: Final = {
    "bash": "sh bash zsh ksh bats",
    "bat": "bat cmd",
    "c": "c h",
    "clojure": "clj cljs cljc edn",
    "cmake": "cmake",
    "cpp": "cc cpp cxx hh hpp hxx ipp",
    "csharp": "cs csx",
    "css": "css",
    "csv": "csv",
    "dart": "dart",
    "diff": "diff patch",
    "dockerfile": "dockerfile",
    "elixir": "ex exs",
    "elm": "elm",
    "erlang": "erl hrl",
    "fortran": "f f90 f95 f03",
    "fsharp": "fs fsi fsx",
    "go": "go",
    "graphql": "graphql gql",
    "groovy": "groovy gradle",
    "haskell": "hs",
    "hcl": "hcl tf tfvars",
    "html": "html htm xhtml",
    "ini": "ini cfg conf editorconfig",
    "java": "java",
    "javascript": "js mjs cjs",
    "json": "json webmanifest ipynb",
    "jsonc": "jsonc json5",
    "jsx": "jsx",
    "julia": "jl",
    "kotlin": "kt kts",
    "latex": "tex sty bib",
    "less": "less",
    "lua": "lua",
    "make": "mk mak",
    "markdown": "md markdown",
    "mdx": "mdx",
    "mermaid": "mmd mermaid",
    "nim": "nim",
    "nix": "nix",
    "objc": "m mm",
    "ocaml": "ml mli",
    "perl": "pl pm",
    "php": "php",
    "plantuml": "puml plantuml",
    "powershell": "ps1 psm1 psd1",
    "prisma": "prisma",
    "properties": "properties",
    "proto": "proto",
    "python": "py pyi pyw pyx",
    "r": "r",
    "rst": "rst",
    "ruby": "rb rake gemspec",
    "rust": "rs",
    "sass": "sass",
    "scala": "scala sc sbt",
    "scss": "scss",
    "solidity": "sol",
    "sql": "sql",
    "svelte": "svelte",
    "swift": "swift",
    "thrift": "thrift",
    "toml": "toml",
    "tsx": "tsx",
    "typescript": "ts mts cts",
    "vim": "vim",
    "vue": "vue",
    "xml": "xml xsd xsl xslt svg pom csproj plist",
    "yaml": "yaml yml",
    "zig": "zig",
}

_BY_NAME: Final = {
    "cmakelists.txt": "cmake",
    "containerfile": "dockerfile",
    "dockerfile": "dockerfile",
    "gemfile": "ruby",
    "gnumakefile": "make",
    "go.mod": "go",
    "jenkinsfile": "groovy",
    "makefile": "make",
    "pipfile": "toml",
    "poetry.lock": "toml",
    "cargo.lock": "toml",
    "rakefile": "ruby",
}

_BY_EXTENSION: Final = {
    extension: language for language, extensions in _BY_LANGUAGE.items() for extension in extensions.split()
}


def language_of(path: str) -> str:
    """Return the fence language for ``path`` by its name or extension, or the empty string."""
    name = PurePosixPath(path).name.lower()
    return _BY_NAME.get(name) or _BY_EXTENSION.get(name.rpartition(".")[2] if "." in name else "", "")
