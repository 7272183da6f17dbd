"""Writes the table of Chinese pieces of token estimates: `han_pieces.py FILE`.

The pieces are those of the vocabulary o200k_base (OpenAI, MIT) that are one or two characters from
U+4E00 to U+9FFF. The file has the number of single characters, the number of pairs, and then both
in order; every number and character has two bytes, the higher one first.
"""

import pathlib
import struct
import sys

import quicktok


def is_han(text):
    return all("\u4e00" <= it <= "\u9fff" for it in text)


def pieces():
    """The pieces of one and of two characters, each in order."""
    decoded = (it.decode(errors="replace") for it in quicktok.get_encoding("o200k_base").token_byte_values())
    all = {it for it in decoded if len(it) in (1, 2) and is_han(it)}
    return [sorted(it for it in all if len(it) == length) for length in (1, 2)]


def main(path):
    singles, pairs = pieces()
    text = "".join([*singles, *pairs])
    units = [len(singles), len(pairs), *map(ord, text)]
    pathlib.Path(path).write_bytes(struct.pack(f">{len(units)}H", *units))


if __name__ == "__main__":
    main(*sys.argv[1:])
