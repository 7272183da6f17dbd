//! How long hostile texts take to parse: for each, the time has to be
//! proportional to its size, with a small factor.
#![expect(clippy::print_stdout, reason = "figures are for whoever runs this")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use aside_user_files::{strict_yaml, yaml};

const SIZES: [usize; 4] = [32 * 1024, 64 * 1024, 128 * 1024, 256 * 1024];

/// Lists of strings, so that aliases are followed.
type Lists = BTreeMap<String, Vec<String>>;

/// A name, and a function that returns a text of about this many bytes.
type Shape = (&'static str, fn(usize) -> String);

const SHAPES: &[Shape] = &[
    ("plain list", |size| format!("a:\n{}", "- some text\n".repeat(size / 12))),
    ("a: [[[[", |size| format!("a: {}", "[".repeat(size))),
    ("[[[[", |size| "[".repeat(size)),
    ("{a: {a:", |size| "{a: ".repeat(size / 4)),
    ("a: [\"]\", [\"]\",", |size| format!("a: {}", "[\"]\", ".repeat(size / 6))),
    ("1000 open, then x,x,", |size| format!("a: {}{}", "[".repeat(1000), "x,".repeat(size / 2))),
    ("1000 open, then ,,", |size| format!("a: {}{}", "{".repeat(1000), ",".repeat(size))),
    ("{[{[:a,]}]}, by 1000", |size| {
        let one = "{[".repeat(500) + &":a,]}".repeat(500) + "\n";
        format!("a:\n{}", format!("- {one}").repeat(size / one.len()))
    }),
    ("[[[[]:a]:a]:a] of a line", |size| {
        let one = format!("- {}{}\n", "[".repeat(1000), "]:a".repeat(999) + "]");
        one.repeat(size / one.len())
    }),
    ("[x,x,x,x,...]: y", |size| {
        let one = format!("[{}]: y\n", "x,".repeat(500));
        one.repeat(size / one.len())
    }),
    ("- - - -", |size| "- ".repeat(size / 2)),
    ("? ? ? ?", |size| "? ".repeat(size / 2)),
    ("a:\\n a:\\n  a:", |size| {
        let lines = (2 * size).isqrt();
        (0..lines).map(|indent| " ".repeat(indent) + "a:\n").collect()
    }),
    ("a list of one alias", |size| {
        let half = size / 2;
        let aliases = "*a, ".repeat(half / 4);
        format!("a: [&a {}]\nb: [{aliases}]", "x".repeat(half))
    }),
    ("nested aliases", |size| {
        let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for level in 1..12 {
            let items = vec![format!("*a{}", level - 1); 9].join(", ");
            text += &format!("a{level}: &a{level} [{items}]\n");
        }
        text + "b: [" + &"x, ".repeat(size / 3) + "]\n"
    }),
    ("anchors and aliases", |size| {
        let entry = |n| format!("- &a{n:06} x\n- *a{n:06}\n");
        let entries: String = (0..size / 24).map(entry).collect();
        format!("a:\n{entries}")
    }),
    ("4096 spaces, then x x x", |size| {
        format!("a: x{}{}", " ".repeat(4096), "x ".repeat(size / 2))
    }),
    ("4096 line breaks, then x x", |size| {
        let blank = "\n".repeat(4096);
        format!("a: \"x{blank}{}\"", "x\n\n".repeat(size / 3))
    }),
    ("white space, then x x x", |size| {
        let half = size / 2;
        format!("a: x{}{}", " ".repeat(half), "x ".repeat(half / 2))
    }),
    ("line breaks, then x x", |size| {
        let half = size / 2;
        format!("a: \"{}{}\"", "\n".repeat(half), "x\n\n".repeat(half / 3))
    }),
    ("line breaks in a block", |size| {
        let half = size / 2;
        let blank = "\n".repeat(half);
        format!("a: |\n x{blank}{}", " x\n\n".repeat(half / 4))
    }),
    ("a long string", |size| format!("a: {}", "x".repeat(size))),
    ("digits", |size| format!("a: {}", "1".repeat(size))),
    ("escapes", |size| format!("a: \"{}\"", "\\n".repeat(size / 2))),
    ("%TAG, many", |size| {
        let tags: String = (0..size / 16).map(|n| format!("%TAG !{n:06}! x\n")).collect();
        tags + "---\na: b\n"
    }),
    ("%TAG, long", |size| {
        let half = size / 2;
        let prefix = "x".repeat(half);
        format!("%TAG !e! {prefix}\n---\na: [{}]", "!e!x a, ".repeat(half / 8))
    }),
    ("%YAML", |size| "%YAML 1.1\n".repeat(size / 10)),
    ("tags", |size| format!("a: [{}]", "!<x> a, ".repeat(size / 8))),
    ("documents", |size| "---\n".repeat(size / 4)),
    ("keys", |size| (0..size / 10).map(|n| format!("{n:06}: x\n")).collect()),
    ("unquoted globs", |size| "a: [*, *]\n".repeat(size / 10)),
    ("a list of globs", |size| format!("a: [{}]", "*.a, ".repeat(size / 5))),
    ("globs in dashes", |size| format!("a: {}*", "- ".repeat(size / 2))),
    ("comments", |size| "# [\n".repeat(size / 4)),
    ("flow starts and quotes", |size| "- [ '\n- [ \"\n".repeat(size / 12)),
];

fn main() {
    // `cargo test --all-targets` runs this too, and needs no figures.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    print!("{:28}", "ms of reading");
    for size in SIZES {
        print!("{:>9}", format!("{} KB", size / 1024));
    }
    println!("   strictly, and in ns a byte");
    for (name, shape) in SHAPES {
        print!("{name:28}");
        let mut last = (0, Duration::ZERO);
        for size in SIZES {
            let text = shape(size);
            let took = time(|| drop(black_box(yaml::<Lists>(&text))));
            print!("{:9.1}", milliseconds(took));
            last = (text.len(), time(|| drop(black_box(strict_yaml::<Lists>(&text)))));
        }
        let (size, strictly) = last;
        let a_byte = strictly.as_secs_f64() * 1e9 / size as f64;
        println!("{:11.1}{a_byte:17.0}", milliseconds(strictly));
    }
}

fn time(mut read: impl FnMut()) -> Duration {
    let once = |read: &mut dyn FnMut()| {
        let start = Instant::now();
        read();
        start.elapsed()
    };
    let first = once(&mut read);
    if first > Duration::from_secs(1) {
        return first;
    }
    (0..4).map(|_| once(&mut read)).fold(first, Duration::min)
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
