"""Runs a batch on a Ray cluster of two nodes on this machine, one of which is killed meanwhile: a script.

Prints JSON: the nodes that did pages before and after the kill, and the counts of the result.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from ray.cluster_utils import Cluster

from satchel import BatchOptions, PackOptions, SolveOptions, run_batch
from satchel.batch import Step
from satchel.batch.engines.cluster import ClusterEngine

STORE = 80 * 2**20
"""Bytes of each node's object store, about the least that Ray takes."""


def main() -> None:
    """Do what the arguments say: tasks file, folder."""
    cluster = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "object_store_memory": STORE, "include_dashboard": False},
    )
    second = cluster.add_node(num_cpus=1, object_store_memory=STORE)
    cluster.wait_for_nodes()
    killed: list[int] = []

    def on_step(step: Step) -> None:
        if step.done == 3:
            cluster.remove_node(second, allow_graceful=False)
            killed.append(step.done)

    try:
        engine = ClusterEngine(cluster.address)
        nodes = engine.jobs
        pack = PackOptions(solve=SolveOptions(solver="greedy"))
        result = run_batch(
            Path(sys.argv[1]),
            BatchOptions(folder=Path(sys.argv[2]), pack=pack, engine=engine, on_step=on_step),
        )
    finally:
        cluster.shutdown()
    workers = {entry.worker.partition(":")[0] for entry in result.seconds}
    print(json.dumps({"cpus": nodes, "killed": killed, "nodes": len(workers), "counts": result.counts}))


if __name__ == "__main__":
    main()
