"""Charts as SVG made by the server, coloured by the style sheet. What they show stands in a table beside each.

Floats only place ink; what is said is exact.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from api import i18n
from api.i18n import _

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

WIDTH, HEIGHT = 480, 260
LEFT, RIGHT, TOP, BOTTOM = 44, 14, 14, 30
"""Room around the plot for the labels of the axes."""
DAY = 24 * 3600


def progress(points: Sequence[tuple[datetime, str]], start: datetime, end: datetime) -> Markup:
    """How the best mean fell: a line in steps through (moment, exact mean), from `start` to `end`."""
    means = [Fraction(mean) for _at, mean in points]
    low, high, step = ticks(min(means), max(means))
    span = max((end - start).total_seconds(), 1.0)

    def x(at: datetime) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * max(0.0, min(1.0, (at - start).total_seconds() / span))

    def y(mean: Fraction) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * float((high - mean) / (high - low))

    line = f"M{x(points[0][0]):.1f} {y(means[0]):.1f}"
    for (at, _mean), mean in zip(points[1:], means[1:], strict=True):
        line += f"H{x(at):.1f}V{y(mean):.1f}"
    line += f"H{WIDTH - RIGHT}"
    area = f"{line}V{HEIGHT - BOTTOM}H{x(points[0][0]):.1f}Z"
    dots = "".join(
        f'<circle class="c-dot" cx="{x(at):.1f}" cy="{y(mean):.1f}" r="4">'
        f"<title>{escape(label(at, text))}</title></circle>"
        for (at, text), mean in zip(points, means, strict=True)
    )
    rules = "".join(
        f'<path class="c-rule" d="M{LEFT} {y(Fraction(tick)):.1f}H{WIDTH - RIGHT}"/>'
        f'<text class="c-tick c-left" x="{LEFT - 8}" y="{y(Fraction(tick)) + 4:.1f}">{tick}</text>'
        for tick in range(low, high + 1, step)
    )
    named = i18n.when if span < 3 * DAY else i18n.day
    foot = (
        f'<text class="c-tick" x="{LEFT}" y="{HEIGHT - 8}">{escape(named(start))}</text>'
        f'<text class="c-tick c-left" x="{WIDTH - RIGHT}" y="{HEIGHT - 8}">{escape(named(end))}</text>'
    )
    words = _(
        "The best mean fell from {first} to {last}.", first=i18n.decimal(points[0][1]), last=i18n.decimal(points[-1][1])
    )
    if len(points) == 1:
        words = _("The best mean is {mean}.", mean=i18n.decimal(points[0][1]))
    return drawn(words, f'{rules}{foot}<path class="c-area" d="{area}"/><path class="c-line" d="{line}"/>{dots}')


def spread(counts: Mapping[int, int]) -> Markup:
    """How means spread: a bar for each whole number n, for the contestants from n up to below n + 1."""
    first, last = min(counts), max(counts)
    width = max(1, -(-(last - first + 1) // 40))  # at most about 40 bars
    groups: dict[int, int] = {}
    for mean, count in counts.items():
        at = first + (mean - first) // width * width
        groups[at] = groups.get(at, 0) + count
    slots = (last - first) // width + 1
    most = max(groups.values())
    step = (WIDTH - LEFT - RIGHT) / slots
    bars = ""
    for at, count in groups.items():
        height = max(2.0, (HEIGHT - TOP - BOTTOM) * count / most)
        said = _("from {n} to below {m}", n=at, m=at + width) + f": {count}"
        left = LEFT + step * ((at - first) // width) + 1
        bars += (
            f'<rect class="c-bar" x="{left:.1f}" y="{HEIGHT - BOTTOM - height:.1f}" width="{max(1.0, step - 2):.1f}" '
            f'height="{height:.1f}"><title>{escape(said)}</title></rect>'
        )
    axis = (
        f'<path class="c-rule" d="M{LEFT} {HEIGHT - BOTTOM}H{WIDTH - RIGHT}"/>'
        f'<text class="c-tick c-left" x="{LEFT - 8}" y="{TOP + 10}">{most}</text>'
        f'<text class="c-tick" x="{LEFT}" y="{HEIGHT - 8}">{first}</text>'
        f'<text class="c-tick c-left" x="{WIDTH - RIGHT}" y="{HEIGHT - 8}">{first + slots * width}</text>'
    )
    top = max(groups, key=lambda at: (groups[at], -at))
    words = _("Means from {first} to {last}; most contestants, {most}, from {top} up.", first=first, last=last + 1, most=most, top=top)  # fmt: skip # noqa: E501
    return drawn(words, axis + bars)


def drawn(words: str, parts: str) -> Markup:
    """The chart as a picture that is called so."""
    return Markup(  # noqa: S704 - every text in it is escaped
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(words)}">{parts}</svg>'
    )


def label(at: datetime, mean: str) -> str:
    """A point in words."""
    return f"{i18n.when(at)}: {i18n.decimal(mean)} ({mean})"


def ticks(least: Fraction, most: Fraction) -> tuple[int, int, int]:
    """Whole numbers around both, and a step between them that gives at most seven lines."""
    low, high = int(least), -int(-most // 1)
    high = max(high, low + 1)
    step = next(step for step in (1, 2, 5, 10, 20, 50) if (high - low) <= 6 * step)
    return low // step * step, -(-high // step) * step, step
