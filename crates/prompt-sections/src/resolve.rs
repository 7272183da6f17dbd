use futures_util::future::join_all;

use crate::error::SectionError;
use crate::registry::Registry;
use crate::resolved::{Resolved, ResolvedSection, Value};

impl Registry {
    /// Computes all sections without a value concurrently, and returns all
    /// values in the order of the list.
    ///
    /// A section that fails or panics is left out without affecting the others
    /// (a program built with `panic = "abort"` ends instead). There is no time
    /// limit, since there is no clock here; to add one, use
    /// [`Section::around`](crate::Section::around).
    pub async fn resolve(&self) -> Resolved {
        let sections = join_all(self.entries.iter().map(|entry| async {
            ResolvedSection {
                name: entry.section.name.clone(),
                zone: entry.section.zone(),
                lifetime: entry.section.lifetime,
                value: entry.slot.get(&entry.section, &self.inputs).await,
            }
        }));
        Resolved::new(sections.await)
    }

    /// Restores an earlier session's values, to keep the prompt the same byte
    /// for byte. Static and cached sections keep the stored text until
    /// [`Registry::clear`]; sections that failed, or that the earlier session
    /// did not have, stay out. Uncached sections are computed as usual.
    ///
    /// Returns the stored sections that are not registered here, by name:
    /// [`Registry::resolve`] lacks their text.
    #[must_use]
    pub fn restore(&self, earlier: &Resolved) -> Vec<String> {
        for entry in &self.entries {
            let stored = earlier
                .sections()
                .find(|stored| stored.name == entry.section.name);
            let value = stored.map_or(Value::Absent, |stored| stored.value.clone());
            entry.slot.restore(value);
        }
        let unknown = earlier
            .sections()
            .filter(|stored| self.position(&stored.name).is_err());
        unknown.map(|stored| stored.name.clone()).collect()
    }

    /// Discards every computed value, as for `/clear` and `/compact`.
    pub fn clear(&self) {
        for entry in &self.entries {
            entry.slot.clear();
        }
    }

    /// Discards one section's value, to compute a failed one again.
    ///
    /// # Errors
    ///
    /// `name` is unknown.
    pub fn retry(&self, name: &str) -> Result<(), SectionError> {
        self.entries[self.position(name)?].slot.clear();
        Ok(())
    }
}
