//! Sections that a scenario adds to the system prompt.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Result, bail};
use aside_prompt_sections::{Lifetime, Section, section, uncached_section};

use crate::format::{SectionLifetime, SectionSpec};

/// By name. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct Texts(Arc<Mutex<BTreeMap<String, Option<String>>>>);

impl Texts {
    /// Takes each section's first text; `None` is a section without text.
    pub(crate) fn of(specs: &[SectionSpec]) -> Self {
        let texts = specs.iter().map(|spec| (spec.name.clone(), spec.text.clone()));
        Self(Arc::new(Mutex::new(texts.collect())))
    }

    /// Changes texts for all later requests.
    pub(crate) fn change(&self, to: &BTreeMap<String, Option<String>>) -> Result<()> {
        let mut texts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (name, text) in to {
            let Some(known) = texts.get_mut(name) else {
                let names: Vec<_> = texts.keys().cloned().collect();
                bail!("sections: expected one of {names:?}, found {name:?}");
            };
            known.clone_from(text);
        }
        Ok(())
    }

    /// Returns the section, whose text is looked up here.
    pub(crate) fn section(&self, spec: &SectionSpec) -> Section {
        let (texts, name) = (self.0.clone(), spec.name.clone());
        let compute = move || {
            let texts = texts.lock().unwrap_or_else(PoisonError::into_inner);
            let text = texts.get(&name).cloned().flatten();
            async move { Ok(text) }
        };
        let lifetime = match spec.lifetime {
            SectionLifetime::Project => Lifetime::Project,
            SectionLifetime::Session => Lifetime::Session,
        };
        match &spec.uncached {
            Some(reason) => uncached_section(&spec.name, lifetime, compute, reason),
            None => section(&spec.name, lifetime, compute),
        }
    }
}
