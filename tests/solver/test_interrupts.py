"""Ctrl-C while a problem is solved: what is in hand is returned, marked, wherever it strikes."""

from __future__ import annotations

import os
import signal

import pytest

from bench.generate import generate
from bench.spec import spec_of
from satchel.models import Status, StopReason
from satchel.solver.backends.interruptible import interrupted, listening
from satchel.solver.options import Progress, SolveOptions
from satchel.solver.solve import solve
from satchel.solver.verify import verify


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_first_signal_is_a_wish_and_a_second_one_ends(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with listening():
        with listening():
            os.kill(os.getpid(), number)
            assert interrupted()
        assert interrupted()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
    assert not interrupted()
    assert signal.getsignal(number) == before


@pytest.mark.parametrize("stage", ["greedy", "relaxation", "rounding", "cuts", "proof"])
def test_the_pack_in_hand_is_returned_at_every_stage(stage: str) -> None:
    problem = generate(spec_of(200, []), 0)

    def strike(progress: Progress) -> None:
        if progress.stage == stage and not interrupted():
            os.kill(os.getpid(), signal.SIGINT)

    context = solve(problem, SolveOptions(on_progress=strike))
    assert context.solver.stop_reason is StopReason.INTERRUPT
    assert context.solver.status is Status.FEASIBLE
    assert not context.solver.reproducible
    assert verify(context, problem).passed
