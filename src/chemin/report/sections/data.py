"""What was read, what had to be guessed, and which rows judge?"""

from __future__ import annotations

from chemin.report.blocks import Block, Code, Points, Section, Table, Text
from chemin.report.material import Material
from chemin.report.words import Words

_UNFOLDED = 12  # rows of a table that stand open


def the_data(material: Material, words: Words) -> Section:
    """Return the source, the guesses, the losses and the split."""
    data, split = material.document.data, material.document.split
    blocks: list[Block] = [Text(_split(material, words))]
    if data.guesses:
        rows = tuple((one.what, one.value, one.evidence, one.argument) for one in data.guesses)
        guessed = (words("what"), words("taken as"), words("because"), words("say otherwise with"))
        blocks.append(Table(words("What the file does not say, and was guessed"), guessed, rows))
    if data.losses:
        blocks += [Text(words("What of the file is not here:")), Points(data.losses)]
    columns = tuple((one.name, one.type, one.told) for one in material.document.look.columns)
    caption = words(
        "The columns, in the {rows} that are learned from", rows=words.count(split.train, "row")
    )
    head = (words("column"), words("type"), words("what it holds"))
    blocks.append(Table(caption, head, columns, folded=len(columns) > _UNFOLDED))
    blocks.append(Code(data.call, words("The same in Python, with every guess written out")))
    return Section("data", words("The data"), tuple(blocks))


def _split(material: Material, words: Words) -> str:
    split = material.document.split
    if not split.test:
        return words(
            "All rows are learned from, and none judges: how good the models are on new rows is not known."
        )
    return words(
        "The models learn from {train}; {test}, drawn at random, judge them, and were not looked at before.",
        train=words.count(split.train, "row"),
        test=words.count(split.test, "other row"),
    )
