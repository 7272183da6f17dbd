"""Validates request bodies against the types of an SDK: `check.py MANIFEST [ASIDE VERSION]`.

The manifest, which `cargo xtask conformance` writes, lists what is golden: `paths` of bodies,
`wire`, `type` (module and name) and `refused`, the keys that the SDK does not know: exactly these
must be refused. Each body is then spoiled in every way of `mutate`, which must be refused as well.
`aside check` has to refuse what the types of the Messages API refuse, by the rules of VERSION, and
to know every name that they have.
"""

import collections
import importlib
import json
import pathlib
import sys

from closed import faults
from drift import drift
from mutate import mutants
from rules import unrefused

BETA = "anthropic.types.beta.message_create_params:MessageCreateParams"

# What `aside check` reads as requests of the Messages API.
MESSAGES = {"anthropic.types.message_create_params:MessageCreateParams", BETA}

# The bodies that show the rules.
CASES = pathlib.Path(__file__).parents[2] / "crates/messages/tests/check/cases"


def main(manifest, aside=None, version=None):
    golden = json.loads(pathlib.Path(manifest).read_text())
    # By type, so that each shape is spoiled once for each.
    seen = collections.defaultdict(set)
    complaints, bodies, mutations, refused = [], 0, 0, []
    for entry in golden:
        kind, unknown = typed(entry["type"]), set()
        for path in entry["paths"]:
            bodies += 1
            body = read(path)
            found = faults(kind, body)
            unknown.update(it.unknown for it in found)
            surplus = [it for it in found if it.unknown not in entry["refused"]]
            complaints += [f"{path}: {it}" for it in surplus]
            drop(body, found)
            valid = json.dumps(body)
            for what, mutant in mutants(body, entry["wire"], seen[entry["type"]]):
                mutations += 1
                if not faults(kind, mutant):
                    complaints.append(f"{path}: not refused: {what}")
                elif entry["type"] in MESSAGES:
                    refused.append((what, valid, json.dumps(mutant)))
        missing = [it for it in entry["refused"] if it not in unknown]
        complaints += [f"{entry['paths'][0]}: nothing refuses {key!r}" for key in missing]
    if aside:
        refused += of_cases(seen[BETA])
        complaints += unrefused(aside, version, refused)
        complaints += drift(aside, version, typed(BETA))
    for complaint in complaints:
        print(complaint)
    print(f"{bodies} bodies, {mutations} mutations, {len(complaints)} complaints")
    return 1 if complaints else 0


def of_cases(seen):
    """The mutants of the valid bodies among the cases of the rules that the types refuse."""
    kind, refused = typed(BETA), []
    for path in sorted(CASES.glob("*/*.valid.json")):
        case = json.loads(path.read_text())
        body = case.get("body")
        if "endpoint" in case or not isinstance(body, dict) or faults(kind, body):
            continue
        valid = json.dumps(body)
        for what, mutant in mutants(body, "anthropic", seen):
            if faults(kind, mutant):
                refused.append((what, valid, json.dumps(mutant)))
    return refused


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
