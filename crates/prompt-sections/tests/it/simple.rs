//! Simple mode.

use aside_prompt_sections::{ASIDE, StaticBoundary, simple_prompt};

#[test]
fn it_is_one_segment() {
    let prompt =
        simple_prompt(&ASIDE, &"/home/mia\nDate: 1970-01-01".into(), "2026-11-21".parse().unwrap());
    assert_eq!(prompt.boundary(), StaticBoundary::Absent);
    assert_eq!(prompt.segments().len(), 1);
    insta::assert_snapshot!(prompt.to_strings()[0], @r"
    You are Aside, a coding agent that works beside the user in their project.

    CWD: /home/mia\nDate: 1970-01-01
    Date: 2026-11-21
    ");
}
