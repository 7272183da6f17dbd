"""Compares token estimates with tokenizers: `tokens.py COUNTS ESTIMATES`.

COUNTS is the table of the tests, a line for each text with the tokens of each family; ESTIMATES has
the file of each text and its estimates in the same columns. Both must have every text. The texts are
counted again, and the errors of the estimates are printed.
"""

import pathlib
import sys

import ctok
import quicktok

# The limits of crates/models/tests/estimates.rs, in percent.
MAX_MEAN, MAX_ERROR = 6, 15


def content(version):
    """Counts a text without the frame of a message."""
    frame = ctok.token_count("a", version) - 1
    return lambda text: ctok.token_count(text, version) - frame


TOKENIZERS = {
    "claude-new": content("4.8"),
    "claude-old": content("3.0"),
    "o200k": quicktok.get_encoding("o200k_base").count,
}


def table(path):
    """The lines by their first column, without suffix and directory."""
    head, *lines = (line.split("\t") for line in pathlib.Path(path).read_text().splitlines())
    rows = {pathlib.Path(name).stem: dict(zip(head[1:], map(int, values))) for name, *values in lines}
    return rows, {pathlib.Path(line[0]).stem: line[0] for line in lines}


def main(counts, estimates):
    (counted, _), (estimated, files) = table(counts), table(estimates)
    complaints = [f"no estimate of {it}" for it in sorted(counted.keys() ^ estimated.keys())]
    errors = {family: [] for family in TOKENIZERS}
    print(f"{'errors in %':14}" + "".join(f"{it:>12}" for it in TOKENIZERS))
    for name in sorted(counted.keys() & estimated.keys()):
        text, line = pathlib.Path(files[name]).read_text(), f"{name:14}"
        for family, count in TOKENIZERS.items():
            tokens = count(text)
            if tokens != counted[name][family]:
                complaints.append(f"{name}: {family} counts {tokens}, the table has {counted[name][family]}")
            error = 100 * (estimated[name][family] / tokens - 1)
            errors[family].append(error)
            line += f"{error:+12.1f}"
            if abs(error) > MAX_ERROR:
                complaints.append(f"{name}: {family}: the error is {error:+.1f} %")
        print(line)
    means = {family: sum(map(abs, all)) / max(len(all), 1) for family, all in errors.items()}
    print(f"{'mean':14}" + "".join(f"{it:12.1f}" for it in means.values()))
    complaints += [f"{family}: the mean error is {it:.1f} %" for family, it in means.items() if it > MAX_MEAN]
    for complaint in complaints:
        print(complaint)
    return 1 if complaints or not counted else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
