"""Ruby, PHP and shell, as :mod:`.grammars` describes a language."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final

from .grammar import Grammar, roles, unless, words

_RUBY: Final = Grammar(
    parser="ruby",
    prefix="rb",
    containers=roles(
        """
        class: class singleton_class
        namespace: module
        """
    ),
    definitions=roles("method: method singleton_method"),
    transparent=words("if unless begin body_statement then else rescue ensure"),
    values=words("assignment"),
    functions=words("lambda"),
    cases=words("call"),
    blocks=words("do_block block"),
    unnamed={"singleton_class": "self"},
    import_line=re.compile(r"\s*(?:require|require_relative|load|autoload)\b"),
    constructors=words("initialize"),
    joined=words("namespace"),
    public=lambda name, _head, _exported: not name.startswith("_"),
    access=words("identifier"),
    member_line=re.compile(
        r"^\s*(?:([A-Z]\w*)\s*(?:\|\|)?=(?!=)|@@?([a-z_]\w*)\s*(?:\|\|)?=(?!=)"
        r"|(?:attr_(?:reader|writer|accessor)|alias_method|alias|delegate|has_many|belongs_to|has_one|scope)"
        r"\s*\(?\s*:?([A-Za-z_]\w*))"
    ),
)

_PHP: Final = Grammar(
    parser="php",
    prefix="php",
    containers=roles(
        """
        class: class_declaration interface_declaration enum_declaration
        trait: trait_declaration
        """
    ),
    definitions=roles(
        """
        function: function_definition
        method: method_declaration
        constant: property_declaration const_declaration
        """
    ),
    transparent=words("namespace_definition compound_statement if_statement declaration_list"),
    values=words("expression_statement"),
    functions=words("anonymous_function arrow_function anonymous_class"),
    light=words("property_declaration const_declaration"),
    imports=words("namespace_use_declaration declare_statement php_tag"),
    import_line=re.compile(r"\s*(?:namespace\s+[\w\\]+\s*;|(?:require|include)(?:_once)?\b)"),
    constructors=words("__construct"),
    public=unless(r"\b(?:private|protected)\b"),
    member_line=re.compile(
        r"^\s*(?:(?:public|protected|private|static|readonly|var|final|abstract)\s+)*"
        r"(?:const\s+(?:\w+\s+)?(\w+)\s*=|case\s+(\w+)|(?:\??[\w\\|]+\s+)?\$(\w+)\s*[=;,]|define\(\s*['\"](\w+))"
    ),
    # The grammar knows no mark-up between `?>` and `<?php`.
    mask_on_error=re.compile(
        r"\A(?!<\?)[^<]*(?:<(?!\?php)[^<]*)*<\?php|(?P<end>\?>)[^<]*(?:<(?!\?)[^<]*)*(?:<\?(?:php\b|=)?|\Z)"
    ),
    test_mark=re.compile(r"#\[(?:\w+\\)*Test\b|^\s*\*?\s*@test\b", re.MULTILINE),
)

_BASH: Final = Grammar(
    parser="bash",
    prefix="sh",
    containers={},
    definitions=roles("function: function_definition"),
    transparent=words("if_statement compound_statement list"),
    values=words("variable_assignment declaration_command"),
    bodies=words("compound_statement subshell"),
    import_line=re.compile(r"\s*(?:\.|source)\s+\S"),
    public=lambda name, _head, _exported: not name.startswith("_"),
    member_line=re.compile(
        r"^\s*(?:(?:export|readonly|declare|typeset|local)\s+(?:-\w+\s+)*)?([A-Za-z_]\w*)\+?="
    ),
)

SCRIPTS: Final = MappingProxyType({"ruby": _RUBY, "php": _PHP, "bash": _BASH})
"""By the language names of the classifier."""
