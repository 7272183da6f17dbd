"""A second implementation of the rules of OpenAI's prompt cache by generation,
small and slow, and a comparison of it with `aside cache explain`.

    python3 openai_cache.py ASIDE [--requests 5000] [--seed 1]

Random conversations on Responses grow, fork, change and pause; hit, written
breakpoints and unread instructions of every request must be those that are
computed here. A prefix is compared as a whole, as a list of texts.
"""

import argparse
import json
import random
import sys

from cache import LATENCY, explained, path_of

# Before GPT-5.6, since then, and with instructions that follow the input.
LONGEST_PREFIX, BREAKPOINTS, TURN_SCOPED = "gpt-5.5", "gpt-6-sol", "gpt-6.2-sol"
LIFETIMES = {"30m": 1800.0, "12h": 43_200.0}
WRITES = 4
READS = 80
MARKER = "prompt_cache_breakpoint"


class Position:
    """The end of a block, and all that comes before it."""

    def __init__(self, prefix, path, mark, is_long):
        self.prefix = prefix
        self.path = path
        self.mark = mark
        self.is_long = is_long
        self.ends_input = False


def is_input(item):
    return item.get("role") == "user" or item.get("type") == "function_call_output"


def positions(body):
    """Every position of a request, in the order tools, instructions, input."""
    options = body.get("prompt_cache_options", {})
    prefix = [body["model"], body.get("prompt_cache_key", "")]
    found = []
    is_long = False

    def add(path, frame, value):
        nonlocal is_long
        mark = value.get(MARKER) if isinstance(value, dict) else None
        plain = {k: v for k, v in value.items() if k != MARKER} if mark else value
        is_long = is_long or len(json.dumps(value)) > 20_000
        prefix.append(frame + json.dumps(plain))
        lifetime = mark and mark.get("ttl", options.get("ttl", "30m"))
        found.append(Position(tuple(prefix), path, lifetime, is_long))

    for index, tool in enumerate(body.get("tools", [])):
        add(f"tools[{index}]", "tool", tool)
    prefix.append("instructions")
    if "instructions" in body and body["model"] != TURN_SCOPED:
        add("instructions", "", body["instructions"])
    prefix.append("input")
    for index, item in enumerate(body["input"]):
        if "content" in item:
            for number, block in enumerate(item["content"]):
                add(f"input[{index}].content[{number}]", "" if number else item["role"], block)
        else:
            add(f"input[{index}]", "", item)
        found[-1].ends_input = is_input(item)
    return found


class Cache:
    """Entries by the whole prefix."""

    def __init__(self):
        self.entries = {}

    def is_live(self, position, now):
        entry = self.entries.get(position.prefix)
        return entry is not None and now - entry["used"] < LIFETIMES[entry["ttl"]]

    def is_readable(self, position, now):
        return self.is_live(position, now) and now >= self.entries[position.prefix]["readable"]

    def send(self, body, now):
        found = positions(body)
        if body["model"] == LONGEST_PREFIX:
            reads, writes = range(len(found)), [(it, "30m") for it in range(len(found))]
        else:
            reads, writes = self.breakpoints(body, found)
        writes = [it for it in writes if found[it[0]].is_long]
        there = [it for it in reads if found[it].is_long and self.is_readable(found[it], now)]
        hit = max(there, default=None)
        above = [it for it in writes if hit is None or it[0] > hit]
        self.update(body, found, hit, above, now)
        return (found[hit].path if hit is not None else None, self.billed(body, above))

    def breakpoints(self, body, found):
        options = body.get("prompt_cache_options", {})
        explicit = [index for index, it in enumerate(found) if it.mark]
        own = []
        if options.get("mode") != "explicit":
            own = [index for index, it in enumerate(found) if it.ends_input]
        reads = sorted(set(explicit) | set(own))[-READS:]
        writes = {index: options.get("ttl", "30m") for index in own[-1:]}
        for index in reversed(explicit):
            if len(writes) < WRITES and index not in writes:
                writes[index] = found[index].mark
        return reads, sorted(writes.items())

    def billed(self, body, above):
        return body["model"] != LONGEST_PREFIX and bool(above)

    def update(self, body, found, hit, above, now):
        if hit is not None:
            first = 0 if body["model"] == LONGEST_PREFIX else hit
            for position in found[first : hit + 1]:
                if self.is_readable(position, now):
                    self.entries[position.prefix]["used"] = now
        for index, ttl in above:
            prefix = found[index].prefix
            if self.is_live(found[index], now):
                entry = self.entries[prefix]
                entry["ttl"] = max(entry["ttl"], ttl, key=LIFETIMES.get)
                entry["readable"] = min(entry["readable"], now + LATENCY)
                entry["used"] = now
            else:
                self.entries[prefix] = {"ttl": ttl, "used": now, "readable": now + LATENCY}


