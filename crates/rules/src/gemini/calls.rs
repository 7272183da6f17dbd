//! Function calls, responses and signatures.
//!
//! ```text
//! model: call, call            the first call of a step has the signature
//! user: response, response     as many responses as calls
//! ```

use std::collections::HashSet;
use std::mem;

use aside_body::turns::{Pairing, Repeats, Role, Window};

use crate::checker::Checker;
use crate::node::Node;
use crate::rule::RuleLevel;
use crate::table;

/// Checks a body's contents, in four passes: names, where calls are, how many responses there are,
/// signatures.
pub(super) fn check(checker: &mut Checker, contents: &[Node<'_>]) {
    for call in contents.iter().flat_map(calls) {
        if let Some(name) = call.get("name") {
            checker.tool_name(&name);
        }
    }
    turns(checker, contents);
    pairs(checker, contents);
    signatures(checker, contents);
}

/// Returns one kind of data from a content's parts.
fn parts_with<'a>(content: &Node<'a>, camel: &'static str, snake: &'static str) -> Vec<Node<'a>> {
    let parts = content.list("parts");
    parts.filter_map(|it| it.either(camel, snake)).collect()
}

pub(super) fn calls<'a>(content: &Node<'a>) -> Vec<Node<'a>> {
    parts_with(content, "functionCall", "function_call")
}

fn function_responses<'a>(content: &Node<'a>) -> Vec<Node<'a>> {
    parts_with(content, "functionResponse", "function_response")
}

/// Checks that each turn with calls follows a user turn or a response. One turn's calls may be in
/// several contents.
///
/// Google's SDKs keep each chunk of a stream as a content of its own, so a call may follow the
/// model's text; older servers refused that.
fn turns(checker: &mut Checker, contents: &[Node<'_>]) {
    let mut before: Option<&Node<'_>> = None;
    for content in contents {
        let is_answer = |it: &Node<'_>| it.text_of("role") != "model" || !calls(it).is_empty();
        let is_model = content.text_of("role") == "model";
        if is_model && !calls(content).is_empty() && !before.is_some_and(is_answer) {
            let (level, found) = match before {
                Some(before) => (RuleLevel::Unknown, format!("a call after {}", before.path())),
                None => (RuleLevel::Refused, "a call at the beginning".to_owned()),
            };
            let rule = &table::CALL_TURN;
            let expected = rule.on_wire(checker.wire).map_or("", |it| it.expected);
            checker.add_at_level(Some(level), rule, content.path(), found, expected);
        }
        before = Some(content);
    }
}

/// Compares the calls in a model turn, which may be several contents, with the responses in the
/// next content.
fn pairs(checker: &mut Checker, contents: &[Node<'_>]) {
    let mut pairing = Pairing::new(Window::NextTurn, Repeats::Distinct);
    let (mut answer, mut is_model, mut waiting) = (None, false, Vec::new());
    for content in contents {
        let was_model = mem::replace(&mut is_model, content.text_of("role") == "model");
        if is_model && was_model {
            pass_calls(&mut pairing, content, &mut waiting);
            continue;
        }
        let of_turn = if is_model { Role::Assistant } else { Role::User };
        let unanswered = pairing.turn(of_turn);
        end(checker, answer.take(), unanswered.len());
        if is_model {
            pass_calls(&mut pairing, content, &mut waiting);
            continue;
        }
        let responses = function_responses(content);
        names(checker, &mem::take(&mut waiting), &responses);
        let orphans = responses.iter().filter(|_| pairing.result(&()).is_err());
        answer = Some((content, responses.len(), orphans.count()));
    }
    let unanswered = pairing.close();
    end(checker, answer, unanswered.len());
}

fn pass_calls<'a>(pairing: &mut Pairing<(), ()>, content: &Node<'a>, waiting: &mut Vec<Node<'a>>) {
    for call in calls(content) {
        // Many calls have no ids, so they are counted.
        let _ = pairing.call((), ());
        waiting.push(call);
    }
}

/// Reports the name or the id of a response that no call before it has, if each call has a response.
/// It is unknown whether the server refuses it.
fn names(checker: &mut Checker, calls: &[Node<'_>], responses: &[Node<'_>]) {
    if calls.len() != responses.len() {
        return;
    }
    for key in ["id", "name"] {
        let of_calls: Vec<_> = calls.iter().filter_map(|it| it.get(key)).collect();
        // An agent may give ids to calls without one.
        if of_calls.len() < calls.len() {
            continue;
        }
        let known: HashSet<_> = of_calls.iter().filter_map(Node::text).collect();
        for value in responses.iter().filter_map(|it| it.get(key)) {
            if value.text().is_some_and(|it| !known.contains(&it)) {
                let found = value.excerpt();
                let expected = format!("the {key} of a call in the content before");
                let level = Some(RuleLevel::Unknown);
                let rule = &table::ORPHANED_RESULT;
                checker.add_at_level(level, rule, value.path(), found, expected);
            }
        }
    }
}

/// Reports a user content that has other responses than the model has calls.
fn end(checker: &mut Checker, answer: Option<(&Node<'_>, usize, usize)>, unanswered: usize) {
    let Some((content, responses, orphans)) = answer else {
        return;
    };
    let calls = responses - orphans + unanswered;
    let found = format!("{responses} for {calls} calls");
    if unanswered > 0 {
        checker.add(&table::UNANSWERED_CALL, content.path(), found.clone());
    }
    if orphans > 0 {
        checker.add(&table::ORPHANED_RESULT, content.path(), found);
    }
}

/// Checks the first call in each step since the last user turn, where a step is a model turn, which
/// may be several contents. Earlier turns' calls need no signature.
///
/// A signature that is there is counted as not checked, and so is a call when it is unknown whether
/// the model needs one.
fn signatures(checker: &mut Checker, contents: &[Node<'_>]) {
    let is_turn = |content: &&Node<'_>| {
        content.text_of("role") != "model" && function_responses(content).is_empty()
    };
    let begin = contents.iter().rposition(|it| is_turn(&it));
    let current = &contents[begin.map_or(0, |it| it + 1)..];
    let signs = checker.facts.and_then(|facts| facts.signed_calls);
    let (mut count, mut is_later) = (0, false);
    for content in current {
        if content.text_of("role") != "model" {
            is_later = false;
        }
        let mut parts = content.list("parts");
        let Some(first) = parts.find(|it| it.either("functionCall", "function_call").is_some())
        else {
            continue;
        };
        let signature = first.either("thoughtSignature", "thought_signature");
        let was_later = mem::replace(&mut is_later, true);
        match (signs, signature) {
            (Some(false), _) => {}
            (_, None) if was_later => {}
            (Some(true), None) => {
                let path = first.at("thoughtSignature");
                checker.add(&table::CALL_SIGNATURE, path, "no key");
            }
            _ => count += 1,
        }
    }
    let reason = "only the server can verify the thought signatures of calls";
    checker.skip("thought-signatures", count, reason);
}
