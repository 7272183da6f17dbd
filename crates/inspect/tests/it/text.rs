//! The report for a terminal. Figures that depend on token estimates are
//! masked, so that the snapshots change with the form alone.

use aside_cache_model::{Body, Usage};
use aside_inspect::{TextOptions, report};

use crate::bodies::foreign;

/// Replaces estimates, shares, prices, bars and the strip.
fn masked(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars().peekable();
    let mut before = '\n';
    while let Some(character) = rest.next() {
        match character {
            '█' | '▏' | '▎' | '▍' | '▌' | '▋' | '▊' | '▉' | '▓' | '░' | '┈' =>
            {
                if before != '█' {
                    out.push('█');
                }
                before = '█';
                continue;
            }
            '~' | '$' => {
                out.push(character);
                while rest.next_if(|it| it.is_ascii_digit() || ",.".contains(*it)).is_some() {}
                out.push('N');
            }
            _ => out.push(character),
        }
        before = character;
    }
    let lines = out.lines().map(|line| {
        // A share is a number before a per cent sign.
        let mut words: Vec<&str> = line.split_whitespace().collect();
        for index in 1..words.len() {
            if words[index].starts_with('%') {
                words[index - 1] = "N";
            }
        }
        words.join(" ") + "\n"
    });
    lines.collect()
}

fn text(name: &str, options: &TextOptions) -> String {
    let body = foreign().into_iter().find(|(it, _)| *it == name).unwrap().1;
    let request = Body::parse(body.as_bytes()).unwrap();
    report(&request, None, None).to_text(options)
}

#[test]
fn the_form_for_a_terminal_is_stable() {
    let mut all = String::new();
    for (name, _) in foreign() {
        let text = text(name, &TextOptions::default().with_depth(2));
        all.push_str(&format!("== {name}\n{}\n", masked(&text)));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn the_first_lines_have_the_recorded_usage() {
    let json = br#"{"model":"claude-opus-5-5","messages":[{"role":"user","content":"Hi"}]}"#;
    let body = Body::parse(json).unwrap();
    let first = |usage: Option<Usage>| {
        let report = report(&body, None, None).with_recorded(usage, "claude-opus-5-5");
        report.to_text(&TextOptions::default().with_width(200)).lines().nth(1).unwrap().to_owned()
    };
    let recorded = first(Some(Usage::from_input(1_000, 3_000, 0, 0)));
    assert!(recorded.contains("25 % read from the cache, 75 % written, $0.015"), "{recorded}");
    assert!(first(None).contains("would be cached"));
}

#[test]
fn lines_fit_the_terminal() {
    for (name, _) in foreign() {
        for width in [40, 60, 80, 133] {
            let text = text(name, &TextOptions::default().with_width(width).with_depth(3));
            let wide = text.lines().find(|it| it.chars().count() > width);
            assert_eq!(wide, None, "{name} at {width}");
        }
    }
}

#[test]
fn colours_are_the_only_difference() {
    let plain = text("chat completions", &TextOptions::default());
    let coloured = text("chat completions", &TextOptions::default().coloured());
    assert!(!plain.contains('\x1b') && coloured.contains('\x1b'));
    let mut stripped = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once('\x1b') {
        stripped.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    stripped.push_str(rest);
    assert_eq!(stripped, plain);
}

#[test]
fn names_in_a_body_are_escaped() {
    let body = r#"{"model":"\u001b[31mred","tools":[{"name":"\u001b]0;x\u0007\u202e","description":"a","input_schema":{}}],"messages":[{"role":"\u001b[2J","content":"a"}]}"#;
    let request = Body::parse(body.as_bytes()).unwrap();
    let text = report(&request, None, None).to_text(&TextOptions::default().with_depth(9));
    assert!(!text.contains(['\x1b', '\x07', '\u{202e}']), "{text}");
}
