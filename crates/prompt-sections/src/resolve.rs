use futures_util::future::join_all;

use crate::error::SectionError;
use crate::registry::Registry;
use crate::resolved::{Resolved, ResolvedSection, Value};

impl Registry {
    /// Computes what has to be computed, all at the same time, and gives every section's value in
    /// the order of the list.
    ///
    /// A section that fails or panics leaves itself out and no other (a program built with
    /// `panic = "abort"` ends instead). There is no time limit here, since there is no clock: put
    /// one around the computation that you register.
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

    /// Takes the values of an earlier session over, so that the prompt goes on byte for byte:
    /// static sections and cached ones keep the stored text until [`Registry::clear`], those that
    /// failed stay out, and those that the earlier session did not have stay out as well. Uncached
    /// sections are computed as ever.
    ///
    /// Gives the names of stored sections that are not registered here: their text is missing from
    /// what [`Registry::resolve`] gives.
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

    /// Forgets every computed value, as on `/clear` and `/compact`.
    pub fn clear(&self) {
        for entry in &self.entries {
            entry.slot.clear();
        }
    }

    /// Forgets the value of one section, so that one that failed is tried again.
    ///
    /// # Errors
    /// Where `name` is unknown.
    pub fn retry(&self, name: &str) -> Result<(), SectionError> {
        self.entries[self.position(name)?].slot.clear();
        Ok(())
    }
}
