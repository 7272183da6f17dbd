//! What changes when the API refuses the form of a request, or would refuse its
//! thinking.

use aside_messages::conversation::{Conversation, EntryDraft};
use aside_messages::lower::PrefixReset;

use super::Session;
use crate::delivery_form::{delivery_of, has_thinking, lower_options, recorded};

impl Session {
    /// Takes over a conversation that this session did not produce: it may be
    /// from another program. If it has thinking, the prefix of the thinking is
    /// not recorded, so the next request leaves it out on a model that binds
    /// it. A conversation that records a form of delivery was taken over
    /// before.
    pub fn adopt(&mut self, conversation: &Conversation) {
        if recorded(conversation).is_none() && has_thinking(conversation) {
            let turn = self.delivery.turn();
            let form = self.context.form().clone();
            self.pipeline.record(turn, EntryDraft::delivery(form));
            self.pipeline.reset(turn, PrefixReset::Unrecorded);
        }
    }

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
        self.rewrite_tools();
        true
    }
}
