//! Which platforms accept which features of Claude models, and what the models are called there.

use crate::facts::ComputerTool;
use crate::platform::{ANTHROPIC, Platform, Platforms, Support};

/// Where a model's mid-conversation features are documented. Foundry is not listed; `InvokeModel`
/// is open.
pub(super) const MID_CONVERSATION: Platforms = Platforms::of(&[
    Platform::FirstParty,
    Platform::AwsPlatform,
    Platform::BedrockMessages,
    Platform::GoogleCloud,
]);
/// Only Anthropic's own API.
pub(super) const FIRST_PARTY: Platforms = Platforms::of(&[Platform::FirstParty]);
/// Where the newest models take the computer-use toolset.
pub(super) const API_AND_GOOGLE: Platforms =
    Platforms::of(&[Platform::FirstParty, Platform::GoogleCloud]);
/// Both endpoints at Amazon Bedrock.
pub(super) const BEDROCK: Platforms =
    Platforms::of(&[Platform::BedrockMessages, Platform::BedrockInvoke]);
/// Where Opus 5.5, Fable and Mythos 5.1 take message effort.
pub(super) const API_GOOGLE_AND_BEDROCK: Platforms =
    Platforms::of(&[Platform::FirstParty, Platform::GoogleCloud, Platform::BedrockMessages]);

/// Message effort, for most models that take it. The documentation names the models at Bedrock.
pub(super) const MESSAGE_EFFORT: Support = Support::on(API_AND_GOOGLE).not_on(BEDROCK);

/// Compaction on demand, on every platform except Bedrock.
pub(super) const COMPACTION: Support = Support::on(ANTHROPIC).not_on(BEDROCK);

/// The newest models' computer-use tools: the toolset from August 2026, and on Bedrock the version
/// before it.
pub(super) const TOOLSET_ONLY: &[ComputerTool] = &[
    ComputerTool::new("computer_toolset_20260801", API_AND_GOOGLE, Platforms::NONE),
    ComputerTool::new("computer_20251124", BEDROCK, API_AND_GOOGLE),
    ComputerTool::new("computer_20250124", Platforms::NONE, API_AND_GOOGLE),
];
/// The computer-use tool from November 2025, on every platform.
pub(super) const COMPUTER_20251124: &[ComputerTool] =
    &[ComputerTool::new("computer_20251124", ANTHROPIC, Platforms::NONE)];
/// The computer-use tool from January 2025, on every platform.
pub(super) const COMPUTER_20250124: &[ComputerTool] =
    &[ComputerTool::new("computer_20250124", ANTHROPIC, Platforms::NONE)];

/// A model's cloud ids, from 4.7 on.
macro_rules! clouds {
    ($id:literal) => {
        $crate::facts::CloudIds {
            bedrock_messages: Some(concat!("anthropic.", $id)),
            bedrock_invoke: Some(concat!("anthropic.", $id)),
            google_cloud: Some($id),
        }
    };
}

pub(super) use clouds;
