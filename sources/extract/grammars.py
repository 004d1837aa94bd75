"""What the table-driven extractor knows of each language: names of syntax nodes, and habits.

The node names are those of the tree-sitter grammars inside ``ast-grep-py``. A language is added by one
entry here; nothing else asks for a language by name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from .grammar import Grammar
from .grammars_braces import BRACES
from .grammars_native import NATIVE
from .grammars_scripts import SCRIPTS


def _python_public(name: str, _line: str, _exported: bool) -> bool:
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


_SCRIPT_HIDDEN: Final = re.compile(r"^\s*(?:static\s+|abstract\s+|readonly\s+)*(?:private|protected)\b")


def _script_public(name: str, line: str, exported: bool) -> bool:
    return exported and not name.startswith(("#", "_")) and not _SCRIPT_HIDDEN.match(line)


def _go_public(name: str, _line: str, _exported: bool) -> bool:
    return name[:1].isupper()


_RUST_PUBLIC: Final = re.compile(r"^\s*pub\b(?!\s*\((?:super|self|in)\b)")


def _rust_public(_name: str, line: str, exported: bool) -> bool:
    return exported or bool(_RUST_PUBLIC.match(line)) or line.lstrip().startswith(("macro_rules!", "impl"))


_PYTHON: Final = Grammar(
    parser="python",
    prefix="py",
    containers={"class_definition": "class"},
    definitions={"function_definition": "function", "type_alias_statement": "type"},
    wrappers=frozenset({"decorated_definition"}),
    transparent=frozenset(
        {
            "if_statement",
            "try_statement",
            "with_statement",
            "elif_clause",
            "else_clause",
            "except_clause",
            "finally_clause",
            "block",
        }
    ),
    values=frozenset({"expression_statement"}),
    imports=frozenset({"import_statement", "import_from_statement", "future_import_statement"}),
    docstrings=True,
    member_line=re.compile(r"^\s*(?:self\.)?([A-Za-z_]\w*)\s*(?::[^=]|=(?!=))"),
    constructors=frozenset({"__init__", "__new__", "__post_init__"}),
    public=_python_public,
)

_SCRIPT_CONTAINERS: Final = {
    "class_declaration": "class",
    "abstract_class_declaration": "class",
    "class": "class",
    "internal_module": "namespace",
    "module": "namespace",
}

_SCRIPT_DEFINITIONS: Final = {
    "function_declaration": "function",
    "generator_function_declaration": "function",
    "function_signature": "function",
    "function_expression": "function",
    "method_definition": "method",
    "abstract_method_signature": "method",
    "interface_declaration": "type",
    "type_alias_declaration": "type",
    "enum_declaration": "type",
}


def _script(parser: str, prefix: str) -> Grammar:
    return Grammar(
        parser=parser,
        prefix=prefix,
        containers=_SCRIPT_CONTAINERS,
        definitions=_SCRIPT_DEFINITIONS,
        wrappers=frozenset({"export_statement", "ambient_declaration"}),
        values=frozenset(
            {
                "lexical_declaration",
                "variable_declaration",
                "expression_statement",
                "public_field_definition",
                "field_definition",
            }
        ),
        functions=frozenset(
            {"arrow_function", "function_expression", "function", "generator_function", "class"}
        ),
        calls=True,
        attributes=frozenset({"decorator"}),
        imports=frozenset({"import_statement"}),
        constructors=frozenset({"constructor"}),
        joined=frozenset({"namespace"}),
        public=_script_public,
        exports=re.compile(
            r"\bexport\s*(?:type\s*)?\{[^}]*\}|\bexport\s+(?:default|=)\s+\w+"
            r"|\bexports(?:\.\w+)?\s*=\s*(?:\w+|\{[^}]*\})"
        ),
        member_line=re.compile(
            r"^\s*(?:(?:export|declare|public|protected|private|static|readonly|const|let|var)\s+)*"
            r"(?:this\.)?([A-Za-z_$][\w$]*)\s*[?!]?\s*(?:[:=(<,]|$)"
        ),
    )


_GO: Final = Grammar(
    parser="go",
    prefix="go",
    containers={},
    definitions={
        "function_declaration": "function",
        "method_declaration": "method",
        "type_declaration": "type",
    },
    values=frozenset({"const_declaration", "var_declaration"}),
    imports=frozenset({"import_declaration", "package_clause"}),
    public=_go_public,
    member_line=re.compile(r"^\s*(?:(?:const|var|type)\s+)?([A-Za-z_]\w*)(?:\s+[\w*\[(.=]|\(|$)"),
)

_RUST: Final = Grammar(
    parser="rust",
    prefix="rs",
    containers={
        "impl_item": "impl",
        "trait_item": "trait",
        "mod_item": "namespace",
        "foreign_mod_item": "namespace",
    },
    definitions={
        "function_item": "function",
        "function_signature_item": "function",
        "struct_item": "type",
        "enum_item": "type",
        "union_item": "type",
        "type_item": "type",
        "macro_definition": "macro",
    },
    values=frozenset({"const_item", "static_item"}),
    comments=frozenset({"line_comment", "block_comment"}),
    attributes=frozenset({"attribute_item"}),
    imports=frozenset({"use_declaration", "extern_crate_declaration", "inner_attribute_item"}),
    joined=frozenset({"impl", "namespace"}),
    public=_rust_public,
    member_line=re.compile(
        r"^\s*(?:pub(?:\(\w+\))?\s+)?(?:(?:const|static|type)\s+)?([A-Za-z_]\w*)\s*(?:[:,({=]|$)"
    ),
    test_mark=re.compile(r"#\[(?:\w+::)*test\b|#\[cfg\(test\)\]"),
)

GRAMMARS: Final[Mapping[str, Grammar]] = MappingProxyType(
    {
        "python": _PYTHON,
        "javascript": _script("javascript", "js"),
        "jsx": _script("javascript", "js"),
        "typescript": _script("typescript", "ts"),
        "tsx": _script("tsx", "ts"),
        "go": _GO,
        "rust": _RUST,
        **BRACES,
        **NATIVE,
        **SCRIPTS,
    }
)
"""By the language names of the classifier."""
