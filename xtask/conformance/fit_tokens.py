"""Fits the weights of token estimates: `fit_tokens.py COUNTED.json DIRECTORY`.

`fit_tokens.py --update COUNTED.json DIRECTORY` begins at the present weights and moves those of ASCII
towards more kinds of text. The estimate of rows with `"kept": true` stays as it is.

See docs/tokens.md. The classes, features and pieces are those of crates/models/src/estimate.
"""

import collections
import json
import pathlib
import struct
import sys

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import lsmr

POSITIONS = 16
# Ranges of characters in the order of their classes; a later range wins.
RANGES = [
    ("latin", (0xC0, 0x24F), (0x1E00, 0x1EFF), (0xAA, 0xAA), (0xBA, 0xBA)),
    ("latin-sign", (0xA0, 0xA9), (0xAB, 0xB9), (0xBB, 0xBF), (0xD7, 0xD7), (0xF7, 0xF7)),
    ("combining", (0x300, 0x36F), (0xFE00, 0xFE0F), (0x200B, 0x200F)),
    ("greek", (0x370, 0x3FF), (0x1F00, 0x1FFF)),
    ("cyrillic-upper", (0x400, 0x42F)),
    ("cyrillic", (0x430, 0x52F)),
    ("hebrew", (0x590, 0x5FF)),
    ("arabic", (0x600, 0x6FF), (0x750, 0x77F), (0xFB50, 0xFDFF), (0xFE70, 0xFEFF)),
    ("indic", (0x900, 0xDFF)),
    ("thai", (0xE00, 0xEFF)),
    ("other-script", (0x530, 0x58F), (0x700, 0x74F), (0x780, 0x8FF), (0xF00, 0x10FF), (0x1200, 0x1DFF)),
    ("jamo", (0x1100, 0x11FF), (0x3130, 0x318F)),
    ("hangul", (0xAC00, 0xD7AF)),
    ("hiragana", (0x3040, 0x309F)),
    ("katakana", (0x30A0, 0x30FF), (0xFF66, 0xFF9F)),
    ("han", (0x4E00, 0x9FFF)),
    ("rare-han", (0x3400, 0x4DBF), (0xF900, 0xFAFF), (0x20000, 0x323AF)),
    ("cjk-sign", (0x3000, 0x303F), (0xFF00, 0xFF65), (0xFFE0, 0xFFEF), (0x3200, 0x33FF)),
    ("quote", (0x2010, 0x2027), (0x2030, 0x205E)),
    ("box", (0x2500, 0x257F)),
    ("block", (0x2580, 0x25FF)),
    ("sign", (0x2070, 0x24FF), (0x2600, 0x2BFF)),
    ("emoji", (0x1F000, 0x1FAFF)),
]
NOT_IN_WORDS = {"latin-sign", "combining", "jamo", "cjk-sign", "quote", "box", "block", "sign", "emoji"}


def classes():
    """The class of every code point, and the names of the classes."""
    table, names = np.zeros(0x110000, np.int32), ["other", "control"]
    table[0:32] = table[127:160] = 1
    for code in range(33, 127):
        if not chr(code).isdigit():
            table[code] = len(names)
            names.append(chr(code))
    for name, codes in (("digit", range(48, 58)), ("space", [32]), ("newline", [10]), ("tab", [9])):
        table[list(codes)] = len(names)
        names.append(name)
    for name, *ranges in RANGES:
        for first, last in ranges:
            table[first : last + 1] = len(names)
        names.append(name)
    return table, names


TABLE, NAMES = classes()
COUNT = len(NAMES)
LOWER = np.array([len(it) == 1 and "a" <= it <= "z" for it in NAMES])
UPPER = np.array([len(it) == 1 and "A" <= it <= "Z" for it in NAMES])
SCRIPTS = {it[0] for it in RANGES} - NOT_IN_WORDS
WORD = LOWER | UPPER | np.array([it in SCRIPTS for it in NAMES])
SPACE, NEWLINE, DIGIT, HAN = (NAMES.index(it) for it in ("space", "newline", "digit", "han"))
ESTIMATE = pathlib.Path(__file__).parents[2] / "crates/models/src/estimate"
# The tables of Chinese pieces, which han_pieces.py writes, by family.
PIECES = {"o200k": ESTIMATE / "o200k-han.bin"}


def split(texts, table):
    """The fewest pieces of the Chinese characters of each text; one that is no piece counts two."""
    singles, pairs, *codes = (it for (it,) in struct.iter_unpack(">H", table.read_bytes()))
    text = "".join(map(chr, codes))
    known = {*text[:singles], *(text[it : it + 2] for it in range(singles, singles + 2 * pairs, 2))}
    sums = []
    for text in texts:
        before, total, last = 0, 0, ""
        for character in text:
            if not "\u4e00" <= character <= "\u9fff":
                last = ""
                continue
            longer = total + (1 if character in known else 2)
            if last and last + character in known:
                longer = min(longer, before + 1)
            before, total, last = total, longer, character
        sums.append(total)
    return np.array(sums, float)


