//! Reads a wire's shapes from their text.

use std::collections::BTreeSet;

use super::tokens::{Result, Tokens};
use super::{Key, Kind, Object, Shape, Shapes, Union, Variant};
use crate::rule::Rule;
use crate::table::RULES;

/// An object's keys are bits in one number.
const MAX_KEYS: usize = 63;

/// # Errors
/// Returns the first token that does not fit, or a name that has no definition, no use or no rule.
pub(super) fn parse(text: &'static str) -> Result<Shapes> {
    let mut parser = Parser {
        tokens: Tokens::new(text),
        names: Vec::new(),
        shapes: Shapes::default(),
        unions: Vec::new(),
    };
    while !parser.tokens.peek().is_empty() {
        parser.definition()?;
    }
    parser.finish()
}

pub(super) struct Parser {
    pub(super) tokens: Tokens,
    pub(super) names: Vec<Name>,
    shapes: Shapes,
    unions: Vec<(usize, Vec<Alternative>)>,
}

/// The first token, the shape and its gate.
type Alternative = (&'static str, usize, Option<&'static Rule>);

/// A type's name.
pub(super) struct Name {
    /// Where it is first mentioned.
    token: &'static str,
    pub(super) kind: Kind,
    is_defined: bool,
    pub(super) is_used: bool,
}

impl Parser {
    /// `[export] (type NAME | (union | blocks | closed) NAME "noun") = …`
    fn definition(&mut self) -> Result<()> {
        let is_export = self.tokens.eat("export");
        let keyword = self.tokens.next();
        let start = self.tokens.peek();
        let index = self.name()?;
        let Name { token, is_used, .. } = self.names[index];
        let shape = match self.names[index].kind {
            Kind::Shape(shape) if !self.names[index].is_defined => shape,
            _ => return self.tokens.error(start, "this name is defined twice"),
        };
        if keyword == "type" {
            self.tokens.expect("=")?;
            if self.tokens.peek() == "{" {
                self.shapes.shapes[shape] = Shape::Object(self.object()?);
            } else if is_used {
                return self.tokens.error(start, "used above its definition");
            } else {
                self.names[index].kind = self.kind()?;
            }
        } else {
            if !matches!(keyword, "union" | "blocks" | "closed") {
                let expected = "expected type, union, blocks or closed";
                return self.tokens.error(keyword, expected);
            }
            let noun = self.tokens.string()?;
            self.tokens.expect("=")?;
            let alternatives = self.alternatives()?;
            self.unions.push((shape, alternatives));
            self.shapes.shapes[shape] = Shape::Union(Union {
                noun,
                is_of_blocks: keyword == "blocks",
                is_closed: keyword == "closed",
                ..Union::default()
            });
        }
        self.names[index].is_defined = true;
        if is_export {
            self.names[index].is_used = true;
            self.shapes.exports.push((token, shape));
        }
        Ok(())
    }

    /// Objects, by name or in braces, with their gates.
    fn alternatives(&mut self) -> Result<Vec<Alternative>> {
        self.tokens.eat("|");
        let mut alternatives = Vec::new();
        loop {
            let gate = self.gate()?;
            let start = self.tokens.peek();
            let Kind::Shape(shape) = self.primary()? else {
                return self.tokens.error(start, "expected an object");
            };
            alternatives.push((start, shape, gate));
            if !self.tokens.eat("|") {
                return Ok(alternatives);
            }
        }
    }

