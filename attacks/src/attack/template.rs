//! Text with variables: `${name}` in a case file is replaced by a value.
//!
//! A string that is nothing but a variable takes the value itself, whatever its
//! type, and `${...list}` in a list takes the items. Values may contain
//! variables in turn. `${name|filter}` changes the text: `json` quotes it,
//! `yaml` escapes every character, `line` joins lines.
//!
//! `${text:FIELD}`, `${names:FIELD}` and `${name:FIELD}` plant the forms in
//! [`Plants`], and are empty for a class without forms.

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};

use super::plants::Plants;

#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    values: Map<String, Value>,
    pub(super) plants: Plants,
}

impl Scope {
    pub(super) fn new(values: &Map<String, Value>, plants: Plants) -> Self {
        let values = values.clone();
        Self { values, plants }
    }

    pub(super) fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.values.insert(name.to_owned(), value.into());
    }

    /// Sets one variable, or several from a list: `a, b` takes two values.
    pub(super) fn assign(&mut self, names: &str, value: &Value) -> Result<()> {
        if !names.contains(',') {
            self.set(names, value.clone());
            return Ok(());
        }
        let values = value.as_array().context("several variables need a list")?;
        let names: Vec<_> = names.split(',').map(str::trim).collect();
        if names.len() != values.len() {
            bail!("{} values for {names:?}", values.len());
        }
        for (name, value) in names.into_iter().zip(values) {
            self.set(name, value.clone());
        }
        Ok(())
    }

    /// Replaces variables in every string and key of a value.
    ///
    /// # Errors
    /// A variable or a filter is unknown.
    pub(super) fn fill(&mut self, value: &Value) -> Result<Value> {
        Ok(match value {
            Value::String(text) => match variable(text) {
                Some(name) => self.lookup(name)?,
                None => self.text(text)?.into(),
            },
            Value::Array(items) => self.items(items)?.into(),
            Value::Object(members) => {
                let filled = members.iter().map(|(key, it)| Ok((self.text(key)?, self.fill(it)?)));
                Value::Object(filled.collect::<Result<_>>()?)
            }
            other => other.clone(),
        })
    }

    /// Replaces variables in a text. Values other than strings become JSON.
    pub(super) fn text(&mut self, text: &str) -> Result<String> {
        let (mut filled, mut rest) = (String::new(), text);
        while let Some((before, after)) = rest.split_once("${") {
            let (name, after) = after.split_once('}').context("`${` without `}`")?;
            filled += before;
            filled += &plain(&self.lookup(name)?);
            rest = after;
        }
        Ok(filled + rest)
    }

    /// Returns arguments for a command line, which cannot contain NUL.
    pub(super) fn arguments(&mut self, list: &Value) -> Result<Vec<String>> {
        let list = self.fill(list)?;
        let items = list.as_array().context("arguments are a list")?.iter();
        Ok(items.map(|it| plain(it).replace('\0', "")).collect())
    }

    /// Returns what a file or a body holds: a text, JSON, or bytes from
    /// `{"concat": […]}`, `{"repeat": [content, times]}` with the number
    /// `${n}`, and `{"hex": "…"}`. `{"lines": […]}` writes values as lines of
    /// JSON, `{"merge": […]}` as one list or object.
    pub(super) fn bytes(&mut self, content: &Value) -> Result<Vec<u8>> {
        let name = content.as_str().and_then(variable);
        if let Some(value) = name.and_then(|it| self.values.get(it).cloned()) {
            return self.bytes(&value);
        }
        let object = content.as_object().filter(|it| it.len() == 1);
        let single = object.and_then(|it| it.iter().next());
        Ok(match single.map(|(key, it)| (key.as_str(), it)) {
            Some(("concat", Value::Array(parts))) => {
                let parts = parts.iter().map(|it| self.bytes(it));
                parts.collect::<Result<Vec<_>>>()?.concat()
            }
            Some(("repeat", Value::Array(pair))) if pair.len() == 2 => {
                let times = self.fill(&pair[1])?.as_u64().context("a number of times")?;
                if pair[0].as_str().is_some_and(|it| !it.contains("${")) {
                    return Ok(self.bytes(&pair[0])?.repeat(usize::try_from(times)?));
                }
                let mut all = Vec::new();
                for n in 0..times {
                    self.set("n", n);
                    all.extend(self.bytes(&pair[0])?);
                }
                all
            }
            Some(("hex", Value::String(digits))) => {
                let pairs = digits.as_bytes().chunks(2).map(std::str::from_utf8);
                let bytes = pairs.map(|it| Ok(u8::from_str_radix(it?, 16)?));
                bytes.collect::<Result<_>>()?
            }
            Some(("lines", Value::Array(lists))) => {
                let items = self.items(lists)?;
                let lines = items.iter().map(|it| format!("{it}\n"));
                lines.collect::<String>().into_bytes()
            }
            Some(("merge", Value::Array(lists))) => {
                let merged = self.items(lists)?.into_iter().reduce(merge);
                merged.unwrap_or_default().to_string().into_bytes()
            }
            _ => plain(&self.fill(content)?).into_bytes(),
        })
    }

    /// Fills a list, and replaces each `${...list}` in it by items.
    fn items(&mut self, list: &[Value]) -> Result<Vec<Value>> {
        let mut items = Vec::new();
        for item in list {
            match spread(item) {
                Some(name) => match self.lookup(name)? {
                    Value::Array(spread) => items.extend(spread),
                    _ => bail!("{name} is no list"),
                },
                None => items.push(self.fill(item)?),
            }
        }
        Ok(items)
    }

    fn lookup(&mut self, name: &str) -> Result<Value> {
        if let Some((name, filter)) = name.split_once('|') {
            let text = plain(&self.lookup(name)?);
            return Ok(match filter {
                "json" => Value::String(text).to_string(),
                "yaml" => {
                    let escaped = text.chars().map(|c| format!("\\U{:08x}", u32::from(c)));
                    escaped.collect()
                }
                "line" => text.replace('\n', " "),
                _ => bail!("no filter {filter}"),
            }
            .into());
        }
        if let Some((kind, field)) = name.split_once(':') {
            return Ok(match kind {
                "text" => self.plants.text(field).into(),
                "names" => self.plants.names(field).into(),
                // A new directory, or the one that is there.
                "name" => self.plants.names(field).first().map_or(".", |it| it).into(),
                _ => bail!("no variable {name}"),
            });
        }
        let value = self.values.get(name).cloned();
        self.fill(&value.with_context(|| format!("no variable {name}"))?)
    }
}

