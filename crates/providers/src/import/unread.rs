//! Parts of a body that are reported as lost.

use super::object::Object;
use crate::loss::ConversionLoss;

/// Reports an item or a part that the Messages API has no counterpart for.
pub(super) fn lose(path: &str, losses: &mut Vec<ConversionLoss>) {
    let what = "left out: the Messages API has no counterpart";
    losses.push(ConversionLoss::new(path, what));
}

/// Reports members of an item that were not read.
pub(super) fn report(item: Object, losses: &mut Vec<ConversionLoss>) {
    // Ids and states of items are the server's.
    let is_its_own = |path: &str| {
        let key = path.rsplit('.').next().unwrap_or_default();
        matches!(
            key,
            "type" | "id" | "status" | "annotations" | "logprobs" | "strict" | "name" | "role"
        )
    };
    for (path, value) in item.rest() {
        if value.get() != "null" && !is_its_own(&path) {
            lose(&path, losses);
        }
    }
}
