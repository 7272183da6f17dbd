"""Compares `aside check` with the types of an SDK."""

import collections
import json
import subprocess
import tempfile

# Where the types and `aside check` differ on purpose, by the end of the place.
EXPLAINED = {
    " model": "the address of a request may have the model",
    ".reasoning.id": "servers take reasoning without an id",
    " messages.system.content": "an output_config may stand alone in a system message",
    "_call.id": "servers take calls without an id",
    " input.[].id": "without a type and an id, an item is read as a message",
    ".tools.function.parameters": "servers take a function without parameters",
    " tools.function.parameters": "servers take a function without parameters",
    ".tools.function.strict": "public clients leave it out",
    " tools.function.strict": "public clients leave it out",
    ".char_location.document_title": "the newest SDK requires it",
    ".role": "Google's server takes user and model",
    ".functionCall.name": "Google's server needs the name of a call",
    ".functionResponse.name": "Google's server needs the name of a call",
    ".functionResponse.response": "Google's server needs an object",
    ".inlineData.data": "Google's server needs data and their type",
    ".inlineData.mimeType": "Google's server needs data and their type",
    ".mcp.connector_id": "OpenAI's server needs one of three addresses",
    ".mcp.server_url": "OpenAI's server needs one of three addresses",
    ".mcp.tunnel_id": "OpenAI's server needs one of three addresses",
    ".file.filename": "OpenAI's server needs a name with the data of a file",
}

# Levels at which a mutant counts as found.
FOUND = {"refused", "unknown"}

# Rules about the form of a body, which the types have as well. What the types accept, none of these
# may refuse.
FORM = {"unknown-key", "missing-key", "value-type", "value", "unknown-kind", "misspelled-kind"}


def findings(aside, options, bodies):
    """The findings of each body, as rows of `aside check --json`; all bodies in one process."""
    lines = {body: line for line, body in enumerate(dict.fromkeys(bodies), 1)}
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.writelines(f"{body}\n" for body in lines)
        file.flush()
        command = [aside, "check", "--json", *options, file.name]
        printed = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    found = collections.defaultdict(list)
    for it in json.loads(printed)["violations"]:
        if it["level"] in FOUND:
            found[it["line"]].append(it)
    return {body: found[line] for body, line in lines.items()}


def disagreements(aside, options, mutants):
    """A complaint for each mutant in which `aside check` finds nothing at the place of a fault that
    the types have, or refuses the form of what they accept. A mutant is a label, the body from which
    it was made, its own, and the paths of its faults."""
    found = findings(aside, options, [body for _, *two, _ in mutants for body in two])
    missed, surplus = collections.Counter(), collections.Counter()
    for what, valid, mutant, paths in mutants:
        known = {(it["rule"], it["path"]) for it in found[valid]}
        new = [it for it in found[mutant] if (it["rule"], it["path"]) not in known]
        if paths:
            missed[what] += not any(is_near(it["path"], path) for it in new for path in paths)
        else:
            surplus[what] += any(it["rule"] in FORM and it["level"] == "refused" for it in new)
    complaints = []
    for verb, wrong in (("finds", missed), ("accepts", surplus)):
        of_verb = sum(1 for *_, paths in mutants if bool(paths) == (verb == "finds"))
        print(f"aside check {verb} {of_verb - wrong.total()} of {of_verb} mutants that the types do{'' if verb == 'accepts' else ' not'} accept")
        for what in sorted(+wrong):
            reason = next((it for end, it in EXPLAINED.items() if what.endswith(end)), None)
            if reason:
                print(f"as intended: {what}: {reason}")
            else:
                complaints.append(f"aside check differs from the types: {what}")
    return complaints


def is_near(found, fault):
    """True for the same place, or one that is directly in the other. Without its type, an object is
    read as another one, so each of its keys is the place."""
    short, long = sorted((found, fault.removesuffix(".type")), key=len)
    return long == short or long.startswith((f"{short}.", f"{short}[")) and long.count(".") <= short.count(".") + 1
