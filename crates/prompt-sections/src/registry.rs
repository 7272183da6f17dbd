use std::fmt;

use serde::Serialize;

use crate::dynamic_zone;
use crate::error::{SectionError, SectionErrorKind};
use crate::name;
use crate::product::StaticInputs;
use crate::section::{Section, SectionCaching};
use crate::segment::{Lifetime, Zone};
use crate::slot::Slot;
use crate::static_zone;

/// A prompt's sections, in order, with their computed values.
///
/// [`Registry::new`] is empty, [`Registry::standard`] has the default sections.
/// To change the list takes `&mut self`; to resolve, clear and list takes
/// `&self`, so several threads can do it.
///
/// ```
/// use aside_prompt_sections::{
///     ASIDE, BuiltinTools, CodingInstructions, Place, Registry, StaticInputs, fixed_section, names,
/// };
///
/// let mut registry = Registry::standard(StaticInputs {
///     product: &ASIDE,
///     tools: BuiltinTools::ALL,
///     coding: CodingInstructions::Included,
/// });
/// registry.register(fixed_section("license", "All code is MIT licensed."))?;
/// registry.place("license", Place::After(names::INTRO))?;
/// assert_eq!(registry.list()[1].name, "license");
/// # Ok::<(), aside_prompt_sections::SectionError>(())
/// ```
pub struct Registry {
    pub(crate) inputs: StaticInputs,
    pub(crate) entries: Vec<Entry>,
}

pub(crate) struct Entry {
    pub(crate) section: Section,
    pub(crate) slot: Slot,
}

/// Where [`Registry::place`] puts a section within its zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place<'a> {
    /// At the start of its zone.
    First,
    /// At the end of its zone.
    Last,
    /// Directly before the section with this name.
    Before(&'a str),
    /// Directly after the section with this name.
    After(&'a str),
}

/// An item in [`Registry::list`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SectionInfo {
    /// The section's name.
    pub name: String,
    /// The section's zone.
    pub zone: Zone,
    /// How long its text stays the same.
    pub lifetime: Lifetime,
    /// When its text is computed; for an uncached section, with the reason.
    pub caching: SectionCaching,
}

impl Registry {
    /// Creates a registry without sections.
    pub fn new(inputs: StaticInputs) -> Self {
        Self { inputs, entries: Vec::new() }
    }

    /// Creates a registry with the default sections. Those in the static zone
    /// have their texts; those in the dynamic zone are in order and empty until
    /// you set their values with [`Registry::provide`] or
    /// [`Registry::provide_with`].
    pub fn standard(inputs: StaticInputs) -> Self {
        let sections = static_zone::sections().into_iter().chain(dynamic_zone::empty_sections());
        Self { inputs, entries: sections.map(Entry::new).collect() }
    }

    /// Adds a section at the end of its zone.
    ///
    /// # Errors
    ///
    /// The name is taken, reserved or not valid, or an uncached section gives
    /// no reason.
    pub fn register(&mut self, section: Section) -> Result<(), SectionError> {
        self.check(&section, None)?;
        let at = match section.zone() {
            Zone::Static => self.static_len(),
            Zone::Dynamic => self.entries.len(),
        };
        self.entries.insert(at, Entry::new(section));
        Ok(())
    }

    /// Replaces a section by another one in the same zone.
    ///
    /// # Errors
    ///
    /// As for [`Registry::register`], or `name` is unknown or in the other
    /// zone.
    pub fn replace(&mut self, name: &str, section: Section) -> Result<(), SectionError> {
        let at = self.position(name)?;
        self.check(&section, Some(at))?;
        if section.zone() != self.entries[at].section.zone() {
            return Err(SectionError::new(SectionErrorKind::WrongZone, section.name));
        }
        self.entries[at] = Entry::new(section);
        Ok(())
    }

    /// Replaces the section with the same name, or adds the section at the end
    /// of its zone if there is none.
    ///
    /// # Errors
    /// As for [`Registry::register`], or the section with that name is in the
    /// other zone.
    pub fn set(&mut self, section: Section) -> Result<(), SectionError> {
        let name = section.name.clone();
        match self.position(&name) {
            Ok(_) => self.replace(&name, section),
            Err(_) => self.register(section),
        }
    }

    /// Removes a section and returns it.
    ///
    /// # Errors
    ///
    /// `name` is unknown.
    pub fn remove(&mut self, name: &str) -> Result<Section, SectionError> {
        let at = self.position(name)?;
        Ok(self.entries.remove(at).section)
    }

    /// Moves a section within its zone. It keeps its computed value.
    ///
    /// # Errors
    ///
    /// A name is unknown, or the two sections are in different zones; nothing
    /// is moved then.
    pub fn place(&mut self, name: &str, place: Place<'_>) -> Result<(), SectionError> {
        let from = self.position(name)?;
        let zone = self.entries[from].section.zone();
        if let Place::Before(other) | Place::After(other) = place {
            let anchor = self.position(other)?;
            if self.entries[anchor].section.zone() != zone {
                return Err(SectionError::new(SectionErrorKind::WrongZone, other));
            }
            if anchor == from {
                return Ok(());
            }
        }
        let entry = self.entries.remove(from);
        let to = match (place, zone) {
            (Place::First, Zone::Static) => 0,
            (Place::First, Zone::Dynamic) | (Place::Last, Zone::Static) => self.static_len(),
            (Place::Last, Zone::Dynamic) => self.entries.len(),
            (Place::Before(other), _) => self.position(other)?,
            (Place::After(other), _) => self.position(other)? + 1,
        };
        self.entries.insert(to, entry);
        Ok(())
    }

    /// Returns every section in order, with or without text.
    pub fn list(&self) -> Vec<SectionInfo> {
        let sections = self.entries.iter().map(|entry| &entry.section);
        sections
            .map(|section| SectionInfo {
                name: section.name.clone(),
                zone: section.zone(),
                lifetime: section.lifetime,
                caching: section.caching.clone(),
            })
            .collect()
    }

    fn check(&self, section: &Section, replaced: Option<usize>) -> Result<(), SectionError> {
        let others = self.entries.iter().enumerate().filter(|(at, _)| Some(*at) != replaced);
        name::check(&section.name, others.map(|(_, entry)| entry.section.name()))?;
        match &section.caching {
            SectionCaching::Uncached { reason } if reason.trim().is_empty() => {
                Err(SectionError::new(SectionErrorKind::MissingReason, &section.name))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn position(&self, name: &str) -> Result<usize, SectionError> {
        let mut entries = self.entries.iter();
        entries
            .position(|entry| entry.section.name == name)
            .ok_or_else(|| SectionError::new(SectionErrorKind::UnknownName, name))
    }

    fn static_len(&self) -> usize {
        let entries = self.entries.iter();
        entries.filter(|entry| entry.section.zone() == Zone::Static).count()
    }
}

impl Entry {
    fn new(section: Section) -> Self {
        Self { section, slot: Slot::default() }
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.entries.iter().map(|entry| &entry.section)).finish()
    }
}
