//! Plans of requests.

mod checkpoints;
mod places;
mod setting;
