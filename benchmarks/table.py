"""How do the figures read as text?

Seconds alone are measured over the whole grid; "~" is extrapolated from the values reached, ">" is
what had been spent when the budget ended, "over" means that not one value was finished.
"""

from __future__ import annotations

PREFIX = {"complete": "", "estimate": "~", "lower bound": ">"}
NOT_OPTIMAL = -1e-9
WIDTHS = (20, 10, 10, 11, 11, 9, 8)
TITLES = ("peer", "seconds", "peer/ours", "worst", "median", "values", "1e-6?")


def format_line(cells: tuple[str, ...]) -> str:
    """Cells in columns, the first to the left."""
    first, *others = (cell.rjust(width) for cell, width in zip(cells, WIDTHS, strict=True))
    return "  " + first.strip().ljust(WIDTHS[0]) + "".join(others)


def format_peer(run: dict, ours: float) -> str:
    """One peer's line."""
    if run["seconds"] is None:
        return f"  {run['name'].ljust(WIDTHS[0])}{run['status'].rjust(WIDTHS[1])}  {run['message']}"
    mark = PREFIX[run["status"]]
    return format_line(
        (
            run["name"],
            f"{mark}{run['seconds']:.3g}",
            f"{mark}{run['seconds'] / ours:.2g}",
            f"{run['worst_excess']:.1e}",
            f"{run['median_excess']:.1e}",
            f"{run['values']}",
            "yes" if run["equal_accuracy"] else "no",
        )
    )


def fastest(runs: list[dict]) -> dict | None:
    """The quickest run at equal accuracy; a lower bound counts only when there is nothing else."""
    equal = [run for run in runs if run["equal_accuracy"]]
    known = [run for run in equal if run["status"] != "lower bound"]
    return min(known or equal, key=lambda run: run["seconds"], default=None)


def format_ratio(run: dict | None, ours: float) -> str:
    """A ratio in words: the peer, then how many times our time it takes."""
    if run is None:
        return "none reaches 1e-6 within the budget"
    return f"{run['name']} {PREFIX[run['status']]}{run['seconds'] / ours:.2g} × ours"


def format_verdict(row: dict) -> str:
    """The two ratios that sum a row up."""
    ours = row["ours"]["seconds"]
    interior = [run for run in row["peers"] if run["family"] == "interior point"]
    return (
        f"fastest at equal accuracy: {format_ratio(fastest(row['peers']), ours)}; "
        f"interior point: {format_ratio(fastest(interior), ours)}"
    )


def format_alarms(row: dict) -> list[str]:
    """A peer below our objective means that our path is not optimal there."""
    return [
        f"  !!! NOT OPTIMAL: {run['name']} is below our objective by {-run['least_excess']:.1e} !!!"
        for run in row["peers"]
        if (run["least_excess"] or 0.0) < NOT_OPTIMAL
    ]


def format_row(row: dict) -> str:
    """One row's block."""
    if "absent" in row:
        return f"\n{row['row']}: absent ({row['absent']})"
    ours = row["ours"]
    gap = "not certified" if ours["worst_gap"] is None else f"{ours['worst_gap']:.1e}"
    lines = [
        f"\n{row['row']} ({row['shape']}): ours {ours['seconds']:.3g} s, "
        f"{ours['breakpoints']} breakpoints, worst gap {gap}, "
        f"reading the grid {ours['reading_seconds']:.2g} s",
        f"  {ours['status']}",
        format_line(TITLES),
        *(format_peer(run, ours["seconds"]) for run in row["peers"]),
        *format_alarms(row),
        f"  {format_verdict(row)}",
    ]
    return "\n".join(lines)


def format_summary(rows: list[dict]) -> str:
    """One line per row."""
    lines = ["\nsummary"]
    for row in rows:
        if "absent" in row:
            lines.append(f"  {row['row']:<14} absent")
        else:
            seconds = f"{row['ours']['seconds']:.3g} s"
            lines.append(f"  {row['row']:<14}{row['shape']:<11}{seconds:<10}{format_verdict(row)}")
    return "\n".join(lines)
