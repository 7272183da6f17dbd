use serde::{Deserialize, Serialize};

/// Which part of the prompt a section is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Zone {
    /// Before the boundary: the same bytes in every session with a product,
    /// which many projects can share in a cache.
    Static,
    /// After the boundary: texts for a project or a session.
    Dynamic,
}

/// How long a section's text stays the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lifetime {
    /// The same in every session of a project on one machine. Static sections
    /// have this lifetime.
    Project,
    /// Valid for one session only. The layered layout moves such a section
    /// after everything that sessions share.
    Session,
}

/// Whether a prompt marks where its static zone ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StaticBoundary {
    /// The end is marked, so that the static zone can become a separate cache
    /// block.
    Marked,
    /// The end is not marked: the prompt is one piece.
    Absent,
}

/// One section's text in a [`SystemPrompt`](crate::SystemPrompt).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Segment {
    name: String,
    zone: Zone,
    lifetime: Lifetime,
    text: String,
}

impl Segment {
    /// The caller has checked the name.
    pub(crate) fn new(
        name: impl Into<String>,
        zone: Zone,
        lifetime: Lifetime,
        text: impl Into<String>,
    ) -> Self {
        Self { name: name.into(), zone, lifetime, text: text.into() }
    }

    /// Returns the section's name, unique in its prompt.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the section's zone.
    pub fn zone(&self) -> Zone {
        self.zone
    }

    /// Returns how long its text stays the same.
    pub fn lifetime(&self) -> Lifetime {
        self.lifetime
    }

    /// Returns the text; never blank.
    pub fn text(&self) -> &str {
        &self.text
    }
}
