"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const MAX_BOXES = 150, MAX_ROWS = 100, MAX_TEXT = 20000;
  // The smallest box that can be read and clicked, in square pixels.
  const MIN_AREA = 1600;
  const $ = (id) => document.getElementById(id);
  const n = (value) => Math.round(value).toLocaleString("en-US");
  const about = (tokens) => "~" + n(tokens);
  const share = (part, whole) => {
    const percent = whole ? (100 * part) / whole : 0;
    return percent === 0 ? "0 %" : percent < 0.1 ? "<0.1 %" : percent < 9.95 ? percent.toFixed(1) + " %" : percent.toFixed(0) + " %";
  };
  // Everything goes into the page as text.
  const make = (tag, options = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(options)) {
      if (key === "class") element.className = value;
      else if (key === "on") element.addEventListener("click", value);
      else if (key === "style") Object.assign(element.style, value);
      else element.setAttribute(key, value);
    }
    element.append(...children.filter((it) => it !== null && it !== undefined));
    return element;
  };
  const usageTokens = (u) => u.read + u.write_5m + u.write_1h + (u.write_other || 0) + u.uncached;
  const written = (u) => u.write_5m + u.write_1h + (u.write_other || 0);
  const TONES = { read: "read", "written 1h": "written", "written 5m": "written", "written 12h": "written", written: "written", automatic: "read", plain: "plain", volatile: "plain", mixed: "plain", "not in the prompt": "hidden" };
  const tone = (state) => TONES[state] || "hidden";

  // The rows of parts: [shape, bytes, tokens, index?, detail?], a part before
  // what is in it; texts are in the same order.
  const { shapes, details, rows } = data.parts;
  let at = 0, textCount = 0;
  const open = (layer, parent, last) => {
    const [kind, name, form, numbering, state, origin, hasText, hasDetail, children] = shapes[rows[at++]];
    const bytes = rows[at++], tokens = rows[at++];
    const number = numbering === 0 ? 0 : numbering === 2 ? rows[at++] : last.form === form ? last.number + 1 : 0;
    Object.assign(last, { form, number });
    const path = (form[0] === "~" ? parent.path : "") + (numbering ? form.slice(1).replace("#", number) : form.slice(1));
    const part = { kind, name, detail: hasDetail ? details[rows[at++]] : null, path, bytes, tokens, state, text: hasText ? textCount++ : null, origin, layer, parent };
    part.children = list(children, layer, part);
    return part;
  };
  const list = (count, layer, parent) => {
    const last = {}, parts = [];
    while (parts.length < count) parts.push(open(layer, parent, last));
    return parts;
  };
  const layers = data.layers.map((layer) => {
    const part = { kind: "layer", name: layer.name, path: "", layer: layer.name, bytes: layer.bytes, tokens: usageTokens(layer.usage), usage: layer.usage, cost: layer.cost, prompt: layer.prompt, text: null };
    part.children = list(layer.parts, layer.name, part);
    part.state = stateOf(layer.usage, part);
    return part;
  });
  const root = { kind: "request", name: "", path: "", tokens: data.tokens, bytes: data.bytes, children: layers.filter((it) => it.tokens > 0), text: null };
  layers.forEach((it) => { it.parent = root; });

  function stateOf(usage, part) {
    const all = usageTokens(usage);
    if (!all) return "not in the prompt";
    if (data.automatic) return "automatic";
    if (usage.read === all) return "read";
    if (usage.write_1h === all) return "written 1h";
    if (usage.write_5m === all) return "written 5m";
    if (usage.uncached === all) return part.children.every((it) => it.state === "volatile" || !it.tokens) ? "volatile" : "plain";
    return "mixed";
  }
  const label = (part) => {
    if (part.kind === "layer") return part.name;
    // A message of one block is that block.
    if (part.kind === "message" && part.children.length === 1) return `${part.name}: ${label(part.children[0])}`;
    return [part.kind, part.name, part.detail].filter((it, index, all) => it && all.indexOf(it) === index).join(" ");
  };
  const money = (part) => (data.price && data.tokens && part.cost ? part.cost : null);

  // Texts are read when one is asked for.
  let texts;
  const textOf = (part) => {
    if (texts === undefined) texts = JSON.parse($("texts").textContent);
    if (texts === null || part.text === null) return null;
    const text = texts[part.text];
    if (!/^\s*[[{]/.test(text)) return text;
    try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
  };
  const leaves = (part, to = []) => {
    if (part.text !== null || !part.children.length) to.push(part);
    for (const child of part.children) leaves(child, to);
    return to;
  };

  const pre = (text) => {
    const element = make("pre");
    element.textContent = text.slice(0, MAX_TEXT);
    if (text.length <= MAX_TEXT) return element;
    const more = make("button", { class: "more-text", type: "button", on: () => { element.textContent = text; more.remove(); } }, `Show all ${n(text.length)} characters`);
    return make("div", {}, element, more);
  };
  // The texts around a change, with the characters that differ marked. Both were cut to the
  // same length, so one may end before the other does.
  const MAX_SHIFT = 32;
  function changed(before, after) {
    const a = [...before], b = [...after];
    let start = 0, end = 0, ends = [a.length, b.length];
    while (start < Math.min(a.length, b.length) && a[start] === b[start]) start++;
    for (let shift = -MAX_SHIFT; shift <= MAX_SHIFT; shift++) {
      const [x, y] = [a.length + Math.min(shift, 0), b.length - Math.max(shift, 0)];
      let same = 0;
      while (same < Math.min(x, y) - start && a[x - 1 - same] === b[y - 1 - same]) same++;
      if (same > end || (same === end && shift === 0)) [end, ends] = [same, [x, y]];
    }
    const mark = (it, until) => make("pre", {}, it.slice(0, start).join(""), make("mark", {}, it.slice(start, until - end).join("")), it.slice(until - end).join(""));
    return [mark(a, ends[0]), mark(b, ends[1])];
  }
  const figures = (pairs) => pairs.filter((it) => it[1]).map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value)));

  function show(part) {
    $("panel-name").textContent = label(part);
    $("panel-path").textContent = part.path;
    $("panel-figures").replaceChildren(...figures([
      ["tokens", `${about(part.tokens)} (${share(part.tokens, data.tokens)})`],
      ["bytes", n(part.bytes)],
      ["cache", part.state],
      ["layer", part.layer],
      ["cost", money(part)],
      ["why", part.origin],
    ]));
    const body = $("panel-text");
    body.replaceChildren();
    const all = leaves(part);
    for (const leaf of all.slice(0, MAX_ROWS)) {
      const text = textOf(leaf);
      if (all.length > 1) body.append(make("h3", {}, `${label(leaf)} ${leaf.path}, ${about(leaf.tokens)} tokens`));
      const absent = data.redacted ? "The page was written without texts." : "No text.";
      body.append(text === null ? make("p", { class: "note" }, absent) : pre(text));
    }
    if (all.length > MAX_ROWS) body.append(make("p", { class: "note" }, `and ${n(all.length - MAX_ROWS)} more parts`));
    $("panel").showModal();
    $("panel").scrollTop = 0;
  }

  // A log is headed by its bill.
  function log() {
    const paid = data.steps.filter((it) => it.cost !== null), lost = data.steps.map((it) => it.miss).filter((it) => it?.lost_cost);
    const sum = (all, key) => all.reduce((total, it) => total + it[key], 0);
    const dollars = (value) => "$" + (value >= 0.1 ? value.toFixed(2) : value.toPrecision(2));
    const title = `Log of ${n(data.steps.length)} requests`;
    const bill = paid.length ? `: ${dollars(sum(paid, "cost"))}, ${dollars(sum(lost, "lost_cost"))} of it lost to ${n(lost.length)} cache ${lost.length === 1 ? "miss" : "misses"}` : "";
    document.title = title;
    $("title").textContent = title + bill;
  }

  function head() {
    if (data.steps.length > 1) log();
    const wires = { messages: "Messages API", responses: "Responses API", "chat-completions": "Chat Completions", "generate-content": "generateContent" };
    $("what").textContent = `${data.model || "no model"}, ${wires[data.wire] || data.wire}, ${n(data.bytes)} bytes, of which ${share(data.json_bytes, data.bytes)} are JSON`;
    const all = usageTokens(data.usage);
    const cached = data.usage.read + written(data.usage);
    const card = (value, name, part) => make("div", { class: "figure" }, make("b", {}, value), make("span", {}, name),
      part === undefined ? null : make("div", { class: "meter" }, make("i", { style: { width: Math.min(100, 100 * part) + "%" } })));
    const cards = [card(data.exact ? n(data.exact) : about(data.tokens), data.exact ? `tokens, counted (estimate ${about(data.tokens)}, ${data.measured > 0 ? "+" : ""}${data.measured.toFixed(1)} %)` : "tokens, estimated")];
    if (data.window) cards.push(card(share(data.exact || data.tokens, data.window), `of the window of ${n(data.window)}`, (data.exact || data.tokens) / data.window));
    cards.push(data.automatic ? card("automatic", "cached by the provider if a request repeats it") : card(share(cached, all), data.first ? "would be cached" : "cached", all ? cached / all : 0));
    if (data.cost) cards.push(card(data.cost, "input of one request, prices of " + data.priced));
    $("figures").append(...cards);
    $("sum").textContent = `The layers sum to the request: ${n(layers.reduce((sum, it) => sum + it.bytes, 0))} bytes, ${about(layers.reduce((sum, it) => sum + it.tokens, 0))} tokens. ${data.error ? `Tokens are estimates, within ${data.error} % for most texts.` : "Tokens are estimates; the error for this model was not measured."}`;
    document.documentElement.dataset.bytes = layers.reduce((sum, it) => sum + it.bytes, 0);
  }

  function strip() {
    const band = make("div", { class: "band", role: "img", "aria-label": "Layers in proportion to tokens" });
    const names = make("div", { class: "names" });
    for (const layer of root.children) {
      const u = layer.usage;
      for (const [tokens, name] of [[u.read, "read"], [written(u), "written"], [u.uncached, data.automatic ? "read" : "plain"]]) {
        if (tokens) band.append(make("i", { class: `${layer.name} s-${name}`, style: { flex: `${tokens} 0 0` }, title: `${layer.name}: ${about(tokens)} tokens ${name}` }));
      }
      const fits = layer.tokens / data.tokens > 0.012 * layer.name.length;
      names.append(make("span", { style: { flex: `${layer.tokens} 0 0` } }, fits ? layer.name : ""));
    }
    $("strip").append(names, band);
    const at = (tokens) => (100 * tokens) / (data.tokens || 1) + "%";
    const effects = { hit: "read", wrote: "written", below_minimum: "too short to be cached", useless: "useless" };
    for (const [path, ttl, tokens, start, effect] of data.markers) {
      $("strip").append(make("div", { class: "window", title: `look-back of the marker ${path}` },
        make("i", { style: { left: at(start), width: at(tokens - start) } }), make("b", { class: tokens > 0.98 * data.tokens ? "last" : "", style: { left: at(tokens) } })));
      $("markers").append(make("li", {}, `Marker ${path}, ${ttl}: ${about(tokens)} tokens up to here, ${effects[effect] || "no effect known"}; it looks back over ${about(tokens - start)} tokens`));
    }
    if (!data.markers.length) $("markers").append(make("li", { class: "note" }, data.automatic ? "The provider caches without markers." : "No cache marker."));
  }

  // Squarified: each row is filled while its boxes become more square.
  function squarify(items, x, y, w, h) {
    const total = items.reduce((sum, it) => sum + it.tokens, 0);
    const placed = [];
    if (!total || w <= 0 || h <= 0) return placed;
    const scale = (w * h) / total;
    let rest = items.map((it) => [it, it.tokens * scale]);
    while (rest.length) {
      const side = Math.min(w, h);
      let row = [], sum = 0, worst = Infinity;
      for (const entry of rest) {
        const next = sum + entry[1];
        const large = row.length ? row[0][1] : entry[1];
        const ratio = Math.max((side * side * large) / (next * next), (next * next) / (side * side * entry[1]));
        if (row.length && ratio > worst) break;
        row.push(entry); sum = next; worst = ratio;
      }
      rest = rest.slice(row.length);
      const thick = Math.min(sum / side, w >= h ? w : h);
      let along = 0;
      for (const [item, area] of row) {
        const length = thick ? area / thick : 0;
        placed.push(w >= h ? [item, x, y + along, thick, length] : [item, x + along, y, length, thick]);
        along += length;
      }
      if (w >= h) { x += thick; w -= thick; } else { y += thick; h -= thick; }
    }
    return placed;
  }

  // Joins the parts that are too small for this area, until their box is large enough.
  function fit(parts, area) {
    const sorted = parts.filter((it) => it.tokens > 0).sort((a, b) => b.tokens - a.tokens);
    const least = (MIN_AREA * sorted.reduce((sum, it) => sum + it.tokens, 0)) / Math.max(area, 1);
    let kept = sorted.length, tokens = 0;
    while (kept > 0 && (kept > MAX_BOXES || sorted[kept - 1].tokens < least || (tokens > 0 && tokens < least))) tokens += sorted[--kept].tokens;
    const rest = sorted.slice(kept);
    // All of them are small, or a single one is.
    if (kept === 0 || rest.length < 2) return sorted.slice(0, MAX_BOXES);
    const bytes = rest.reduce((sum, it) => sum + it.bytes, 0);
    const { layer, state } = rest[0];
    const last = { kind: `${n(rest.length)} smaller parts`, name: "", path: "", layer, state, tokens, bytes, text: null, children: rest, isRest: true };
    return [...sorted.slice(0, kept), last];
  }

  const px = (value) => `${value}px`;
  function box(part, x, y, w, h) {
    const name = `${label(part)}, ${about(part.tokens)} tokens, ${share(part.tokens, data.tokens)}, ${part.state}`;
    const element = make("button", { class: `box ${part.layer} s-${tone(part.state)}${w < 18 || h < 8 ? " thin" : ""}`, type: "button", title: `${name} ${part.path}`, "aria-label": name,
      style: { left: px(x), top: px(y), width: px(w), height: px(h) }, on: () => (part.isRest ? draw(part) : show(part)) });
    element.dataset.path = part.path;
    element.append(label(part), make("br"), about(part.tokens));
    element.short = about(part.tokens);
    return element;
  }

  let shown = root;
  function draw(part) {
    shown = part;
    const map = $("map"), w = map.clientWidth, h = map.clientHeight;
    const hadFocus = map.contains(document.activeElement) || $("crumbs").contains(document.activeElement);
    map.replaceChildren();
    if (part === root) {
      for (const [layer, x, y, gw, gh] of squarify(fit(root.children, w * h), 0, 0, w, h)) {
        const group = make("div", { class: `group ${layer.name}`, style: { left: px(x), top: px(y), width: px(gw), height: px(gh) } });
        const title = `${label(layer)} ${about(layer.tokens)}`;
        const hasHead = gw > 60 && gh > 60;
        if (hasHead) group.append(make("button", { class: "title", "aria-label": title, type: "button", title: `Only ${label(layer)}`, on: () => draw(layer) }, title));
        const top = hasHead ? 21 : 2;
        const inner = layer.children.some((it) => it.tokens) ? fit(layer.children, (gw - 6) * (gh - top - 4)) : [layer];
        for (const [child, ...place] of squarify(inner, 2, top, gw - 6, gh - top - 4)) group.append(box(child, ...place));
        map.append(group);
      }
    } else {
      for (const [child, ...place] of squarify(fit(part.children, w * h), 0, 0, w, h)) map.append(box(child, ...place));
    }
    // A label that does not fit is shortened, and then left out: the name is in
    // the tooltip and in the list.
    for (const shorten of [(it) => it.short, () => ""]) {
      const isCut = (it) => it.scrollWidth > it.clientWidth + 1 || it.scrollHeight > it.clientHeight + 1;
      const cut = [...map.querySelectorAll(".box, .title")].filter(isCut);
      for (const it of cut) { it.style.whiteSpace = "nowrap"; it.textContent = shorten(it) || ""; }
    }
    const crumbs = part === root ? [] : [make("button", { type: "button", on: () => draw(root) }, "All layers"), ` ${label(part)}, ${about(part.tokens)} tokens`];
    $("crumbs").replaceChildren(...crumbs);
    oneStop(map);
    if (hadFocus) map.querySelector("button")?.focus();
  }

  // Makes the buttons of an element one stop of the tab key: the one that had the focus last.
  function oneStop(element) {
    const stopAt = (stop) => { for (const it of element.querySelectorAll("button")) it.tabIndex = it === stop ? 0 : -1; };
    stopAt(element.querySelector("button"));
    if (element.dataset.stop) return;
    element.dataset.stop = "one";
    element.addEventListener("focusin", (event) => stopAt(event.target));
  }

  // Moves to the nearest box in the direction of an arrow key, before all to one that is level.
  function move(event) {
    const sides = { ArrowRight: ["right", "left", 1], ArrowLeft: ["left", "right", -1], ArrowDown: ["bottom", "top", 1], ArrowUp: ["top", "bottom", -1] }[event.key];
    if (!sides) return;
    const [near, far, sign] = sides;
    const [low, high] = near === "right" || near === "left" ? ["top", "bottom"] : ["left", "right"];
    const from = document.activeElement.getBoundingClientRect();
    let next = null, least = Infinity;
    for (const it of $("map").querySelectorAll("button")) {
      const to = it.getBoundingClientRect();
      const away = sign * (to[far] - from[near]);
      if (it === document.activeElement || away < -2) continue;
      const aside = Math.max(0, to[low] - from[high], from[low] - to[high]);
      const shift = Math.abs(to[low] + to[high] - from[low] - from[high]) / 1000;
      if (away + 4 * aside + shift < least) { least = away + 4 * aside + shift; next = it; }
    }
    event.preventDefault();
    if (next) next.focus();
  }

  function legend() {
    const entry = (name, sign) => make("li", {}, sign, name);
    for (const layer of root.children) $("legend").append(entry(layer.name, make("i", { class: layer.name })));
    const names = { read: data.automatic ? "cached by the provider" : "read from the cache", written: "written to the cache", plain: "not cached" };
    for (const [name, text] of Object.entries(names)) {
      const u = data.usage, tokens = { read: data.automatic ? 1 : u.read, written: written(u), plain: data.automatic ? 0 : u.uncached }[name];
      if (tokens) $("legend").append(entry(text, make("i", { class: `edge s-${name}` })));
    }
  }

  const count = (part) => {
    const parts = part.children.filter((it) => it.kind !== "JSON").length;
    if (parts === 0) return "";
    return parts === 1 ? "1 part" : `${n(parts)} parts`;
  };

  function row(part, level) {
    const holder = make("div");
    const kids = part.children.filter((it) => it.tokens || it.bytes);
    const fold = make("span", { class: "fold", "aria-hidden": "true" }, kids.length ? "▸" : "");
    const name = make("button", { type: "button" }, fold, label(part));
    const children = make("div", { class: "children", hidden: "" });
    const path = part.kind === "layer" ? count(part) : part.path;
    const line = make("div", { class: `row${level ? "" : " head " + part.layer}` },
      make("div", {}, name, " ", make("span", { class: "path" }, path)),
      make("span", { class: "n" }, part.prompt === false ? `${n(part.bytes)} bytes` : about(part.tokens)), make("span", { class: "n" }, part.prompt === false ? "" : share(part.tokens, data.tokens)),
      make("span", { class: `state t-${part.state === "mixed" && part.usage && 2 * part.usage.uncached < part.tokens ? "read" : tone(part.state)}` }, part.state === "mixed" && part.usage ? `${share(part.usage.read + written(part.usage), part.tokens)} cached` : part.state));
    if (kids.length) name.setAttribute("aria-expanded", "false");
    let filled = 0;
    const fill = () => {
      const next = kids.slice(filled, filled + MAX_ROWS);
      filled += next.length;
      children.append(...next.map((it) => row(it, level + 1)));
      if (filled < kids.length) {
        const more = make("button", { class: "more", type: "button", on: () => { more.remove(); fill(); } }, `${n(kids.length - filled)} more`);
        children.append(more);
      }
      for (const it of children.querySelectorAll("button")) it.tabIndex = -1;
    };
    name.addEventListener("click", () => {
      if (!kids.length) return show(part);
      if (!filled) fill();
      const isOpen = children.hidden;
      children.hidden = !isOpen;
      name.setAttribute("aria-expanded", String(isOpen));
      fold.textContent = isOpen ? "▾" : "▸";
    });
    if (kids.length && level) line.firstChild.append(" ", make("button", { type: "button", class: "path", on: () => show(part) }, "[text]"));
    holder.append(line, children);
    return holder;
  }

  // Finds a part by its path, the smallest one first.
  let byPath;
  function find(path) {
    if (!byPath) {
      byPath = new Map();
      const add = (part) => { if (part.path && !byPath.has(part.path)) byPath.set(part.path, part); part.children.forEach(add); };
      layers.forEach(add);
    }
    for (let key = path; key; key = key.replace(/[.[][^.[]*$/, "")) {
      if (byPath.has(key)) return byPath.get(key);
      if (!/[.[]/.test(key)) break;
    }
    return null;
  }

  function hints() {
    $("hints-section").hidden = !data.hints.length;
    for (const [, message, tokens, paths] of data.hints) {
      const item = make("li", {}, `${about(tokens)} tokens: ${message} `);
      for (const path of paths.slice(0, 5)) {
        const part = find(path);
        if (part) item.append(make("button", { type: "button", on: () => show(part) }, path));
      }
      $("hints").append(item);
    }
  }

  function timeline() {
    const steps = data.steps;
    if (steps.length < 2) return;
    $("timeline-section").hidden = false;
    const billed = (step) => step.recorded || step.usage;
    const most = Math.max(...steps.map((it) => usageTokens(billed(it))), 1);
    const bars = steps.map((step, index) => {
      const u = billed(step);
      const bar = make("button", { type: "button", class: step.miss ? "miss" : "", "aria-pressed": "false", title: `request ${step.number}`, "aria-label": `request ${step.number}: ${n(u.read)} read, ${n(written(u))} written, ${n(u.uncached)} plain`, on: () => choose(index) });
      for (const [tokens, name] of [[u.uncached, "plain"], [written(u), "written"], [u.read, "read"]]) {
        if (tokens) bar.append(make("i", { class: `b-${name}`, style: { height: (85 * tokens) / most + "%" } }));
      }
      return bar;
    });
    const span = (seconds) => seconds < 120 ? `${n(seconds)} s` : seconds < 7200 ? `${n(seconds / 60)} min` : `${n(seconds / 3600)} h`;
    const top = make("span", { class: "top" }, `${n(most)} tokens`), zero = make("span", {}, `${span(steps[0].at)}`);
    $("axis").append(zero, make("span", {}, `${n(steps.length)} requests`), make("span", {}, `+${span(steps[steps.length - 1].at)}`));
    $("timeline").before(top);
    $("timeline").append(...bars);
    oneStop($("timeline"));
    $("timeline").addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const next = step && bars[bars.indexOf(document.activeElement) + step];
      if (next) { next.focus(); next.click(); event.preventDefault(); }
    });
    function choose(index) {
      bars.forEach((it, other) => it.setAttribute("aria-pressed", String(other === index)));
      const step = steps[index], before = steps.find((it) => it.number === step.continues), u = billed(step);
      const change = (name) => {
        const now = step.tokens[name], was = before ? before.tokens[name] : 0;
        return about(now) + (before ? ` (${now >= was ? "+" : "−"}${n(Math.abs(now - was))})` : "");
      };
      const parts = [make("b", {}, `Request ${step.number}${!index || before === steps[index - 1] ? "" : before ? `, which continues request ${before.number}` : ", which begins a conversation"}`), make("dl", {}, ...figures([
        ["after", `${n(step.at)} s`], ["read", n(u.read)], ["written", n(written(u))], ["plain", n(u.uncached)],
        ["figures", step.recorded ? "as billed" : "as predicted"], ["cost", step.cost === null ? null : "$" + step.cost.toPrecision(3)],
        ["tools", change("tools")], ["system", change("system")], ["messages", change("messages")], ["number of messages", n(step.messages)],
      ]))];
      if (step.miss) parts.push(make("p", { class: "t-plain" }, `Miss: ${step.miss.reason.replaceAll("_", " ")}, ${about(step.miss.lost_tokens)} tokens lost`));
      const d = step.difference || step.miss?.difference;
      if (d) {
        parts.push(make("p", {}, `Changed at ${d.path}${d.byte_offset === null ? "" : `, byte ${n(d.byte_offset)}`}: ${d.cause.replaceAll("_", " ")}`));
        const texts = [d.before.text, d.after.text];
        const [was, now] = texts.includes(undefined) ? [d.before, d.after].map((it) => pre(`${n(it.bytes)} bytes`)) : changed(...texts);
        parts.push(make("h3", {}, "before"), was, make("h3", {}, "after"), now);
      } else if (before && !step.miss) {
        parts.push(make("p", { class: "note" }, "Nothing changed but what was appended."));
      }
      $("step").replaceChildren(...parts);
    }
    const firstMiss = steps.findIndex((it) => it.miss);
    choose(firstMiss < 0 ? steps.length - 1 : firstMiss);
  }

  head();
  strip();
  draw(root);
  legend();
  $("list").append(...layers.map((it) => row(it, 0)));
  hints();
  timeline();
  oneStop($("list"));
  $("map").addEventListener("keydown", move);
  $("list").addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const buttons = [...$("list").querySelectorAll("button")].filter((it) => it.offsetParent);
    event.preventDefault();
    buttons[buttons.indexOf(document.activeElement) + step]?.focus();
  });
  $("panel").addEventListener("click", (event) => { if (event.target === $("panel")) $("panel").close(); });
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; draw(shown); } });
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
})();
