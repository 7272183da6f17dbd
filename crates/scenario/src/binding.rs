//! Checking thinking that is bound to the prefix under which it was produced.

use aside_messages::wire::{Message, Request, Role, Tool};

/// Checks that the response to `before`, if `now` contains it, is sent after
/// the prefix under which it was produced: tools, system prompt and messages,
/// except cache markers and deferred tools appended since. The error names the
/// first difference.
pub(crate) fn keeps(before: &Request, now: &Request) -> Result<(), String> {
    let answered = before.messages.len();
    let answer = now.messages.get(answered).map(|message| &message.role);
    if answer != Some(&Role::Assistant) || before.messages.last().is_some_and(is_answer) {
        // Nothing was produced, or a response was continued.
        return Ok(());
    }
    if tools(before) != tools(now) {
        return Err("tools".to_owned());
    }
    let unmarked = |request: &Request| {
        let mut system = request.system.clone();
        for block in &mut system {
            block.unmark();
        }
        system
    };
    if unmarked(before) != unmarked(now) {
        return Err("system".to_owned());
    }
    let messages = before.messages.iter().zip(&now.messages);
    for (index, (before, now)) in messages.enumerate() {
        if message(before) != message(now) {
            return Err(format!("messages[{index}]"));
        }
    }
    Ok(())
}

fn is_answer(message: &Message) -> bool {
    message.role == Role::Assistant
}

fn tools(request: &Request) -> Vec<Tool> {
    let tools = request.tools.iter();
    let loaded = tools.filter(|tool| tool.defer_loading != Some(true));
    let unmarked = |tool: &Tool| Tool { cache_control: None, ..tool.clone() };
    loaded.map(unmarked).collect()
}

fn message(message: &Message) -> Message {
    let mut message = message.clone();
    for block in &mut message.content {
        block.unmark();
    }
    message
}

#[cfg(test)]
mod tests {
    use aside_messages::wire::ContentBlock;

    use super::*;

    fn request(texts: &[(Role, &str)]) -> Request {
        let message = |(role, text): &(Role, &str)| {
            Message::new(role.clone(), vec![ContentBlock::text(*text)])
        };
        Request { messages: texts.iter().map(message).collect(), ..Request::default() }
    }

    #[test]
    fn a_removed_reminder_breaks_the_thinking() {
        let (user, model) = (Role::User, Role::Assistant);
        let before = request(&[(user.clone(), "a R")]);
        let same = [(user.clone(), "a R"), (model.clone(), "x"), (user.clone(), "b")];
        keeps(&before, &request(&same)).unwrap();
        let gone = [(user.clone(), "a"), (model, "x"), (user.clone(), "b")];
        assert_eq!(keeps(&before, &request(&gone)), Err("messages[0]".to_owned()));
        // A request that was aborted produced nothing.
        let aborted = [(user.clone(), "a"), (user, "b")];
        keeps(&before, &request(&aborted)).unwrap();
    }

    #[test]
    fn a_changed_prompt_breaks_the_thinking() {
        let (user, model) = (Role::User, Role::Assistant);
        let before = request(&[(user.clone(), "a")]);
        let mut now = request(&[(user.clone(), "a"), (model, "x"), (user, "b")]);
        now.system = vec![ContentBlock::text("other")];
        assert_eq!(keeps(&before, &now), Err("system".to_owned()));
    }
}
