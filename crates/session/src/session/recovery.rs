//! Recovering when the API refuses a request or thinking, or when responses
//! contradict the model's facts.

use aside_messages::conversation::{Conversation, Delivery, EntryDraft};
use aside_messages::lower::PrefixReset;

use super::Session;
use crate::delivery_form::{
    delivery_of, delivery_with, has_signed_thinking, has_thinking, lower_options, may_bind,
    recorded,
};

impl Session {
    /// Adopts a conversation that this session did not produce, for example
    /// another program's. Its thinking's prefix is not recorded, so on a model
    /// that binds thinking the next request leaves it out. A conversation that
    /// records a form of delivery has been adopted before and is not changed.
    pub fn adopt(&mut self, conversation: &Conversation) {
        if recorded(conversation).is_none() && has_thinking(conversation) {
            self.record(EntryDraft::delivery(self.context.form.clone()));
            self.reset(PrefixReset::Unrecorded);
        }
    }

    /// Leaves out all earlier thinking from the next request on, because the
    /// API refused it.
    pub fn drop_thinking(&mut self) {
        self.reset(PrefixReset::Refused);
    }

    /// Avoids beta features from the next request on, because the API refused
    /// one. A resumed session avoids them as well. Returns false if none is in
    /// use.
    pub fn disable_betas(&mut self) -> bool {
        if self.config.cache.global_scope.betas_disabled {
            return false;
        }
        self.config.cache.global_scope.betas_disabled = true;
        let is_bound = self.context.form.bound;
        let layout = self.context().layout;
        let form = if may_bind(&self.config) {
            delivery_with(&self.config, layout, is_bound)
        } else {
            delivery_of(&self.config, layout)
        };
        if form == self.context.form {
            return false;
        }
        self.context.change().betas_refused = true;
        self.change_form(form);
        true
    }

    /// Treats a model with an unknown name as one that binds its thinking, once
    /// a response has signed thinking.
    pub(super) fn follow_signatures(&mut self, conversation: &Conversation) {
        let is_open = !self.context.form.bound && may_bind(&self.config);
        if is_open && has_signed_thinking(conversation) {
            let layout = self.context().layout;
            self.change_form(delivery_with(&self.config, layout, true));
        }
    }

    /// Changes the form of delivery from the next request on. Earlier thinking
    /// is left out.
    fn change_form(&mut self, form: Delivery) {
        self.pipeline.set_options(lower_options(&self.config, &form));
        self.record(EntryDraft::delivery(form.clone()));
        self.reset(PrefixReset::Delivery);
        self.context.set_form(form);
        self.rewrite_tools();
    }
}
