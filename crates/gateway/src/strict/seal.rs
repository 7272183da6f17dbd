//! Signatures on thinking and compaction blocks.
//!
//! A signature is hexadecimal: its fields and a keyed digest over them. Nothing
//! in it is secret: the key is derived from the account's name, so a test can
//! sign on one server and verify on another, and another account's signature is
//! refused.
//!
//! ```text
//! thinking      response 8, position 1, previous position 1, previous response 8, model 8,
//!               prefix 16, then thinking 1, others 1, before 16, code 16: 76 bytes, 152 digits
//! compaction    head 16, messages 16, content 16, code 16: 64 bytes, 128 digits
//! ```
//!
//! Recordings of earlier releases, and the other wires, have thinking signatures without the
//! fields between `prefix` and `code`.

use super::digest::{Digest, Sum};

/// What a thinking block's signature says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ThinkingSeal {
    /// The response's number.
    pub(crate) response: u64,
    /// The block's position among the response's thinking blocks.
    pub(crate) position: u8,
    /// The block before it in the conversation as the model saw it.
    pub(crate) previous: Option<(u64, u8)>,
    /// A digest of the model's id.
    pub(crate) model: u64,
    /// A digest of everything before the response.
    pub(crate) prefix: Digest,
    /// The block's message, if the signature says it.
    pub(crate) message: Option<MessageSeal>,
}

/// What a thinking block's signature says about the message that the response ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MessageSeal {
    /// How many thinking blocks the response has.
    pub(crate) thinking: u8,
    /// How many other blocks the message has, without blank text.
    pub(crate) others: u8,
    /// A digest of the other blocks before this one.
    pub(crate) before: Digest,
}

/// What a compaction block's signature says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CompactionSeal {
    /// A digest of tools and system prompt.
    pub(crate) head: Digest,
    /// A digest of the messages that it summarizes.
    pub(crate) messages: Digest,
    /// A digest of the summary's text.
    pub(crate) content: Digest,
}

/// The key that signs.
#[derive(Clone, Debug)]
pub(crate) struct Signer {
    key: Digest,
}

const THINKING: &str = "thinking";
const COMPACTION: &str = "compaction";
/// The response number that means that no thinking block comes before.
const NO_BLOCK: u64 = u64::MAX;

impl Signer {
    /// Derives an account's key. Equal names give equal keys.
    pub(crate) fn new(account: &str) -> Self {
        Self { key: Sum::new("account").with(account.as_bytes()).end() }
    }

    pub(crate) fn sign_thinking(&self, seal: &ThinkingSeal) -> String {
        let (previous, of) = seal.previous.unwrap_or((NO_BLOCK, 0));
        let mut bytes = Vec::with_capacity(64);
        bytes.extend(seal.response.to_le_bytes());
        bytes.extend([seal.position, of]);
        bytes.extend(previous.to_le_bytes());
        bytes.extend(seal.model.to_le_bytes());
        bytes.extend(seal.prefix);
        if let Some(MessageSeal { thinking, others, before }) = seal.message {
            bytes.extend([thinking, others]);
            bytes.extend(before);
        }
        self.sign(THINKING, bytes)
    }

    /// Reads a thinking block's signature. `None` if it is another account's or
    /// of another kind, or if a digit was changed.
    pub(crate) fn open_thinking(&self, signature: &str) -> Option<ThinkingSeal> {
        let bytes = self.open(THINKING, signature)?;
        let mut fields = Fields(&bytes);
        let response = fields.number()?;
        let [position, of] = fields.take()?;
        let previous = fields.number()?;
        let model = fields.number()?;
        Some(ThinkingSeal {
            response,
            position,
            previous: (previous != NO_BLOCK).then_some((previous, of)),
            model,
            prefix: fields.take()?,
            message: fields.message(),
        })
    }

    pub(crate) fn sign_compaction(&self, seal: &CompactionSeal) -> String {
        self.sign(COMPACTION, [seal.head, seal.messages, seal.content].concat())
    }

    /// Reads a compaction block's signature, as `open_thinking` does.
    pub(crate) fn open_compaction(&self, signature: &str) -> Option<CompactionSeal> {
        let bytes = self.open(COMPACTION, signature)?;
        let mut fields = Fields(&bytes);
        Some(CompactionSeal {
            head: fields.take()?,
            messages: fields.take()?,
            content: fields.take()?,
        })
    }

    /// Appends the keyed digest, and returns the digits.
    fn sign(&self, kind: &str, mut bytes: Vec<u8>) -> String {
        bytes.extend(self.code(kind, &bytes));
        let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
        digits.collect()
    }

    /// Returns what a signature says that this key made for this kind of block.
    fn open(&self, kind: &str, signature: &str) -> Option<Vec<u8>> {
        let digits = signature.as_bytes().chunks(2);
        let mut bytes = digits
            .map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok())
            .collect::<Option<Vec<u8>>>()?;
        let code = bytes.split_off(bytes.len().checked_sub(16)?);
        (code == self.code(kind, &bytes)).then_some(bytes)
    }

    /// Returns the keyed digest. The kind keeps one kind of signature from
    /// passing as another.
    fn code(&self, kind: &str, bytes: &[u8]) -> Digest {
        Sum::new(kind).with(&self.key).with(bytes).end()
    }
}

/// The bytes of a signature that are not read yet.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*field)
    }

    fn number(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn message(&mut self) -> Option<MessageSeal> {
        let [thinking, others] = self.take()?;
        Some(MessageSeal { thinking, others, before: self.take()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OF_EARLIER_RELEASE: ThinkingSeal = ThinkingSeal {
        response: 7,
        position: 1,
        previous: Some((6, 0)),
        model: 5,
        prefix: [9; 16],
        message: None,
    };

    #[test]
    fn a_signature_is_read_back_by_its_own_account_only() {
        let seal = ThinkingSeal {
            message: Some(MessageSeal { thinking: 2, others: 1, before: [8; 16] }),
            ..OF_EARLIER_RELEASE
        };
        let signer = Signer::new("a");
        let signature = signer.sign_thinking(&seal);
        assert_eq!(signer.open_thinking(&signature), Some(seal));
        assert_eq!(Signer::new("b").open_thinking(&signature), None);
        assert_eq!(signer.open_compaction(&signature), None);
        for cut in 0..signature.len() {
            assert_eq!(signer.open_thinking(&signature[..cut]), None);
        }
        for forged in ["", "zz", "é", "+1+1"] {
            assert_eq!(signer.open_thinking(forged), None);
        }
    }

    /// Recordings have such signatures.
    #[test]
    fn a_signature_of_an_earlier_release_is_read() {
        let signature = concat!(
            "0700000000000000010006000000000000000500000000000000090909",
            "09090909090909090909090909f75acdac8cbb7c33d3e7a0b7ed944b49"
        );
        assert_eq!(Signer::new("a").open_thinking(signature), Some(OF_EARLIER_RELEASE));
    }
}
