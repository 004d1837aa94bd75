"""Satchel for programs that speak the Model Context Protocol (docs/mcp.md)."""

from __future__ import annotations

from .desk import Desk
from .server import serve

__all__ = ["Desk", "serve"]
