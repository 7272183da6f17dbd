//! Reads the shapes of a wire from their text.

use std::collections::BTreeSet;

use super::tokens::{Result, Tokens};
use super::{Key, Kind, Null, Object, Shape, Shapes, Union, Variant};
use crate::rule::Rule;
use crate::table::RULES;

/// The keys of an object are bits of one number.
const MAX_KEYS: usize = 63;

/// Parses a text.
///
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

struct Parser {
    tokens: Tokens,
    names: Vec<Name>,
    shapes: Shapes,
    unions: Vec<(usize, Vec<Alternative>)>,
}

/// The first token, the shape and its gate.
type Alternative = (&'static str, usize, Option<&'static Rule>);

/// The name of a type.
struct Name {
    /// At the first mention.
    token: &'static str,
    kind: Kind,
    is_defined: bool,
    is_used: bool,
}

impl Parser {
    /// `[export] (type NAME | (union | blocks) NAME "noun") = …`
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
            let is_of_blocks = match keyword {
                "union" => false,
                "blocks" => true,
                _ => return self.tokens.error(keyword, "expected type, union or blocks"),
            };
            let noun = self.tokens.string()?;
            self.tokens.expect("=")?;
            let alternatives = self.alternatives()?;
            self.unions.push((shape, alternatives));
            self.shapes.shapes[shape] = Shape::Union(Union {
                noun,
                is_of_blocks,
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
    fn object(&mut self) -> Result<Object> {
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
                let instead = match self.tokens.eat("else") {
                    true => Some(self.rule()?),
                    false => None,
                };
                object.keys.push(Key {
                    name,
                    kind,
                    null,
                    gate,
                    instead,
                });
            }
            if object.keys.len() > MAX_KEYS {
                return self.tokens.error(start, "too many keys");
            }
            self.tokens.eat(",");
        }
        let names: BTreeSet<_> = object.keys.iter().map(|key| key.name).collect();
        match names.len() == object.keys.len() {
            true => Ok(object),
            false => self.tokens.error(open, "a key is there twice"),
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

    /// A type that cannot be null.
    fn kind(&mut self) -> Result<Kind> {
        let start = self.tokens.peek();
        match self.kinds()? {
            (kind, Null::WrongType) => Ok(kind),
            _ => self
                .tokens
                .error(start, "only the value of a key can be null"),
        }
    }

    /// `A | B[] | null`
    fn kinds(&mut self) -> Result<(Kind, Null)> {
        self.tokens.eat("|");
        let (mut kinds, mut null) = (Vec::new(), Null::WrongType);
        loop {
            let gate = self.gate()?;
            let start = self.tokens.peek();
            if self.tokens.eat("null") {
                null = gate.map_or(Null::Accepted, Null::Breaks);
            } else if gate.is_some() {
                return self.tokens.error(start, "only null can have a rule here");
            } else {
                let mut kind = self.primary()?;
                while self.tokens.eat("[]") {
                    kind = Kind::List(Box::new(kind));
                }
                match (kinds.last_mut(), kind) {
                    (Some(Kind::Literal(values)), Kind::Literal(more)) => values.extend(more),
                    (_, kind) => kinds.push(kind),
                }
            }
            if !self.tokens.eat("|") {
                break;
            }
        }
        match kinds.len() {
            0 => self
                .tokens
                .error(self.tokens.peek(), "expected a type other than null"),
            1 => Ok((kinds.remove(0), null)),
            _ => Ok((Kind::Either(kinds), null)),
        }
    }

    fn primary(&mut self) -> Result<Kind> {
        let builtin = match self.tokens.peek() {
            "{" => {
                let object = self.object()?;
                return Ok(self.add(object));
            }
            "(" => {
                self.tokens.next();
                let kind = self.kind()?;
                self.tokens.expect(")")?;
                return Ok(kind);
            }
            "string" => Kind::Text {
                max_chars: usize::MAX,
            },
            "integer" => Kind::Integer { min: i64::MIN },
            "boolean" => Kind::Boolean,
            "number" => Kind::Number,
            "object" => Kind::Open,
            "any" => Kind::Any,
            literal if literal.starts_with('"') => {
                return Ok(Kind::Literal(vec![self.tokens.string()?]));
            }
            _ => {
                let index = self.name()?;
                self.names[index].is_used = true;
                return Ok(self.names[index].kind.clone());
            }
        };
        self.tokens.next();
        Ok(match builtin {
            Kind::Text { .. } if self.tokens.eat("<=") => Kind::Text {
                max_chars: self.tokens.number()?,
            },
            Kind::Integer { .. } if self.tokens.eat(">=") => Kind::Integer {
                min: self.tokens.number()?,
            },
            builtin => builtin,
        })
    }

    fn add(&mut self, object: Object) -> Kind {
        let shapes = &mut self.shapes.shapes;
        shapes.push(Shape::Object(object));
        Kind::Shape(shapes.len() - 1)
    }

    /// Reads a name and returns its index. A new one stands for a shape until it is defined.
    fn name(&mut self) -> Result<usize> {
        let token = self.tokens.word()?;
        if let Some(known) = self.names.iter().position(|known| known.token == token) {
            return Ok(known);
        }
        let kind = self.add(Object::default());
        self.names.push(Name {
            token,
            kind,
            is_defined: false,
            is_used: false,
        });
        Ok(self.names.len() - 1)
    }

    /// Finds the variants of unions, and checks that every name has a definition and a use.
    fn finish(mut self) -> Result<Shapes> {
        if let Some(name) = self.names.iter().find(|name| !name.is_defined) {
            return self.tokens.error(name.token, "a name without a definition");
        }
        if let Some(name) = self.names.iter().find(|name| !name.is_used) {
            return self.tokens.error(name.token, "a name without a use");
        }
        for (union, alternatives) in std::mem::take(&mut self.unions) {
            let (mut variants, mut untagged) = (Vec::new(), Vec::new());
            for (start, shape, gate) in alternatives {
                let Some((tags, is_required)) = self.shapes.tags(shape) else {
                    return self
                        .tokens
                        .error(start, "an alternative needs a type that is a string");
                };
                untagged.extend((!is_required).then_some(shape));
                variants.extend(tags.iter().map(|&tag| Variant { tag, shape, gate }));
            }
            if let Shape::Union(union) = &mut self.shapes.shapes[union] {
                (union.variants, union.untagged) = (variants, untagged);
            }
        }
        Ok(self.shapes)
    }

    /// `@rule`
    fn gate(&mut self) -> Result<Option<&'static Rule>> {
        match self.tokens.eat("@") {
            true => self.rule().map(Some),
            false => Ok(None),
        }
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
mod tests {
    use super::*;

    #[test]
    fn faults_have_their_line_and_column() {
        let check = |text: &'static str, expected: &str| {
            let error = parse(text).expect_err(text);
            assert_eq!(error.to_string(), expected, "{text}");
        };
        check("export type A = {\n  a: \n}", "3:1: expected a name");
        check("export type A = { a string }", "1:21: expected :");
        check("export type A = { a: string", "1:28: expected a name");
        check(
            "export type A = { a: B }",
            "1:22: a name without a definition",
        );
        check("type A = { a: string }", "1:6: a name without a use");
        check(
            "export type A = {}\ntype A = {}",
            "2:6: this name is defined twice",
        );
        check(
            "export type A = { @no-rule a: any }",
            "1:20: no rule has this id",
        );
        check(
            "export type A = { a: null }",
            "1:27: expected a type other than null",
        );
        check(
            "export type A = { a: (string | null)[] }",
            "1:23: only the value of a key can be null",
        );
        check(
            "export type A = { a: any, a?: any }",
            "1:17: a key is there twice",
        );
        check(
            "export type A = { ...B }\ntype B = {}",
            "1:22: no object that is defined above",
        );
        check(
            "export type A = { a: B }\ntype B = string",
            "2:6: used above its definition",
        );
        check(
            "export type A = { a: integer >= b }",
            "1:33: expected a number",
        );
        check("export type A = { a: \"b }", "1:22: expected a string");
        check(
            "export union A \"a\" = { b: any }",
            "1:22: an alternative needs a type that is a string",
        );
        check("export union A \"a\" = string", "1:22: expected an object");
        check("a B", "1:1: expected type, union or blocks");
    }

    #[test]
    fn an_object_has_a_limited_number_of_keys() {
        let text = |keys: usize| {
            let keys: Vec<_> = (0..keys).map(|key| format!("k{key}: any")).collect();
            let text = format!("export type A = {{ {} }}", keys.join(", "));
            parse(text.leak()).is_ok()
        };
        assert!(text(MAX_KEYS));
        assert!(!text(MAX_KEYS + 1));
        assert!(!text(2 * MAX_KEYS));
    }
}
