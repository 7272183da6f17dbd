//! The page in a real browser. Without Chromium the tests are skipped with a
//! message; `ASIDE_CHROMIUM=required` makes that a failure.

mod chromium;

use std::path::PathBuf;

use aside_cache_model::{Body, CacheModel, CacheRules};
use aside_inspect::{PageOptions, Step, page, report};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use self::chromium::{Chromium, program};

/// Text that would run if it were markup, script or an attribute.
const HOSTILE: &str = "</script><script>window.pwned = 1</script><img src=x onerror='window.pwned=1'>\
    \"'><svg onload=alert(1)> javascript:alert(1) <!-- <script> ]]> {{7*7}} \u{2028} </pre></style>";

fn hostile_body() -> String {
    json!({
        "model": HOSTILE,
        HOSTILE: HOSTILE,
        "tools": [{"name": HOSTILE, "description": HOSTILE, "input_schema": {"type": "object", HOSTILE: HOSTILE}}],
        "system": [{"type": "text", "text": HOSTILE}],
        "messages": [
            {"role": HOSTILE, "content": [{"type": "text", "text": format!("<system-reminder>\nContents of /{HOSTILE}.md:\n{HOSTILE}</system-reminder>")}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": HOSTILE, "input": {"file_path": HOSTILE}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": HOSTILE}]},
        ],
    })
    .to_string()
}

/// A usual session's body: tools, a system prompt, files, calls.
fn usual_body(turns: usize) -> String {
    let tools: Vec<_> = ["Read", "Edit", "Bash", "Grep", "mcp__github__create_issue"]
        .map(|name| {
            json!({"name": name, "description": format!("Does what {name} does. ").repeat(40),
                "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}}})
        })
        .into();
    let mut messages = vec![json!({"role": "user", "content": [
        {"type": "text", "text": format!("<system-reminder>\nContext\n\nContents of /project/CLAUDE.md (project instructions, checked into the codebase):\n\n{}\n</system-reminder>", "Use small functions and test them.\n".repeat(30))},
        {"type": "text", "text": "Fix the lexer"},
    ]})];
    for turn in 0..turns {
        let path = format!("src/module_{}/file_{turn}.rs", turn % 7);
        messages.push(json!({"role": "assistant", "content": [
            {"type": "text", "text": format!("I look at {path}.")},
            {"type": "tool_use", "id": format!("toolu_{turn}"), "name": "Read", "input": {"file_path": path}},
        ]}));
        messages.push(json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": format!("toolu_{turn}"), "content": format!("fn item_{turn}() -> usize {{ {turn} }}\n").repeat(10 + turn * 13 % 70)},
        ]}));
    }
    let last = messages.len() - 1;
    messages[last]["content"][0]["cache_control"] = json!({"type": "ephemeral"});
    json!({
        "model": "claude-opus-5-5",
        "max_tokens": 32000,
        "tools": tools,
        "system": [{"type": "text", "text": "You are a coding agent. ".repeat(120), "cache_control": {"type": "ephemeral", "ttl": "1h"}}],
        "messages": messages,
    })
    .to_string()
}

struct Page {
    _folder: tempfile::TempDir,
    file: PathBuf,
}

fn write(html: &str) -> Page {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    std::fs::write(&file, html).unwrap();
    Page { _folder: folder, file }
}

fn page_of(body: &str, options: &PageOptions) -> Page {
    let request = Body::parse(body.as_bytes()).unwrap();
    write(&report(&request, None, None).to_html(&request, options))
}

/// A page with a log's timeline, in which the system prompt changes once.
fn log_page(turns: usize) -> Page {
    let mut cache = CacheModel::new(CacheRules::anthropic());
    let mut steps = Vec::new();
    let mut last = None;
    for turn in 1..=turns {
        let body = usual_body(turn);
        let body = if turn > turns / 2 {
            body.replacen("You are a coding agent.", "You are the coding agent.", 1)
        } else {
            body
        };
        let request = Body::parse(body.as_bytes()).unwrap();
        let at = std::time::Duration::from_secs(30 * turn as u64);
        let verdict = cache.send(&request, at);
        steps.push(Step::new(turn, at, &request, &verdict, cache.continued()));
        last = Some((request, verdict));
    }
    let (request, verdict) = last.unwrap();
    let report = report(&request, None, Some(&verdict));
    write(&page(&report, &request, &steps, &PageOptions::default()))
}

/// Fails if the page logged anything.
fn is_quiet(browser: &Chromium) {
    assert_eq!(browser.log, Vec::<String>::new());
}

