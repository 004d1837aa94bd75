"""The base of every model of the contract, and the scalar types they share."""

from __future__ import annotations

import json
from functools import cache
from math import isfinite
from typing import Annotated, Any, ClassVar, Final, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError, PydanticSerializationError

from .errors import SatchelError, shorten
from .parsing import schema_error
from .reading import collector_paused, load_json, without_surrogates


class Model(BaseModel):
    """A frozen record: unknown fields are errors, JSON is camelCase, Python is snake_case.

    Both spellings are accepted on input; camelCase is written. The constructor and
    ``model_validate`` raise pydantic's ``ValidationError``; :meth:`from_json` and
    :meth:`from_data` raise errors of Satchel's own tree instead.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(
        alias_generator=to_camel,
        validate_by_alias=True,
        validate_by_name=True,
        serialize_by_alias=True,
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        str_strip_whitespace=False,
        hide_input_in_errors=True,
    )

    @classmethod
    def from_json(cls, text: str | bytes, *, file: str | None = None, line: int | None = None) -> Self:
        """Validate JSON text.

        Raises
        ------
        SchemaError, UnknownReferenceError, EnvelopeError, PolicyError
            Name ``file``, ``line``, field, value and what would be accepted.
        """
        with collector_paused():
            return cls._validated(load_json(text, file=file, line=line), file, line)

    @classmethod
    def from_data(cls, data: Any, *, file: str | None = None) -> Self:
        """Validate dicts and lists as ``json.loads`` gives them; raises as :meth:`from_json`."""
        with collector_paused():
            return cls._validated(data, file, None)

    @classmethod
    def trusted(cls, **values: Any) -> Self:
        """Return a record of values that are valid already, in no time; nothing is checked or converted.

        Where a hundred thousand records are built, validating them, or pydantic's ``model_construct``,
        takes longer than all the rest. Fields whose default is made anew for each record must be given.
        """
        record = cls.__new__(cls)
        # A frozen record sets nothing itself.
        _set_values(record, {**_defaults(cls), **values})
        _set_names(record, set(values))
        _set_extra(record, None)
        _set_private(record, None)
        return record

    @classmethod
    def _validated(cls, data: Any, file: str | None, line: int | None) -> Self:
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise schema_error(error, cls, file=file, line=line) from None
        except SatchelError as error:
            error.file, error.line = file or error.file, line or error.line
            raise

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data in camelCase; fields that are ``None`` are left out."""
        return self.model_dump(mode="json", exclude_none=True)

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return the record as JSON text that ends in a newline; the same record gives the same bytes.

        Lone surrogates, which no file can hold, are written as U+FFFD.
        """
        try:
            return self.model_dump_json(exclude_none=True, indent=indent) + "\n"
        except PydanticSerializationError:
            data = json.loads(without_surrogates(json.dumps(self.to_data(), ensure_ascii=False)))
            return type(self).model_validate(data).model_dump_json(exclude_none=True, indent=indent) + "\n"


_set_values, _set_names, _set_extra, _set_private = (
    BaseModel.__dict__[name].__set__
    for name in ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
)
"""The four parts of a record, set directly: half the time of ``object.__setattr__``, which looks them up."""


@cache
def _defaults(model: type[BaseModel]) -> dict[str, Any]:
    """Return the defaults of a model by field, in the order in which fields are written."""
    return {
        name: None if field.is_required() or field.default_factory else field.default
        for name, field in model.model_fields.items()
    }


def _list_to_tuple_error(value: Any) -> Any:
    # A bare string is a sequence of characters to pydantic's tuple in Python mode: almost always a slip.
    if isinstance(value, str):
        raise PydanticCustomError("list_type", "should be a list, not a single text")
    return value


def _plain_data(value: Any, depth: int = 0) -> Any:
    # An artifact is written, read again and compared by its bytes: only what JSON can say, in one way.
    if isinstance(value, str | int | None):
        return value
    if isinstance(value, float) and isfinite(value):
        return value
    if depth > DEEPEST:
        raise PydanticCustomError("data", "is nested too deeply")
    if isinstance(value, dict):
        for key, part in value.items():
            if not isinstance(key, str):
                raise PydanticCustomError("data", "must have texts as keys")
            _plain_data(part, depth + 1)
    elif isinstance(value, list | tuple):
        for part in value:
            _plain_data(part, depth + 1)
    else:
        raise PydanticCustomError(
            "data", "must hold finite numbers, texts, lists and objects only", {"value": shorten(value)}
        )
    return value


DEEPEST: Final = 20
"""How deep free data may be nested."""

Data = Annotated[dict[str, Any], AfterValidator(_plain_data)]
"""Free data that JSON can hold."""

NonEmpty = Annotated[str, StringConstraints(min_length=1)]
"""A text with at least one character."""

Tokens = Annotated[int, Field(strict=True, ge=0, le=2**40)]
"""A token count: a whole number, 0 or more (the ceiling keeps sums within 64 bits)."""

Count = Annotated[int, Field(strict=True, ge=0, le=2**31 - 1)]
"""A small whole number, 0 or more."""

Flag = Annotated[bool, Field(strict=True)]
"""true or false; texts and numbers are refused."""

Score = Annotated[float, Field(strict=True, ge=0.0, le=1.0)]
"""A score between 0 and 1, both included."""

Number = Annotated[float, Field(strict=True, ge=-1e15, le=1e15)]
"""A finite number whose size leaves room for exact scaling."""

NonNegative = Annotated[float, Field(strict=True, ge=0.0, le=1e15)]
"""A finite number, 0 or more."""

Listed = BeforeValidator(_list_to_tuple_error)
"""Refuses a bare text where a list is expected."""
