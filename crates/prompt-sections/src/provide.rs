//! Providing values for sections in the dynamic zone.

use std::future::{self, Future};

use futures_util::FutureExt;

use crate::dynamic_zone::{DynamicSection, caching};
use crate::error::SectionError;
use crate::registry::Registry;
use crate::section::{ComputeError, computed};

impl Registry {
    /// Sets the value for the section with the value's name. If there is none,
    /// adds a new section at the end.
    ///
    /// # Errors
    ///
    /// Those of [`Registry::register`], and a static section has the name.
    pub fn provide<T>(&mut self, value: T) -> Result<(), SectionError>
    where
        T: DynamicSection + Clone + Sync,
    {
        self.provide_with(move || future::ready(Ok(Some(value.clone()))))
    }

    /// Sets how to compute a section's value. If there is no section with that
    /// name, adds a new one at the end.
    ///
    /// # Errors
    ///
    /// Those of [`Registry::register`], and a static section has the name.
    pub fn provide_with<T, F, Fut>(&mut self, compute: F) -> Result<(), SectionError>
    where
        T: DynamicSection,
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Option<T>, ComputeError>> + Send + 'static,
    {
        let text = move || compute().map(|value| Ok(value?.and_then(|value| value.render())));
        self.set(computed(T::NAME, T::LIFETIME, text, caching(T::UNCACHED_BECAUSE)))
    }
}