#[test]
fn the_page_renders_and_its_sum_is_the_body() {
    let Some(program) = program() else { return };
    let mut browser = Chromium::start(program);
    let body = usual_body(12);
    let page = page_of(&body, &PageOptions::default());
    browser.open(&page.file, 1200, 900, "light");
    is_quiet(&browser);
    let bytes = browser.evaluate("document.documentElement.dataset.bytes");
    assert_eq!(bytes, body.len().to_string());
    // Boxes are within the map and do not overlap.
    let overlaps = browser.evaluate(
        "(() => { const r = [...document.querySelectorAll('.box')].map((e) => e.getBoundingClientRect()); let n = 0; \
         for (let i = 0; i < r.length; i++) for (let j = i + 1; j < r.length; j++) { \
         const w = Math.min(r[i].right, r[j].right) - Math.max(r[i].left, r[j].left), h = Math.min(r[i].bottom, r[j].bottom) - Math.max(r[i].top, r[j].top); \
         if (w > 1.5 && h > 1.5) n++; } return [n, r.length]; })()",
    );
    assert_eq!(overlaps[0], 0);
    assert!(overlaps[1].as_u64().unwrap() > 10);
    // A click on a box opens its text, and Escape closes it.
    browser.click(".box[data-path='tools[0]']");
    assert_eq!(browser.evaluate("document.getElementById('panel').open"), true);
    let text = browser.evaluate("document.getElementById('panel-text').textContent");
    assert!(text.as_str().unwrap().contains("Does what Read does."), "{text}");
    browser.key("Escape");
    assert_eq!(browser.evaluate("document.getElementById('panel').open"), false);
    // Paths and texts are the part's own: the first read, and the last one.
    for (path, inner, text) in [
        ("messages[1]", "messages[1].content[1]", "src/module_0/file_0.rs"),
        ("messages[24]", "messages[24].content[0]", "fn item_11()"),
    ] {
        browser.click(&format!(".box[data-path='{path}']"));
        let shown = browser.evaluate("document.getElementById('panel').textContent");
        let shown = shown.as_str().unwrap();
        assert!(shown.contains(path) && shown.contains(text), "{shown}");
        assert!(path == "messages[24]" || shown.contains(inner), "{shown}");
        browser.key("Escape");
    }
    is_quiet(&browser);
}

#[test]
fn the_keyboard_moves_in_the_plane() {
    let Some(program) = program() else { return };
    let mut browser = Chromium::start(program);
    browser.open(&log_page(24).file, 1280, 900, "light");
    // The timeline, the map and the list are one stop each.
    for element in ["timeline", "map", "list"] {
        let stops = format!(
            "[...document.querySelectorAll('#{element} button')].filter((e) => e.tabIndex === 0).length"
        );
        assert_eq!(browser.evaluate(&stops), 1, "{element}");
    }
    // An arrow leads to a box on its side: back and forth ends where it began, or beside it.
    let middle = "(() => { const r = document.activeElement.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; })()";
    browser.evaluate("document.querySelector('#map .box').focus()");
    for (key, axis, sign) in [
        ("ArrowRight", 0, 1.0),
        ("ArrowDown", 1, 1.0),
        ("ArrowLeft", 0, -1.0),
        ("ArrowUp", 1, -1.0),
    ] {
        let before = browser.evaluate(middle);
        browser.key(key);
        let after = browser.evaluate(middle);
        let moved = after[axis].as_f64().unwrap() - before[axis].as_f64().unwrap();
        assert!(moved * sign > 0.0, "{key}: {before} to {after}");
    }
    // The box that had the focus is the stop.
    assert_eq!(browser.evaluate("document.activeElement.tabIndex"), 0);
    is_quiet(&browser);
}

#[test]
fn small_parts_share_one_box() {
    let Some(program) = program() else { return };
    let mut browser = Chromium::start(program);
    browser.open(&page_of(&usual_body(60), &PageOptions::default()).file, 1280, 900, "light");
    let thin = "[...document.querySelectorAll('.box')].filter((e) => e.clientWidth < 18 || e.clientHeight < 8).length";
    assert_eq!(browser.evaluate(thin), 0);
    let joined = "[...document.querySelectorAll('.box')].filter((e) => / smaller parts,/.test(e.getAttribute('aria-label')))";
    assert!(browser.evaluate(&format!("{joined}.length")).as_u64() >= Some(1));
    // It opens as a map of its own.
    browser.evaluate(&format!("{joined}[0].click()"));
    let crumbs = browser.evaluate("document.getElementById('crumbs').textContent");
    assert!(crumbs.as_str().unwrap().contains("smaller parts"), "{crumbs}");
    assert!(browser.evaluate("document.querySelectorAll('.box').length").as_u64() > Some(1));
    is_quiet(&browser);
}

/// The texts whose contrast with their ground is below 4.5, as the page computes it.
const LOW_CONTRAST: &str = "(() => { \
    const parse = (c) => c.match(/[\\d.]+/g).map(Number); \
    const light = (c) => c.slice(0, 3).map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0); \
    const ground = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; }; \
    const own = (e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()); \
    return [...document.querySelectorAll('body *')].filter((e) => e.getClientRects().length && own(e)).map((e) => { \
    const a = light(parse(getComputedStyle(e).color)), b = light(ground(e)); \
    return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), e.className + ': ' + e.textContent.slice(0, 40)]; }) \
    .filter(([ratio]) => ratio < 4.5).map(([ratio, text]) => ratio.toFixed(2) + ' ' + text); })()";