class Writer:
    """Writes random conversations."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.conversations = []
        self.calls = 0

    def text(self, is_long=False):
        word = "".join(self.random.choice("abcdefgh") for _ in range(6))
        # Far below or far above the shortest prefix that is cached.
        return (word + " ") * (6000 if is_long else 1)

    def message(self, role, is_long=False):
        kind = "output_text" if role == "assistant" else "input_text"
        count = self.random.choice([1, 1, 2])
        parts = [{"type": kind, "text": self.text(is_long)} for _ in range(count)]
        return {"role": role, "content": parts}

    def begin(self):
        shared = self.random.choice(self.conversations) if self.conversations else None
        head = {}
        if shared and self.random.random() < 0.6:
            head = shared["head"]
            first = shared["input"][0]
        else:
            head["model"] = self.random.choice([LONGEST_PREFIX, BREAKPOINTS, TURN_SCOPED])
            if self.random.random() < 0.4:
                head["instructions"] = self.text(self.random.random() < 0.5)
            if self.random.random() < 0.3:
                tool = {"type": "function", "name": "f", "parameters": {"type": "object"}}
                head["tools"] = [tool]
            if self.random.random() < 0.3:
                head["prompt_cache_key"] = self.random.choice("ab")
            first = self.message("developer", self.random.random() < 0.8)
        conversation = {"head": head, "input": [first, self.message("user")]}
        self.conversations.append(conversation)
        return conversation

    def grow(self, conversation):
        items = conversation["input"]
        if self.random.random() < 0.5:
            ids = []
            for _ in range(self.random.choice([1, 2, 5, 30])):
                self.calls += 1
                ids.append(f"call_{self.calls}")
            items += [
                {"type": "function_call", "call_id": it, "name": "f", "arguments": "{}"}
                for it in ids
            ]
            items += [
                {"type": "function_call_output", "call_id": it, "output": self.text()}
                for it in ids
            ]
        else:
            items += [self.message("assistant"), self.message("user", self.random.random() < 0.2)]

    def change(self, conversation):
        messages = [it for it in conversation["input"][1:] if "content" in it]
        self.random.choice(messages)["content"][0]["text"] = self.text()

    def request(self):
        if not self.conversations or self.random.random() < 0.15:
            conversation = self.begin()
        else:
            conversation = self.random.choice(self.conversations[-4:])
            if self.random.random() < 0.75:
                self.grow(conversation)
            if self.random.random() < 0.15:
                self.change(conversation)
        if len(conversation["input"]) > 120:
            self.conversations.remove(conversation)
        body = json.loads(json.dumps({**conversation["head"], "input": conversation["input"]}))
        if "instructions" in body and self.random.random() < 0.2:
            body["instructions"] += self.text()
        if body["model"] != LONGEST_PREFIX:
            self.mark(body)
        return body

    def mark(self, body):
        options = {}
        if self.random.random() < 0.2:
            options["mode"] = "explicit"
        if self.random.random() < 0.3:
            options["ttl"] = self.random.choice(["30m", "12h"])
        if options:
            body["prompt_cache_options"] = options
        places = [
            block
            for item in body["input"]
            if item.get("role") in ("developer", "user")
            for block in item["content"]
        ]
        for block in self.random.sample(places, min(len(places), self.random.choice([0, 0, 1, 2, 6]))):
            block[MARKER] = {"mode": "explicit"}
            if self.random.random() < 0.2:
                block[MARKER]["ttl"] = "12h"

    def log(self, count):
        now = 0.0
        lines = []
        for _ in range(count):
            now += self.random.choice([0.0, 0.5, 2.0, 60.0, 600.0, 1799.0, 1801.0, 43_201.0])
            lines.append({"t": now, "body": self.request(), "provider": "openai"})
        return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("aside")
    parser.add_argument("--requests", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    size = 500
    compared = read = 0
    for part in range(-(-arguments.requests // size)):
        log = Writer(arguments.seed * 1_000 + part).log(size)
        cache = Cache()
        rows = explained(arguments.aside, log, None, "openai")
        for number, (line, row) in enumerate(zip(log, rows, strict=True), 1):
            here = cache.send(line["body"], line["t"])
            verdict = row["predicted"]
            hit = path_of(verdict["hit"]) if verdict["hit"] else None
            theirs = (hit, verdict["usage"].get("write_other", 0) > 0)
            read += hit is not None
            if theirs != here:
                with open("cache-difference.jsonl", "w") as file:
                    file.writelines(json.dumps(it) + "\n" for it in log[:number])
                sys.exit(
                    f"openai cache: request {number} of cache-difference.jsonl:\n"
                    f"  here  {here}\n  aside {theirs}"
                )
        compared += len(log)
    print(f"openai cache: {compared} requests agree, {read} of them read")


main()
