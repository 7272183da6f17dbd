"""Compares two public price maps and prints the figures of `crates/models/src/figures.txt`.

    maps.py CATALOGUE FIGURES

CATALOGUE is the output of `aside models --json`: its ids are looked up, and the rows of Anthropic
are compared with the maps. FIGURES is the present file: a map of the same version keeps its
date, the day on which it was first read.
"""

import datetime
import importlib.metadata
import json
import pathlib
import re
import sys
from decimal import Decimal

from genai_prices import types
from genai_prices.data import providers

LITELLM, GENAI = MAPS = ("litellm", "genai-prices")
# The vendor of a row, the prefix and the provider in LiteLLM's map, the provider in genai-prices.
VENDORS = {
    "openai": ("", "openai", "openai"),
    "google": ("gemini/", "gemini", "google"),
    "xai": ("xai/", "xai", "x-ai"),
    "anthropic": ("", "anthropic", "anthropic"),
}
PRICES = {
    "input": ("input_cost_per_token", "input_mtok"),
    "output": ("output_cost_per_token", "output_mtok"),
    "read": ("cache_read_input_token_cost", "cache_read_mtok"),
    "write": ("cache_creation_input_token_cost", "cache_write_mtok"),
    "write_1h": ("cache_creation_input_token_cost_above_1hr", "cache_write_1h_mtok"),
    "write_12h": ("cache_creation_input_token_cost_above_12hr", "cache_write_12h_mtok"),
}
LIMITS = ("context_window", "max_output", "retires")
# Spellings of a model that the catalogue finds under another id, and models that are not served.
VARIANT = re.compile(
    r"[:/]|-\d{4}(-\d\d-\d\d)?($|-(non-)?reasoning)|-\d{8}$|-beta|-experimental|-gv2$|-latest$|^gemini-gemma|^learnlm"
)
# The limit of the input without the response, in LiteLLM's map: added up they are the window.
INPUT_ONLY = (272_000, 922_000)


def number(value):
    return format(value.normalize(), "f")


def litellm(entry):
    """Returns the limits, and the prices by the start of their band."""
    limits, bands = {}, {}
    window, output = entry.get("max_input_tokens"), entry.get("max_output_tokens")
    if window and output and window in INPUT_ONLY:
        window += output
    limits["context_window"] = window and int(window)
    # An output as long as the window is its word for no limit of its own.
    limits["max_output"] = output and output != window and int(output) or None
    limits["retires"] = entry.get("deprecation_date")
    for name, (key, _) in PRICES.items():
        for found, value in entry.items():
            band = re.fullmatch(re.escape(key) + r"(?:_above_(\d+)k_tokens)?", found)
            if band and value is not None:
                start = int(band[1] or 0) * 1000
                bands.setdefault(start, {})[name] = Decimal(value) * 1_000_000
    return limits, bands


def genai(model, today):
    prices = model.get_prices(datetime.datetime.combine(today, datetime.time(), datetime.UTC))
    bands = {}
    for name, (_, key) in PRICES.items():
        price = prices.__dict__.get(key)
        if price is None:
            continue
        tiers = getattr(price, "tiers", [])
        bands.setdefault(0, {})[name] = getattr(price, "base", price)
        for tier in tiers:
            bands.setdefault(tier.start, {})[name] = tier.price
    return {"context_window": model.context_window}, bands


def states(clause, id):
    """Returns true if a clause of genai-prices means this id, not only its beginning: it takes
    `gemini-3.8-flash-lite` for a `gemini-3.8-flash`."""
    match clause:
        case types.ClauseOr():
            return any(states(it, id) for it in clause.or_)
        case types.ClauseAnd():
            return all(states(it, id) for it in clause.and_)
        case types.ClauseStartsWith():
            return id in (clause.starts_with, clause.starts_with + "-preview")
        case types.ClauseContains() | types.ClauseEndsWith():
            return False
    return clause.is_match(id)


def same_starts(one, other):
    """Returns the bands of `one`, with the starts of `other` that differ by one token: a map
    states `above 200k` as more than 199,999. Prompts of exactly 200k are below the band."""
    near = lambda start: next((it for it in other if abs(it - start) == 1), start)
    return {max(start, near(start)): prices for start, prices in one.items()}


def merge(values, figure, faults):
    """Returns the value of a figure with its map, or None if there is none or two differ."""
    stated = {name: value for name, value in values.items() if value is not None}
    if len(set(stated.values())) > 1:
        text = ", ".join(f"{name} {shown(value)}" for name, value in stated.items())
        faults.append(f"{figure}: {text}")
        return None
    for name, value in stated.items():
        return shown(value) + ("" if len(stated) == len(MAPS) else f"@{name}")
    return None


def shown(value):
    return number(value) if isinstance(value, Decimal) else str(value)


