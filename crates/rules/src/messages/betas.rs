//! The betas that a request sends: which are known, and what an unknown one
//! means.
//!
//! Clients send betas before any list names them, and such a beta may permit
//! what a rule refuses. So an unknown beta is reported with the level
//! `unknown`, and while one is sent, a rule that another beta lifts stays at
//! `needs`:
//!
//! | betas | `output_config` on a system message |
//! |---|---|
//! | unknown | `needs` |
//! | none | `refused` |
//! | `per-turn-control-2026-07-01` | valid |
//! | `made-up-2027-01-01` | `needs`, and `unknown-beta` |

use super::view::View;
use crate::checker::Checker;
use crate::table::UNKNOWN_BETA;

/// Reports every unknown beta once.
pub(super) fn check(checker: &mut Checker, view: &View<'_>) {
    let is_in_body = checker.is_cloud_body && view.root.get("anthropic_beta").is_some();
    // A header is not part of the body.
    let path = if is_in_body { "anthropic_beta" } else { "" };
    for beta in checker.unknown_betas.clone() {
        checker.add(&UNKNOWN_BETA, path, format!("the beta {beta:?}"));
    }
}
