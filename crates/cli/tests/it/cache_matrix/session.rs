//! The requests of a session, put together from the pieces of a wire.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use tempfile::TempDir;

/// Pieces by their names: `"@name@"` stands for the whole value, and `@name@` inside a
/// string for the text of a piece that is a string.
pub(crate) type Pieces = BTreeMap<String, Box<RawValue>>;

/// A wire: the form of its requests, and the turns of a session.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wire {
    pub(crate) wire: String,
    /// The name in `--upstream`.
    pub(crate) upstream: String,
    pub(crate) path: String,
    pub(crate) model: String,
    body: Box<RawValue>,
    pieces: Pieces,
    /// The messages that each request adds.
    turns: Vec<Vec<Box<RawValue>>>,
    /// The body of a response.
    pub(crate) response: Box<RawValue>,
}

/// The requests of a session, also as the files that the commands read.
pub(crate) struct Session {
    pub(crate) bodies: Vec<String>,
    /// The seconds between requests.
    pub(crate) gap: u64,
    directory: TempDir,
}

impl Session {
    /// Puts the requests together: the first one as the wire has it, the later ones with
    /// their changes.
    pub(crate) fn new(wire: &Wire, base: &Pieces, changes: &[Pieces], gap: u64) -> Self {
        let unchanged = Pieces::new();
        let changes = std::iter::once(&unchanged).chain(changes);
        let bodies: Vec<String> = changes
            .enumerate()
            .map(|(index, changes)| {
                let base = base
                    .iter()
                    .map(|(name, piece)| (name.clone(), piece.clone()));
                let mut pieces: Pieces = base.collect();
                pieces.extend(
                    changes
                        .iter()
                        .map(|(name, piece)| (name.clone(), piece.clone())),
                );
                body(wire, &pieces, index)
            })
            .collect();
        let directory = tempfile::tempdir().unwrap();
        let lines = bodies.iter().enumerate().map(|(index, body)| {
            let (time, model) = (index as u64 * gap, &wire.model);
            format!("{{\"t\":{time},\"model\":\"{model}\",\"body\":{body}}}\n")
        });
        std::fs::write(
            directory.path().join("log.jsonl"),
            lines.collect::<String>(),
        )
        .unwrap();
        for (index, body) in bodies.iter().enumerate() {
            std::fs::write(directory.path().join(format!("{index}.json")), body).unwrap();
        }
        Self {
            bodies,
            gap,
            directory,
        }
    }

    pub(crate) fn directory(&self) -> &std::path::Path {
        self.directory.path()
    }
}

/// Returns the body of a request, in one line.
fn body(wire: &Wire, changes: &Pieces, index: usize) -> String {
    let messages = wire.turns[..=index].iter().flatten().map(|it| it.get());
    let messages: Vec<&str> = messages.collect();
    let messages = format!("[{}]", messages.join(","));
    let messages = changes
        .get("messages")
        .map_or(messages.as_str(), |it| it.get());
    let mut text = wire.body.get().replace("\"@messages@\"", messages);
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

/// Replaces `@@fill:SEED:N@@` by N characters that depend on the seed only.
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
