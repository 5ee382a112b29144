"""What does every answer of the studio draw on? The projects, the readings and the jobs of one launch."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path

from chemin.exceptions import StudyError
from chemin.studio.composing import Composer
from chemin.studio.history import LEARN, Entry, Project
from chemin.studio.home import Home
from chemin.studio.jobs import Job, Jobs
from chemin.studio.looking import Looks
from chemin.studio.reading import Reader, Reading
from chemin.studio.worker import Order
from chemin.study import Recipe, Study, read_study
from chemin.study.steps.learning import check_asked

BUDGET = 600.0  # seconds that a job may take unless somebody says otherwise
_KEPT = 4  # studies that are kept in memory


class Desk:
    """What the answers share.

    Parameters
    ----------
    home : Home
        Where projects are.
    jobs : Jobs
        What is being learned.
    language : str
        Of those who have not chosen one.
    """

    def __init__(self, home: Home, jobs: Jobs, language: str = "en") -> None:
        self.home = home
        self.jobs = jobs
        self.language = language
        self.reader = Reader()
        self.looks = Looks(self.reader)
        self.composer = Composer()
        self._studies: OrderedDict[Path, Study] = OrderedDict()
        self._lock = threading.Lock()

    def reading(self, entry: Entry) -> Reading:
        """Return what an entry reads."""
        return self.reader.reading(entry.recipe)

    def study(self, project: Project, number: int) -> Study:
        """Return the study of an entry."""
        folder = project.study_folder(number)
        with self._lock:
            if folder not in self._studies:
                self._studies[folder] = read_study(folder)
            self._studies.move_to_end(folder)
            while len(self._studies) > _KEPT:
                self._studies.popitem(last=False)
            return self._studies[folder]

    def learn(
        self, project: Project, parent: int, recipe: Recipe, reason: str, budget: float
    ) -> Entry:
        """Begin a new entry, and learn it."""
        check_asked(self.reader.reading(recipe).learned_from(), recipe)
        self.jobs.check_room()
        entry = project.add(parent, LEARN, recipe, reason)
        self.go_on(project, entry, budget)
        return entry

    def go_on(self, project: Project, entry: Entry, budget: float) -> Job:
        """Learn an entry, from where it was stopped."""
        folder = project.study_folder(entry.number)
        if self.jobs.is_running(folder):
            raise StudyError("it is being learned already")
        project.end(entry.number, "")
        lenders = [project.study_folder(one.number) for one in project.learned()]
        look = self.looks.place(project, entry.recipe)
        order = Order(
            entry.recipe,
            str(folder),
            tuple(str(one) for one in (*reversed(lenders), *([look] if look.is_file() else []))),
        )

        def ended(why: str) -> None:
            project.end(entry.number, "" if why == "finished" else why)

        return self.jobs.start(order, budget, ended)
