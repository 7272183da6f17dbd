//! The forms that other crates' types have in a `scenario.yaml`.
//! `tests/scenario_schema.rs` checks that the readers agree.

#![expect(dead_code, reason = "a mirror is looked at, never made")]

use std::borrow::Cow;

use aside_attachments::Attachment;
use aside_claudemd::Profile;
use aside_providers::Provider;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub(crate) enum LayoutForm {
    /// Blocks that most requests share come first, those that none shares last.
    Layered,
    /// The git status ends the system prompt, and the date follows the
    /// instruction files.
    Classic,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub(crate) enum TtlForm {
    /// Five minutes for everything.
    Short,
    /// An hour for the prefix that sessions share.
    LongPrefix,
    /// An hour for everything.
    Long,
    /// Five minutes, and an hour at checkpoints.
    Checkpoints,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub(crate) enum CachingForm {
    On,
    Off,
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
pub(crate) enum HostingForm {
    FirstParty,
    Bedrock,
    Other,
}

#[derive(Default, JsonSchema)]
#[schemars(deny_unknown_fields, default)]
pub(crate) struct SwitchesForm {
    /// `ENABLE_PROMPT_CACHING_1H_BEDROCK`: an hour, on Bedrock.
    long_on_bedrock: bool,
    /// `ENABLE_PROMPT_CACHING_1H`: an hour, everywhere.
    long_everywhere: bool,
    /// `FORCE_PROMPT_CACHING_5M`: five minutes, with precedence over all other
    /// switches.
    force_short: bool,
}

/// Declares the form of an enum that is written by its name.
macro_rules! names {
    ($($form:ident: $type:ident = $name:literal, $description:literal;)*) => {$(
        pub(crate) struct $form;

        impl JsonSchema for $form {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                let names = $type::ALL.map($type::as_str);
                json_schema!({ "description": $description, "type": "string", "enum": names })
            }
        }
    )*};
}

names! {
    ProviderForm: Provider = "Provider", "The provider whose wire is used.";
    ProfileForm: Profile = "Agent", "The agent whose instruction files load.";
}

/// A day, such as `2026-01-31`.
#[derive(JsonSchema)]
#[schemars(transparent)]
pub(crate) struct DateForm(
    #[schemars(regex(pattern = r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"))] String,
);

/// A kind in the table of `aside-attachments`.
pub(crate) struct AttachmentForm;

impl JsonSchema for AttachmentForm {
    fn schema_name() -> Cow<'static, str> {
        "Attachment".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "properties": {"type": {
                "description": "Which one it is; its other keys are those of that attachment.",
                "type": "string",
                "enum": Attachment::KINDS,
            }},
            "required": ["type"],
        })
    }
}
