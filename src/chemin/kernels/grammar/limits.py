"""How large may a text of kernels be? Limits far above what people write, and below what stalls or crashes."""

from __future__ import annotations

LONGEST_TEXT = 10_000  # characters
LONGEST_NUMBER = 100  # characters; the longest float that Python writes has 24
DEEPEST = 50  # kernels or parentheses inside one another; Python gives up near 1000 calls
MOST_KERNELS = 50_000  # made by the families of one text
