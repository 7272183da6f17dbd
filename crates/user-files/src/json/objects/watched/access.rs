//! Access to what is in a list, an object or a variant.
//!
//! Each type forwards to the format's access, and adds a step to the place
//! while the value inside is read: an index for an item, the key for a value,
//! the name for a variant's contents.

use std::cell::RefCell;

use serde::de::{DeserializeSeed, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};

use super::super::Objects;
use super::Watched;
use crate::json::place::{Place, Step};

pub(super) struct Items<'p, A> {
    pub(super) inner: A,
    pub(super) place: &'p Place,
    /// The index of the next item.
    pub(super) index: usize,
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Items<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        let (place, inner) = (self.place, &mut self.inner);
        let step = Step::Index(self.index);
        self.index += 1;
        place.within(step, || inner.next_element_seed(Objects::new(seed, place)))
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

pub(super) struct Keys<'p, A> {
    pub(super) inner: A,
    pub(super) place: &'p Place,
    /// The key whose value is read next.
    pub(super) key: RefCell<String>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Keys<'_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.inner.next_key_seed(Objects { inner: seed, place: self.place, key: Some(&self.key) })
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let (place, inner) = (self.place, &mut self.inner);
        let step = Step::Key(self.key.take());
        place.within(step, || inner.next_value_seed(Objects::new(seed, place)))
    }

    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

pub(super) struct Variants<'p, A> {
    pub(super) inner: A,
    pub(super) place: &'p Place,
}

impl<'de, 'p, A: EnumAccess<'de>> EnumAccess<'de> for Variants<'p, A> {
    type Error = A::Error;
    type Variant = Variant<'p, A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self::Variant), A::Error> {
        let place = self.place;
        let name = RefCell::default();
        let key = Some(&name);
        let (value, inner) = self.inner.variant_seed(Objects { inner: seed, place, key })?;
        let name = name.into_inner();
        Ok((value, Variant { inner, place, name }))
    }
}

/// A variant's contents: in JSON, the value of a key with its name.
pub(super) struct Variant<'p, A> {
    inner: A,
    place: &'p Place,
    /// The variant's name, which is the step to its contents.
    name: String,
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Variant<'_, A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        let Self { inner, place, name } = self;
        let seed = Objects::new(seed, place);
        place.within(Step::Key(name), || inner.newtype_variant_seed(seed))
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        length: usize,
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        let Self { inner, place, name } = self;
        let visitor = Watched::new(visitor, place);
        place.within(Step::Key(name), || inner.tuple_variant(length, visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        let Self { inner, place, name } = self;
        let visitor = Watched::of_object(visitor, place);
        place.within(Step::Key(name), || inner.struct_variant(fields, visitor))
    }
}