def figures(entries, faults):
    """Returns the words of a row."""
    words = []
    for name in LIMITS:
        value = merge({map: it[0].get(name) for map, it in entries.items()}, name, faults)
        if value:
            words.append(f"{name}={value}")
    bands = {map: it[1] for map, it in entries.items() if it[1]}
    bands = {
        map: same_starts(it, next((o for m, o in bands.items() if m != map), {}))
        for map, it in bands.items()
    }
    starts = sorted({start for it in bands.values() for start in it})
    for start in starts:
        prices = {}
        missing = [map for map, it in bands.items() if start not in it]
        if missing:
            faults.append(f"above={start}: {missing[0]} has no such band")
        else:
            for name in PRICES:
                label = f"{name} above {start}" if start else name
                value = merge({map: it[start].get(name) for map, it in bands.items()}, label, faults)
                if value:
                    prices[name] = value
        if start:
            words.append(f"above={start}")
        if "input" in prices and "output" in prices:
            words += [f"{name}={value}" for name, value in prices.items()]
        elif not start:
            return words
    return words


def main():
    catalogue, present = sys.argv[1:]
    today = datetime.datetime.now(datetime.UTC).date()
    rows = json.loads(pathlib.Path(catalogue).read_text())["models"]
    dates = dict(re.findall(r"^source (\S+ \S+) (\S+)$", pathlib.Path(present).read_text(), re.M))
    sources = {}
    for name in MAPS:
        version = importlib.metadata.version(name)
        date = dates.get(f"{name} {version}", str(today))
        sources[name] = f"source {name} {version} {date}"
    read_on = min(datetime.date.fromisoformat(it.split()[3]) for it in sources.values())

    map_file = importlib.metadata.distribution(LITELLM).locate_file(
        "litellm/model_prices_and_context_window_backup.json"
    )
    theirs = json.loads(pathlib.Path(map_file).read_text(), parse_float=Decimal)
    others = {it.id: it for it in providers}

    names = {vendor: {} for vendor in VENDORS}
    for row in rows:
        if row["vendor"] in names:
            names[row["vendor"]][row["id"]] = row["aliases"]
    known = {id for ids in names.values() for id, more in ids.items() for id in [id, *more]}
    for key, entry in theirs.items():
        for vendor, (prefix, provider, _) in VENDORS.items():
            id = key.removeprefix(prefix)
            is_new = vendor != "anthropic" and entry.get("litellm_provider") == provider
            if is_new and entry.get("mode") in ("chat", "responses") and key.startswith(prefix):
                if id not in known and not VARIANT.search(id):
                    names[vendor][id] = []

    lines, faults, later, ours = [], [], [], []
    for vendor, (prefix, _, provider) in VENDORS.items():
        for id, aliases in sorted(names[vendor].items()):
            entries = {}
            spellings = [id, *aliases]
            entry = next((theirs[prefix + it] for it in spellings if prefix + it in theirs), None)
            if entry:
                entries[LITELLM] = litellm(entry)
            found = []
            for name in spellings:
                model = others[provider].find_model(name)
                if model and (model.id == name or states(model.match, name)):
                    entries[GENAI] = genai(model, read_on)
                    later += changes(id, model, read_on)
                    break
            words = figures(entries, found)
            if vendor == "anthropic":
                row = next(it for it in rows if it["id"] == id)
                ours += differences(row, words)
            elif words:
                lines.append(" ".join([id, vendor, *words]))
            faults += [f"{id} {it}" for it in found]

    print(HEADER + "\n".join(sources.values()) + "\n")
    print("\n".join(lines))
    for title, items in (
        ("Figures that the maps state differently, left out above.", faults),
        ("Prices that genai-prices announces for a later day.", later),
        ("Hand-written rows of Anthropic that differ from the maps.", ours),
    ):
        print("\n".join(["", f"# {title}", *(f"# {it}" for it in items)]))


def changes(id, model, today):
    """Returns the prices of a model that begin after today."""
    if isinstance(model.prices, types.ModelPrice):
        return []
    starts = (getattr(it.constraint, "start_date", today) for it in model.prices)
    return [f"{id}: from {it}" for it in starts if it > today]


def differences(row, words):
    """Returns what the maps state of a row of Anthropic and the row states differently."""
    bands = [dict(it) for it in row["prices"]]
    found, band = [], 0
    for word in words:
        name, value = word.split("=")
        value, _, source = value.partition("@")
        if name == "above":
            band += 1
            own = bands[band - 1]["max_prompt"] if band <= len(bands) else None
        elif name in PRICES:
            name = {"write": "write_5m"}.get(name, name)
            own = bands[band][name] if band < len(bands) else None
        elif name == "retires":
            own = row["lifecycle"]["retires"] or row["lifecycle"]["retires_not_before"]
        else:
            own = row[name]
        same = own is not None and (own == value or name != "retires" and Decimal(str(own)) == Decimal(value))
        if not same:
            found.append(f"{row['id']} {name}: row {own}, maps {value}" + (f" ({source})" if source else ""))
    return found


HEADER = """\
# Generated by `cargo xtask models --update`: review it as a diff, do not edit it.
#
# Figures of models of other vendors than Anthropic, from two public price maps, both under the MIT
# licence. A figure on which both agree has no mark; one that only one map states has its name.
"""

if __name__ == "__main__":
    main()
