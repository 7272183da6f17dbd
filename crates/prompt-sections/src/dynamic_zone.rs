//! Aside's own sections of the dynamic zone, each made from a typed value.

mod environment;
mod mcp_instructions;
mod memory;
mod preferences;
mod session_guidance;
mod session_limits;
mod tool_results;

use std::future::{self, Future};

use futures_util::FutureExt;

pub use environment::{Environment, Model, Platform};
pub use mcp_instructions::{McpDelivery, McpInstructions, McpServer};
pub use memory::MemoryDirectory;
pub use preferences::{Brief, Language, ModelOverride, OutputStyle};
pub use session_guidance::{Attendance, SessionGuidance};
pub use session_limits::{Scratchpad, TokenBudget};
pub use tool_results::{FunctionResultClearing, SummariseToolResults};

use crate::error::SectionError;
use crate::registry::Registry;
use crate::section::{Caching, ComputeError, Section, computed};
use crate::segment::Lifetime;

/// The value that a section of the dynamic zone is made from.
///
/// The default sections implement it; a team's own section may as well.
pub trait DynamicSection: Send + 'static {
    /// The section's name.
    const NAME: &'static str;
    /// For how long its text stays the same.
    const LIFETIME: Lifetime;
    /// Why it is computed for every request; `None` where it is computed once.
    const UNCACHED_BECAUSE: Option<&'static str> = None;

    /// The section's text; `None` where there is nothing to say.
    fn render(&self) -> Option<String>;
}

/// A section's name, lifetime and, where it is uncached, the reason.
type Kind = (&'static str, Lifetime, Option<&'static str>);

/// The default sections, in order. Each is empty until its value is given.
const ORDER: [Kind; 12] = [
    of::<SessionGuidance>(),
    of::<MemoryDirectory>(),
    of::<ModelOverride>(),
    of::<Environment>(),
    of::<Language>(),
    of::<OutputStyle>(),
    of::<McpInstructions>(),
    of::<Scratchpad>(),
    of::<FunctionResultClearing>(),
    of::<SummariseToolResults>(),
    of::<TokenBudget>(),
    of::<Brief>(),
];

const fn of<T: DynamicSection>() -> Kind {
    (T::NAME, T::LIFETIME, T::UNCACHED_BECAUSE)
}

/// The default sections of the dynamic zone, in order, none of which has text yet.
pub(crate) fn empty_sections() -> impl Iterator<Item = Section> {
    ORDER.into_iter().map(|(name, lifetime, reason)| {
        computed(name, lifetime, || async { Ok(None) }, caching(reason))
    })
}

fn caching(reason: Option<&str>) -> Caching {
    match reason {
        Some(reason) => Caching::Uncached {
            reason: reason.to_owned(),
        },
        None => Caching::Cached,
    }
}

impl Registry {
    /// Gives a section its value: the section of that name if there is one, else a new one at the
    /// end.
    ///
    /// # Errors
    /// As [`Registry::register`], and where the section of that name is a static one.
    pub fn provide<T>(&mut self, value: T) -> Result<(), SectionError>
    where
        T: DynamicSection + Clone + Sync,
    {
        self.provide_with(move || future::ready(Ok(Some(value.clone()))))
    }

    /// Gives a section a computation for its value: the section of that name if there is one, else
    /// a new one at the end.
    ///
    /// # Errors
    /// As [`Registry::register`], and where the section of that name is a static one.
    pub fn provide_with<T, F, Fut>(&mut self, compute: F) -> Result<(), SectionError>
    where
        T: DynamicSection,
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Option<T>, ComputeError>> + Send + 'static,
    {
        let text = move || compute().map(|value| Ok(value?.and_then(|value| value.render())));
        self.set(computed(
            T::NAME,
            T::LIFETIME,
            text,
            caching(T::UNCACHED_BECAUSE),
        ))
    }
}
