"""A real Ray cluster of two nodes, one killed in mid-run, gives the bytes of one process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from satchel import BatchResult, UsageError
from satchel.batch.engines import cluster

SCRIPT = Path(__file__).parent / "batch_ray_cluster.py"


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed: there is no wheel of it here")
def test_a_cluster_that_loses_a_node_gives_the_same_bytes(
    box: Path, batch: Callable[..., BatchResult], tree: Callable[[Path], dict[str, bytes]]
) -> None:
    batch("one")
    environment = {**os.environ, "RAY_DISABLE_IMPORT_WARNING": "1", "RAY_USAGE_STATS_ENABLED": "0"}
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(box / "tasks.yaml"), str(box / "ray")],
        capture_output=True,
        text=True,
        env=environment,
        cwd=box,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["cpus"] == 2
    assert told["killed"] == [3]
    assert told["counts"] == {"heuristic": 8}
    assert tree(box / "ray") == tree(box / "one")


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"satchel\[ray\]"):
        cluster.ClusterEngine()
