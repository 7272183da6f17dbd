//! The law, checked on requests as they are sent.

use std::collections::{BTreeMap, BTreeSet};

use aside_messages::wire::{ContentBlock, Message, Request, Role, SystemBlock, Tool};

/// A request that was sent, with what the session reported.
#[derive(Debug)]
pub(crate) struct Sent {
    pub(crate) request: Request,
    /// True if the session reported that the prefix changed.
    pub(crate) has_reset: bool,
    /// Its response's thinking text, if there is one.
    pub(crate) thinking: Option<String>,
    /// True if its model binds its thinking.
    pub(crate) is_bound: bool,
    /// True if the conversation restarted before it.
    pub(crate) has_restarted: bool,
}

/// A thinking block's prefix, without markers and thinking.
#[derive(Clone, Debug, PartialEq)]
struct Prefix {
    system: Vec<SystemBlock>,
    tools: Vec<Tool>,
    deferred: Vec<Tool>,
    messages: Vec<Message>,
    /// The thinking block before it.
    predecessor: Option<String>,
}

/// Compares each thinking block with the request that produced it.
#[derive(Debug, Default)]
pub(crate) struct Judge {
    produced: BTreeMap<String, Prefix>,
    /// The last request's thinking.
    sent: BTreeSet<String>,
    /// A block that is left out without a report.
    unreported: Option<String>,
}

impl Judge {
    pub(crate) fn judge(&mut self, sent: &Sent) -> Result<(), String> {
        let mut last = None;
        let mut now = BTreeSet::new();
        for (index, message) in sent.request.messages.iter().enumerate() {
            for block in &message.content {
                let ContentBlock::Thinking(thinking) = block else {
                    continue;
                };
                let text = thinking.thinking.to_string();
                let produced =
                    self.produced.get(&text).ok_or_else(|| format!("{text} was never produced"))?;
                let found = prefix(&sent.request, index, last.take());
                let compared = compare(produced, &found);
                if sent.is_bound {
                    compared.map_err(|why| format!("{text}: {why}"))?;
                }
                last = Some(text.clone());
                now.insert(text);
            }
        }
        let is_lost = |text: &&String| !now.contains(*text);
        if let Some(lost) = self.sent.iter().find(is_lost)
            && !sent.has_reset
            && !sent.has_restarted
        {
            self.unreported = Some(lost.clone());
        }
        if let Some(text) = &sent.thinking {
            let whole = prefix(&sent.request, sent.request.messages.len(), last);
            self.produced.insert(text.clone(), whole);
            now.insert(text.clone());
        }
        self.sent = now;
        Ok(())
    }

    /// Returns a thinking block that was left out without a report.
    pub(crate) fn unreported(&self) -> Option<&str> {
        self.unreported.as_deref()
    }
}

fn prefix(request: &Request, messages: usize, predecessor: Option<String>) -> Prefix {
    let unmarked = |tool: &Tool| Tool { cache_control: None, ..tool.clone() };
    let is_deferred = |tool: &Tool| tool.defer_loading == Some(true);
    let (deferred, tools) = request.tools.iter().map(unmarked).partition(is_deferred);
    let mut system = request.system.clone();
    for block in &mut system {
        block.unmark();
    }
    let mut messages: Vec<Message> = request.messages[..messages].to_vec();
    for message in &mut messages {
        message.content.retain(|block| !matches!(block, ContentBlock::Thinking(_)));
        for block in &mut message.content {
            block.unmark();
        }
    }
    Prefix { system, tools, deferred, messages, predecessor }
}

fn compare(then: &Prefix, now: &Prefix) -> Result<(), String> {
    if then.system != now.system {
        return Err("the system prompt is another one".to_owned());
    }
    if then.tools != now.tools || !now.deferred.starts_with(&then.deferred) {
        return Err("the tools are others".to_owned());
    }
    if then.messages != now.messages {
        let mut pairs = then.messages.iter().zip(&now.messages);
        let at = pairs
            .position(|(then, now)| then != now)
            .unwrap_or(then.messages.len().min(now.messages.len()));
        return Err(format!(
            "message {at} differs: {:?} and {:?}",
            then.messages.get(at),
            now.messages.get(at)
        ));
    }
    // Only the oldest thinking may be left out, not a block in the middle.
    if now.predecessor.is_some() && then.predecessor != now.predecessor {
        return Err("thinking before it was left out".to_owned());
    }
    Ok(())
}

#[test]
fn a_removed_block_in_the_middle_is_found() {
    let thinks = |text: &str| {
        let json = format!(
            r#"{{"role":"assistant","content":[{{"type":"thinking","thinking":"{text}","signature":"s"}},{{"type":"text","text":"x"}}]}}"#
        );
        Message::parse(json.as_bytes()).unwrap().value
    };
    let says = || Message::new(Role::User, vec![ContentBlock::text("go")]);
    let request = |messages: Vec<Message>| Request { messages, ..Request::default() };
    let sent = |messages: Vec<Message>, thinking: &str| Sent {
        request: request(messages),
        has_reset: false,
        is_bound: true,
        thinking: Some(thinking.to_owned()),
        has_restarted: false,
    };
    let mut judge = Judge::default();
    judge.judge(&sent(vec![says()], "a")).unwrap();
    judge.judge(&sent(vec![says(), thinks("a"), says()], "b")).unwrap();
    let third = vec![says(), thinks("a"), says(), thinks("b"), says()];
    judge.judge(&sent(third.clone(), "c")).unwrap();
    let mut fourth = third;
    fourth.extend([thinks("c"), says()]);
    fourth[3].content.remove(0);
    judge.judge(&sent(fourth, "d")).unwrap_err();
}
