//! How Claude models think, and their efforts.
//!
//! The arguments to `thinking` are, in order: the default, then `adaptive`, `enabled`, `disabled`
//! and `between_tools`.

use crate::accepted::{Acceptance, Effort, ThinkingDefault, ThinkingModes};

use Acceptance::{Accepted, Deprecated, Refused, UpToHighEffort};
use Effort::{High, Low, Max, Medium, XHigh};

/// The five efforts that current models take.
pub(super) const FIVE_EFFORTS: &[Effort] = &[Low, Medium, High, XHigh, Max];
/// What the 4.6 generation takes.
pub(super) const WITHOUT_XHIGH: &[Effort] = &[Low, Medium, High, Max];

/// Takes the arguments in the order above.
pub(super) const fn thinking(
    default: ThinkingDefault,
    adaptive: Acceptance,
    enabled: Acceptance,
    disabled: Acceptance,
    between_tools: Acceptance,
) -> Option<ThinkingModes> {
    Some(ThinkingModes { default, adaptive, enabled, disabled, between_tools })
}

/// Fable, Mythos and Opus 5.5: thinking cannot be disabled.
pub(super) const ALWAYS_ON: Option<ThinkingModes> =
    thinking(ThinkingDefault::AlwaysOn, Accepted, Refused, Refused, Refused);
/// Sonnet 5: on by default, and can be disabled.
pub(super) const ON_UNLESS_DISABLED: Option<ThinkingModes> =
    thinking(ThinkingDefault::On, Accepted, Refused, Accepted, Refused);
/// Opus 5 and Haiku 5.5: on by default, and can be disabled at effort `high` and below.
pub(super) const ON_UNLESS_LOW_EFFORT: Option<ThinkingModes> =
    thinking(ThinkingDefault::On, Accepted, Refused, UpToHighEffort, Refused);
/// Sonnet 5.5: on by default; instead of disabling it, `between_tools` limits it, at effort `high`
/// and below.
pub(super) const ON_BETWEEN_TOOLS: Option<ThinkingModes> =
    thinking(ThinkingDefault::On, Accepted, Refused, Refused, UpToHighEffort);
/// Opus 4.7 and 4.8: off by default, and without budgets.
pub(super) const OFF: Option<ThinkingModes> =
    thinking(ThinkingDefault::Off, Accepted, Refused, Accepted, Refused);
/// The 4.6 generation: off by default; a budget is accepted, and deprecated.
pub(super) const OFF_WITH_BUDGET: Option<ThinkingModes> =
    thinking(ThinkingDefault::Off, Accepted, Deprecated, Accepted, Refused);
/// The 4.5 generation: off by default, and only with a budget.
pub(super) const BUDGET_ONLY: Option<ThinkingModes> =
    thinking(ThinkingDefault::Off, Refused, Accepted, Accepted, Refused);
