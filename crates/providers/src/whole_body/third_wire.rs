//! Losses of a body that goes from one wire to another, neither of them the Messages API.
//!
//! A reader gives the reasons for the form that it reads into. They are true for another target
//! too, but only because the body passes through that form.
//!
//! ```text
//! seed: left out: the Messages API has no such parameter
//! → seed: left out: the Messages API, through which it is converted, has no such parameter
//! ```

use aside_models::Wire;

use crate::import::{NO_NAME, SET_STRICT};
use crate::loss::{ConversionLoss, Reason};
use crate::provider_spec::ProviderSpec;

/// How a reader names the form that it reads into.
const FORM: &str = "the Messages API";

/// Names the form on the way in what was lost while the body was read.
pub(super) fn explain(losses: &mut [ConversionLoss], to: &ProviderSpec) {
    // OpenAI's wires need a name.
    let has_name = to.wires.iter().any(|it| it.wire.wire() != Wire::GenerateContent);
    for loss in losses {
        let what = explained(&loss.what);
        let is_named = has_name && loss.what == NO_NAME;
        loss.what =
            if is_named { what.replacen("left out", "replaced by answer", 1) } else { what }.into();
    }
}

fn explained(what: &str) -> String {
    what.replacen(FORM, &format!("{FORM}, through which it is converted,"), 1)
}

/// Drops what cancels out: a format that was not strict, and is sent as not strict.
pub(super) fn keep_looseness(read: &mut Vec<ConversionLoss>, written: &mut Vec<ConversionLoss>) {
    let set_strict = explained(SET_STRICT);
    let is_set = |it: &ConversionLoss| it.what == set_strict;
    let is_loose = |it: &ConversionLoss| *it == Reason::LooseFormat.at(&it.path);
    if read.iter().any(is_set) && written.iter().any(is_loose) {
        read.retain(|it| !is_set(it));
        written.retain(|it| !is_loose(it));
    }
}
