"""C and C++, as :mod:`.grammars` describes a language."""

from __future__ import annotations

import re
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from .grammar import Grammar, roles, unless, words

_C: Final = Grammar(
    parser="c",
    prefix="c",
    containers={},
    definitions=roles(
        """
        function: function_definition
        type: struct_specifier union_specifier enum_specifier type_definition
        macro: preproc_function_def preproc_def
        constant: declaration
        """
    ),
    transparent=words(
        """preproc_ifdef preproc_if preproc_else preproc_elif preproc_elifdef linkage_specification
        declaration_list"""
    ),
    light=words("declaration type_definition preproc_function_def preproc_def"),
    with_body=words("struct_specifier union_specifier enum_specifier"),
    declarators=True,
    imports=words("preproc_include"),
    import_line=re.compile(r"\s*#\s*(?:pragma|ifndef\s+\w+_H_*\b|include)"),
    public=unless(r"\bstatic\b"),
    member_line=re.compile(
        r"^\s*(?:#\s*define\s+(\w+)|typedef\b.*?(\w+)\s*;|(?:[\w:]+[\s*&]+)+\(?\**(\w+)"
        r"\s*(?:[\[\]\w ]*[=;,(){]|$)"
        r"|([A-Z_][A-Z0-9_]*)\s*(?:=[^=].*)?,?\s*$)"
    ),
    conditionals=True,
    mask_on_error=re.compile(
        r"^[ \t]*[A-Z][A-Z0-9_]{3,}(?:\([^()\n]*\))?[ \t]*$(?!\s*\{)"
        r"|\b[A-Z][A-Z0-9_]{3,}(?:\([^()\n]*\))?(?=[ \t]+(?:\w+[\s*&]+)+\w+\s*\()"
        r"|(?<=\))[ \t]+[A-Z][A-Z0-9_]{3,}(?:\([^()\n]*\))?(?=[ \t]*[;{])",
        re.MULTILINE,
    ),
)

_CPP: Final = replace(
    _C,
    parser="cpp",
    prefix="cpp",
    containers=roles("class: class_specifier struct_specifier union_specifier"),
    definitions=roles(
        """
        function: function_definition
        type: enum_specifier type_definition alias_declaration concept_definition
        macro: preproc_function_def preproc_def
        constant: declaration field_declaration
        """
    ),
    wrappers=words("template_declaration"),
    transparent=_C.transparent | words("namespace_definition export_declaration"),
    light=_C.light | words("field_declaration alias_declaration struct_specifier"),
    with_body=words("class_specifier struct_specifier union_specifier enum_specifier"),
    case_line=re.compile(
        r"\s*(?:TYPED_)?(?:TEST(?:_[FPM]|_CASE(?:_\w+)?|_SUITE)?|SCENARIO|BENCHMARK(?:_[A-Z]+)?"
        r"|BOOST_(?:AUTO|FIXTURE)_TEST_(?:CASE|SUITE)|TEMPLATE_TEST_CASE(?:_\w+)?|CATCH_TEST_CASE)"
        r"\s*\(\s*([^()]*(?:\([^()]*\)[^()]*)*)\)"
    ),
    access=words("access_specifier"),
    closed=re.compile(r"\s*class\b"),
    mask=re.compile(
        r"(?<=class )[A-Z][A-Z0-9_]+(?:\([^()\n]*\))?(?=\s+[A-Za-z_][\w:<>]*\s*(?:final\s*)?[:{])"
        r"|(?<=struct )[A-Z][A-Z0-9_]+(?:\([^()\n]*\))?(?=\s+[A-Za-z_][\w:<>]*\s*(?:final\s*)?[:{])"
    ),
)

NATIVE: Final = MappingProxyType({"c": _C, "cpp": _CPP, "cuda": _CPP})
"""By the language names of the classifier."""
