"""A second implementation of the rules of Anthropic's prompt cache, small and
slow, and a comparison of it with `aside cache explain`.

    python3 cache.py ASIDE [--requests 10000] [--seed 1]

Random logs of marked requests are explained by the command `aside` with the
documented rules, and with each undocumented choice flipped; hit and markers of
every request must be those that are computed here. A prefix is compared as a
whole, as a list of texts: there are no hashes, and nothing is shared between
requests.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile

LIFETIMES = {"5m": 300.0, "1h": 3600.0}
LOOK_BACK = 20
LATENCY = 1.0
MODEL = "claude-opus-5-5"

# The documented rules, and the choice of each undocumented one.
RULES = {
    "look_back_unit": "tool_run",
    "renew_ancestors": False,
    "hour_over_five": "reads",
    "writes_below_hit": False,
    "nested": "of_the_result",
    "thinking": "kept",
    "isolation": "workspace",
    "concurrency": "on_response",
    "images": "presence",
}
FLIPPED = {
    "look_back_unit": "block",
    "renew_ancestors": True,
    "hour_over_five": "writes",
    "writes_below_hit": True,
    "nested": "own",
    "thinking": "last_turn",
    "isolation": "organization",
    "concurrency": "at_once",
    "images": "count",
}


class Position:
    """The end of a block, and all that comes before it."""

    def __init__(self, prefix, path, unit, mark, is_long):
        self.prefix = prefix
        self.path = path
        self.unit = unit
        self.mark = mark
        self.is_long = is_long


def plain(block):
    """The block without markers, those of its content included."""
    block = {key: value for key, value in block.items() if key != "cache_control"}
    if isinstance(block.get("content"), list):
        block["content"] = [plain(it) for it in block["content"]]
    return block


def lifetime(block):
    control = block.get("cache_control")
    return control and control.get("ttl", "5m")


def has_long_text(value):
    """Whether a prefix with this block is long enough to be cached. A text is far
    longer than the shortest such prefix, or all before a long one is far shorter."""
    return len(json.dumps(value)) > 10_000


def is_markable(block):
    if block.get("type") in ("thinking", "redacted_thinking"):
        return False
    return block.get("type") != "text" or block["text"] != ""


def kind(block):
    return block["type"] if block.get("type") in ("tool_use", "tool_result") else None


def positions(body, workspace, rules):
    """Every position of a request, in the order tools, system, messages."""
    scope = workspace if rules["isolation"] == "workspace" else ""
    prefix = [f"model {body['model']} workspace {scope}"]
    found = []
    state = {"unit": 0, "kind": "none", "is_long": False}

    def add(block, path, takes_marker=True):
        this = kind(block)
        is_run = rules["look_back_unit"] == "tool_run" and this and this == state["kind"]
        if not is_run:
            state["unit"] += 1
        state["kind"] = this
        contents = block.get("content") if this == "tool_result" else None
        contents = contents if isinstance(contents, list) else []
        if rules["nested"] == "own":
            inside = list(prefix)
            for index, it in enumerate(contents):
                inside = inside + ["nested " + json.dumps(plain(it))]
                mark = lifetime(it)
                is_long = state["is_long"] or has_long_text(contents[: index + 1])
                position = Position(
                    tuple(inside), f"{path}.content[{index}]", state["unit"], mark, is_long
                )
                found.append(position)
                if rules["look_back_unit"] == "block":
                    state["unit"] += 1
        state["is_long"] = state["is_long"] or has_long_text(block)
        prefix.append(json.dumps(plain(block)))
        mark = lifetime(block)
        if not mark and rules["nested"] == "of_the_result":
            marks = [lifetime(it) for it in contents if lifetime(it)]
            mark = max(marks, key=LIFETIMES.get) if marks else None
        if not (takes_marker and is_markable(block)):
            mark = None
        found.append(Position(tuple(prefix), path, state["unit"], mark, state["is_long"]))

    prefix.append("tools")
    for index, tool in enumerate(body.get("tools", [])):
        add(tool, f"tools[{index}]")
    prefix.append("system")
    for index, block in enumerate(body.get("system", [])):
        add(block, f"system[{index}]")
    images = sum(
        1 for message in body["messages"] for it in message["content"] if it["type"] == "image"
    )
    count = images if rules["images"] == "count" else min(images, 1)
    prefix.append(f"messages, images {count}")
    turn = 0
    for index, message in enumerate(body["messages"]):
        results = any(it["type"] == "tool_result" for it in message["content"])
        if message["role"] == "user" and not results:
            turn = index
    for index, message in enumerate(body["messages"]):
        is_framed = False
        for number, block in enumerate(message["content"]):
            is_thinking = block["type"] == "thinking"
            if is_thinking and rules["thinking"] == "last_turn" and index < turn:
                continue
            if not is_framed:
                prefix.append("role " + message["role"])
                is_framed = True
            add(block, f"messages[{index}].content[{number}]")
    automatic = body.get("cache_control")
    if automatic:
        for position in reversed(found):
            if position.prefix and position.path.count(".content[") < 2:
                block = at(body, position.path)
                if is_markable(block):
                    position.mark = position.mark or automatic.get("ttl", "5m")
                    break
    return found


def at(body, path):
    names = path.replace("]", "").replace(".content[", "[").split("[")
    value = body[names[0]][int(names[1])]
    for index in names[2:]:
        value = value["content"][int(index)]
    return value


class Cache:
    """Entries by the whole prefix: their lifetime, last use, and when they can
    be read."""

    def __init__(self, rules):
        self.rules = rules
        self.entries = {}

    def is_live(self, entry, now):
        return now - entry["used"] < LIFETIMES[entry["ttl"]]

    def is_readable(self, entry, now):
        return self.is_live(entry, now) and now >= entry["readable"]

    def look_back(self, found, index, now):
        marker = found[index]
        for it in range(index, -1, -1):
            if marker.unit - found[it].unit >= LOOK_BACK:
                return None
            entry = self.entries.get(found[it].prefix)
            if entry is None or not self.is_readable(entry, now):
                continue
            is_short = LIFETIMES[entry["ttl"]] < LIFETIMES[marker.mark]
            if is_short and self.rules["hour_over_five"] == "writes":
                continue
            return it
        return None

    def send(self, body, workspace, now):
        found = positions(body, workspace, self.rules)
        markers = [index for index, it in enumerate(found) if it.mark]
        hit = None
        for index in reversed(markers):
            hit = self.look_back(found, index, now)
            if hit is not None:
                break
        effects = []
        for index in markers:
            it = found[index]
            if not it.is_long:
                effect = "below_minimum"
            elif hit is None or index > hit:
                effect = "wrote"
            elif self.look_back(found, index, now) is not None or index == hit:
                effect = "hit"
            else:
                effect = "useless"
            effects.append((it.path, it.mark, effect))
        self.update(found, markers, hit, now)
        return (found[hit].path if hit is not None else None), effects

    def update(self, found, markers, hit, now):
        if hit is not None:
            renewed = range(hit + 1) if self.rules["renew_ancestors"] else [hit]
            for index in renewed:
                entry = self.entries.get(found[index].prefix)
                if entry is not None and self.is_readable(entry, now):
                    entry["used"] = now
        readable = now + (LATENCY if self.rules["concurrency"] == "on_response" else 0)
        for index in markers:
            it = found[index]
            if not it.is_long:
                continue
            entry = self.entries.get(it.prefix)
            is_live = entry is not None and self.is_live(entry, now)
            is_above = hit is None or index > hit
            if not is_above and not (self.rules["writes_below_hit"] and not is_live):
                continue
            if is_live:
                entry["ttl"] = max(entry["ttl"], it.mark, key=LIFETIMES.get)
                entry["readable"] = min(entry["readable"], readable)
                entry["used"] = now
            else:
                self.entries[it.prefix] = {"ttl": it.mark, "used": now, "readable": readable}


class Writer:
    """Writes random conversations, which grow, fork and change."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.heads = [self.head(number) for number in range(2)]
        self.conversations = []
        self.calls = 0

    def text(self, is_long):
        word = "".join(self.random.choice("abcdefgh") for _ in range(6))
        # Far below or far above the shortest prefix that is cached.
        return (word + " ") * (2000 if is_long else 1)

    def head(self, number):
        tool = {"name": f"T{number}", "description": "d", "input_schema": {"type": "object"}}
        tools = [tool] if self.random.random() < 0.5 else []
        count = self.random.randrange(3)
        system = [{"type": "text", "text": self.text(self.random.random() < 0.5)}] * count
        return {"tools": tools, "system": [dict(it) for it in system]}

    def begin(self):
        is_long = self.random.random() < 0.9
        content = [{"type": "text", "text": self.text(is_long)}]
        messages = [{"role": "user", "content": content}]
        conversation = {"head": self.random.choice(self.heads), "messages": messages}
        self.conversations.append(conversation)
        return conversation

    def block(self):
        if self.random.random() < 0.08:
            data = "".join(self.random.choice("ABCD") for _ in range(8))
            source = {"type": "base64", "media_type": "image/png", "data": data}
            return {"type": "image", "source": source}
        return {"type": "text", "text": self.text(self.random.random() < 0.3)}

    def grow(self, conversation):
        answer = []
        if self.random.random() < 0.4:
            self.calls += 1
            answer.append({"type": "thinking", "thinking": f"t{self.calls}", "signature": "s"})
        content = []
        if self.random.random() < 0.6:
            for _ in range(self.random.choice([1, 2, 3, 12, 22])):
                self.calls += 1
                use = {"type": "tool_use", "id": f"c{self.calls}", "name": "T0", "input": {}}
                parts = [
                    {"type": "text", "text": self.text(self.random.random() < 0.1)}
                    for _ in range(self.random.randrange(3))
                ]
                result = {"type": "tool_result", "tool_use_id": use["id"], "content": parts}
                answer.append(use)
                content.append(result)
        if not any(it["type"] != "thinking" for it in answer):
            answer.append({"type": "text", "text": self.text(False)})
        many = self.random.choice([0, 1, 1, 2, 25])
        for _ in range(many if content else max(many, 1)):
            content.append(self.block())
        conversation["messages"] += [
            {"role": "assistant", "content": answer},
            {"role": "user", "content": content},
        ]

    def change(self, conversation):
        message = self.random.choice(conversation["messages"][1:] or [{"content": []}])
        texts = [it for it in message["content"] if it["type"] == "text"]
        if texts:
            self.random.choice(texts)["text"] = self.text(False)

    def request(self):
        if not self.conversations or self.random.random() < 0.1:
            conversation = self.begin()
        else:
            conversation = self.random.choice(self.conversations[-3:])
            is_tiny = not has_long_text(conversation["messages"][0])
            if not is_tiny and self.random.random() < 0.75:
                self.grow(conversation)
            if not is_tiny and self.random.random() < 0.1:
                self.change(conversation)
        if len(conversation["messages"]) > 16:
            self.conversations.remove(conversation)
        body = {"model": MODEL, "max_tokens": 8}
        for key in ("tools", "system"):
            if conversation["head"][key]:
                body[key] = conversation["head"][key]
        body["messages"] = conversation["messages"]
        body = json.loads(json.dumps(body))
        self.mark(body)
        return body

    def mark(self, body):
        places = list(body.get("tools", [])) + list(body.get("system", []))
        for message in body["messages"]:
            for block in message["content"]:
                if block["type"] == "tool_result":
                    places += block["content"]
                if is_markable(block):
                    places.append(block)
        count = self.random.randrange(5)
        recent = places[-8:]
        chosen = {self.random.randrange(len(places)) for _ in range(count // 2)}
        chosen |= {len(places) - 1 - self.random.randrange(len(recent)) for _ in range(count - count // 2)}
        hours = self.random.randrange(len(chosen) + 1) if self.random.random() < 0.4 else 0
        for number, index in enumerate(sorted(chosen)):
            ttl = "1h" if number < hours else "5m"
            places[index]["cache_control"] = {"type": "ephemeral", "ttl": ttl}
        if len(chosen) < 4 and hours == 0 and self.random.random() < 0.1:
            body["cache_control"] = {"type": "ephemeral"}

    def log(self, count):
        now = 0.0
        lines = []
        for _ in range(count):
            now += self.random.choice([0.0, 0.5, 2.0, 30.0, 100.0, 299.0, 301.0, 1500.0, 3601.0])
            line = {
                "t": now,
                "body": self.request(),
                "provider": "first-party",
                "workspace": self.random.choice(["one", "one", "one", "two"]),
            }
            lines.append(line)
        return lines


def explained(aside, log, flip, rules="anthropic"):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        for line in log:
            file.write(json.dumps(line) + "\n")
        file.flush()
        command = [aside, "cache", "explain", file.name, "--json", "--format", "plain"]
        command += ["--rules", rules]
        command += ["--flip", flip] if flip else []
        output = subprocess.run(command, capture_output=True, text=True)
    if output.returncode != 0:
        sys.exit(f"cache: {' '.join(command)}: {output.stderr}")
    return json.loads(output.stdout)["requests"]


def path_of(value):
    return value["path"] if isinstance(value["path"], str) else value["path"]["text"]


def compare(aside, log, flip):
    """The number of requests that agree; ends the program at one that does not."""
    rules = dict(RULES)
    if flip:
        rules[flip] = FLIPPED[flip]
    cache = Cache(rules)
    for number, (line, row) in enumerate(zip(log, explained(aside, log, flip), strict=True), 1):
        hit, markers = cache.send(line["body"], line["workspace"], line["t"])
        verdict = row["predicted"]
        theirs = (
            path_of(verdict["hit"]) if verdict["hit"] else None,
            [(path_of(it), it["ttl"], it["effect"]) for it in verdict["markers"]],
        )
        if theirs != (hit, markers):
            with open("cache-difference.jsonl", "w") as file:
                for it in log[:number]:
                    file.write(json.dumps(it) + "\n")
            sys.exit(
                f"cache: request {number} of cache-difference.jsonl, {flip or 'no'} choice flipped:\n"
                f"  here  {(hit, markers)}\n  aside {theirs}"
            )
    return len(log)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("aside")
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    flips = [None, *FLIPPED]
    size = 100
    total, seed = 0, arguments.seed
    while total < arguments.requests:
        log = Writer(seed).log(size)
        flip = flips[seed % len(flips)]
        total += compare(arguments.aside, log, flip)
        seed += 1
    logs = total // size
    print(f"cache: {total} requests in {logs} logs agree, with {len(flips)} sets of rules in turn")


if __name__ == "__main__":
    main()
