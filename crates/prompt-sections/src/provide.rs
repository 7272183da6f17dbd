//! Values for the sections of the dynamic zone.

use std::future::{self, Future};

use futures_util::FutureExt;

use crate::dynamic_zone::{DynamicSection, caching};
use crate::error::SectionError;
use crate::registry::Registry;
use crate::section::{ComputeError, computed};

impl Registry {
    /// Sets the value of the section with the value's name. Without such a
    /// section, a new one is added at the end.
    ///
    /// # Errors
    ///
    /// Those of [`Registry::register`], and a static section with that name.
    pub fn provide<T>(&mut self, value: T) -> Result<(), SectionError>
    where
        T: DynamicSection + Clone + Sync,
    {
        self.provide_with(move || future::ready(Ok(Some(value.clone()))))
    }

    /// Sets the computation of a section's value. Without a section of that
    /// name, a new one is added at the end.
    ///
    /// # Errors
    ///
    /// Those of [`Registry::register`], and a static section with that name.
    pub fn provide_with<T, F, Fut>(&mut self, compute: F) -> Result<(), SectionError>
    where
        T: DynamicSection,
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Option<T>, ComputeError>> + Send + 'static,
    {
        let text = move || compute().map(|value| Ok(value?.and_then(|value| value.render())));
        self.set(computed(
            T::NAME,
            T::LIFETIME,
            text,
            caching(T::UNCACHED_BECAUSE),
        ))
    }
}
