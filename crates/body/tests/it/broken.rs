//! What is not JSON is an error with its place in the body, wherever it is.

use aside_body::{Body, ParseErrorKind};

#[test]
fn a_broken_value_in_a_message_is_an_error_at_its_place() {
    for broken in [r#""a\xb""#, "\"a\nb\"", "[1,]", "tru", "01"] {
        let body = |value: &str| format!(r#"{{"messages":[{{"role":"user","content":{value}}}]}}"#);
        let text = body(broken);
        let error = Body::parse(text.as_bytes()).expect_err(broken);
        assert_eq!(error.kind(), ParseErrorKind::Json, "{broken}");
        let value = text.find(broken).unwrap_or_default();
        assert!((value..=value + broken.len()).contains(&error.offset()), "{broken}: {error}");
        assert!(Body::parse(body(r#""a\nb""#).as_bytes()).is_ok());
    }
}
