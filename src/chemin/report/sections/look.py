"""What should one know before believing a model?"""

from __future__ import annotations

from chemin.report.blocks import Bar, Block, Number, Section, Table, Text
from chemin.report.material import Material
from chemin.report.words import Words
from chemin.study.document import FindingFacts

_EVIDENCE = 5  # of one finding
_UNFOLDED = 12  # rows of a table that stand open


def a_look(material: Material, words: Words) -> Section:
    """Return the findings, what goes with the target, and whether there are groups."""
    look = material.document.look
    blocks: list[Block] = []
    if look.findings:
        rows = tuple(_row(one, words) for one in look.findings)
        head = (words("how serious"), words("what"), words("where"), words("what to do"))
        blocks.append(Table(words("Findings"), head, rows))
    passed = words(
        "{n} were looked for and not found: {codes}.",
        n=words.count(len(look.passed), "other thing"),
        codes=", ".join(look.passed),
    )
    blocks.append(Text(passed))
    if look.associations:
        strength = tuple(
            (name, Number(words.number(value, ".2f")), Bar(value, 1.0))
            for name, value in look.associations
        )
        caption = words(
            "What goes with {target}, each column alone, from 0 to 1",
            target=material.document.data.target,
        )
        blocks.append(
            Table(
                caption,
                (words("column"), words("association"), ""),
                strength,
                folded=len(strength) > _UNFOLDED,
            )
        )
    blocks += [Text(told, "foreign") for told in (look.groups, look.spread) if told]
    return Section("look", words("A look before learning"), tuple(blocks))


def _row(finding: FindingFacts, words: Words) -> tuple[str, ...]:
    what, remedy = words.finding(finding)
    return words.term(finding.severity), what, _evidence(finding.evidence), remedy.replace("`", "")


def _evidence(seen: tuple[str, ...]) -> str:
    more = len(seen) - _EVIDENCE
    return "; ".join((*seen[:_EVIDENCE], *((f"… (+{more})",) if more > 0 else ())))
