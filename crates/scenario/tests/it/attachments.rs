//! Every attachment has a golden scenario.

use std::collections::BTreeSet;
use std::path::Path;

use aside_attachments::Attachment;
use aside_scenario::{ScenarioEvent, discover};

#[test]
fn every_kind_of_attachment_has_its_bytes() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let cases = discover(&fixtures).unwrap();
    let turns = cases.iter().flat_map(|case| &case.scenario.turns);
    let events = turns.flatten().flatten();
    let found: BTreeSet<&str> = events
        .filter_map(|event| match event {
            ScenarioEvent::Attachment(attachment) => Some(attachment.kind()),
            _ => None,
        })
        .collect();
    let kinds: BTreeSet<&str> = Attachment::KINDS.iter().copied().collect();
    assert_eq!(found, kinds);
}
