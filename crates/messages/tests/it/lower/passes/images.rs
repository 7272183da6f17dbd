//! More images than a request may hold.

use aside_messages::conversation::{EntryDraft, Part};
use aside_messages::lower::{LowerOptions, Lowered, Lowerer, PrefixReset, Tail};
use aside_messages::wire::{Image, MediaSource, ToolResult};

use super::{call, check};
use crate::lower::generate::{answer, conversation_with, human, image, lines};

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

/// 3,000 pixels wide, which the API takes in requests with up to 20 images.
fn wide() -> Part {
    let data = "iVBORw0KGgoAAAANSUhEUgAAC7gAAAABCAYAAAA=".into();
    Part::Image(Image::new(MediaSource::Base64 { media_type: "image/png".into(), data }))
}

#[test]
fn large_images_go_once_there_are_many() {
    let mut lowerer = Lowerer::new(LowerOptions::default());
    let mut conversation = conversation_with(&[human(vec![wide(); 20])]);
    let images = |lowered: &Lowered<'_>| lines(lowered).matches("\"image\"").count();
    let lowered = lowerer.lower(&conversation, Tail::default()).unwrap();
    assert_eq!((images(&lowered), lowered.prefix_changes.len()), (20, 0));
    conversation.push(answer(vec![Part::text("x")]));
    conversation.push(human(vec![wide()]));
    let lowered = lowerer.lower(&conversation, Tail::default()).unwrap();
    assert_eq!((images(&lowered), lowered.reset), (10, Some(PrefixReset::MediaLimit)));
    let [change] = &lowered.prefix_changes[..] else { panic!("one change is to be recorded") };
    assert_eq!(change.replaced_media, Some(11));
    conversation.push(EntryDraft::prefix_change(change.clone()));
    conversation.push(answer(vec![Part::text("y")]));
    conversation.push(human(vec![wide()]));
    let lowered = lowerer.lower(&conversation, Tail::default()).unwrap();
    assert_eq!((images(&lowered), lowered.reset), (11, None));
}
