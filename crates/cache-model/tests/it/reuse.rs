//! A body that is read after another one is the same as one read alone.

use aside_cache_model::{Body, CacheRules, first_difference, outline};
use aside_models::TokenEstimate;
use proptest::prelude::*;

fn body(messages: &[(bool, u8, bool)]) -> String {
    let message = |(is_list, text, is_marked): &(bool, u8, bool)| match is_list {
        false => format!(r#"{{"role":"user","content":"{text}"}}"#),
        true => {
            let mark = if *is_marked { r#","cache_control":{"type":"ephemeral"}"# } else { "" };
            format!(r#"{{"role":"user","content":[{{"type":"text","text":"{text}"{mark}}}]}}"#)
        }
    };
    let messages: Vec<String> = messages.iter().map(message).collect();
    format!(r#"{{"model":"m","system":"s","messages":[{}]}}"#, messages.join(","))
}

proptest! {
    #[test]
    fn items_that_are_taken_over_are_the_same(
        one in proptest::collection::vec(any::<(bool, u8, bool)>(), 0..8),
        two in proptest::collection::vec(any::<(bool, u8, bool)>(), 0..8),
    ) {
        let earlier = Body::parse(body(&one).as_bytes()).unwrap();
        let bytes = body(&two);
        let alone = Body::parse(bytes.as_bytes()).unwrap();
        let after = Body::parse_after(bytes.clone().into(), Some(&earlier)).unwrap();
        prop_assert_eq!(first_difference(&alone, &after), None);
        prop_assert_eq!(first_difference(&earlier, &alone), first_difference(&earlier, &after));
        prop_assert_eq!(format!("{alone:?}"), format!("{after:?}"));
    }

    #[test]
    fn without_tokens_all_but_the_tokens_is_the_same(
        messages in proptest::collection::vec(any::<(bool, u8, bool)>(), 0..8),
    ) {
        let bytes = body(&messages);
        let whole = outline(&Body::parse(bytes.as_bytes()).unwrap(), &CacheRules::anthropic());
        let bare = Body::parse_without_tokens(bytes.into(), None).unwrap();
        let mut bare = outline(&bare, &CacheRules::anthropic());
        prop_assert_eq!(bare.len(), whole.len());
        for (bare, whole) in bare.iter_mut().zip(&whole) {
            prop_assert_eq!(bare.tokens, TokenEstimate::ZERO);
            prop_assert!(whole.tokens > TokenEstimate::ZERO);
            bare.tokens = whole.tokens;
        }
        prop_assert_eq!(bare, whole);
    }

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64), cut in 0_usize..400) {
        let _ = Body::parse(&bytes);
        let body = body(&[(true, 1, true), (false, 2, false), (true, 3, false)]);
        let mut cut_body = body.as_bytes()[..cut.min(body.len())].to_vec();
        prop_assert!(cut >= body.len() || Body::parse(&cut_body).is_err());
        cut_body.extend(bytes);
        if let Ok(request) = Body::parse(&cut_body) {
            let whole = Body::parse(body.as_bytes()).unwrap();
            let _ = first_difference(&whole, &request);
        }
    }
}
