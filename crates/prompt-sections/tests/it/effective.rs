//! Which prompt is chosen.

use aside_prompt_sections::{
    AgentMode, AgentPrompt, AppendAt, Effective, EffectiveInputs, OutsideText, PromptDiagnostic,
    PromptInput, PromptRule, StaticBoundary, SystemPrompt, effective,
};

fn default_prompt() -> SystemPrompt {
    SystemPrompt::builder()
        .fixed("rules", "about <system-reminder>")
        .boundary()
        .dynamic("environment", "here")
        .build()
        .expect("names are unique")
}

fn check(
    change: impl FnOnce(&mut EffectiveInputs<'_>),
    rule: PromptRule,
    texts: &[&str],
) -> Effective {
    let default = default_prompt();
    let mut inputs = EffectiveInputs::new(&default);
    change(&mut inputs);
    let effective = effective(inputs);
    assert_eq!(effective.rule, rule);
    assert_eq!(effective.prompt.to_strings(), texts);
    effective
}

fn agent(text: &'static str, mode: AgentMode) -> Option<AgentPrompt<'static>> {
    // Leaked: it lives as long as the test program.
    let text = Box::leak(Box::new(OutsideText::from(text)));
    Some(AgentPrompt { text, mode })
}

#[test]
fn each_rule_wins_over_those_below_it() {
    check(
        |inputs| {
            inputs.override_prompt = Some("override");
            inputs.coordinator = Some("coordinator");
            inputs.append = Some("append");
        },
        PromptRule::Override,
        &["override"],
    );
    check(
        |inputs| {
            inputs.coordinator = Some("coordinator");
            inputs.agent = agent("agent", AgentMode::Replace);
            inputs.append = Some("append");
        },
        PromptRule::Coordinator,
        &["coordinator", "append"],
    );
    check(
        |inputs| {
            inputs.agent = agent("agent", AgentMode::Replace);
            inputs.custom = Some("custom");
            inputs.append = Some("append");
        },
        PromptRule::Agent,
        &["agent", "append"],
    );
    check(
        |inputs| {
            inputs.custom = Some("custom");
            inputs.append = Some("append");
        },
        PromptRule::Custom,
        &["custom", "append"],
    );
    check(
        |inputs| inputs.append = Some("append"),
        PromptRule::Default,
        &["about <system-reminder>", "here", "append"],
    );
}

#[test]
fn an_appended_text_may_come_after_the_boundary() {
    let at_boundary = |inputs: &mut EffectiveInputs<'_>| {
        inputs.append = Some("append");
        inputs.append_at = AppendAt::Boundary;
    };
    check(at_boundary, PromptRule::Default, &["about <system-reminder>", "append", "here"]);
    // A prompt without a boundary has no such place.
    check(
        |inputs| {
            inputs.custom = Some("custom");
            at_boundary(inputs);
        },
        PromptRule::Custom,
        &["custom", "append"],
    );
}

#[test]
fn a_proactive_agent_is_appended_to_the_default() {
    let effective = check(
        |inputs| {
            inputs.agent = agent("agent", AgentMode::Proactive);
            inputs.append = Some("append");
        },
        PromptRule::ProactiveAgent,
        &["about <system-reminder>", "here", "agent", "append"],
    );
    assert_eq!(effective.prompt.boundary(), StaticBoundary::Marked);
    assert_eq!(effective.diagnostics, []);
}

#[test]
fn a_replaced_prompt_has_no_boundary() {
    let effective = check(|inputs| inputs.custom = Some("custom"), PromptRule::Custom, &["custom"]);
    assert_eq!(effective.prompt.boundary(), StaticBoundary::Absent);
}

/// An agent's file may come from a repository; the user's own texts do not.
#[test]
fn only_the_agent_definition_is_neutralized() {
    const TAG: &str = "</system-reminder>";
    for mode in [AgentMode::Replace, AgentMode::Proactive] {
        let default = default_prompt();
        let mut inputs = EffectiveInputs::new(&default);
        inputs.agent = agent(TAG, mode);
        inputs.append = Some(TAG);
        let texts = effective(inputs).prompt.to_strings();
        assert_eq!(texts[texts.len() - 2..], ["&lt;/system-reminder>", TAG]);
    }
    check(|inputs| inputs.custom = Some(TAG), PromptRule::Custom, &[TAG]);
}

#[test]
fn blank_texts_count_as_not_given() {
    let effective = check(
        |inputs| {
            inputs.override_prompt = Some("");
            inputs.coordinator = Some(" ");
            inputs.agent = agent("\n", AgentMode::Replace);
            inputs.custom = Some("");
            inputs.append = Some("");
        },
        PromptRule::Default,
        &["about <system-reminder>", "here"],
    );
    assert_eq!(effective.diagnostics, []);
}

#[test]
fn unused_inputs_are_reported() {
    let effective = check(
        |inputs| {
            inputs.override_prompt = Some("about <system-reminder>");
            inputs.coordinator = Some("coordinator");
            inputs.agent = agent("agent", AgentMode::Replace);
            inputs.custom = Some("custom");
            inputs.append = Some("append");
        },
        PromptRule::Override,
        &["about <system-reminder>"],
    );
    let unused =
        [PromptInput::Coordinator, PromptInput::Agent, PromptInput::Custom, PromptInput::Append];
    let rule = PromptRule::Override;
    assert_eq!(
        effective.diagnostics,
        unused.map(|input| PromptDiagnostic::InputUnused { input, rule })
    );
}

#[test]
fn a_prompt_that_does_not_explain_reminders_is_reported() {
    let effective = check(|inputs| inputs.custom = Some("custom"), PromptRule::Custom, &["custom"]);
    let rule = PromptRule::Custom;
    assert_eq!(effective.diagnostics, [PromptDiagnostic::ReminderTagUnexplained { rule }]);
    insta::assert_snapshot!(
        effective.diagnostics[0],
        @"the system prompt (the custom prompt) does not mention <system-reminder>: the model may take reminders for the user's words"
    );

    let text = "custom, about <system-reminder>";
    let effective = check(|inputs| inputs.custom = Some(text), PromptRule::Custom, &[text]);
    assert_eq!(effective.diagnostics, []);
}
