//! The loop, tested with a client that is as strict as the API.

mod answers;
mod compacted;
mod cut;
mod edited;
mod fakes;
mod interrupted;
mod killed;
mod messages;
mod replay;
mod scripted;
mod snips;
mod strict;
mod thirty_turns;
mod tool_calls;
