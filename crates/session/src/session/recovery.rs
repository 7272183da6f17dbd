//! What changes when the API refuses the form of a request.

use aside_messages::conversation::EntryDraft;
use aside_messages::lower::PrefixReset;

use super::Session;
use crate::delivery_form::{delivery_of, lower_options};

impl Session {
    /// Leaves all earlier thinking out from the next request on: the API
    /// refused it.
    pub fn drop_thinking(&mut self) {
        let turn = self.delivery.turn();
        self.pipeline.reset(turn, PrefixReset::Refused);
    }

    /// Delivers without beta features from the next request on: the API refused
    /// one. Returns false if none is in use.
    pub fn disable_betas(&mut self) -> bool {
        if self.config.cache.global_scope.betas_disabled {
            return false;
        }
        self.config.cache.global_scope.betas_disabled = true;
        let form = delivery_of(&self.config, self.context().layout);
        if form == *self.context.form() {
            return false;
        }
        self.pipeline
            .set_options(lower_options(&self.config, &form));
        let turn = self.delivery.turn();
        self.pipeline
            .record(turn, EntryDraft::delivery(form.clone()));
        self.pipeline.reset(turn, PrefixReset::Delivery);
        self.context.set_form(form);
        true
    }
}
