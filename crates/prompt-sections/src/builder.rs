use crate::error::SectionError;
use crate::name;
use crate::prompt::SystemPrompt;
use crate::segment::{Lifetime, Segment, StaticBoundary, Zone};

/// Collects a prompt's static zone; see [`SystemPrompt::builder`].
///
/// The dynamic zone has its own type, so a static section cannot follow a
/// dynamic one, and there is at most one boundary.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct StaticZoneBuilder {
    segments: Vec<Segment>,
}

/// Collects a prompt's dynamic zone; see [`SystemPrompt::builder`].
#[derive(Clone, Debug)]
#[must_use]
pub struct DynamicZoneBuilder {
    segments: Vec<Segment>,
    boundary: StaticBoundary,
}

impl SystemPrompt {
    /// Starts a prompt from given texts.
    pub fn builder() -> StaticZoneBuilder {
        StaticZoneBuilder::default()
    }
}

impl StaticZoneBuilder {
    /// Adds a static section: text that is the same in every session.
    pub fn fixed(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.segments.push(Segment::new(name, Zone::Static, Lifetime::Project, text));
        self
    }

    /// Marks where the static zone ends.
    pub fn boundary(self) -> DynamicZoneBuilder {
        self.end(StaticBoundary::Marked)
    }

    /// Starts the dynamic zone without a boundary; see
    /// [`DynamicZoneBuilder::dynamic`].
    pub fn dynamic(self, name: impl Into<String>, text: impl Into<String>) -> DynamicZoneBuilder {
        self.end(StaticBoundary::Absent).dynamic(name, text)
    }

    /// Builds the prompt, without a boundary.
    ///
    /// # Errors
    ///
    /// A name is taken, reserved or not valid.
    pub fn build(self) -> Result<SystemPrompt, SectionError> {
        self.end(StaticBoundary::Absent).build()
    }

    fn end(self, boundary: StaticBoundary) -> DynamicZoneBuilder {
        DynamicZoneBuilder { segments: self.segments, boundary }
    }
}

impl DynamicZoneBuilder {
    /// Adds a section that is the same in every session of a project.
    pub fn dynamic(self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.push(name, Lifetime::Project, text)
    }

    /// Adds a section for one session only.
    pub fn session(self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.push(name, Lifetime::Session, text)
    }

    /// Builds the prompt. Sections with blank text are left out.
    ///
    /// # Errors
    ///
    /// A name is taken, reserved or not valid.
    pub fn build(self) -> Result<SystemPrompt, SectionError> {
        for (at, segment) in self.segments.iter().enumerate() {
            let earlier = self.segments.iter().take(at).map(Segment::name);
            name::check(segment.name(), earlier)?;
        }
        Ok(SystemPrompt::from_segments(self.segments, self.boundary))
    }

    fn push(
        mut self,
        name: impl Into<String>,
        lifetime: Lifetime,
        text: impl Into<String>,
    ) -> Self {
        self.segments.push(Segment::new(name, Zone::Dynamic, lifetime, text));
        self
    }
}
