use std::fmt;
use std::future::{self, Future};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};

use crate::product::StaticInputs;
use crate::segment::{Lifetime, Zone};

/// Why a section cannot be computed: any error, so that `?` works inside.
pub type ComputeError = Box<dyn std::error::Error + Send + Sync>;

/// Computes a section's text; `None` leaves the section out.
pub type Computed = BoxFuture<'static, Result<Option<String>, ComputeError>>;

pub(crate) type Compute = Arc<dyn Fn(&StaticInputs) -> Computed + Send + Sync>;

/// When a section's text is computed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SectionCaching {
    /// A static section: fixed text, or a function of the product alone.
    Static,
    /// Computed once and kept until [`Registry::clear`](crate::Registry::clear).
    Cached,
    /// Computed for every request.
    Uncached {
        /// Why misses in the prompt cache from this section on are worth it.
        reason: String,
    },
}

/// A section to register: a name, and where its text comes from.
#[derive(Clone)]
pub struct Section {
    pub(crate) name: String,
    pub(crate) lifetime: Lifetime,
    pub(crate) caching: SectionCaching,
    pub(crate) compute: Compute,
}

/// Creates a static section with fixed text.
pub fn fixed_section(name: impl Into<String>, text: impl Into<String>) -> Section {
    let text = text.into();
    Section {
        name: name.into(),
        lifetime: Lifetime::Project,
        caching: SectionCaching::Static,
        compute: Arc::new(move |_| future::ready(Ok(Some(text.clone()))).boxed()),
    }
}

/// Creates a static section whose text depends on [`StaticInputs`] only.
///
/// A function pointer captures nothing, so no session state can get into the
/// static zone:
///
/// ```compile_fail
/// let directory = String::from("/home/mia/project");
/// aside_prompt_sections::static_section("where", |_| Some(directory.clone()));
/// ```
pub fn static_section(
    name: impl Into<String>,
    text: fn(&StaticInputs) -> Option<String>,
) -> Section {
    Section {
        name: name.into(),
        lifetime: Lifetime::Project,
        caching: SectionCaching::Static,
        compute: Arc::new(move |inputs| future::ready(Ok(text(inputs))).boxed()),
    }
}

/// Creates a dynamic section. Its text, or `None`, is computed once and kept
/// until [`Registry::clear`](crate::Registry::clear).
pub fn section<F, Fut>(name: impl Into<String>, lifetime: Lifetime, compute: F) -> Section
where
    F: Fn() -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Option<String>, ComputeError>> + Send + 'static,
{
    computed(name, lifetime, compute, SectionCaching::Cached)
}

/// Creates a dynamic section to compute for every request.
///
/// Whenever its text changes, the provider's cache misses from this section on,
/// so you have to give a reason; [`Registry::list`](crate::Registry::list)
/// shows it.
pub fn uncached_section<F, Fut>(
    name: impl Into<String>,
    lifetime: Lifetime,
    compute: F,
    reason: impl Into<String>,
) -> Section
where
    F: Fn() -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Option<String>, ComputeError>> + Send + 'static,
{
    let reason = reason.into();
    computed(name, lifetime, compute, SectionCaching::Uncached { reason })
}

pub(crate) fn computed<F, Fut>(
    name: impl Into<String>,
    lifetime: Lifetime,
    compute: F,
    caching: SectionCaching,
) -> Section
where
    F: Fn() -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Option<String>, ComputeError>> + Send + 'static,
{
    Section { name: name.into(), lifetime, caching, compute: Arc::new(move |_| compute().boxed()) }
}

impl Section {
    /// Wraps how a dynamic section is computed, for example in a time limit. A
    /// static section has no computation and stays as it is.
    ///
    /// ```
    /// use aside_prompt_sections::{Lifetime, section};
    ///
    /// let slow = section("slow", Lifetime::Session, || std::future::pending());
    /// let limited = slow.around(|computation| async move {
    ///     drop(computation);
    ///     Err("no answer within a second".into())
    /// });
    /// # drop(limited);
    /// ```
    #[must_use]
    pub fn around<F, Fut>(self, wrap: F) -> Self
    where
        F: Fn(Computed) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Option<String>, ComputeError>> + Send + 'static,
    {
        if self.caching == SectionCaching::Static {
            return self;
        }
        let compute = self.compute;
        Self { compute: Arc::new(move |inputs| wrap(compute(inputs)).boxed()), ..self }
    }

    /// Returns the section's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the section's zone, which follows from where its text comes
    /// from.
    pub fn zone(&self) -> Zone {
        match self.caching {
            SectionCaching::Static => Zone::Static,
            SectionCaching::Cached | SectionCaching::Uncached { .. } => Zone::Dynamic,
        }
    }

    /// Returns how long its text stays the same.
    pub fn lifetime(&self) -> Lifetime {
        self.lifetime
    }

    /// Returns when its text is computed.
    pub fn caching(&self) -> &SectionCaching {
        &self.caching
    }
}

impl fmt::Debug for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Section")
            .field("name", &self.name)
            .field("zone", &self.zone())
            .field("lifetime", &self.lifetime)
            .field("caching", &self.caching)
            .finish_non_exhaustive()
    }
}
