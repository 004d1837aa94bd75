"""linkbox keeps short links."""

from .codes import new_code
from .service import Service
from .store import Link, Store

__all__ = ["Link", "Service", "Store", "new_code"]
