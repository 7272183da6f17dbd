//! Recovery from a request or thinking that the API refuses.

use aside_messages::conversation::{Conversation, EntryDraft};
use aside_messages::lower::PrefixReset;

use super::Session;
use crate::delivery_form::{delivery_of, has_thinking, lower_options, recorded};

impl Session {
    /// Adopts a conversation that this session did not produce, for example one
    /// of another program. The prefix of its thinking is not recorded, so on a
    /// model that binds thinking the next request leaves it out. A conversation
    /// that records a form of delivery has been adopted before and is not
    /// changed.
    pub fn adopt(&mut self, conversation: &Conversation) {
        if recorded(conversation).is_none() && has_thinking(conversation) {
            let turn = self.delivery.turn();
            let form = self.context.form().clone();
            self.pipeline.record(turn, EntryDraft::delivery(form));
            self.pipeline.reset(turn, PrefixReset::Unrecorded);
        }
    }

    /// Leaves out all earlier thinking from the next request on, because the
    /// API refused it.
    pub fn drop_thinking(&mut self) {
        let turn = self.delivery.turn();
        self.pipeline.reset(turn, PrefixReset::Refused);
    }

    /// Avoids beta features from the next request on, because the API refused
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
