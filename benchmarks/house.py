"""How is the engine's code built, before a change and after? Measures of two source trees, side by side.

    python benchmarks/house.py ../first/src/chemin/path src/chemin/engine

Each argument is the folder of an engine. What is counted:

* modules of the fullest folder: its files ``.py`` and ``.pyx`` that hold a statement;
* writers of the state: files other than that of the class `State` which assign to what they reach
  through a name or an attribute ``state``, or call a method of `State` that assigns to itself there;
* places that know the hinge: files and lines with that word, and files that read
  ``problem.weight``, the upper end of a dual value for the hinge alone;
* homes of numeric constants: files with a name in capitals that stands for a number; and numbers of
  at most 1e-5 inside functions, which are tolerances without a name;
* the longest function, in statements, its documentation not counted;
* lines of C and Cython beside the Python, declarations included.

Only ``.py`` files are parsed; the others are read as text.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

SMALL = 1e-5
BESIDE_PYTHON = (".pyx", ".pxd", ".h")


class Tree:
    """The files of an engine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.texts = {
            file.relative_to(folder): file.read_text(encoding="utf-8")
            for file in sorted(folder.rglob("*"))
            if file.suffix in (".py", *BESIDE_PYTHON)
        }
        self.parsed = {
            name: ast.parse(text) for name, text in self.texts.items() if name.suffix == ".py"
        }

    def modules_per_folder(self) -> Counter[str]:
        """Count the modules of every folder."""
        return Counter(
            name.parent.as_posix()
            for name, text in self.texts.items()
            if name.suffix in (".py", ".pyx") and text.strip()
        )

    def writers_of_the_state(self) -> list[str]:
        """Return the files that write the state."""
        home, methods = self._state()
        return [
            name.as_posix()
            for name, tree in self.parsed.items()
            if name != home and any(_writes_state(node, methods) for node in ast.walk(tree))
        ]

    def _state(self) -> tuple[Path, set[str]]:
        """Return the file of the class `State`, and its methods that assign to the object."""
        for name, tree in self.parsed.items():
            for node in tree.body:
                if isinstance(node, ast.ClassDef) and node.name == "State":
                    return name, {
                        method.name
                        for method in node.body
                        if isinstance(method, ast.FunctionDef)
                        and any("self" in _chain(target) for target in _targets(method))
                    }
        raise SystemExit(f"{self.folder} has no class State")

    def mentions(self, pattern: str) -> Counter[str]:
        """Count the lines with a word, file by file."""
        return Counter({
            name.as_posix(): count
            for name, text in self.texts.items()
            if (count := sum(bool(re.search(pattern, line, re.I)) for line in text.splitlines()))
        })  # fmt: skip

    def readers_of(self, owner: str, attribute: str) -> list[str]:
        """Return the files that read an attribute of what has a name."""
        return [
            name.as_posix()
            for name, tree in self.parsed.items()
            if any(
                isinstance(node, ast.Attribute)
                and node.attr == attribute
                and _last_name(node.value) == owner
                for node in ast.walk(tree)
            )
        ]

    def constants(self) -> Counter[str]:
        """Count the numeric constants that files define."""
        return Counter({
            name.as_posix(): count
            for name, tree in self.parsed.items()
            if (count := sum(len(_constants(node)) for node in tree.body))
        })  # fmt: skip

    def nameless_tolerances(self) -> Counter[str]:
        """Count the small numbers inside functions, file by file."""
        found: Counter[str] = Counter()
        for name, tree in self.parsed.items():
            for function in _functions(tree):
                found[name.as_posix()] += sum(_is_small(node) for node in _own_nodes(function))
        return +found

    def longest_function(self) -> tuple[int, str]:
        """Return the statements of the longest function, and its name."""
        return max(
            (sum(isinstance(n, ast.stmt) for n in _own_nodes(f)) - bool(ast.get_docstring(f)), f.name)
            for tree in self.parsed.values()
            for f in _functions(tree)
        )  # fmt: skip

    def lines_beside_python(self) -> int:
        """Count the lines of C and Cython."""
        return sum(
            text.count("\n") for name, text in self.texts.items() if name.suffix in BESIDE_PYTHON
        )


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def _own_nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Hand out what is in the body of a function."""
    return (node for statement in function.body for node in ast.walk(statement))


def _targets(tree: ast.AST) -> Iterator[ast.expr]:
    """Hand out what is assigned to."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            waiting: list[ast.expr] = list(node.targets)
        elif isinstance(node, ast.AugAssign | ast.AnnAssign):
            waiting = [node.target]
        else:
            continue
        while waiting:
            target = waiting.pop()
            if isinstance(target, ast.Tuple | ast.List):
                waiting += target.elts
            else:
                yield target


