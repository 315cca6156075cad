"""Scores to sort keys, exactly, with the proof. No SQL.

A sort key is a string of bytes; smaller is better, and equal keys are equal results, which share a rank. PostgreSQL
compares `bytea` byte by byte, a string before its own continuation, as Python compares `bytes`.

The order of jc-golden-nugget is: lower mean of the moves over all boards; more boards; fewer moves on the last board,
the last but one, and so on. For n boards (20 to 200) with m_1 ... m_n moves (12 to 99 each), t in all, the key is

    4 bytes  floor(t * 10^6 / n)          1 byte  255 - n          n bytes  m_n, m_(n-1), ..., m_1

Proof that the bytes order as the rule does:

1. Two different means t/n > t'/n' with n, n' <= 200 differ by (t n' - t' n) / (n n'). The numerator is a whole number
   and not 0, so at least 1. If n = n', the difference is at least 1/200; otherwise n n' <= 200 * 199. So it is at least
   1/39,800.
2. Times 10^6 that is more than 25, so at least 1, and floor(x) > floor(y) whenever x >= y + 1. So different means have
   different first parts, in their order; equal means are one number and have equal ones. No float is involved:
   t * 10^6 // n is exact.
3. The first part fits: the mean is at most 255 (a byte each), and 255 * 10^6 < 2^32. Big-endian bytes of equal length
   compare as the numbers do.
4. Equal means: 255 - n is from 55 to 235, one byte, smaller for more boards.
5. Equal n: the rest has equal length, and the first byte that differs is the latest board that differs.
6. Equal keys: n is equal, and so is each m_i; so the results are equal in all that the rule looks at.

Every other puzzle's `key(score)` is a tuple of whole numbers, smaller is better. Each is packed into 8 bytes,
big-endian, with 2^63 added: that maps -2^63 ... 2^63 - 1 onto 0 ... 2^64 - 1 in order, negative numbers first.

A contest over several setups ranks by more setups solved, then by the sum of each part of the key in the puzzle's
order.
"""

import struct
from collections.abc import Sequence

from verifier import RULES
from verifier.verdict import Score

OFFSET = 1 << 63


def sort_key(puzzle: str, score: Score) -> bytes:
    """The key of an accepted record's score. Raises OverflowError for numbers outside of the ranges above."""
    if puzzle == "jc-golden-nugget":
        return chain_key(score["moves_per_board"])
    return pack(RULES[puzzle].key(score))


def chain_key(moves: Sequence[int]) -> bytes:
    """The key of a chain of 1 to 200 boards with 0 to 255 moves each."""
    boards = len(moves)
    if not 1 <= boards <= 200:
        raise OverflowError("a chain has 1 to 200 boards")
    try:
        tail = bytes(moves[::-1])
    except ValueError:
        raise OverflowError("a board has 0 to 255 moves") from None
    return struct.pack(">IB", sum(moves) * 10**6 // boards, 255 - boards) + tail


def pack(parts: Sequence[int]) -> bytes:
    """Whole numbers as bytes that compare alike. Raises OverflowError outside of -2^63 ... 2^63 - 1."""
    return b"".join((part + OFFSET).to_bytes(8, "big") for part in parts)


def unpack(key: bytes) -> tuple[int, ...]:
    """The numbers that were packed."""
    return tuple(int.from_bytes(key[i : i + 8], "big") - OFFSET for i in range(0, len(key), 8))


def solved(score: Score) -> bool:
    """Whether an accepted record counts as solved: all do, unless the puzzle's score says otherwise (maze)."""
    return bool(score.get("solved", True))


def overall(scores: Sequence[Score], keys: Sequence[bytes]) -> tuple[Score, bytes]:
    """Score and key over several setups, from the best of each: {"setups", "solved", sums of whole numbers}."""
    total: Score = {"setups": len(scores), "solved": sum(map(solved, scores))}
    for score in scores:
        for name, value in score.items():
            if name not in ("setups", "solved") and isinstance(value, int):
                total[name] = total.get(name, 0) + value
    return total, pack((-total["solved"], *map(sum, zip(*map(unpack, keys), strict=True))))
