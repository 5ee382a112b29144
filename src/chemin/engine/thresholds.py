"""What counts as zero, as a tie, as too far? Every numeric constant of the engine, with its reason.

A constant that is a size is relative: to the numbers whose difference it judges, to the objective, to the first l1.
"""

from __future__ import annotations

# Directions
NOTHING = 1e-12  # a null-space component below this fraction of ρ is rounding
AT_REST = (1e-12, 1e-10, 1e-11, 1e-9)  # a rate below this share of the others is no motion; the
# first ordinarily, the next ones where the path was lost: taking in a point or column that nearly
# depends on the sets spoils their matrix, leaving one out counts where β goes far

WIDE_NULL_SPACE = 96  # columns of Q that are worth keeping for the null space

# Rounded kinks
FLAT = 1e-26  # of a column's own curvature: where others leave less of it, they make it up
BARE = 1e-6  # of the curvature that a column could have, for one that has none
POORLY_APART = 1e-6  # of that curvature: what is left is then computed once more
LEFT_OF_A_PIVOT = 1e-4  # taking a point away that leaves less of a pivot loses too many digits
NEXT_TO_NOTHING = 1e-20  # of ‖α‖²: what would be left of the dual values at l1 = 0 is rounding
STILL = 1e-14  # of what a score moves by: a sum of its terms below this is rounding
MET = 1e-14  # of a right-hand side: what a solution misses is then rounding,
EVENTS_FOR_AN_ILL_ONE = 19  # that it counts for, beside its own, on the way to the next full check
WELL_APART = 0.3  # of its curvature that others leave of a column: solutions need no refinement,
TRUSTED_SOLUTIONS = 7  # and after one that had none so many are not looked at
MISSED = 1e-11  # and it is not where the factor is at fault
WEAK_RIDGE = 1e-8  # of the largest curvature of a column: less cannot keep dependent columns apart
VARIABLES_PER_POINT = 1.5  # of the elbow, beyond which the system is that of the points

# Ties: slacks below these shares of what they are differences of are reached together
TIED_MARGIN = 1e-13
TIED_DUAL = 1e-13
TIED_DUAL_PER_RIDGE = 1e-8  # an error δ in α is an error δ/l2 in b: the smaller l2, the finer
TIED_BESIDE_L1 = 1e-4  # thresholds l1 v_j are slacks themselves: ties must stay far below them
FINEST = 4e-15  # and no finer than rounding
PIVOTS_IN_A_TIE = 20  # times the number of points and variables involved, before giving up

# Ends
L1_ROUNDING = 1e-13  # below this share of the l1 that the dual values can tell, all is rounding
NEAR_THE_END = 1e-10  # of the first l1: there a direction may be rounding; the last check judges
AT_THE_END = 1 - 1e-11  # an event this close to the last l1 is that end seen through rounding
DECADE = 0.1  # dual values that shrink together are refreshed each time they have lost a digit

# Full checks
EVENTS_BETWEEN_CHECKS = 200
EVENTS_BETWEEN_SUMS = 2000  # correlations are then computed afresh, not from what has moved
TRUSTED_GAP = 1e-9  # of the objective: above, the path is lost
DRIFT = 1e-10  # margins missed by more than this call for a new factorisation
OUTSIDE = 1e-8  # of the largest weight: α may leave its interval by its rounding only
INSIDE = 1e-12  # of a point's interval: a refresh must not leave it by more
SLIDE_EXACT = 1e-13  # of β: how far a refresh may move a point of the path along its null space,
SLIDE_APPROXIMATE = 1e-6  # and a solution found by other means
HARMLESS = 1e-11  # a gap above which a refresh has to show that it is good for something,
ON_THE_MARGIN = 1e-8  # where the points that belong there are there, but for this
VANISHING = 1e-12  # where l1 v_j = 0, a correlation below this share of its terms is zero
SCORE_ROUNDING = 1e-13  # of a score: more than its rounding
SCORE_EPS = 1e-15  # of a score: its rounding, as seen

# Screening
CHOICES_IN_VAIN = 1000  # of what to watch, one after another without a step
FEWEST_WATCHED = 48
FIRST_RESIDENT = 4096  # columns
MOST_WHOLE = 16384  # columns of an array in memory that are all resident
ROWS_AT_FIRST = 256
SHORTEST_REACH = 1e-12  # within which rows are near at first, however many are at a kink
ALIKE = 1e-9  # of their largest entries: columns that vary less on the margin are taken for ordinary ones
MEMORY_OF_COSTS = 0.8  # steps differ a hundredfold in length: one choice alone says little
COST_OF_ROWS = 50.0  # choosing among the near rows, in uses of one row: measured
COST_OF_ALL_ROWS = 100.0
COST_OF_COLUMNS = 5e3  # likewise, in multiplications
COLUMN_CHOICE = 10.0  # per column
COLUMN_UPDATE = 0.4  # per entry
WATCHED_COLUMN = 12.0  # multiplications that one column costs at an event, beside 0.5 per point
READ_COLUMN = 4.0  # and at a reading of the resident columns
WATCH_ALL = 256  # so few columns are watched without a choice
UNBALANCED = 1e-6  # of a column's norm: what rounding leaves of Σ Δu_i is far below
CLIP = 30.0  # how much more or less than the margin another part of u is taken to move
OF_THE_LARGEST = 0.3  # how much of its largest entry a column ordinarily has
CLOSE = 1.0 - 1e-9  # a computed distance is trusted up to here
RESIDENT_BYTES = 4096  # that a resident column may take, now and when it is chosen anew
AXES = 8  # directions of the margin that are stretched
AXES_WORTH = 1.3  # how much better a bound must be for them
AXES_POWER = 0.75
AXES_LARGEST = 1e6  # κ²
ENOUGH_COLUMNS = 125  # to know what they are like

# Recovery
MOST_TRIES = 3  # at one point, each with ties in another order
MOST_REPAIRS = 3  # in all
MOST_STARTS = 100  # of one path: beyond that, progress is too slow to be called so
