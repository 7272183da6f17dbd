use serde::{Deserialize, Serialize};

/// Which requests share a block, from most to fewest.
///
/// A request is laid out in this order, because a prompt cache shares a prefix
/// only as far as two requests are equal. Ordered accordingly:
///
/// ```
/// use aside_messages::Layer;
///
/// assert!(Layer::Static < Layer::Conversation);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Layer {
    /// Every request by a product: tools, the system prompt's static zone.
    Static,
    /// Every session in a project: its instruction files, the dynamic zone.
    Project,
    /// Every session by one user in a project: private instruction files.
    User,
    /// Every request in a session: the git status, the date.
    Session,
    /// Messages and everything appended to them.
    Conversation,
}
