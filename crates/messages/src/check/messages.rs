use std::collections::HashSet;

use super::{Finder, Rules};
use crate::encode::BlockRef;
use crate::wire::{
    ContentBlock, Message, Request, ResultContent, Role, ToolResult, ToolUse, is_paused,
};

pub(super) fn none(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    if request.messages.is_empty() {
        finder.found("messages", "none");
    }
}

pub(super) fn first_role(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    users(request.messages.first(), 0, finder);
}

pub(super) fn last_role(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    // A group of system messages follows the user message that it belongs to.
    let is_system = |message: &Message| message.role == Role::System;
    let group = request.messages.iter().rev().take_while(|it| is_system(it));
    let last = request.messages.len() - group.count();
    let index = last.saturating_sub(1);
    let message = request.messages[..last].last();
    users(message.filter(|last| !was_paused(last)), index, finder);
}

/// Whether it is an answer that the provider is to go on with.
fn was_paused(message: &Message) -> bool {
    let blocks = message.content.iter().map(|block| match block {
        ContentBlock::Other(other) => Some(other),
        _ => None,
    });
    message.role == Role::Assistant && is_paused(blocks)
}

fn users(message: Option<&Message>, index: usize, finder: &mut Finder<'_>) {
    let is_summary = |message: &Message| {
        let first = message.content.first().map(ContentBlock::kind);
        first == Some("compaction") && index == 0
    };
    let message = message.filter(|message| message.role != Role::User);
    if let Some(message) = message.filter(|message| !is_summary(message)) {
        finder.found(
            format!("messages[{index}].role"),
            format!("{:?}", message.role.as_str()),
        );
    }
}

pub(super) fn role(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    for (index, message) in request.messages.iter().enumerate() {
        if let Role::Other(role) = &message.role {
            finder.found(format!("messages[{index}].role"), format!("{role:?}"));
        }
    }
}

pub(super) fn empty_content(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    for (index, message) in request.messages.iter().enumerate() {
        if message.content.is_empty() {
            finder.found(format!("messages[{index}].content"), "no block");
        }
    }
}

pub(super) fn blank_text(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    for (index, block) in request.system.iter().enumerate() {
        if is_blank(block) {
            finder.found(BlockRef::System(index), "blank text");
        }
    }
    for (at, block) in blocks(request) {
        if is_blank(block) {
            finder.found(at, "blank text");
        }
        if let ContentBlock::ToolResult(result) = block {
            for (index, inner) in content(result).iter().enumerate() {
                if is_blank(inner) {
                    finder.found(format!("{at}.content[{index}]"), "blank text");
                }
            }
        }
    }
}

fn is_blank(block: &ContentBlock) -> bool {
    matches!(block, ContentBlock::Text(text) if text.text.trim().is_empty())
}

pub(super) fn result_order(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    for (message, it) in request.messages.iter().enumerate() {
        let is_other = |block: &ContentBlock| as_result(block).is_none();
        let Some(first_other) = it.content.iter().position(is_other) else {
            continue;
        };
        for (block, it) in it.content.iter().enumerate().skip(first_other) {
            if as_result(it).is_some() {
                let at = BlockRef::Message { message, block };
                finder.found(
                    at,
                    format!("a tool result behind another block, {first_other}"),
                );
            }
        }
    }
}

pub(super) fn unanswered_call(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    for (message, it) in request.messages.iter().enumerate() {
        let is_models = it.role == Role::Assistant;
        let next = request.messages.get(message + 1).filter(|_| is_models);
        let answered: HashSet<&str> = next.into_iter().flat_map(results).map(id).collect();
        for (block, it) in it.content.iter().enumerate() {
            if let Some(call) = as_call(it).filter(|call| !answered.contains(&*call.id)) {
                finder.found(
                    BlockRef::Message { message, block },
                    format!("{:?}", call.id),
                );
            }
        }
    }
}

pub(super) fn orphaned_result(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    for (message, it) in request.messages.iter().enumerate() {
        let is_users = it.role == Role::User;
        let before = message.checked_sub(1).filter(|_| is_users);
        let before = before.map(|before| &request.messages[before]);
        let called: HashSet<&str> = before
            .into_iter()
            .flat_map(calls)
            .map(|it| &*it.id)
            .collect();
        for (block, it) in it.content.iter().enumerate() {
            if let Some(result) = as_result(it).filter(|result| !called.contains(id(result))) {
                finder.found(
                    BlockRef::Message { message, block },
                    format!("{:?}", id(result)),
                );
            }
        }
    }
}

