"""Who imports whom? A drawing of the rooms of `src/chemin`, made from the imports.

    python docs/draw_rooms.py                  # writes docs/rooms.svg
    python docs/draw_rooms.py --out rooms.png

A room is a folder without folders in it, or a module that stands beside a folder; on the left every
folder of `src/chemin` is one room. An arrow goes the way of the data, from a room to one
that imports from it. Arrows that follow from others are left out: where A leads to B and B to C,
none is drawn from A to C. Two rooms that import from each other are joined by a dashed line with
two heads.

The layers are those of Sugiyama, Tagawa and Toda (1981), *Methods for visual understanding of
hierarchical system structures*: a room is below those it imports from, and rooms of a layer are
moved towards the mean of their neighbours.
"""

from __future__ import annotations

import argparse
import ast
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path as Outline

DOCS = Path(__file__).resolve().parent
SOURCE = DOCS.parent / "src" / "chemin"
SWEEPS = 40
WIDTH, HEIGHT = 1.18, 0.46  # of a box
ACROSS, DOWN = 1.36, 0.92  # from one box to the next

Graph = dict[str, set[str]]  # whom a room imports from


@dataclass
class Rooms:
    """Rooms, whom each imports from, and how many modules they have."""

    imports: Graph = field(default_factory=lambda: defaultdict(set))
    modules: Counter[str] = field(default_factory=Counter)


def read_rooms(source: Path, package: str, whole: Iterable[str] = ()) -> Rooms:
    """Read the rooms of a package and their imports; the folders listed as ``whole`` are one room each."""
    rooms = Rooms()
    whole = set(whole)
    for file in sorted(source.rglob("*.py")):
        module = ".".join((package, *file.relative_to(source).with_suffix("").parts))
        room = _room(module, package, whole)
        if room is None or (file.name == "__init__.py" and not file.read_text().strip()):
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        rooms.modules[room] += 1
        rooms.imports[room] |= set()
        for name in imported(tree):
            other = _room(name, package, whole)
            if other is not None and other != room:
                rooms.imports[room].add(other)
    known = set(rooms.modules)
    rooms.imports = {room: rooms.imports[room] & known for room in sorted(known)}
    return rooms


