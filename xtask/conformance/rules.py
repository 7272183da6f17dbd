"""Compares `aside check` with the types of an SDK."""

import collections
import json
import subprocess
import tempfile

# What the types refuse and `aside check` does not, with the reason.
EXPLAINED = {}

# Levels at which a mutant counts as found.
FOUND = {"refused", "unknown"}


def unrefused(aside, version, mutants):
    """A complaint for each mutant in which `aside check` finds nothing that it does not find in the
    body from which the mutant was made. A mutant is a label, that body, and its own."""
    bodies = {body: line for line, body in enumerate(dict.fromkeys(it for _, *two in mutants for it in two), 1)}
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.writelines(f"{body}\n" for body in bodies)
        file.flush()
        command = [aside, "check", "--json", "--api-version", version, file.name]
        printed = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    found = collections.defaultdict(set)
    for it in json.loads(printed)["violations"]:
        if it["level"] in FOUND:
            found[it["line"]].add((it["rule"], it["path"]))
    missed = [what for what, valid, mutant in mutants if not found[bodies[mutant]] - found[bodies[valid]]]
    unexplained = sorted({what for what in missed if what not in EXPLAINED})
    share = 100 * (len(mutants) - len(missed)) / max(len(mutants), 1)
    print(f"aside check finds {len(mutants) - len(missed)} of {len(mutants)} mutants, {share:.1f} %")
    for what in sorted(set(missed) - set(unexplained)):
        print(f"not found: {what}: {EXPLAINED[what]}")
    return [f"aside check does not find: {what}" for what in unexplained]
