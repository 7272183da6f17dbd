//! The wires, by name.

/// A wire.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wire {
    Messages,
    Responses,
    Chat,
    Gemini,
}

impl Wire {
    pub(crate) const ALL: [Self; 4] = [Self::Messages, Self::Responses, Self::Chat, Self::Gemini];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::Responses => "responses",
            Self::Chat => "chat",
            Self::Gemini => "gemini",
        }
    }
}