def _chain(target: ast.expr) -> list[str]:
    """Return the names through which an attribute or an entry is reached, without the last one."""
    names: list[str] = []
    node: ast.AST = target
    while True:
        if isinstance(node, ast.Attribute):
            names.append(node.attr)
            node = node.value
        elif isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call) and node.args:  # np.asarray(state.alpha)[…] = …
            node = node.args[0]
        else:
            break
    if isinstance(node, ast.Name):
        names.append(node.id)
    return names[1:]


def _writes_state(node: ast.AST, methods: set[str]) -> bool:
    if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
        return any("state" in _chain(target) for target in _targets(node))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _last_name(node.func.value) == "state" and node.func.attr in methods
    return False


def _last_name(node: ast.expr) -> str | None:
    return getattr(node, "attr", None) or getattr(node, "id", None)


def _constants(node: ast.stmt) -> list[str]:
    """Return the names in capitals that a statement of a module gives to numbers."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name | ast.Tuple):
        return []
    target = node.targets[0]
    names = target.elts if isinstance(target, ast.Tuple) else [target]
    values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
    if not all(isinstance(value, ast.expr) and _is_number(value) for value in values):
        return []
    return [n.id for n in names if isinstance(n, ast.Name) and n.id.isupper()]


def _is_number(value: ast.expr) -> bool:
    """Say whether an expression is made of numbers only."""
    allowed = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)
    return all(isinstance(node, allowed) for node in ast.walk(value)) and all(
        isinstance(node.value, int | float) and not isinstance(node.value, bool)
        for node in ast.walk(value)
        if isinstance(node, ast.Constant)
    )


def _is_small(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, float)
        and 0.0 < abs(node.value) <= SMALL
    )


def table(trees: Iterable[Tree], names: Iterable[str]) -> str:
    """Return the measures as a Markdown table, one column per tree."""
    rows: dict[str, list[str]] = {}
    for tree in trees:
        folders = tree.modules_per_folder()
        fullest, most = folders.most_common(1)[0]
        writers = tree.writers_of_the_state()
        hinge = tree.mentions("hinge")
        weight = tree.readers_of("problem", "weight")
        constants = tree.constants()
        nameless = tree.nameless_tolerances()
        statements, function = tree.longest_function()
        cells = {
            "modules, in folders": f"{sum(folders.values())} in {len(folders)}",
            "modules of the fullest folder": f"{most}" + (f" (`{fullest}`)" if fullest != "." else ""),
            "files that write the state": _told(writers),
            "files that mention the hinge, lines": f"{len(hinge)}, {sum(hinge.values())}",
            "files that read `problem.weight`": f"{len(weight)}",
            "files that define numeric constants, constants": f"{len(constants)}, {sum(constants.values())}",
            "small numbers without a name": f"{sum(nameless.values())}",
            "statements of the longest function": f"{statements} (`{function}`)",
            "lines of C and Cython": f"{tree.lines_beside_python()}",
        }  # fmt: skip
        for what, cell in cells.items():
            rows.setdefault(what, []).append(cell)
    lines = ["| measure | " + " | ".join(names) + " |"]
    lines.append("|---" * (1 + len(next(iter(rows.values())))) + "|")
    lines += [f"| {what} | " + " | ".join(cells) + " |" for what, cells in rows.items()]
    return "\n".join(lines)


def _told(files: list[str]) -> str:
    return f"{len(files)}: " + ", ".join(f"`{Path(name).name}`" for name in files)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("engines", nargs="+", type=Path, help="folders of engines")
    parser.add_argument("--details", action="store_true", help="file by file")
    options = parser.parse_args()
    trees = [Tree(folder) for folder in options.engines]
    print(table(trees, [folder.as_posix() for folder in options.engines]))
    if options.details:
        for tree in trees:
            print(f"\n{tree.folder}")
            print("modules", dict(tree.modules_per_folder()))
            print("hinge", dict(tree.mentions("hinge")))
            print("weight", tree.readers_of("problem", "weight"))
            print("constants", dict(tree.constants()))
            print("small numbers without a name", dict(tree.nameless_tolerances()))


if __name__ == "__main__":
    main()