def imported(tree: ast.AST) -> Iterable[str]:
    """Hand out the modules that a file imports from; Cython's `cimports` are imports too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name.removeprefix("cython.cimports.") for name in names)


def _room(module: str, package: str, whole: set[str]) -> str | None:
    """Return the room of a module: its folder, or itself where it stands beside a folder."""
    if not module.startswith(f"{package}."):
        return None
    parts = [part for part in module.removeprefix(f"{package}.").split(".") if part != "__init__"]
    if not parts:
        return None
    folder = SOURCE.joinpath(*package.split(".")[1:])
    for depth, part in enumerate(parts):
        folder /= part
        if not folder.is_dir():
            return "/".join(parts[: depth + 1])
        if part in whole or not any(_is_package(inside) for inside in folder.iterdir()):
            return "/".join(parts[: depth + 1])
    return None


def _is_package(folder: Path) -> bool:
    return (folder / "__init__.py").exists()


def mutual(imports: Graph) -> set[tuple[str, str]]:
    """Return the pairs of rooms that import from each other."""
    pairs = ((a, b) for a, others in imports.items() for b in others if a < b)
    return {(a, b) for a, b in pairs if a in imports[b]}


def without_cycles(imports: Graph, above: Mapping[str, int]) -> Graph:
    """Leave out, of two imports in opposite directions, the one that goes against the flow of data.

    A module that many rooms import from is above those that import from many.
    """
    kept = {room: set(others) for room, others in imports.items()}
    for a, b in mutual(imports):
        upper, lower = (a, b) if above[a] >= above[b] else (b, a)
        kept[upper].discard(lower)
    return kept


def reduced(imports: Graph, kept: set[tuple[str, str]]) -> Graph:
    """Leave out what follows from the rest, but for some pairs."""

    def reach(room: str) -> set[str]:
        found: set[str] = set()
        waiting = list(imports[room])
        while waiting:
            other = waiting.pop()
            if other not in found:
                found.add(other)
                waiting += imports[other]
        return found

    implied = {room: set().union(*(reach(b) for b in imports[room])) for room in imports}
    for a, b in kept:
        implied[a].discard(b)
        implied[b].discard(a)
    return {room: imports[room] - implied[room] for room in imports}


def layers_of(imports: Graph) -> dict[str, int]:
    """Return the layer of every room: below those it imports from, as near as can be to its users."""
    layer: dict[str, int] = {}

    def of(room: str) -> int:
        if room not in layer:
            layer[room] = 1 + max((of(other) for other in imports[room]), default=-1)
        return layer[room]

    for room in imports:
        of(room)
    for room in sorted(layer, key=lambda name: (-layer[name], name)):
        users = [layer[user] for user, others in imports.items() if room in others]
        layer[room] = min(users, default=layer[room] + 1) - 1
    return layer


def places_of(imports: Graph, layer: dict[str, int]) -> tuple[dict[str, float], dict]:
    """Return the horizontal place of every room, and the bends of every arrow."""
    rows: dict[int, list[str]] = defaultdict(list)
    for room in sorted(layer):
        rows[layer[room]].append(room)
    links: dict[str, list[str]] = defaultdict(list)
    bends: dict[tuple[str, str], list[str]] = {}
    for room in sorted(imports):
        for other in sorted(imports[room]):
            chain = [f"{other}→{room}:{row}" for row in range(layer[other] + 1, layer[room])]
            bends[other, room] = chain
            for row, bend in enumerate(chain, layer[other] + 1):
                rows[row].append(bend)
            for a, b in zip([other, *chain], [*chain, room], strict=True):
                links[a].append(b)
                links[b].append(a)
    row_of = {name: row for row, names in rows.items() for name in names}
    place = {name: float(k) for names in rows.values() for k, name in enumerate(names)}
    for sweep in range(SWEEPS):
        for row in sorted(rows, reverse=sweep % 2 == 1):
            wanted = {}
            for name in rows[row]:
                near = [place[o] for o in links[name] if sweep > SWEEPS // 2 or
                        (row_of[o] < row) == (sweep % 2 == 0)]  # fmt: skip
                wanted[name] = sum(near) / len(near) if near else place[name]
            rows[row].sort(key=lambda name: (wanted[name], name))
            _spread(rows[row], wanted, place)
    return place, bends


def _spread(names: list[str], wanted: dict[str, float], place: dict[str, float]) -> None:
    """Put names where they want to be, in order, with room between them: a bend needs little."""
    groups: list[tuple[list[str], float]] = []
    for name in names:
        groups.append(([name], wanted[name]))
        while len(groups) > 1:
            (left, at), (right, then) = groups[-2:]
            if then - at >= _extent(left) / 2 + _extent(right) / 2:
                break
            joined = left + right
            total = _extent(joined)
            middle = sum(
                wanted[n] - (_extent(joined[:k]) + _extent([n]) / 2 - total / 2)
                for k, n in enumerate(joined)
            )
            groups[-2:] = [(joined, middle / len(joined))]
    for members, middle in groups:
        at = middle - _extent(members) / 2
        for name in members:
            place[name] = at + _extent([name]) / 2
            at += _extent([name])


def _extent(names: list[str]) -> float:
    return sum(0.45 if "→" in name else ACROSS for name in names)


def draw(ax: Axes, rooms: Rooms, title: str, note: str, highlight: str | None = None) -> None:
    """Draw one panel."""
    above = Counter(other for others in rooms.imports.values() for other in others)
    above.subtract({room: len(others) for room, others in rooms.imports.items()})
    both = mutual(rooms.imports)
    imports = without_cycles(rooms.imports, above)
    layer = layers_of(imports)
    imports = reduced(imports, both)
    place, bends = places_of(imports, layer)
    for (above_room, room), chain in bends.items():
        points = [(place[above_room], -DOWN * layer[above_room] - HEIGHT / 2)]
        points += [
            (place[bend], -DOWN * (layer[above_room] + 1 + k)) for k, bend in enumerate(chain)
        ]
        points.append((place[room], -DOWN * layer[room] + HEIGHT / 2))
        pair = tuple(sorted((above_room, room)))
        dashed = pair in both
        ax.add_patch(FancyArrowPatch(
            path=_curve(points), arrowstyle="<|-|>" if dashed else "-|>", mutation_scale=9,
            color="#b0413e" if dashed else "#6b7a8f", linewidth=1.0,
            linestyle=(0, (4, 2)) if dashed else "-", zorder=1, shrinkA=0, shrinkB=0,
        ))  # fmt: skip
    for room in sorted(layer):
        x, y = place[room], -DOWN * layer[room]
        face = "#f6d9a8" if room == highlight else "#e6edf5"
        ax.add_patch(FancyBboxPatch(
            (x - WIDTH / 2, y - HEIGHT / 2), WIDTH, HEIGHT, boxstyle="round,pad=0,rounding_size=0.07",
            facecolor=face, edgecolor="#33415c", linewidth=0.9, zorder=2,
        ))  # fmt: skip
        count = rooms.modules[room]
        up = 0.07 if count > 1 else 0.0
        ax.text(x, y + up, _label(room, count), ha="center", va="center", fontsize=9, zorder=3)
        if count > 1:
            ax.text(
                x, y - 0.12, f"{count} modules", ha="center", va="center", fontsize=7,
                color="#4a5568", zorder=3,
            )  # fmt: skip
    ax.set_xlim(min(place.values()) - 0.75, max(place.values()) + 0.75)
    ax.set_ylim(-DOWN * max(layer.values()) - 0.85, 0.75)
    ax.set_title(title, fontsize=13, loc="left")
    if both:
        note = f"{note} Dashed: two rooms that import from each other."
    ax.text(0.0, 1.0, note, transform=ax.transAxes, fontsize=8.5, va="top", color="#4a5568")
    ax.set_axis_off()
    ax.set_aspect("equal", anchor="N")


def _label(room: str, count: int) -> str:
    return f"{room}/" if count > 1 else f"{room}.py"


def _curve(points: list[tuple[float, float]]) -> Outline:
    """Return a smooth way through points, vertical at each of them."""
    outline = [points[0]]
    codes = [Outline.MOVETO]
    for (x, y), (u, v) in pairwise(points):
        middle = (y + v) / 2
        outline += [(x, middle), (u, middle), (u, v)]
        codes += [Outline.CURVE4] * 3
    return Outline(outline, codes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=DOCS / "rooms.svg")
    out = parser.parse_args().out
    plt.rcParams["svg.hashsalt"] = "chemin"  # the same drawing has the same bytes
    folders = {folder.name for folder in SOURCE.iterdir() if folder.is_dir()}
    house = read_rooms(SOURCE, "chemin", whole=folders)
    engine = read_rooms(SOURCE / "engine", "chemin.engine")
    figure, panels = plt.subplots(
        1, 2, figsize=(18, 9), width_ratios=(1, 1.45), layout="constrained"
    )
    key = "An arrow goes from a room to one that imports from it; what follows from others is left out."
    draw(panels[0], house, "src/chemin", key, highlight="engine")
    draw(panels[1], engine, "src/chemin/engine", "The room in the other colour.")
    figure.savefig(out, metadata={"Date": None} if out.suffix == ".svg" else None, dpi=100)


if __name__ == "__main__":
    main()
