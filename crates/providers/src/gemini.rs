//! Gemini's `generateContent`.
//!
//! ```text
//! system prompt   systemInstruction
//! messages        contents of the roles user and model, which alternate
//! tool_use        a functionCall part
//! tool_result     a functionResponse part, in the order of the calls
//! thinking        a part with thought:true, and a thoughtSignature
//! ```
//!
//! `request` writes everything before the contents, `content` the contents, `schema` the
//! schemas of tools, which Gemini accepts only in a form of its own. `stream` reads
//! chunks, and a whole response as a single chunk.

mod content;
mod models;
mod part;
mod request;
mod schema;
mod seal;
mod stream;
mod tools;

pub(crate) use content::Writer;
pub use content::is_placeholder_signature;
pub(crate) use part::{MEDIA_TYPE, RESPONSE, is_googles, media_type};
pub(crate) use request::head;
pub(crate) use seal::SEAL;
pub(crate) use stream::Reader;