/// Returns the name if the text is one variable.
pub(super) fn variable(text: &str) -> Option<&str> {
    let name = text.strip_prefix("${")?.strip_suffix('}')?;
    (!name.contains(['$', '}'])).then_some(name)
}

/// Returns the name of a list whose items replace this item.
pub(super) fn spread(item: &Value) -> Option<&str> {
    variable(item.as_str()?)?.strip_prefix("...")
}

/// Concatenates lists, also as object members; for other values keeps the
/// first.
fn merge(first: Value, second: Value) -> Value {
    match (first, second) {
        (Value::Array(first), Value::Array(second)) => [first, second].concat().into(),
        (Value::Object(mut first), Value::Object(second)) => {
            for (key, value) in second {
                match first.get_mut(&key) {
                    None => drop(first.insert(key, value)),
                    Some(Value::Array(list)) => {
                        list.extend(value.as_array().into_iter().flatten().cloned());
                    }
                    Some(_) => {}
                }
            }
            first.into()
        }
        (first, _) => first,
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn variables_take_values_of_any_type() {
        let mut scope = Scope::default();
        scope.set("list", json!(["${name}", 1]));
        scope.assign("name, other", &json!(["a\n", "b"])).unwrap();
        assert_eq!(scope.fill(&json!({"${other}": "${list}"})).unwrap(), json!({"b": ["a\n", 1]}));
        assert_eq!(scope.text("-${name|line}${name|json}-").unwrap(), "-a \"a\\n\"-");
        assert!(scope.text("${missing}").is_err());
        assert!(scope.assign("a, b", &json!([1])).is_err());
    }

    #[test]
    fn bytes_are_generated() {
        let mut scope = Scope::default();
        scope.set("times", 2);
        let content =
            json!({"concat": [{"repeat": ["f${n} ", "${times}"]}, {"hex": "ff00"}, {"a": 1}]});
        assert_eq!(scope.bytes(&content).unwrap(), b"f0 f1 \xff\0{\"a\":1}");
    }
}