#[test]
fn a_hostile_body_runs_no_script() {
    let Some(program) = program() else { return };
    let mut browser = Chromium::start(program);
    let page = page_of(&hostile_body(), &PageOptions::default());
    browser.open(&page.file, 1200, 900, "light");
    // Opens every part and views every text.
    let script = "(() => { for (let i = 0; i < 200; i++) { const e = document.querySelector('[aria-expanded=false]'); if (!e) break; e.click(); } \
        let n = 0; for (const e of [...document.querySelectorAll('button')]) { if (e.id !== 'close') { e.click(); n++; const p = document.getElementById('panel'); if (p.open) p.close(); } } return n; })()";
    assert!(browser.evaluate(script).as_u64().unwrap() > 10);
    assert_eq!(browser.evaluate("typeof window.pwned"), "undefined");
    // All elements of the page are its own.
    let elements = browser.evaluate(
        "[document.scripts.length, document.querySelectorAll('img, svg, iframe, object, link, a').length, document.querySelectorAll('[onerror], [onload]').length]",
    );
    assert_eq!(elements, json!([3, 0, 0]));
    is_quiet(&browser);
    // The policy holds by itself: markup that was put in would not run.
    browser.evaluate(
        "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.pwned=1\">'); new Promise((r) => setTimeout(r, 200))",
    );
    assert_eq!(browser.evaluate("typeof window.pwned"), "undefined");
    assert!(!browser.log.is_empty(), "the policy reports what it refuses");
}

#[test]
fn a_redacted_page_has_no_text() {
    let body = usual_body(3);
    let request = Body::parse(body.as_bytes()).unwrap();
    let report = report(&request, None, None);
    let with = report.to_html(&request, &PageOptions::default());
    let without = report.to_html(&request, &PageOptions::default().with_texts(false));
    for text in ["You are a coding agent.", "fn item_1", "Fix the lexer", "src/module_1"] {
        assert!(with.contains(text));
        assert!(!without.contains(text), "{text}");
    }
}

#[test]
fn the_page_fits_every_width() {
    let Some(program) = program() else { return };
    let mut browser = Chromium::start(program);
    let page = log_page(24);
    for (width, height, scheme) in [
        (360, 740, "light"),
        (390, 844, "dark"),
        (390, 844, "light"),
        (800, 1000, "dark"),
        (1280, 900, "dark"),
        (1280, 900, "light"),
        (1600, 1000, "light"),
    ] {
        browser.open(&page.file, width, height, scheme);
        is_quiet(&browser);
        let wide = browser.evaluate("document.documentElement.scrollWidth");
        assert!(wide.as_u64().unwrap() <= u64::from(width), "{wide} at {width}");
        // No text is wider than the element that shows it.
        let cut = browser.evaluate(
            "[...document.querySelectorAll('#figures *, #list *, #hints *, #step *, #markers *, .names span, .box, .title')] \
             .filter((e) => e.offsetParent && getComputedStyle(e).display !== 'inline' && e.scrollWidth > e.clientWidth + 2 && e.textContent).map((e) => e.className + ': ' + e.textContent.slice(0, 60))",
        );
        assert_eq!(cut, json!([]), "at {width}");
        // Everything opened: rows, their texts, the states of all layers.
        browser.evaluate(
            "document.querySelectorAll('[aria-expanded=false]').forEach((e) => e.click())",
        );
        let low = browser.evaluate(LOW_CONTRAST);
        assert_eq!(low, json!([]), "at {width}, {scheme}");
        // Set ASIDE_SCREENSHOTS to a folder to look at screenshots.
        if let Some(folder) = std::env::var_os("ASIDE_SCREENSHOTS") {
            let png = STANDARD.decode(browser.screenshot()).unwrap();
            std::fs::write(PathBuf::from(folder).join(format!("{width}-{scheme}.png")), png)
                .unwrap();
        }
    }
    // The timeline begins with the request whose system prompt changed.
    let text = browser.evaluate("document.getElementById('step').textContent");
    let step = text.as_str().unwrap();
    assert!(step.contains("Request 13") && step.contains("system"), "{step}");
    let marked =
        browser.evaluate("[...document.querySelectorAll('#step mark')].map((e) => e.textContent)");
    assert_eq!(marked, json!(["a", "the"]));
    let title = browser.evaluate("document.getElementById('title').textContent");
    let title = title.as_str().unwrap();
    assert!(
        title.starts_with("Log of 24 requests: $") && title.contains("lost to 1 cache miss"),
        "{title}"
    );
    let axis = browser.evaluate(
        "document.querySelector('.top').textContent + document.getElementById('axis').textContent",
    );
    assert!(
        axis.as_str().unwrap().contains(" tokens") && axis.as_str().unwrap().contains("min"),
        "{axis}"
    );
    let stops =
        browser.evaluate("document.querySelectorAll('#timeline button[tabindex=\"0\"]').length");
    assert_eq!(stops, 1);
}
