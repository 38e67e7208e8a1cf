"""Numbers and names as the pages print them."""

from __future__ import annotations

import math
import re

DASH = "–"

_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|$~:])")


def count(number: int) -> str:
    """A count with thousands separated: 1,566."""
    return f"{int(number):,}"


def of(part: int, whole: int) -> str:
    """A count beside the number it is a part of: 1,566 of 2,000."""
    return f"{count(part)} of {count(whole)}"


def percent(share: float | None) -> str:
    """A share to a tenth of a percent, or as far as it takes to tell it from nothing and all.

    Only a share of 0 prints as 0%, and only one of 1 as 100%.
    """
    if share is None or math.isnan(share):
        return DASH
    if share in (0, 1):
        return f"{share:.0%}"
    for digits in range(1, 10):
        text = f"{share:.{digits}%}"
        if 0 < float(text[:-1]) < 100:
            return text
    return f"{share:.0%}"


def bound(share: float | None) -> str:
    """An upper bound to a tenth of a percent, rounded up so that it stays a bound."""
    if share is None or math.isnan(share):
        return DASH
    # Nine decimals first: 0.2 must not become 20.1% through its binary tail.
    return f"{math.ceil(round(share * 1000, 9)) / 10:.1f}%"


def setting(share: float) -> str:
    """A chosen share with all its digits and no more: 20%, 0.5%, 12.34%."""
    return f"{share * 100:.10g}%"


def plain(text: str) -> str:
    """Text from records or links, with Markdown's own characters made harmless."""
    return part(text.strip())


def part(text: str) -> str:
    """A part of such a text, with the spaces at its edges."""
    return _MARKDOWN.sub(r"\\\1", re.sub(r"\s+", " ", text))


def short(text: str, width: int = 28) -> str:
    """A name cut to `width` characters, for a place that cannot wrap."""
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"


def file_stem(*parts: str | None) -> str:
    """A file name without its ending, from names that may hold anything."""
    words = [re.sub(r"[^\w.+-]+", "-", part).strip("-.") for part in parts if part]
    return "_".join(word for word in words if word) or "assay"
