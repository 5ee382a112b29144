"""Why does the loop return?"""

from __future__ import annotations

from enum import IntEnum


class Reason(IntEnum):
    """What the loop needs, or why it ends."""

    GOES_ON = 0  # inside the loop: the pivot is to be made
    AGAIN = 1  # inside the loop: something else is watched now
    ENDED = 2
    ENOUGH = 3  # events
    CHECK = 4  # a full check is due
    OPENS = 5  # the first step that moves β
    COLUMNS = 6  # other resident columns are needed
    UNBOUNDED = 7  # nothing bounds the step
    UNORDERED = 8  # ties that have no order
