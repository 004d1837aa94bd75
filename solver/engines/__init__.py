"""Other engines on the same program, for comparison: none of it is on the way of ``solve``."""

from .registry import ENGINES, EngineSpec, Feature, find_engine, judged, run_engine
from .result import EngineResult, EngineStatus, Point, Verdict

__all__ = [
    "ENGINES",
    "EngineResult",
    "EngineSpec",
    "EngineStatus",
    "Feature",
    "Point",
    "Verdict",
    "find_engine",
    "judged",
    "run_engine",
]
