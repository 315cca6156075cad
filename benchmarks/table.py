"""Rows of the one table, and the machine above it."""

import os
import platform
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter


@dataclass(frozen=True)
class Row:
    """One line: what was measured, beside what, and what was aimed at."""

    measurement: str
    ours: str
    beside: str = ""
    """What it is compared with, measured in the same run."""
    ratio: str = ""
    aim: str = ""
    met: bool | None = None


def seconds(action: Callable[[], object]) -> float:
    """How long it takes."""
    begun = perf_counter()
    action()
    return perf_counter() - begun


def quantile(values: list[float], share: float) -> float:
    """The value below which that share of the values lies."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def ms(value: float) -> str:
    """Seconds, told in milliseconds."""
    return f"{1000 * value:.{2 if value < 0.01 else 1}f} ms"


def machine() -> str:
    """The machine, and how busy others keep it."""
    info = Path("/proc/cpuinfo").read_text()
    model = next((line.partition(":")[2].strip() for line in info.splitlines() if line.startswith("model name")), "?")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    return (
        f"Machine: {model}, {len(os.sched_getaffinity(0))} cores, {memory:.0f} GiB; "
        f"{platform.system()} {platform.release()} {platform.machine()}; Python {platform.python_version()}.\n"
        f"Load (1, 5, 15 minutes) before the run: {load}."
    )


def line(row: Row) -> str:
    """A row as Markdown."""
    met = {True: " (met)", False: " (missed)", None: ""}[row.met]
    return f"| {row.measurement} | {row.ours} | {row.beside} | {row.ratio} | {row.aim}{met} |"


HEAD = "| measurement | measured | beside it | ratio | aim |\n| --- | --- | --- | --- | --- |"
