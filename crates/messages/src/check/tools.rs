use std::collections::HashSet;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{Finder, Rules};
use crate::wire::{RawJson, Request, Tool, excerpt};

pub(super) fn name(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    for (index, tool) in request.tools.iter().enumerate() {
        if !tool.has_valid_name() {
            finder.found(format!("tools[{index}].name"), format!("{:?}", tool.name));
        }
    }
}

pub(super) fn doubled(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    let mut seen = HashSet::new();
    for (index, tool) in request.tools.iter().enumerate() {
        if !seen.insert(&tool.name) {
            finder.found(
                format!("tools[{index}].name"),
                format!("{:?} again", tool.name),
            );
        }
    }
}

pub(super) fn schema(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    for (index, tool) in request.tools.iter().enumerate() {
        let path = format_args!("tools[{index}].input_schema");
        if tool.has_valid_schema() {
            continue;
        }
        match &tool.input_schema {
            None => finder.found(path, "none"),
            Some(schema) if !schema.is_object() => finder.found(path, excerpt(schema.get())),
            Some(schema) => {
                let found = excerpt(schema.get());
                finder.found(path, format!("{found}, without the type \"object\""));
            }
        }
    }
}

/// Whether the schema says of its values that they are objects.
fn is_of_objects(schema: &RawJson) -> bool {
    #[derive(Deserialize)]
    struct Typed<'a> {
        #[serde(borrow, rename = "type", default)]
        kind: Option<&'a RawValue>,
    }
    match serde_json::from_str::<Typed<'_>>(schema.get()) {
        Ok(Typed { kind }) => kind.is_some_and(|kind| {
            serde_json::from_str::<String>(kind.get()).is_ok_and(|kind| kind == "object")
        }),
        // A key that stands twice: the last one may say it.
        Err(_) => true,
    }
}

pub(super) fn choice(request: &Request, _: &Rules, finder: &mut Finder<'_>) {
    if let Some(choice) = &request.tool_choice
        && request.tools.is_empty()
    {
        finder.found("tool_choice", format!("{:?} without tools", choice.kind));
    }
}

impl Tool {
    /// Whether the caller runs it, and so has to say what its input is.
    fn is_callers(&self) -> bool {
        matches!(self.kind.as_deref(), None | Some("custom"))
    }

    /// Whether the API takes its schema: one that says of the input that it is
    /// an object. A tool that the provider runs needs none.
    #[must_use]
    pub fn has_valid_schema(&self) -> bool {
        match &self.input_schema {
            Some(schema) if self.is_callers() => schema.is_object() && is_of_objects(schema),
            Some(schema) => schema.is_object(),
            None => !self.is_callers(),
        }
    }

    /// Whether the API takes its name: `[a-zA-Z0-9_-]{1,64}`.
    #[must_use]
    pub fn has_valid_name(&self) -> bool {
        let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        (1..=64).contains(&self.name.len()) && self.name.bytes().all(is_valid)
    }
}
