//! The forms of thinking and the efforts of Claude models.
//!
//! The arguments of `thinking` are, in order: the default, then `adaptive`,
//! `enabled`, `disabled` and `between_tools`.

use crate::accepted::{Acceptance, Effort, ThinkingDefault, ThinkingModes};

use Acceptance::{Accepted, Deprecated, Refused, UpToHighEffort};
use Effort::{High, Low, Max, Medium, XHigh};

/// The five efforts of current models.
pub(super) const FIVE_EFFORTS: &[Effort] = &[Low, Medium, High, XHigh, Max];
pub(super) const WITHOUT_XHIGH: &[Effort] = &[Low, Medium, High, Max];

pub(super) const fn thinking(
    default: ThinkingDefault,
    adaptive: Acceptance,
    enabled: Acceptance,
    disabled: Acceptance,
    between_tools: Acceptance,
) -> Option<ThinkingModes> {
    Some(ThinkingModes {
        default,
        adaptive,
        enabled,
        disabled,
        between_tools,
    })
}

pub(super) const ALWAYS_ON: Option<ThinkingModes> = thinking(
    ThinkingDefault::AlwaysOn,
    Accepted,
    Refused,
    Refused,
    Refused,
);
pub(super) const ON_UNLESS_DISABLED: Option<ThinkingModes> =
    thinking(ThinkingDefault::On, Accepted, Refused, Accepted, Refused);
pub(super) const ON_UNLESS_LOW_EFFORT: Option<ThinkingModes> = thinking(
    ThinkingDefault::On,
    Accepted,
    Refused,
    UpToHighEffort,
    Refused,
);
pub(super) const ON_BETWEEN_TOOLS: Option<ThinkingModes> = thinking(
    ThinkingDefault::On,
    Accepted,
    Refused,
    Refused,
    UpToHighEffort,
);
pub(super) const OFF: Option<ThinkingModes> =
    thinking(ThinkingDefault::Off, Accepted, Refused, Accepted, Refused);
pub(super) const OFF_WITH_BUDGET: Option<ThinkingModes> = thinking(
    ThinkingDefault::Off,
    Accepted,
    Deprecated,
    Accepted,
    Refused,
);
pub(super) const BUDGET_ONLY: Option<ThinkingModes> =
    thinking(ThinkingDefault::Off, Refused, Accepted, Accepted, Refused);
