//! Aside's own sections in the dynamic zone, each rendered from a typed value.

mod environment;
mod mcp_instructions;
mod memory;
mod preferences;
mod session_guidance;
mod session_limits;
mod tool_results;

pub use environment::{Environment, Model, OsKind};
pub use mcp_instructions::{McpDelivery, McpInstructions, ServerInstructions};
pub use memory::MemoryDirectory;
pub use preferences::{Brief, Language, ModelOverride, OutputStyle};
pub use session_guidance::{Attendance, SessionGuidance};
pub use session_limits::{Scratchpad, TokenBudget};
pub use tool_results::{FunctionResultClearing, SummariseToolResults};

use crate::section::{Section, SectionCaching, computed};
use crate::segment::Lifetime;

/// A value that a section in the dynamic zone is rendered from.
///
/// The default sections implement it; implement it for your own sections.
///
/// ```
/// use aside_prompt_sections::{DynamicSection, Lifetime};
///
/// #[derive(Clone)]
/// struct OnCall(String);
///
/// impl DynamicSection for OnCall {
///     const NAME: &'static str = "on_call";
///     const LIFETIME: Lifetime = Lifetime::Session;
///
///     fn render(&self) -> Option<String> {
///         Some(format!("# On call\n{} is on call.", self.0))
///     }
/// }
/// ```
pub trait DynamicSection: Send + 'static {
    /// The section's name.
    const NAME: &'static str;
    /// How long its text stays the same.
    const LIFETIME: Lifetime;
    /// Why it is computed for every request; `None` if it is computed once.
    const UNCACHED_BECAUSE: Option<&'static str> = None;

    /// Renders the section's text; `None` leaves the section out.
    fn render(&self) -> Option<String>;
}

/// A section's name, lifetime and, if it is uncached, the reason.
type Kind = (&'static str, Lifetime, Option<&'static str>);

/// The default sections, in order. Each is empty until it has a value.
const ORDER: &[Kind] = &[
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

/// The default sections. The layered layout has them as headings of the session context or, when
/// they change, in an announcement. No text from outside may begin a line with one of them.
pub const SESSION_SECTIONS: &[&str] = &{
    let (mut names, mut index) = ([""; ORDER.len()], 0);
    while index < ORDER.len() {
        names[index] = ORDER[index].0;
        index += 1;
    }
    names
};

/// In order, without text.
pub(crate) fn empty_sections() -> impl Iterator<Item = Section> {
    ORDER.iter().map(|&(name, lifetime, reason)| {
        computed(name, lifetime, || async { Ok(None) }, caching(reason))
    })
}

pub(crate) fn caching(reason: Option<&str>) -> SectionCaching {
    match reason {
        Some(reason) => SectionCaching::Uncached { reason: reason.to_owned() },
        None => SectionCaching::Cached,
    }
}
