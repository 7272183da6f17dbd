//! Equality of conditions, and schedules as JSON. What expressions mean is
//! tested in their module.

use aside_reminder::{Condition, Expression, Schedule, ScheduleKind};

#[test]
fn equality_of_conditions() {
    let expression = || Condition::from(Expression::parse("turn_gt:2"));
    assert_eq!(expression(), expression());
    let code = Condition::code(|_| true);
    assert_eq!(code, code.clone());
    assert_ne!(code, Condition::code(|_| true));
    assert_ne!(code, expression());
    assert_eq!(format!("{code:?}"), "Predicate");
}

#[test]
fn a_schedule_survives_a_round_trip() {
    for text in [
        r#"{"kind":"always","max_fires":3,"cooldown_turns":2}"#,
        r#"{"kind":"turn","turn_interval":7,"max_fires":0,"cooldown_turns":0}"#,
        r#"{"kind":"timer","interval":"1h30m","max_fires":0,"cooldown_turns":0}"#,
        r#"{"kind":"oneshot","max_fires":0,"cooldown_turns":0}"#,
        r#"{"kind":"condition","condition":"after_tool:Edit,Write","max_fires":1,"cooldown_turns":0}"#,
        r#"{"kind":"condition","condition":"whenever","max_fires":0,"cooldown_turns":0}"#,
    ] {
        let schedule: Schedule = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&schedule).unwrap(), text);
    }
    let code = Schedule::when(Condition::code(|_| true));
    assert!(matches!(code.kind, ScheduleKind::Condition(_)));
    assert_eq!(
        serde_json::to_string(&code).unwrap(),
        r#"{"kind":"condition","condition":"(code)","max_fires":0,"cooldown_turns":0}"#
    );
}
