use futures_util::future::join_all;

use crate::error::SectionError;
use crate::registry::{Entry, Registry};
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
        let sections = self.entries.iter().map(|entry| {
            let value = entry.slot.get(&entry.section, &self.inputs);
            async { entry.resolved(value.await) }
        });
        Resolved::new(join_all(sections).await)
    }

    /// Returns what [`Resolved::renewed`] makes of all values, `None` if they are as `before`.
    ///
    /// Copies no value that is as before: what it costs depends on the uncached sections.
    pub async fn resolve_after(&self, before: &Resolved) -> Option<Resolved> {
        let sections = self.entries.iter().filter_map(|entry| {
            let mut before = before.sections();
            let known = before.find(|it| it.name == entry.section.name)?;
            let value = entry.slot.get_new(&entry.section, &self.inputs, Some(&known.value))?;
            Some(async { entry.resolved(value.await) })
        });
        let new = Resolved::new(join_all(sections).await);
        // An earlier version may have had other lifetimes, which stay.
        let is_known = |it: &ResolvedSection, known: &ResolvedSection| {
            known.name == it.name && known.value == it.value
        };
        let is_new = |it: &ResolvedSection| !before.sections().any(|known| is_known(it, known));
        new.sections().any(is_new).then(|| before.renewed(&new))
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
            let stored = earlier.sections().find(|stored| stored.name == entry.section.name);
            let value = stored.map_or(Value::Absent, |stored| stored.value.clone());
            entry.slot.restore(value);
        }
        let unknown = earlier.sections().filter(|stored| self.position(&stored.name).is_err());
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

impl Entry {
    fn resolved(&self, value: Value) -> ResolvedSection {
        ResolvedSection {
            name: self.section.name.clone(),
            zone: self.section.zone(),
            lifetime: self.section.lifetime,
            value,
        }
    }
}
