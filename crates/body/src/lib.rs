#![doc = include_str!("../README.md")]

pub mod wire;

pub use aside_models::Wire;
