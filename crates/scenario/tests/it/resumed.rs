//! A resumed session sends what it would have sent without an interruption.

use std::fs;
use std::path::Path;

#[test]
fn a_resumed_session_decides_on_the_same_lifetimes() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let body = |scenario: &str, number: usize| {
        let file = format!("{scenario}/request-{number}.json");
        fs::read_to_string(fixtures.join(file)).unwrap()
    };
    let long = r#""ttl":"1h""#;
    let mut checkpoints = Vec::new();
    for number in 1..=14 {
        let expected = body("checkpoints", number);
        assert_eq!(body("checkpoints-resumed", number), expected, "{number}");
        // An hour's marker after one in the system prompt.
        if expected.rfind(long) > expected.find("\"messages\":") {
            checkpoints.push(number);
        }
    }
    assert_eq!(checkpoints, [2, 3, 6, 9, 12, 14]);
}
