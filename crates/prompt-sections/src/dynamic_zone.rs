//! Aside's own sections of the dynamic zone, each made from a typed value.

mod environment;
mod mcp_instructions;
mod memory;
mod preferences;
mod session_guidance;
mod session_limits;
mod tool_results;

pub use environment::{Environment, Model, Platform};
pub use mcp_instructions::{McpDelivery, McpInstructions, McpServer};
pub use memory::MemoryDirectory;
pub use preferences::{Brief, Language, ModelOverride, OutputStyle};
pub use session_guidance::{Attendance, SessionGuidance};
pub use session_limits::{Scratchpad, TokenBudget};
pub use tool_results::{FunctionResultClearing, SummariseToolResults};

use crate::section::{Caching, Section, computed};
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

/// Returns the caching of a section, by the reason why it is uncached.
pub(crate) fn caching(reason: Option<&str>) -> Caching {
    match reason {
        Some(reason) => Caching::Uncached {
            reason: reason.to_owned(),
        },
        None => Caching::Cached,
    }
}
