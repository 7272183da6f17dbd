//! The judge, through its public interface.
mod cache;
mod compaction;
mod content_shape;
mod edits;
mod placement;
mod refusals;
mod thinking;
mod threads;

use std::time::Duration;

use aside_gateway::strict::{
    Draft, JudgeResult, ResponseBlock, Strict, StrictOptions, StrictRequest,
};

/// A model whose thinking is bound to the prefix.
pub(crate) const BOUND: &str = "claude-opus-5-5";
/// A model with system messages whose thinking is not bound.
pub(crate) const UNBOUND: &str = "claude-opus-5";

pub(crate) fn judge() -> Strict {
    Strict::new(StrictOptions::default())
}

/// A body with these further members before `messages`.
pub(crate) fn body(model: &str, members: &str, messages: &[String]) -> String {
    let messages = messages.join(",");
    format!(r#"{{"model":"{model}","max_tokens":64,{members}"messages":[{messages}]}}"#)
}

pub(crate) fn user(text: &str) -> String {
    format!(r#"{{"role":"user","content":[{{"type":"text","text":"{text}"}}]}}"#)
}

pub(crate) fn system(text: &str) -> String {
    format!(r#"{{"role":"system","content":[{{"type":"text","text":"{text}"}}]}}"#)
}

pub(crate) fn assistant(content: &str) -> String {
    format!(r#"{{"role":"assistant","content":{content}}}"#)
}

/// Every beta that the rules know.
pub(crate) const BETAS: &str = "mid-conversation-system-clear-at-2026-08-21,\
    mid-conversation-tool-changes-2026-07-01,mid-conversation-output-config-2026-07-01,\
    thinking-binding-controls-2026-08-01,compact-2026-09-04,inline-tools-2026-09-15,\
    fast-mode-2026-02-01";

pub(crate) fn request(body: &str) -> StrictRequest<'_> {
    StrictRequest::new(body.as_bytes()).betas(BETAS)
}

/// Changes a conversation.
pub(crate) type Change = fn(&mut Talk);

/// A conversation that consists of messages of the user and the judge's
/// responses.
pub(crate) struct Talk {
    pub(crate) api: Strict,
    pub(crate) model: &'static str,
    pub(crate) members: String,
    pub(crate) messages: Vec<String>,
    pub(crate) at: Duration,
}

impl Talk {
    pub(crate) fn new(model: &'static str) -> Self {
        Self {
            api: judge(),
            model,
            members: String::new(),
            messages: Vec::new(),
            at: Duration::ZERO,
        }
    }

    pub(crate) fn send(&mut self, draft: &Draft) -> JudgeResult {
        let body = body(self.model, &self.members, &self.messages);
        let request = request(&body).at(self.at);
        let answer = self.api.answer_with(&request, draft)?;
        self.messages.push(assistant(&answer.content_json()));
        Ok(answer)
    }

    /// Sends a text of the user and appends the response.
    pub(crate) fn say(&mut self, text: &str) -> JudgeResult {
        self.messages.push(user(text));
        self.send(&Draft::polite())
    }

    /// Returns the path with which the request is refused as bound elsewhere.
    pub(crate) fn first_difference(&mut self) -> String {
        let refused = self.say("next").expect_err("the prefix changed");
        let message = refused.message().to_owned();
        assert!(message.contains("bound to a different conversation"), "{message}");
        let path = message.rsplit('`').nth(1).unwrap_or_default();
        path.to_owned()
    }
}
