"""``python -m chemin`` is the command ``chemin``."""

from chemin.cli import main

if __name__ == "__main__":
    main()
