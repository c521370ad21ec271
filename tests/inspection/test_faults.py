"""`diagnose` names the right cause of every fault, each built on a real MongoDB."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from mongorecall.inspection._next_steps import NEXT_STEP
from tests.inspection.scenarios import scenario
from tests.inspection.world import Scenario, World


@pytest.mark.seed("I-010", "I-013", "I-015", "I-021")
@pytest.mark.parametrize("fault", scenario.all, ids=lambda fault: fault.name)
async def test_the_cause_of_a_fault_is_named(fault: Scenario, world: World) -> None:
    """The one cause is right, its next step is said, and healthy searches are called healthy."""
    diagnosis = await fault.run(world)

    assert diagnosis.cause == fault.cause, str(diagnosis)
    assert [check.name for check in diagnosis.checks] == ["WRITTEN", "KEY", "MATCH_RULES", "INDEXED_CONTENT"]
    if fault.cause is None:
        assert diagnosis.hits > 0
        assert diagnosis.next_step is None
    else:
        assert diagnosis.next_step is not None
        assert diagnosis.next_step.startswith(NEXT_STEP[fault.cause])
        assert any(check.cause == fault.cause and check.ok is False for check in diagnosis.checks)
    assert json.loads(json.dumps(diagnosis.to_dict()))["cause"] == fault.cause


def test_every_cause_has_three_faults() -> None:
    """Three faults for each cause that the store can have, and five healthy searches."""
    counted = Counter(fault.cause for fault in scenario.all)

    assert len(scenario.all) >= 60
    assert counted[None] >= 5
    assert {cause for cause, count in counted.items() if count >= 3} - {None} == NEXT_STEP.keys() - {
        "unreachable",  # test_unanswered
        "permission",
    }