pub(super) fn doubled_result(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    doubled(request, finder, |block| as_result(block).map(id));
}

pub(super) fn doubled_call(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    doubled(request, finder, |block| {
        as_call(block).map(|call| &*call.id)
    });
}

fn doubled<'a>(
    request: &'a Request,
    finder: &mut Finder<'_>,
    id: impl Fn(&'a ContentBlock) -> Option<&'a str>,
) {
    let mut seen = HashSet::new();
    for (at, block) in blocks(request) {
        if let Some(id) = id(block).filter(|id| !seen.insert(*id)) {
            finder.found(at, format!("{id:?} again"));
        }
    }
}

pub(super) fn error_content(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    for (at, block) in blocks(request) {
        let Some(result) = as_result(block).filter(|it| it.is_error == Some(true)) else {
            continue;
        };
        for (index, inner) in content(result).iter().enumerate() {
            if !matches!(inner, ContentBlock::Text(_)) {
                finder.found(format!("{at}.content[{index}]"), "no text");
            }
        }
    }
}

pub(super) fn media_limit(request: &Request, rules: &Rules, finder: &mut Finder<'_>) {
    let is_media =
        |block: &&ContentBlock| matches!(block, ContentBlock::Image(_) | ContentBlock::Document(_));
    let inner = blocks(request)
        .filter_map(|(_, block)| as_result(block))
        .flat_map(content);
    let outer = blocks(request).map(|(_, block)| block);
    let count = outer.chain(inner).filter(is_media).count();
    if count > rules.media_limit {
        finder.found(
            "messages",
            format!("{count}, at most {}", rules.media_limit),
        );
    }
}

pub(super) fn assistant_document(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    for (at, block) in blocks_of(request, &Role::Assistant) {
        if matches!(block, ContentBlock::Document(_)) {
            finder.found(at, "a document");
        }
    }
}

pub(super) fn user_citations(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    for (at, block) in blocks_of(request, &Role::User) {
        if matches!(block, ContentBlock::Text(text) if text.citations.is_some()) {
            finder.found(at, "citations");
        }
    }
}

fn blocks(request: &Request) -> impl Iterator<Item = (BlockRef, &ContentBlock)> {
    request
        .messages
        .iter()
        .enumerate()
        .flat_map(|(message, it)| {
            let content = it.content.iter().enumerate();
            content.map(move |(block, it)| (BlockRef::Message { message, block }, it))
        })
}

fn blocks_of<'a>(
    request: &'a Request,
    role: &'a Role,
) -> impl Iterator<Item = (BlockRef, &'a ContentBlock)> {
    blocks(request).filter(move |(at, _)| {
        matches!(at, BlockRef::Message { message, .. } if request.messages[*message].role == *role)
    })
}

/// Only the user's results answer a call.
fn results(message: &Message) -> impl Iterator<Item = &ToolResult> {
    let is_users = message.role == Role::User;
    let results = message.content.iter().filter_map(as_result);
    results.filter(move |_| is_users)
}

/// Only the model's calls are answered.
fn calls(message: &Message) -> impl Iterator<Item = &ToolUse> {
    let is_models = message.role == Role::Assistant;
    let calls = message.content.iter().filter_map(as_call);
    calls.filter(move |_| is_models)
}

fn as_result(block: &ContentBlock) -> Option<&ToolResult> {
    match block {
        ContentBlock::ToolResult(result) => Some(result),
        _ => None,
    }
}

fn as_call(block: &ContentBlock) -> Option<&ToolUse> {
    match block {
        ContentBlock::ToolUse(call) => Some(call),
        _ => None,
    }
}

fn id(result: &ToolResult) -> &str {
    &result.tool_use_id
}

fn content(result: &ToolResult) -> &[ContentBlock] {
    match &result.content {
        ResultContent::Blocks(blocks) => blocks,
        ResultContent::Text(_) => &[],
    }
}
