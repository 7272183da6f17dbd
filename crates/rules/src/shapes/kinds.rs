//! Value types in a shapes text.

use super::parse::Parser;
use super::tokens::Result;
use super::{Kind, Null};

impl Parser {
    /// A type that cannot be null.
    pub(super) fn kind(&mut self) -> Result<Kind> {
        let start = self.tokens.peek();
        match self.kinds()? {
            (kind, Null::WrongType) => Ok(kind),
            _ => self.tokens.error(start, "only the value of a key can be null"),
        }
    }

    /// `A | B[] | null`
    pub(super) fn kinds(&mut self) -> Result<(Kind, Null)> {
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
            0 => self.tokens.error(self.tokens.peek(), "expected a type other than null"),
            1 => Ok((kinds.remove(0), null)),
            _ => Ok((Kind::Either(kinds), null)),
        }
    }

    pub(super) fn primary(&mut self) -> Result<Kind> {
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
            "string" => Kind::Text { max_chars: usize::MAX },
            "base64" => Kind::Base64,
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
            Kind::Text { .. } if self.tokens.eat("<=") => {
                Kind::Text { max_chars: self.tokens.number()? }
            }
            Kind::Integer { .. } if self.tokens.eat(">=") => {
                Kind::Integer { min: self.tokens.number()? }
            }
            builtin => builtin,
        })
    }
}
