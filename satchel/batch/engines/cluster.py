"""On the machines of a Ray cluster.

Each survey is put into Ray's object store once, from where every machine fetches it once and every worker
reads it in place. A page is a Ray task; one whose worker or machine is lost is tried again elsewhere. Workers
need Satchel in the same version, and no files: the texts of a page come back and are written here, unless
all machines share the output folder.
"""

from __future__ import annotations

import os
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ...models import SatchelError, UsageError
from ..preparing import unpacked_survey
from ..records import Seconds, failure_of
from ..schedule import Schedule
from ..surveys import Surveys
from ..working import Answer, Job, Shop
from . import Answers

RETRIES: Final = 3
"""How often a page is tried again whose worker or machine is lost."""

AHEAD: Final = 2
"""Tasks that wait for each processor: what is ahead is sent while it works."""

LOCAL_STORE: Final = 512 * 2**20
"""Bytes of the object store of a cluster that is started here because there is none."""

AUTO: Final = "auto"

_shops: dict[str, Shop] = {}
"""What this worker process has unpacked, by the digest of the survey."""


class ClusterError(SatchelError):
    """Ray lost a page for good, or broke off."""

    code = "worker_died"


class ClusterEngine:
    """Packs pages on a Ray cluster.

    Parameters
    ----------
    address
        Of the cluster (``HOST:PORT`` or ``ray://…``), or ``auto``: the one that this machine belongs to, or
        else one that is started on this machine alone for the run.
    shared
        The output folder is on a file system that all machines share: workers write into it themselves.

    Raises
    ------
    UsageError
        Ray is not installed, or there is no cluster at the address.
    """

    def __init__(self, address: str = AUTO, *, shared: bool = False) -> None:
        self.is_local = shared
        ray = _ray()
        self._started = False
        if not ray.is_initialized():
            self._started = True
            _connect(ray, address)
        self.jobs = max(1, int(ray.cluster_resources().get("CPU", 1)))

    def run(self, schedule: Schedule, surveys: Surveys) -> Answers:
        """Yield what becomes of each job."""
        ray = _ray()
        work = ray.remote(max_retries=RETRIES, num_cpus=1)(_work)
        stored: dict[str, Any] = {}
        under_way: dict[Any, Job] = {}
        try:
            while True:
                while len(under_way) < AHEAD * self.jobs:
                    job = schedule.next(wait=False)
                    if job is None:
                        break
                    if job.survey not in stored:
                        stored[job.survey] = ray.put(
                            np.frombuffer(surveys.packed(job.survey), dtype=np.uint8)
                        )
                    reference = work.remote(job, surveys.digest(job.survey), stored[job.survey])
                    under_way[reference] = job
                if not under_way:
                    return
                ready, _ = ray.wait(list(under_way), num_returns=1)
                for reference in ready:
                    job = under_way.pop(reference)
                    answer = _answer(ray, reference, job)
                    schedule.answered(job, answer)
                    yield answer
        finally:
            schedule.stop()
            for reference in under_way:
                ray.cancel(reference, force=True)
            if self._started:
                ray.shutdown()


def _work(job: Job, digest: str, survey: npt.NDArray[np.uint8]) -> Answer:
    """Do ``job`` in a worker of the cluster; ``survey`` is not copied, for it lies in the machine's store."""
    if digest not in _shops:
        found = unpacked_survey(survey.data)
        node = _ray().get_runtime_context().get_node_id()
        _shops[digest] = Shop(lambda _: found, f"{node[:12]}:{os.getpid()}")
    return _shops[digest].do(job)


def _answer(ray: Any, reference: Any, job: Job) -> Answer:
    try:
        answer: Answer = ray.get(reference)
    except ray.exceptions.RayError as error:
        why = " ".join(str(error).split())[:200]
        lost = ClusterError(
            f"the cluster lost this page {RETRIES + 1} times: {type(error).__name__}: {why}",
            hint="look at the memory of its machines, and run again with --resume",
        )
        return Answer(failure_of(job.page, lost, job.inputs), Seconds(task=job.page.id, attempts=RETRIES + 1))
    return answer


def _connect(ray: Any, address: str) -> None:
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        ray.init(address=address, **quiet)
    except ConnectionError as error:
        if address != AUTO:
            hint = "give the address of its head, such as 10.0.0.1:6379, or auto"
            raise UsageError(
                f"there is no Ray cluster: {error}", field="--ray", value=address, hint=hint
            ) from None
        ray.init(address="local", include_dashboard=False, object_store_memory=LOCAL_STORE, **quiet)


def _ray() -> Any:
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ImportError:
        hint = "install it with: pip install 'satchel[ray]'"
        raise UsageError("needs the package ray, which is not here", field="--ray", hint=hint) from None
    return ray
