//! Values with a fault at one position.

use serde_json::{Value, json};

/// How to change the value at a position, with a description.
type Change = (&'static str, fn(&mut Value));

const CHANGES: [Change; 7] = [
    ("a list", |value| *value = json!([])),
    ("an object", |value| *value = json!({})),
    ("true", |value| *value = json!(true)),
    ("-1", |value| *value = json!(-1)),
    ("a word", |value| *value = json!("aside_unknown")),
    ("null", |value| *value = Value::Null),
    ("a key more", |value| {
        if let Value::Object(object) = value {
            object.insert("aside_unknown".to_owned(), json!("x"));
        }
    }),
];

/// A value that differs from a valid one at one position.
pub(crate) struct Spoiled {
    /// What was changed.
    pub(crate) what: &'static str,
    /// A JSON pointer to the position, which may no longer exist.
    pub(crate) pointer: String,
    /// The whole value.
    pub(crate) value: Value,
}

/// Returns the value with each change at each position.
pub(crate) fn spoiled(value: &Value) -> Vec<Spoiled> {
    let mut pointers = Vec::new();
    places(value, String::new(), &mut pointers);
    let of_place = |pointer: &String| {
        let changed = CHANGES.iter().map(|(what, change)| {
            let mut changed = value.clone();
            change(changed.pointer_mut(pointer).unwrap());
            (*what, changed)
        });
        let left_out = without(value, pointer).map(|it| ("nothing", it));
        let all = changed.chain(left_out).map(|(what, value)| Spoiled {
            what,
            pointer: pointer.clone(),
            value,
        });
        all.collect::<Vec<_>>()
    };
    pointers.iter().flat_map(of_place).collect()
}

fn without(value: &Value, pointer: &str) -> Option<Value> {
    let (parent, key) = pointer.rsplit_once('/')?;
    let mut value = value.clone();
    let object = value.pointer_mut(parent)?.as_object_mut()?;
    object.remove(&key.replace("~1", "/"))?;
    Some(value)
}

fn places(value: &Value, pointer: String, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let key = key.replace('/', "~1");
                places(value, format!("{pointer}/{key}"), found);
            }
        }
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                places(item, format!("{pointer}/{at}"), found);
            }
        }
        _ => {}
    }
    found.push(pointer);
}
