"""Where may a French line break? Not before a colon, a semicolon or the marks that end a sentence, nor in quotes."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

BEFORE = re.compile(r" (?=[:;?!»])")
AFTER = re.compile(r"(?<=«) ")
AS_WRITTEN = (nodes.literal, nodes.literal_block, nodes.math, nodes.math_block)


class HoldTogether(SphinxTransform):
    """Put spaces that do not break where French typography has them."""

    default_priority = 750

    def apply(self, **kwargs: Any) -> None:
        """Change the texts of a French page, but for what is shown as it is typed."""
        if not self.env.docname.startswith("fr/"):
            return
        for text in list(self.document.findall(nodes.Text)):
            if not isinstance(text.parent, AS_WRITTEN):
                held = AFTER.sub("\u00a0", BEFORE.sub("\u00a0", str(text)))
                text.parent.replace(text, nodes.Text(held))


def setup(app: Sphinx) -> dict[str, bool]:
    """Apply it to every page that is read."""
    app.add_transform(HoldTogether)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
