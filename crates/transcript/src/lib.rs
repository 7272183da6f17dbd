#![doc = include_str!("../README.md")]

mod record;

mod contents;
mod transcript;

mod error;

pub use contents::{Contents, Torn};
pub use error::{Error, ErrorKind};
pub use record::{BodyHash, Record, Sent};
pub use transcript::{Transcript, read};
