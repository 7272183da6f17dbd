"""The same files through a package and through the command: the results are equal byte for byte.

usage: same_results.py ASIDE REPOSITORY EVERY python|node

White space between tokens is left out of the comparison; the order of keys and the spelling of
numbers and strings are not. EVERY is the step through the list of files: 1 tries all.
"""

import json
import pathlib
import re
import subprocess
import sys

ASIDE, REPOSITORY, EVERY, LANGUAGE = sys.argv[1:]
ROOT = pathlib.Path(REPOSITORY)


def files():
    """Returns files with one body each: those of the docs, the goldens, and the cases of the rules."""
    found = sorted(ROOT.glob("docs/cache/turn-*.json")) + sorted(ROOT.glob("docs/pydantic-ai/turn-*.json"))
    found += sorted(ROOT.glob("fixtures/*/request-1.json"))
    found += sorted(ROOT.glob("crates/rules/tests/it/check/cases/*/*.json"))
    return [body_file(path) for path in found[:: int(EVERY)]]


def body_file(path):
    """Returns the path of a body. That of a case is written as it stands in the case."""
    if "cases" not in path.parts:
        return path
    text = path.read_text(encoding="utf-8")
    case = json.loads(text)
    if "body" not in case:
        return path
    start = re.search(r'"body":\s*', text).end()
    _, end = json.JSONDecoder().raw_decode(text, start)
    file = pathlib.Path("cases") / f"{path.parent.name}-{path.name}"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text[start:end], encoding="utf-8")
    return file.resolve()


def compact(text):
    """Returns a JSON text without the white space between its tokens."""
    kept, quoted, escaped = [], False, False
    for character in text:
        if quoted or not character.isspace():
            kept.append(character)
        if character == '"' and not escaped:
            quoted = not quoted
        escaped = quoted and character == "\\" and not escaped
    return "".join(kept)


def command(*arguments):
    done = subprocess.run([ASIDE, *arguments], capture_output=True, cwd=ROOT)
    return done.stdout.decode()


def package(calls):
    """Returns the JSON of each call of the native module of the package."""
    if LANGUAGE == "python":
        from aside import _native

        for name, paths, options in calls:
            inputs = [pathlib.Path(path).read_bytes() for path in paths]
            try:
                yield _native.call(name, inputs, options.encode())[0].decode()
            except _native.AsideError:
                yield ""
        return
    script = pathlib.Path("same_results.mjs").resolve()
    lines = "\n".join(json.dumps([name, [str(it) for it in paths], options]) for name, paths, options in calls)
    done = subprocess.run(["node", script], input=lines.encode(), capture_output=True, check=True)
    yield from done.stdout.decode().split("\n")


def checked(path):
    """Returns what the command prints for a body, in the form of the package."""
    text = compact(command("check", "--json", str(path)))
    if not text:
        return None
    report = json.loads(text)
    if not report["wires"]:
        return None
    file = f'"file":{json.dumps(str(path), ensure_ascii=False)},"line":null,'
    start, end = text.index('"violations":[') + 14, text.index('],"not_checked":')
    findings = text[start:end].replace(compact(file), "")
    rest = text[end + len('],"not_checked":') :]
    not_checked = rest[: rest.index(',"wires":')]
    by_topic = sorted(json.loads(not_checked), key=lambda it: it["topic"])
    wire = report["wires"][0]
    return findings, by_topic, wire["wire"], wire["reason"]


def main():
    bodies = files()
    pairs = list(zip(bodies, bodies[1:]))
    calls = [("check", [it], "") for it in bodies]
    calls += [("context", [it], "") for it in bodies]
    calls += [("plan", [it], "") for it in bodies]
    calls += [("diff", list(pair), "") for pair in pairs]
    found = iter(list(package(calls)))
    count, wrong = 0, []

    def compare(what, expected, actual):
        nonlocal count
        count += 1
        if expected != actual:
            wrong.append(f"{what}\n  command: {expected}\n  package: {actual}"[:2000])

    for path in bodies:
        expected, actual = checked(path), next(found)
        if expected is None:
            continue
        text = compact(actual)
        facts = json.loads(text)
        findings = text[text.index('"findings":[') + 12 : text.index('],"not_checked":')]
        parts = (findings, facts["not_checked"], facts["wire"], facts["reason"])
        compare(f"check {path}", expected, parts)
    for name, arguments in (("context", ["context", "--json", "--file"]), ("plan", ["cache", "plan", "--json"])):
        for path in bodies:
            compare(f"{name} {path}", compact(command(*arguments, str(path))), compact(next(found)))
    for before, after in pairs:
        expected = compact(command("diff", "--json", str(before), str(after)))
        # The command adds the source of the changed byte, which it finds in files.
        expected = expected.split(',"source":{')[0].removesuffix("}")
        compare(f"diff {before} {after}", expected, compact(next(found)).removesuffix("}"))
    for it in wrong[:5]:
        print(it)
    print(f"{count} results of {len(bodies)} files in {LANGUAGE}, {len(wrong)} differ")
    sys.exit(bool(wrong))


main()
