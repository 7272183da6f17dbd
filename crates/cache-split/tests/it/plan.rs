//! Request plans.

mod checkpoints;
mod places;
mod setting;
