//! Fields from a JSON Schema: forms in each string that takes any text.
//!
//! A field added to a format is attacked without a change to the case file.

use std::fs;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use super::place::Place;
use super::schema::{instances, strings};
use super::template::Scope;

/// A schema's instances; the command tries each before it is used.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Instances {
    /// The schema's file, below the workspace.
    schema: String,
    /// Where a list of schemas, or of properties, is, as a JSON pointer.
    at: String,
    /// A field's name, from the `key` and the `number` of an instance.
    field: String,
    /// The document with an instance, `${value}`.
    wrap: Value,
    /// Where to write the document for the command.
    file: String,
    /// The command, which accepts a text if its exit code is 0.
    arguments: Value,
    /// A message on stderr means that the request leaves the text out.
    #[serde(default)]
    is_silent: bool,
}

impl Instances {
    /// Sets the variable `instances` to the documents with forms.
    pub(super) fn plant(&self, place: &Place, scope: &mut Scope) -> Result<()> {
        let path = super::root().join(&self.schema);
        let text = fs::read(&path).with_context(|| format!("failed to read {}", path.display()))?;
        let schema: Value = serde_json::from_slice(&text)?;
        let kinds: Vec<(Value, &Value)> = match schema.pointer(&self.at) {
            Some(Value::Object(all)) => all.iter().map(|(key, it)| (json!(key), it)).collect(),
            Some(Value::Array(all)) => (0..).map(|key: u32| json!(key)).zip(all).collect(),
            _ => anyhow::bail!("{} has no {}", self.schema, self.at),
        };
        let mut documents = Vec::new();
        for (key, kind) in kinds {
            scope.set("key", key);
            for (number, mut instance) in instances(kind).into_iter().enumerate() {
                scope.set("number", number);
                // A request takes four markers, and no text in them.
                instance.as_object_mut().map(|it| it.remove("cache_control"));
                if let Some(spoiled) = self.spoil(place, scope, &instance)? {
                    documents.push(self.document(scope, &spoiled)?);
                }
            }
        }
        scope.set("instances", documents);
        Ok(())
    }

    /// Puts the forms into each string in an instance that takes any text.
    /// Returns `None` if the instance itself is refused.
    fn spoil(&self, place: &Place, scope: &mut Scope, instance: &Value) -> Result<Option<Value>> {
        let family = scope.text(&self.field)?;
        if !self.accepts(place, scope, &family, instance)? {
            return Ok(None);
        }
        let mut spoiled = instance.clone();
        for at in strings(instance) {
            let key = format!("{family}{at}");
            let text = scope.plants.text(&key);
            let mut alone = instance.clone();
            if let Some(string) = alone.pointer_mut(&at) {
                *string = text.clone().into();
            }
            if !self.accepts(place, scope, &key, &alone)? {
                scope.plants.forget(&key);
            } else if let Some(string) = spoiled.pointer_mut(&at) {
                *string = text.into();
            }
        }
        Ok(Some(spoiled))
    }

    /// Returns true if the command accepts a value. This is tried once, with
    /// the first round's forms, and remembered under the key.
    fn accepts(&self, place: &Place, scope: &mut Scope, key: &str, value: &Value) -> Result<bool> {
        if let Some(known) = scope.plants.accepted.get(key) {
            return Ok(*known);
        }
        let document = self.document(scope, value)?;
        place.write(&self.file, document.to_string())?;
        let ran = place.run(&scope.arguments(&self.arguments)?)?;
        let accepts = ran.code == Some(0) && (!self.is_silent || ran.stderr.is_empty());
        scope.plants.accepted.insert(key.to_owned(), accepts);
        Ok(accepts)
    }

    fn document(&self, scope: &mut Scope, value: &Value) -> Result<Value> {
        // A result belongs to a call with the same id.
        let id = Some(&value["tool_use_id"]).filter(|_| value["type"] == "tool_result");
        scope.set("id", id.cloned().unwrap_or(json!("call")));
        scope.set("value", value.clone());
        scope.fill(&self.wrap)
    }
}
