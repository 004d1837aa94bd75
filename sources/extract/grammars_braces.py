"""Java, Kotlin, Scala, C# and Swift, as :mod:`.grammars` describes a language."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final

from .grammar import Grammar, roles, unless, words

_MODIFIERS: Final = r"(?:(?:[a-z]+|@\w+(?:\([^)]*\))?)\s+)*"

_JAVA: Final = Grammar(
    parser="java",
    prefix="java",
    containers=roles("class: class_declaration interface_declaration enum_declaration record_declaration"),
    definitions=roles(
        """
        method: method_declaration constructor_declaration compact_constructor_declaration
        type: annotation_type_declaration
        """
    ),
    transparent=words("enum_body_declarations"),
    comments=words("line_comment block_comment"),
    imports=words("import_declaration package_declaration"),
    constructors=words("constructor_declaration compact_constructor_declaration"),
    public=unless(r"\bprivate\b"),
    member_line=re.compile(
        r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:[\w<>\[\],.?]+\s+)*([A-Za-z_]\w*)\s*(?:[=;,(]|$)"
    ),
    test_mark=re.compile(r"@(?:\w+\.)*(?:Parameterized|Repeated)?Test\b"),
)

_KOTLIN: Final = Grammar(
    parser="kotlin",
    prefix="kt",
    containers=roles("class: class_declaration object_declaration companion_object"),
    definitions=roles(
        """
        function: function_declaration
        method: secondary_constructor
        type: type_alias
        constant: property_declaration
        """
    ),
    light=words("property_declaration"),
    cases=words("call_expression"),
    blocks=words("lambda_literal"),
    bodies=words("class_body enum_class_body function_body statements lambda_literal"),
    names=words("type_identifier simple_identifier variable_declaration multi_variable_declaration"),
    unnamed={"companion_object": "Companion", "secondary_constructor": "constructor"},
    comments=words("line_comment multiline_comment"),
    imports=words("import_list package_header file_annotation"),
    import_line=re.compile(r"\s*package\s+[\w.`]+\s*;?\s*$"),
    constructors=words("secondary_constructor anonymous_initializer"),
    public=unless(r"\b(?:private|internal)\b"),
    member_line=re.compile(
        rf"^\s*{_MODIFIERS}(?:va[lr]\s+(?:[\w<>?*, ]+\.)?([A-Za-z_]\w*)|([A-Z]\w*)\s*(?:\(.*\))?\s*[,;]?\s*$)"
    ),
    test_mark=re.compile(r"@(?:\w+\.)*(?:Parameterized|Repeated)?Test\b"),
    # The grammar takes the comment below a package clause for a part of it.
    mask=re.compile(r"^package[ \t]+[\w.`]+[ \t]*$", re.MULTILINE),
)

_SCALA: Final = Grammar(
    parser="scala",
    prefix="scala",
    containers=roles(
        """
        class: class_definition object_definition enum_definition package_object given_definition
        trait: trait_definition
        """
    ),
    definitions=roles(
        """
        function: function_definition function_declaration
        type: type_definition
        impl: extension_definition
        constant: val_definition val_declaration var_definition var_declaration
        """
    ),
    transparent=words("package_clause template_body"),
    light=words("type_definition val_definition val_declaration var_definition var_declaration"),
    cases=words("call_expression infix_expression"),
    blocks=words("block"),
    unnamed={"given_definition": "given", "extension_definition": "extension"},
    comments=words("comment block_comment"),
    attributes=words("annotation"),
    imports=words("import_declaration export_declaration"),
    import_line=re.compile(r"\s*package\s+[\w.]+\s*$"),
    constructors=words("this"),
    public=unless(r"\bprivate\b"),
    member_line=re.compile(rf"^\s*{_MODIFIERS}(?:va[lr]|type|case)\s+([A-Za-z_]\w*)"),
    test_mark=re.compile(r"@(?:\w+\.)*Test\b"),
)

_CSHARP: Final = Grammar(
    parser="csharp",
    prefix="cs",
    containers=roles(
        """
        class: class_declaration struct_declaration record_declaration interface_declaration
        class: enum_declaration
        """
    ),
    definitions=roles(
        """
        method: method_declaration constructor_declaration destructor_declaration
        method: operator_declaration conversion_operator_declaration indexer_declaration
        function: local_function_statement
        type: delegate_declaration
        constant: property_declaration event_declaration field_declaration event_field_declaration
        """
    ),
    transparent=words(
        """namespace_declaration file_scoped_namespace_declaration declaration_list
        global_statement preproc_if preproc_elif preproc_else"""
    ),
    light=words(
        """property_declaration event_declaration field_declaration event_field_declaration
        delegate_declaration"""
    ),
    bodies=words("accessor_list arrow_expression_clause"),
    unnamed={
        "operator_declaration": "operator",
        "conversion_operator_declaration": "operator",
        "indexer_declaration": "this",
    },
    imports=words("using_directive extern_alias_directive"),
    import_line=re.compile(r"\s*(?:namespace\s+[\w.]+\s*;|#nullable\b)"),
    constructors=words("constructor_declaration"),
    public=unless(r"\b(?:private|internal)\b"),
    member_line=re.compile(
        r"^\s*(?:(?:[\w<>\[\],.?]+\s+)+([A-Za-z_]\w*)\s*(?:[=;,({]|$)|([A-Z]\w*)\s*(?:=[^=].*)?,?\s*$)"
    ),
    conditionals=True,
    test_mark=re.compile(r"\[(?:Fact|Theory|Test|TestCase|TestMethod|DataTestMethod|Benchmark)\b"),
)

_SWIFT_PUBLIC: Final = re.compile(r"^[^({]*?\b(?:public|open)\b")

_SWIFT: Final = Grammar(
    parser="swift",
    prefix="swift",
    containers=roles(
        """
        class: class_declaration
        trait: protocol_declaration
        """
    ),
    keywords={"extension": "impl"},
    definitions=roles(
        """
        function: function_declaration protocol_function_declaration
        method: init_declaration deinit_declaration subscript_declaration
        type: typealias_declaration associatedtype_declaration
        macro: macro_declaration
        constant: property_declaration protocol_property_declaration
        """
    ),
    light=words(
        "property_declaration protocol_property_declaration typealias_declaration associatedtype_declaration"
    ),
    cases=words("call_expression"),
    blocks=words("lambda_literal"),
    bodies=words("computed_property"),
    names=words("user_type"),
    unnamed={
        "init_declaration": "init",
        "deinit_declaration": "deinit",
        "subscript_declaration": "subscript",
    },
    comments=words("comment multiline_comment"),
    imports=words("import_declaration"),
    constructors=words("init_declaration"),
    joined=words("impl"),
    public=lambda _name, head, exported: exported or bool(_SWIFT_PUBLIC.search(head)),
    member_line=re.compile(
        r"^\s*(?:(?:[a-z]+(?:\(\w+\))?|@\w+(?:\([^)]*\))?)\s+)*(?:let|var|case)\s+([A-Za-z_]\w*)"
    ),
    test_mark=re.compile(r"@Test\b"),
)

BRACES: Final = MappingProxyType(
    {"java": _JAVA, "kotlin": _KOTLIN, "scala": _SCALA, "csharp": _CSHARP, "swift": _SWIFT}
)
"""By the language names of the classifier."""
