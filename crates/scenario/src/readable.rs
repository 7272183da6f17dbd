//! The readable form of a request, for reviews: the lines of its texts, with
//! their sources in the margin.
//!
//! A heading precedes each tool and each block; a source is written only if it
//! differs from that of the line above:
//!
//! ```text
//! == system[2] text  <- cache marker, 5m
//! CLAUDE.md                   | Use tabs.
//!                             | Keep functions short.
//! conversation                | Explain the build.
//! ```
//!
//! With pins, only the lines of the pinned kinds are written, without headings.

use std::fmt::Write;

use aside_messages::Source;
use aside_messages::wire::{CacheControl, ContentBlock, Request, Ttl};

use crate::pin::{Pin, SECTIONS_OF_SETTINGS};

/// The width of the margin, in characters.
const MARGIN_CHARS: usize = 28;

/// The origin of a line.
pub(crate) struct Origin {
    pub(crate) source: Source,
    /// The instruction file that contains the line, if there is one.
    pub(crate) file: Option<String>,
}

/// A writer of the readable form.
pub(crate) struct Readable<'a> {
    bytes: &'a str,
    /// Returns the origin of a byte.
    origin: &'a dyn Fn(usize) -> Origin,
    /// The kinds of lines to write; `None` means all.
    pins: Option<&'a [Pin]>,
    /// The end of the last line that was found in the bytes.
    cursor: usize,
    out: String,
    /// The source of the last line, which is not repeated.
    label: String,
}

/// Returns the readable form of a request, whose bytes are `bytes`.
pub(crate) fn readable(
    bytes: &str,
    request: &Request,
    pins: Option<&[Pin]>,
    origin: &dyn Fn(usize) -> Origin,
) -> String {
    let mut readable = Readable {
        bytes,
        origin,
        pins,
        cursor: 0,
        out: String::new(),
        label: String::new(),
    };
    readable.request(request);
    readable.out
}

/// Returns the source of a line of the readable form, counted from 1: the last one in the margin.
pub(crate) fn source_at(text: &str, line: usize) -> Option<String> {
    let margins = text.lines().take(line).map(|line| {
        let margin = line.split_once("| ").map_or(line, |(margin, _)| margin);
        margin.trim_end_matches(['|', ' '])
    });
    let named = margins.filter(|it| !it.is_empty() && !it.starts_with("== "));
    named.last().map(str::to_owned)
}

impl Readable<'_> {
    /// Writes the request: its parameters, tools, system prompt and messages.
    fn request(&mut self, request: &Request) {
        let (model, max_tokens) = (&request.model, request.max_tokens);
        self.heading(&format!("model {model}, max_tokens {max_tokens}"), None);
        for tool in &request.tools {
            self.heading(&format!("tool {}", tool.name), tool.cache_control.as_ref());
            self.lines(tool.description.as_deref().unwrap_or_default());
        }
        for (index, block) in request.system.iter().enumerate() {
            self.block(&format!("system[{index}]"), block);
        }
        for (index, message) in request.messages.iter().enumerate() {
            let role = message.role.as_str();
            for (block, content) in message.content.iter().enumerate() {
                let place = format!("messages[{index}].content[{block}] {role}");
                self.block(&place, content);
            }
        }
    }

    /// Writes the lines of a text, and any other block as one line of JSON.
    fn block(&mut self, place: &str, block: &ContentBlock) {
        let marker = block.cache_control();
        self.heading(&format!("{place} {}", block.kind()), marker.as_ref());
        match block {
            ContentBlock::Text(text) => self.lines(&text.text),
            _ => {
                let json = serde_json::to_string(block).unwrap_or_default();
                self.lines(&json);
            }
        }
    }

    /// Writes a heading, unless lines are selected by pins.
    fn heading(&mut self, text: &str, marker: Option<&CacheControl>) {
        if self.pins.is_some() {
            return;
        }
        self.label.clear();
        let marker = match marker {
            Some(CacheControl::Ephemeral {
                ttl: Some(Ttl::OneHour),
                ..
            }) => "  <- cache marker, 1h",
            Some(_) => "  <- cache marker, 5m",
            None => "",
        };
        let _ = writeln!(self.out, "== {text}{marker}");
    }

    fn lines(&mut self, text: &str) {
        for line in text.lines() {
            self.line(line);
        }
    }

    /// Finds a line in the bytes behind the last one, and writes it with the
    /// source of its middle. A line that is blank or not found continues the
    /// source above it.
    fn line(&mut self, line: &str) {
        let json = serde_json::to_string(line).unwrap_or_default();
        let escaped = json.trim_matches('"');
        let found = self.bytes[self.cursor..].find(escaped);
        // A block without text is in the bytes as JSON.
        let at = found.or_else(|| self.bytes[self.cursor..].find(line));
        let Some(at) = at.filter(|_| !line.trim().is_empty()) else {
            return self.write(line, None);
        };
        let at = self.cursor + at;
        self.cursor = at + escaped.len().min(self.bytes.len() - at);
        while !self.bytes.is_char_boundary(self.cursor) {
            self.cursor += 1;
        }
        // The middle of the line: at its ends, it touches lines of other
        // sources.
        let origin = (self.origin)(at + escaped.len() / 2);
        self.write(line, Some(origin));
    }

    /// Writes a line with its source, if its kind is wanted. Control characters
    /// are escaped.
    fn write(&mut self, line: &str, origin: Option<Origin>) {
        if let Some(pins) = self.pins {
            let wanted = origin.as_ref().is_some_and(|it| it.is_pinned(pins));
            if !wanted {
                return;
            }
        }
        let label = match origin {
            Some(origin) => origin.label(),
            None => self.label.clone(),
        };
        let shown = if label == self.label {
            ""
        } else {
            label.as_str()
        };
        let line = line
            .escape_debug()
            .to_string()
            .replace("\\\"", "\"")
            .replace("\\'", "'");
        let row = format!("{shown:<MARGIN_CHARS$}| {line}");
        let _ = writeln!(self.out, "{}", row.trim_end());
        self.label = label;
    }
}

impl Origin {
    /// Returns the text of the margin: a path in the project, `conversation`,
    /// or the name of the source.
    fn label(&self) -> String {
        let label = match (&self.file, &self.source) {
            (Some(file), _) => file.clone(),
            (None, Source::Entry { .. }) => "conversation".to_owned(),
            (None, source) => source.to_string(),
        };
        label.trim_start_matches("/scenario/project/").to_owned()
    }

    /// Returns true if a pin selects lines of this origin.
    fn is_pinned(&self, pins: &[Pin]) -> bool {
        let pinned = |pin| pins.contains(&pin);
        if self.file.is_some() {
            return pinned(Pin::InstructionFiles);
        }
        match &self.source {
            Source::Reminder { .. } => pinned(Pin::Reminders),
            Source::Section { name } => {
                pinned(Pin::Settings) && SECTIONS_OF_SETTINGS.contains(&&**name)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::source_at;

    #[test]
    fn the_source_of_a_line_is_the_last_one_in_the_margin() {
        let text = "== system[0] text\nCLAUDE.md                   | a | b\n                            |\n                            | c\n\
                    docs/style.md               | d\n";
        let sources = [1, 2, 3, 4, 5].map(|line| source_at(text, line));
        let expected = [
            None,
            Some("CLAUDE.md"),
            Some("CLAUDE.md"),
            Some("CLAUDE.md"),
            Some("docs/style.md"),
        ];
        assert_eq!(sources, expected.map(|it| it.map(str::to_owned)));
    }
}
