#![doc = include_str!("../README.md")]

mod invisible;
mod one_line;
mod terminal;

mod ci_commands;

mod columns;

mod join;
mod markup;
mod names;
mod neutralize;
mod replace;
mod shell_word;
mod shortened;

pub use ci_commands::without_ci_commands;
pub use columns::{columns, cut, cut_start, wrap};
pub use invisible::is_invisible;
pub use join::join;
pub use markup::escape_markup;
pub use names::UnknownName;
pub use neutralize::{REMINDER_TAG, neutralize};
pub use one_line::{folded, one_line, one_line_bytes};
pub use replace::replace;
pub use shell_word::shell_word;
pub use shortened::shortened;
pub use terminal::{terminal_json, terminal_lines};
