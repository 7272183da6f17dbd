//! Pairs of bodies on every wire that differ in one edit, whose cause is known by
//! construction: how often the detected cause is that one.

mod edits;
mod session;

use std::collections::BTreeMap;

use aside_cache_model::{Body, first_difference};

use edits::EDITS;
use session::{Session, Turn};

/// The pairs of one edit on one wire.
const VARIANTS: usize = 12;

/// A generator of random numbers, always the same.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }

    fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// A session of two to four turns.
fn session(random: &mut Random) -> Session {
    let tools =
        ["read", "write", "grep", "list"].map(|name| (name.to_owned(), format!("Does {name}.")));
    let files = ["lexer.rs", "parser.rs", "main.rs", "notes.md"];
    let turns = (0..2 + random.below(3)).map(|number| Turn {
        prompt: vec![format!("Look at {} for step {number}", random.of(&files))],
        image: None,
        is_image_first: false,
        thinking: Some(format!("Step {number} needs a look.")),
        arguments: vec![
            ("path".to_owned(), format!("\"{}\"", random.of(&files))),
            ("limit".to_owned(), "20".to_owned()),
        ],
        comma: ",",
        result: format!("fn main() {{}} // {number}"),
        reminder: None,
        answer: format!("Step {number} is done."),
    });
    Session {
        model: "5.5".to_owned(),
        effort: "high",
        system: vec!["You are an agent in a repository. Be careful.".to_owned()],
        turns: turns.collect(),
        tools: tools.to_vec(),
    }
}

#[test]
fn the_cause_of_an_edit_is_found() {
    let mut random = Random(0x5EED_0F41);
    let (mut pairs, mut wrong) = (0, BTreeMap::<String, usize>::new());
    for edit in EDITS {
        for wire in edit.wires {
            for _ in 0..VARIANTS {
                let mut before = session(&mut random);
                let mut after = before.clone();
                (edit.apply)(&mut before, &mut after, &mut random);
                let bodies = [&before, &after].map(|it| it.body(*wire));
                let [old, new] = [0, 1].map(|it| Body::parse(bodies[it].as_bytes()).unwrap());
                let found = first_difference(&old, &new);
                pairs += 1;
                if found.as_ref().map(|it| it.cause) != Some(edit.cause) {
                    let (path, cause) = found
                        .as_ref()
                        .map_or(("none", "none"), |it| (it.path.as_str(), it.cause.as_str()));
                    let texts = found.as_ref().map(|it| (&it.before.text, &it.after.text));
                    let name = format!("{} on {wire:?}: {cause} at {path} {texts:?}", edit.name);
                    *wrong.entry(name).or_default() += 1;
                }
            }
        }
    }
    let missed: usize = wrong.values().sum();
    assert!(pairs > 1_000);
    assert_eq!(missed, 0, "of {pairs} pairs: {wrong:#?}");
}
