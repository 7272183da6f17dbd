//! `docs/request.svg`: the picture in the README. It shows the parts that
//! `aside context` finds in a golden `aside run` request, in its page's colors.
//!
//! `ASIDE_BLESS_DOCS=1` writes it.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

const WIDTH: f64 = 760.0;
const LEFT: f64 = 20.0;
const TOP: f64 = 46.0;
const HEIGHT: f64 = 44.0;
/// The narrowest layer whose name you can read.
const LEAST: f64 = 64.0;

/// Layers, their colors on the page, and who shares them.
const LAYERS: [(&str, &str, &str); 5] = [
    ("tools", "#c7d8f5", "every session"),
    ("system", "#cfe8d5", "every session"),
    ("project", "#e6dff5", "the project"),
    ("session", "#f6e3c8", "the session"),
    ("conversation", "#dfe5ea", "the next turn"),
];

fn report(root: &Path) -> Value {
    let mut aside = Command::new(env!("CARGO_BIN_EXE_aside"));
    aside.args(["context", "--json", "--depth", "0", "--file"]);
    let output = aside.arg(root.join("fixtures/own-tools/request-2.json")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn tokens(value: &Value) -> f64 {
    value["tokens"].as_f64().unwrap()
}

fn picture(report: &Value) -> String {
    let layers = report["layers"].as_array().unwrap();
    let find = |name: &str| layers.iter().find(|it| it["layer"] == name).map(tokens);
    let shown = LAYERS.iter().filter_map(|it| find(it.0).map(|count| (it, count)));
    let shown: Vec<_> = shown.collect();
    let total: f64 = shown.iter().map(|(_, count)| count).sum();
    let spare = WIDTH - LEAST * shown.len() as f64;
    let width = |count: f64| LEAST + spare * count / total;

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 170\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <title>The parts of a request in the order of the prompt cache</title>\n\
         <rect width=\"800\" height=\"170\" rx=\"8\" fill=\"#fbfbfa\"/>\n\
         <text x=\"{LEFT}\" y=\"28\" fill=\"#5d6470\">one request, ~{total} tokens, in the \
         order of the prompt cache: what is shared by most comes first</text>\n"
    );
    // Where to place a number of tokens from the start.
    let position = |at: f64| {
        let (mut x, mut before) = (LEFT, 0.0);
        for (_, count) in &shown {
            if at <= before + count {
                return x + width(*count) * (at - before) / count;
            }
            x += width(*count);
            before += count;
        }
        x
    };
    let mut x = LEFT;
    for ((name, color, sharing), count) in &shown {
        let (width, middle) = (width(*count), x + width(*count) / 2.0);
        let (names, figures) = (TOP + 20.0, TOP + 36.0);
        write!(
            svg,
            "<rect x=\"{x:.1}\" y=\"{TOP}\" width=\"{width:.1}\" height=\"{HEIGHT}\" \
             fill=\"{color}\" stroke=\"#fbfbfa\"/>\n\
             <g fill=\"#1c1e21\" text-anchor=\"middle\">\
             <text x=\"{middle:.1}\" y=\"{names}\" font-size=\"11\">{name}</text>\
             <text x=\"{middle:.1}\" y=\"{figures}\" font-size=\"11\">~{count}</text>\
             <text x=\"{middle:.1}\" y=\"{}\" font-size=\"10\" fill=\"#5d6470\">{sharing}</text></g>\n",
            TOP + HEIGHT + 34.0,
        )
        .unwrap();
        x += width;
    }
    let base = TOP + HEIGHT;
    for marker in report["markers"].as_array().unwrap() {
        let at = position(tokens(marker));
        writeln!(svg, "<path d=\"M{at:.1} {base} l-6 10 h12 z\" fill=\"#0b62c4\"/>").unwrap();
    }
    writeln!(
        svg,
        "<text x=\"{LEFT}\" y=\"152\" fill=\"#0b62c4\">▲ cache markers: the next request reads \
         everything before them from the cache</text>\n</svg>"
    )
    .unwrap();
    svg
}

#[test]
fn the_picture_of_the_readme_is_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let drawn = picture(&report(root));
    let file = root.join("docs/request.svg");
    if std::env::var_os("ASIDE_BLESS_DOCS").is_some() {
        fs::write(&file, &drawn).unwrap();
    }
    let kept = fs::read_to_string(&file).unwrap_or_default();
    assert!(kept == drawn, "docs/request.svg: run this test with ASIDE_BLESS_DOCS=1");
}