    /// `{ key: A, …, ...Name, [name: string]: B }`
    pub(super) fn object(&mut self) -> Result<Object> {
        let mut object = Object::default();
        let open = self.tokens.peek();
        self.tokens.expect("{")?;
        while !self.tokens.eat("}") {
            let start = self.tokens.peek();
            if self.tokens.eat("...") {
                let spread = self.spread()?;
                object.required |= spread.required << object.keys.len();
                object.keys.extend(spread.keys);
            } else if self.tokens.eat("[") {
                self.tokens.next();
                for token in [":", "string", "]", ":"] {
                    self.tokens.expect(token)?;
                }
                object.others = Some(self.kind()?);
            } else {
                let gate = self.gate()?;
                let name = self.tokens.word()?;
                object.required |= u64::from(!self.tokens.eat("?")) << object.keys.len();
                self.tokens.expect(":")?;
                let (kind, null) = self.kinds()?;
                let instead = if self.tokens.eat("else") { Some(self.rule()?) } else { None };
                object.keys.push(Key { name, kind, null, gate, instead });
            }
            if object.keys.len() > MAX_KEYS {
                return self.tokens.error(start, "too many keys");
            }
            self.tokens.eat(",");
        }
        let names: BTreeSet<_> = object.keys.iter().map(|key| key.name).collect();
        if names.len() == object.keys.len() {
            Ok(object)
        } else {
            self.tokens.error(open, "a key is there twice")
        }
    }

    fn spread(&mut self) -> Result<Object> {
        let start = self.tokens.peek();
        let index = self.name()?;
        let name = &mut self.names[index];
        name.is_used = true;
        if let (Kind::Shape(shape), true) = (&name.kind, name.is_defined)
            && let Shape::Object(object) = &self.shapes.shapes[*shape]
        {
            return Ok(object.clone());
        }
        self.tokens.error(start, "no object that is defined above")
    }

    pub(super) fn add(&mut self, object: Object) -> Kind {
        let shapes = &mut self.shapes.shapes;
        shapes.push(Shape::Object(object));
        Kind::Shape(shapes.len() - 1)
    }

    /// Reads a name and returns its index. A new one stands for a shape until it is defined.
    pub(super) fn name(&mut self) -> Result<usize> {
        let token = self.tokens.word()?;
        if let Some(known) = self.names.iter().position(|known| known.token == token) {
            return Ok(known);
        }
        let kind = self.add(Object::default());
        self.names.push(Name { token, kind, is_defined: false, is_used: false });
        Ok(self.names.len() - 1)
    }

    /// Finds the unions' variants, and checks that every name has a definition and a use.
    fn finish(mut self) -> Result<Shapes> {
        if let Some(name) = self.names.iter().find(|name| !name.is_defined) {
            return self.tokens.error(name.token, "a name without a definition");
        }
        if let Some(name) = self.names.iter().find(|name| !name.is_used) {
            return self.tokens.error(name.token, "a name without a use");
        }
        for (union, alternatives) in std::mem::take(&mut self.unions) {
            let (mut variants, mut untagged) = (Vec::new(), Vec::new());
            let has_type = |(_, shape, _): &Alternative| self.shapes.tags(*shape, "type").is_some();
            let by_role = alternatives.iter().any(|it| !has_type(it));
            let tag = if by_role { "role" } else { "type" };
            for (start, shape, gate) in alternatives {
                let Some((tags, is_required)) = self.shapes.tags(shape, tag) else {
                    return self
                        .tokens
                        .error(start, "an alternative needs a type that is a string");
                };
                untagged.extend((!is_required).then_some(shape));
                variants.extend(tags.iter().map(|&tag| Variant { tag, shape, gate }));
            }
            if let Shape::Union(union) = &mut self.shapes.shapes[union] {
                (union.tag, union.variants, union.untagged) = (tag, variants, untagged);
            }
        }
        Ok(self.shapes)
    }

    /// `@rule`
    pub(super) fn gate(&mut self) -> Result<Option<&'static Rule>> {
        if self.tokens.eat("@") { self.rule().map(Some) } else { Ok(None) }
    }

    fn rule(&mut self) -> Result<&'static Rule> {
        let id = self.tokens.next();
        match RULES.iter().find(|rule| rule.id == id) {
            Some(rule) => Ok(rule),
            None => self.tokens.error(id, "no rule has this id"),
        }
    }
}

#[cfg(test)]
mod tests;