def features(texts):
    """A row for each text, with how often it has each feature."""
    codes = [np.frombuffer(it.encode("utf-32-le"), np.uint32) for it in texts]
    lengths = np.array([len(it) for it in codes])
    row, code = np.repeat(np.arange(len(texts)), lengths), np.concatenate(codes)
    first = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    now = TABLE[code]
    before = np.concatenate([[NEWLINE], now[:-1]])
    before[first] = NEWLINE
    index = np.arange(len(code))

    def position(continues):
        ends = ~continues
        ends[first] = True
        return np.minimum(index - np.maximum.accumulate(np.where(ends, index, 0)), POSITIONS - 1)

    word = position(WORD[now] & WORD[before] & ~(UPPER[now] & LOWER[before]))
    number = position((now == DIGIT) & (before == DIGIT))
    run = position(np.concatenate([[False], code[1:] == code[:-1]]))
    words = COUNT * COUNT
    numbers, runs = words + 2 * POSITIONS, words + 3 * POSITIONS
    group = np.where(now == SPACE, 0, np.where(now == NEWLINE, 1, 2))
    used = [
        before * COUNT + now,
        np.where(LOWER[now] | UPPER[now], words + word + UPPER[now] * POSITIONS, -1),
        np.where(now == DIGIT, numbers + number, -1),
        np.where(WORD[now] | (now == DIGIT), -1, runs + group * POSITIONS + run),
    ]
    rows = np.concatenate([row[it >= 0] for it in used])
    columns = np.concatenate([it[it >= 0] for it in used])
    shape = (len(texts), runs + 3 * POSITIONS)
    return sp.csr_matrix((np.ones(len(rows)), (rows, columns)), shape)


def main(counted, directory):
    rows = json.loads(pathlib.Path(counted).read_text())
    matrix = features([it["text"] for it in rows])
    held_out = np.array([it["document"] % 5 == 0 for it in rows])
    number = collections.Counter(it["kind"] for it in rows)
    of_class = np.arange(COUNT * COUNT) % COUNT
    sums = sp.csr_matrix((np.ones(COUNT * COUNT), (np.arange(COUNT * COUNT), of_class)), (matrix.shape[1], COUNT))
    for family in rows[0]["counts"]:
        measured = np.array([it["counts"][family] for it in rows], float)
        pieces = split([it["text"] for it in rows], PIECES[family]) if family in PIECES else 0
        tokens = measured - pieces
        weight = np.array([number[it["kind"]] for it in rows]) ** -0.5 / np.sqrt(np.maximum(measured, 10))
        fitted = ~held_out
        scaled = sp.diags(weight[fitted]) @ matrix[fitted]
        by_class = lsmr(scaled @ sums, weight[fitted] * tokens[fitted], damp=0.02, maxiter=200)[0]
        prior = np.zeros(matrix.shape[1])
        least = np.full(COUNT, 0.02)
        least[HAN] *= family not in PIECES
        prior[: COUNT * COUNT] = np.maximum(by_class, least)[of_class]
        rest = weight[fitted] * (tokens[fitted] - matrix[fitted] @ prior)
        weights = prior + lsmr(scaled, rest, damp=0.02, maxiter=200)[0]
        weights = np.clip(np.round(weights * 1000), -32768, 32767).astype("<i2")
        weights.tofile(pathlib.Path(directory) / f"{family}.bin")
        report(family, rows, matrix @ (weights / 1000) + pieces, measured, held_out)


def update(counted, directory):
    rows = json.loads(pathlib.Path(counted).read_text())
    texts = [it["text"] for it in rows]
    matrix = features(texts)
    held_out = np.array([it["document"] % 5 == 0 for it in rows])
    kept = np.array([it.get("kept", False) for it in rows])
    number = collections.Counter(it["kind"] for it in rows)
    ascii = np.array([len(it) == 1 or it in ("digit", "space", "newline", "tab") for it in NAMES])
    moved = np.ones(matrix.shape[1])
    moved[: COUNT * COUNT] = np.outer(ascii, ascii).ravel()
    for family in rows[0]["counts"]:
        measured = np.array([it["counts"][family] for it in rows], float)
        pieces = split(texts, PIECES[family]) if family in PIECES else 0
        present = np.fromfile(ESTIMATE / f"{family}.bin", "<i2") / 1000
        rest = np.where(kept, 0, measured - pieces - matrix @ present)
        weight = np.array([number[it["kind"]] for it in rows]) ** -0.5 / np.sqrt(np.maximum(measured, 10))
        fitted = ~held_out
        scaled = sp.diags(weight[fitted]) @ matrix[fitted] @ sp.diags(moved)
        weights = present + moved * lsmr(scaled, (weight * rest)[fitted], damp=0.1, maxiter=300)[0]
        weights = np.clip(np.round(weights * 1000), -32768, 32767).astype("<i2")
        weights.tofile(pathlib.Path(directory) / f"{family}.bin")
        report(family, rows, matrix @ (weights / 1000) + pieces, measured, held_out & ~kept)


def report(family, rows, found, tokens, held_out):
    """Prints the errors on the held-out documents, by kind."""
    documents = collections.defaultdict(lambda: np.zeros(2))
    for at in np.nonzero(held_out)[0]:
        documents[rows[at]["kind"], rows[at]["document"]] += found[at], tokens[at]
    errors = collections.defaultdict(list)
    for (kind, _), (estimate, count) in documents.items():
        if count >= 100:
            errors[kind].append(100 * abs(estimate - count) / count)
    for kind, all in sorted(errors.items()):
        print(f"{family}\t{kind}\t{np.mean(all):.1f}\t{np.percentile(all, 95):.1f}")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--update", *arguments]:
            update(*arguments)
        case arguments:
            main(*arguments)
