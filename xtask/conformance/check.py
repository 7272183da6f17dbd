"""Validates request bodies against the types of an SDK: `check.py MANIFEST ASIDE [VERSION]`.

The manifest, which `cargo xtask conformance` writes, lists what is golden: `paths` of bodies,
`wire`, `type` (module and name) and `refused`, the keys that the SDK does not know: exactly these
must be refused. Each body is then spoiled in every way of `mutate`, which must be refused as well,
unless it `is_converted`.
Of each wire, `aside check` has to refuse what the types refuse, and to accept the form of what they
accept, in 2,000 random mutants: at the Messages API by the rules of VERSION, whose every name it
has to know.
"""

import collections
import importlib
import json
import pathlib
import sys

from closed import faults
from drift import drift
from mutate import mutants, sampled
from rules import disagreements

BETA = "anthropic.types.beta.message_create_params:MessageCreateParams"

CHAT = "openai.types.chat.completion_create_params:CompletionCreateParams"
RESPONSES = "openai.types.responses.response_create_params:ResponseCreateParams"

# What `aside check` reads as requests of a vendor's own server, by wire: the types, the first of which
# is that of the random mutants; the name of the wire in its cases; and its options.
CHECKED = {
    "anthropic": ([BETA, BETA.replace(".beta", "")], None, ["--wire", "messages"]),
    "openai": ([CHAT], "chat-completions", ["--platform", "openai", "--wire", "chat-completions"]),
    "responses": ([RESPONSES], "responses", ["--platform", "openai", "--wire", "responses"]),
    "gemini": (["gemini:GenerateContent"], "generate-content", ["--platform", "gemini"]),
}

# The bodies that show the rules.
CASES = pathlib.Path(__file__).parents[2] / "crates/rules/tests/it/check/cases"
# Of longer bodies only the goldens are spoiled.
MAX_CHARS = 4_000
SAMPLES = 2_000


def main(manifest, aside, version=None):
    golden = json.loads(pathlib.Path(manifest).read_text())
    # By type, so that each shape is spoiled once for each.
    seen = collections.defaultdict(set)
    complaints, bodies, mutations, spoiled = [], 0, 0, collections.defaultdict(list)
    for entry in golden:
        kind, unknown, wire = typed(entry["type"]), set(), entry["wire"]
        for path in entry["paths"]:
            bodies += 1
            body = read(path)
            found = faults(kind, body)
            unknown.update(it.unknown for it in found)
            surplus = [it for it in found if it.unknown not in entry["refused"]]
            complaints += [f"{path}: {it}" for it in surplus]
            drop(body, found)
            valid = json.dumps(body)
            if entry["is_converted"]:
                continue
            for what, mutant in mutants(body, wire, seen[entry["type"]]):
                mutations += 1
                paths = shown(faults(kind, mutant))
                if not paths:
                    complaints.append(f"{path}: not refused: {what}")
                elif entry["type"] in CHECKED[wire][0]:
                    spoiled[wire].append((what, valid, json.dumps(mutant), paths))
        missing = [it for it in entry["refused"] if it not in unknown]
        complaints += [f"{entry['paths'][0]}: nothing refuses {key!r}" for key in missing]
    for wire in sorted({it["wire"] for it in golden}):
        (kind, *_), name, options = CHECKED[wire]
        options = [*options, *(["--api-version", version] if version else [])]
        kind = typed(kind)
        samples = list(sampled(list(valid_cases(kind, name)), wire, SAMPLES))
        of_types = [(what, valid, text, shown(faults(kind, body)) or doubled) for what, valid, text, body, doubled in samples]
        print(f"{wire}: {len(spoiled[wire])} mutants of goldens, {len(of_types)} random ones")
        complaints += [f"{wire}: {it}" for it in disagreements(aside, options, spoiled[wire] + of_types)]
    if version:
        complaints += drift(aside, version, typed(BETA))
    for complaint in complaints:
        print(complaint)
    print(f"{bodies} bodies, {mutations} mutations, {len(complaints)} complaints")
    return 1 if complaints else 0


def valid_cases(kind, wire):
    """The valid bodies among the cases of the rules of a wire, as far as the types accept them."""
    for path in sorted(CASES.glob("*/*.valid.json")):
        case = json.loads(path.read_text())
        body = case.get("body")
        is_plain = "endpoint" not in case and "platform" not in case and case.get("wire") == wire
        if is_plain and isinstance(body, dict) and len(json.dumps(body)) <= MAX_CHARS and not faults(kind, body):
            yield body


def shown(found):
    """The paths of faults, in the form of `aside check`."""
    steps = ("".join(f"[{it}]" if isinstance(it, int) else f".{it}" for it in fault.path) for fault in found)
    return [it.lstrip(".") for it in steps]


def typed(name):
    module, _, name = name.partition(":")
    return getattr(importlib.import_module(module), name)


def read(path):
    return json.loads(pathlib.Path(path).read_bytes(), object_pairs_hook=once)


def once(pairs):
    """An object, each of whose keys stands there once."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError(f"a key is doubled: {[key for key, _ in pairs]}")
    return dict(pairs)


def drop(body, found):
    """Takes the keys and blocks out that the SDK does not know."""
    for fault in found:
        owner = body
        for step in fault.path[:-1]:
            owner = owner[step]
        if fault.unknown and fault.unknown == fault.path[-1]:
            del owner[fault.unknown]
        elif fault.unknown:
            owner[fault.path[-1]] = {"type": "text", "text": "x"}


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
