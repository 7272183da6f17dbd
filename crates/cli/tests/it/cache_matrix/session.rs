//! Builds a session's requests from a wire's pieces.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use tempfile::TempDir;

/// Pieces by name: `"@name@"` stands for the whole value, and `@name@` inside a
/// string for a string piece's text.
pub(crate) type Pieces = BTreeMap<String, Box<RawValue>>;

/// A wire: what its requests look like, and a session's turns.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wire {
    pub(crate) wire: String,
    /// Its name in `--upstream`.
    pub(crate) upstream: String,
    /// May name the model, as `@model@`.
    path: String,
    body: Box<RawValue>,
    pieces: Pieces,
    /// Which messages each request adds.
    turns: Vec<Vec<Box<RawValue>>>,
    /// A response body.
    pub(crate) response: Box<RawValue>,
}

/// A session's requests, also as files for commands to read.
pub(crate) struct Session {
    pub(crate) bodies: Vec<String>,
    /// Where each request is sent.
    pub(crate) paths: Vec<String>,
    /// Seconds between requests.
    pub(crate) gap: u64,
    directory: TempDir,
}

impl Session {
    /// Builds the requests: the first as the wire has it, later ones with their
    /// changes.
    pub(crate) fn new(wire: &Wire, base: &Pieces, changes: &[Pieces], gap: u64) -> Self {
        let unchanged = Pieces::new();
        let changes = std::iter::once(&unchanged).chain(changes);
        let pieces = changes.map(|changes| {
            let pieces = base.iter().chain(changes);
            pieces.map(|(name, piece)| (name.clone(), piece.clone())).collect()
        });
        let pieces: Vec<Pieces> = pieces.collect();
        let bodies = pieces.iter().enumerate();
        let bodies: Vec<String> = bodies.map(|(index, it)| body(wire, it, index)).collect();
        let paths = pieces.iter().map(|it| with_pieces(wire, it, &wire.path)).collect();
        let directory = tempfile::tempdir().unwrap();
        let lines = bodies.iter().enumerate().map(|(index, body)| {
            let time = index as u64 * gap;
            let model = with_pieces(wire, &pieces[index], "@model@");
            format!("{{\"t\":{time},\"model\":\"{model}\",\"body\":{body}}}\n")
        });
        std::fs::write(directory.path().join("log.jsonl"), lines.collect::<String>()).unwrap();
        for (index, body) in bodies.iter().enumerate() {
            std::fs::write(directory.path().join(format!("{index}.json")), body).unwrap();
        }
        Self { bodies, paths, gap, directory }
    }

    pub(crate) fn directory(&self) -> &std::path::Path {
        self.directory.path()
    }
}

/// Returns a request body on one line.
fn body(wire: &Wire, changes: &Pieces, index: usize) -> String {
    let messages = wire.turns[..=index].iter().flatten().map(|it| it.get());
    let messages: Vec<&str> = messages.collect();
    let messages = format!("[{}]", messages.join(","));
    let messages = changes.get("messages").map_or(messages.as_str(), |it| it.get());
    with_pieces(wire, changes, &wire.body.get().replace("\"@messages@\"", messages))
}

/// Returns a text with its pieces, on one line.
fn with_pieces(wire: &Wire, changes: &Pieces, text: &str) -> String {
    let mut text = text.to_owned();
    // A piece may name another one.
    for _ in 0..3 {
        for (name, piece) in &wire.pieces {
            let piece = changes.get(name).unwrap_or(piece).get();
            text = text.replace(&format!("\"@{name}@\""), piece);
            text = text.replace(&format!("@{name}@"), piece.trim_matches('"'));
        }
    }
    let text = filled(&text);
    assert!(!text.contains('@'), "an unknown piece in {text}");
    text.lines().map(str::trim).collect()
}

/// Replaces `@@fill:SEED:N@@` with N characters that depend only on the seed.
fn filled(text: &str) -> String {
    let mut parts = text.split("@@");
    let mut out = String::from(parts.next().unwrap());
    while let (Some(fill), Some(after)) = (parts.next(), parts.next()) {
        let mut spec = fill.split(':').skip(1);
        let (seed, count) = (spec.next().unwrap(), spec.next().unwrap());
        let words = (0..).flat_map(|number| format!("{seed} text number {number}, ").into_bytes());
        let filler: Vec<u8> = words.take(count.parse().unwrap()).collect();
        out.push_str(&String::from_utf8(filler).unwrap());
        out.push_str(after);
    }
    out
}
