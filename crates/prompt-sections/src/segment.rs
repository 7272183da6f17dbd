use serde::{Deserialize, Serialize};

/// Which side of the boundary a section stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Zone {
    /// The same bytes in every session of a product: what many projects can share in a cache.
    Static,
    /// What a project or a session adds.
    Dynamic,
}

/// For how long a section's text stays the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lifetime {
    /// The same in every session of a project on one machine. Static sections are of this lifetime,
    /// since what holds everywhere holds in one project.
    Project,
    /// True of one session only. The layered layout moves such a section behind everything that
    /// sessions share.
    Session,
}

/// Whether a prompt says where its static zone ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Boundary {
    /// The place is marked, so that the static zone can become a cache block of its own.
    Marked,
    /// The place is not marked: the prompt is one piece.
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
        Self {
            name: name.into(),
            zone,
            lifetime,
            text: text.into(),
        }
    }

    /// The section's name, unique in its prompt.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The side of the boundary it stands on.
    pub fn zone(&self) -> Zone {
        self.zone
    }

    /// For how long its text stays the same.
    pub fn lifetime(&self) -> Lifetime {
        self.lifetime
    }

    /// What the model reads; never blank.
    pub fn text(&self) -> &str {
        &self.text
    }
}
