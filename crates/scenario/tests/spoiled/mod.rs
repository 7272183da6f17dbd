//! A value with a fault at one place.

use serde_json::{Value, json};

/// What is done to a place.
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

/// A value that differs from a good one at one place.
pub(crate) struct Spoiled {
    /// What is at the place instead.
    pub(crate) what: &'static str,
    /// The JSON pointer of the place, where there may be nothing any more.
    pub(crate) pointer: String,
    /// The whole.
    pub(crate) value: Value,
}

/// Every place of a value, in every way.
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

/// The value without a key.
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
