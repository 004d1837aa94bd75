"""The base of every model of the contract, and the scalar types they share."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from .errors import SatchelError
from .parsing import schema_error


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
        try:
            return cls.model_validate_json(text)
        except ValidationError as error:
            raise schema_error(error, cls, text=text, file=file, line=line) from None
        except SatchelError as error:
            error.file, error.line = file or error.file, line or error.line
            raise

    @classmethod
    def from_data(cls, data: Any, *, file: str | None = None) -> Self:
        """Validate dicts and lists as ``json.loads`` gives them; raises as :meth:`from_json`."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise schema_error(error, cls, file=file) from None
        except SatchelError as error:
            error.file = file or error.file
            raise

    def to_data(self) -> dict[str, Any]:
        """Return plain JSON data in camelCase; fields that are ``None`` are left out."""
        return self.model_dump(mode="json", exclude_none=True)

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return the record as JSON text that ends in a newline; the same record gives the same bytes."""
        return self.model_dump_json(exclude_none=True, indent=indent) + "\n"


def _list_to_tuple_error(value: Any) -> Any:
    # A bare string is a sequence of characters to pydantic's tuple in Python mode: almost always a slip.
    if isinstance(value, str):
        raise PydanticCustomError("list_type", "should be a list, not a single text")
    return value


NonEmpty = Annotated[str, StringConstraints(min_length=1)]
"""A text with at least one character."""

Tokens = Annotated[int, Field(strict=True, ge=0, le=2**40)]
"""A token count: a whole number, 0 or more (the ceiling keeps sums within 64 bits)."""

Count = Annotated[int, Field(strict=True, ge=0, le=2**31 - 1)]
"""A small whole number, 0 or more."""

Score = Annotated[float, Field(ge=0.0, le=1.0)]
"""A score between 0 and 1, both included."""

Number = Annotated[float, Field(ge=-1e15, le=1e15)]
"""A finite number whose size leaves room for exact scaling."""

NonNegative = Annotated[float, Field(ge=0.0, le=1e15)]
"""A finite number, 0 or more."""

Listed = BeforeValidator(_list_to_tuple_error)
"""Refuses a bare text where a list is expected."""
