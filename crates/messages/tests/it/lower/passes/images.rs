//! More images than a request may hold.

use aside_messages::conversation::Part;
use aside_messages::lower::{LowerOptions, Lowerer, PrefixReset, Tail};
use aside_messages::wire::ToolResult;

use super::{call, check};
use crate::lower::generate::{answer, conversation_with, human, image};

#[test]
fn images_over_the_limit_become_text() {
    let options = LowerOptions { media_limit: 2, ..LowerOptions::default() };
    let old = "\"[An older image or document was left out: a request holds only so many.]\"";
    let result = Part::ToolResult(ToolResult::new("1", vec![image()]));
    let drafts =
        [human(vec![image().into()]), answer(vec![call("1")]), human(vec![result, image().into()])];
    check(&options, &drafts, &format!("u {old}\na call:1\nu result:1[image] image"), &[]);
}

#[test]
fn a_reset_is_named_when_images_go() {
    let options = LowerOptions { media_limit: 1, ..LowerOptions::default() };
    let mut lowerer = Lowerer::new(options);
    let mut conversation = conversation_with(&[human(vec![image().into()])]);
    let first = lowerer.lower(&conversation, Tail::default()).unwrap();
    assert_eq!(first.reset, None);
    conversation.push(answer(vec![Part::text("x")]));
    conversation.push(human(vec![image().into()]));
    let second = lowerer.lower(&conversation, Tail::default()).unwrap();
    assert_eq!(second.reset, Some(PrefixReset::MediaLimit));
    let third = lowerer.lower(&conversation, Tail::default()).unwrap();
    assert_eq!(third.reset, None);
}
