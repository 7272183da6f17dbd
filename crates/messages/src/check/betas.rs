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

use super::context::Context;
use super::table::UNKNOWN_BETA;
use super::view::View;

/// Reports every unknown beta once.
pub(super) fn check(context: &mut Context, view: &View<'_>) {
    let is_in_body = context.is_cloud_body && view.root.get("anthropic_beta").is_some();
    // A header is not part of the body.
    let path = if is_in_body { "anthropic_beta" } else { "" };
    for beta in context.unknown_betas.clone() {
        context.add(&UNKNOWN_BETA, path, format!("the beta {beta:?}"));
    }
}
