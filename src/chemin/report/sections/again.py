"""How is it done again, and with what was it done?"""

from __future__ import annotations

from chemin.report.blocks import Block, Code, Number, Section, Table, Text
from chemin.report.material import Material
from chemin.report.words import Words
from chemin.study.recipe import as_command, as_python, as_toml


def again(material: Material, words: Words) -> Section:
    """Return the recipe as a command, as a file and as Python, and what was at work."""
    document = material.document
    blocks: list[Block] = []
    command = as_command(document.recipe)
    if command:
        blocks.append(Code(command, words("In a terminal")))
    blocks.append(
        Code(
            as_toml(document.recipe),
            words("As a recipe, recipe.toml, for: chemin learn recipe.toml"),
        )
    )
    blocks.append(Code(as_python(document.recipe), words("In Python")))
    blocks.append(
        Text(
            words(
                "The same data give the same study: everything that is drawn comes from the seed {seed}. Data {data}, "
                "rows that judge {rows}.",
                seed=document.recipe.random_state, data=document.data.digest, rows=document.split.digest,
            )
        )
    )  # fmt: skip
    made = tuple(document.made_with.items())
    blocks.append(
        Table(words("Made with"), (words("library"), words("version")), made, folded=True)
    )
    seconds = tuple(
        (words.term(step), Number(words.number(value, ".3g")))
        for step, value in document.seconds.items()
    )
    blocks.append(
        Table(words("What each step took"), (words("step"), words("seconds")), seconds, folded=True)
    )
    return Section("again", words("How to do it again"), tuple(blocks))
