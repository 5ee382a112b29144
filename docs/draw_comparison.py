"""The picture of docs/comparison.md.

python docs/draw_comparison.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import chemin

DOCS = Path(__file__).resolve().parent

if __name__ == "__main__":
    found = chemin.compare("breast-cancer", progress=True)
    print(found)
    found.plot().figure.savefig(DOCS / "compared.png", dpi=80)
