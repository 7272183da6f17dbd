//! Messages of a server on stdio, a line of JSON each.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aside_json::replace_lone_surrogates;
use rmcp::RoleClient;
use rmcp::model::{CustomResult, ErrorCode, ErrorData, ServerJsonRpcMessage, ServerResult};
use rmcp::service::TxJsonRpcMessage;
use rmcp::transport::Transport;
use rmcp::transport::async_rw::{AsyncRwTransport, DEFAULT_MAX_LINE_LENGTH};
use serde_json::error::Category;
use serde_json::{Deserializer, Value};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader, Empty, empty};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::mpsc;

use super::unread::ResponseId;

/// The code of an error that is put for a response that cannot be read. No server uses it.
pub(crate) const UNREADABLE: ErrorCode = ErrorCode(i32::MIN);

const TOO_LONG: &str = "its message is longer than 16 MB";

/// How much to read at once of a message that is too long to be kept.
const PART_BYTES: u64 = 64 * 1024;

/// Reads messages itself: rmcp drops a line that it cannot parse, and the call that it answers
/// would wait until its limit.
pub(crate) struct StdioTransport {
    writer: AsyncRwTransport<RoleClient, Empty, ChildStdin>,
    messages: mpsc::Receiver<ServerJsonRpcMessage>,
}

impl StdioTransport {
    /// Sets `is_repaired` when it puts U+FFFD for what is not Unicode. Needs a tokio runtime.
    pub(crate) fn new(
        stdout: ChildStdout,
        stdin: ChildStdin,
        is_repaired: Arc<AtomicBool>,
    ) -> Self {
        let (to, messages) = mpsc::channel(1);
        tokio::spawn(read_messages(stdout, to, is_repaired));
        Self { writer: AsyncRwTransport::new_client(empty(), stdin), messages }
    }
}

impl Transport<RoleClient> for StdioTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.writer.send(message)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.messages.close();
        self.writer.close().await
    }
}

async fn read_messages(
    from: impl AsyncRead + Unpin,
    to: mpsc::Sender<ServerJsonRpcMessage>,
    is_repaired: Arc<AtomicBool>,
) {
    let (mut from, mut line) = (BufReader::new(from), Vec::new());
    let limit = DEFAULT_MAX_LINE_LENGTH as u64 + 1;
    while let Ok(1..) = (&mut from).take(limit).read_until(b'\n', &mut line).await {
        let messages = if line.len() > DEFAULT_MAX_LINE_LENGTH && !is_ended(&line) {
            let mut id = ResponseId::default();
            id.read(&line);
            // The id may come last.
            while !is_ended(&line) {
                line.clear();
                let mut part = (&mut from).take(PART_BYTES);
                let Ok(1..) = part.read_until(b'\n', &mut line).await else {
                    return;
                };
                id.read(&line);
            }
            unreadable(id, TOO_LONG.to_owned()).into_iter().collect()
        } else {
            let is_changed = replace_lone_surrogates(&mut line) | replace_invalid(&mut line);
            is_repaired.fetch_or(is_changed, Ordering::Relaxed);
            messages(&line)
        };
        line.clear();
        for message in messages {
            if to.send(message).await.is_err() {
                return;
            }
        }
    }
}

fn is_ended(line: &[u8]) -> bool {
    line.last() == Some(&b'\n')
}

/// Puts U+FFFD for bytes that are no UTF-8. Returns true if there are some.
fn replace_invalid(line: &mut Vec<u8>) -> bool {
    let Cow::Owned(text) = String::from_utf8_lossy(line) else {
        return false;
    };
    *line = text.into_bytes();
    true
}

/// Reads a line, which has one message as a rule. What is neither a message nor the response to a
/// request is left out: programs also log to stdout.
fn messages(line: &[u8]) -> Vec<ServerJsonRpcMessage> {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    let mut values = Deserializer::from_slice(line).into_iter();
    let mut messages = Vec::new();
    loop {
        let start = values.byte_offset();
        let error = match values.next() {
            Some(Ok(message)) => {
                let text = &line[start..values.byte_offset()];
                messages.push(with_all_members(message, text));
                continue;
            }
            Some(Err(error)) => error,
            None => return messages,
        };
        let mut id = ResponseId::default();
        id.read(&line[start..]);
        let why = match error.classify() {
            Category::Data => "its message is not valid".to_owned(),
            _ => format!("its message cannot be parsed: {error}"),
        };
        messages.extend(unreadable(id, why));
        return messages;
    }
}

/// Keeps a list of tools as the server wrote it: rmcp's tools have no `execution`.
fn with_all_members(mut message: ServerJsonRpcMessage, text: &[u8]) -> ServerJsonRpcMessage {
    if let ServerJsonRpcMessage::Response(response) = &mut message
        && matches!(response.result, ServerResult::ListToolsResult(_))
        && let Ok(mut written) = serde_json::from_slice::<Value>(text)
    {
        response.result = ServerResult::CustomResult(CustomResult(written["result"].take()));
    }
    message
}

/// Returns an error for the request that a response answers, if it is one.
fn unreadable(id: ResponseId, why: String) -> Option<ServerJsonRpcMessage> {
    let error = ErrorData::new(UNREADABLE, why, None);
    Some(ServerJsonRpcMessage::error(error, Some(id.get()?)))
}

#[cfg(test)]
mod tests {
    use rmcp::model::RequestId;

    use super::*;

    fn fault(line: &str) -> Option<(RequestId, String)> {
        match messages(line.as_bytes()).pop()? {
            ServerJsonRpcMessage::Error(error) if error.error.code == UNREADABLE => {
                Some((error.id.unwrap(), error.error.message.into_owned()))
            }
            message => panic!("{message:?}"),
        }
    }

    #[test]
    fn a_response_that_cannot_be_parsed_is_an_error() {
        let nan = r#"{"jsonrpc":"2.0","id":7,"result":{"content":[],"x":NaN}}"#;
        let why = "its message cannot be parsed: expected value at line 1 column 52".to_owned();
        assert_eq!(fault(nan), Some((RequestId::Number(7), why)));
        let deep = format!(
            r#"{{"result":{}1{},"jsonrpc":"2.0","id":"a"}}"#,
            "[".repeat(200),
            "]".repeat(200)
        );
        let (id, why) = fault(&deep).unwrap();
        assert_eq!(id, RequestId::String("a".into()));
        assert!(why.contains("recursion limit exceeded"), "{why}");
        let (_, why) = fault(r#"{"id":1,"result":{}}"#).unwrap();
        assert_eq!(why, "its message is not valid");
    }

    #[test]
    fn a_line_that_is_no_response_is_ignored() {
        for line in [
            "",
            "\r\n",
            "starting {\"id\":1,\"result\":",
            r#"[{"id":1,"result":NaN}]"#,
            r#"{"id":1,"method":"ping","params":NaN,"result":1}"#,
            r#"{"jsonrpc":"2.0","method":"x","params":{"id":1,"result":NaN}}"#,
            r#"{"a":"\",\"id\":1,\"result\":1","b":NaN}"#,
            r#"{"id":{"id":1},"result":NaN}"#,
        ] {
            assert_eq!(fault(line), None, "{line}");
        }
        let ping = "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n";
        assert!(matches!(messages(ping.as_bytes())[..], [ServerJsonRpcMessage::Request(_)]));
    }

    #[test]
    fn a_line_may_have_several_messages() {
        let two = |rest: &str| {
            let line = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{}}}}{rest}"#);
            let mut messages = messages(line.as_bytes()).into_iter();
            assert!(matches!(messages.next(), Some(ServerJsonRpcMessage::Response(_))), "{line}");
            messages.next()
        };
        let second = two(
            r#" {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}"#,
        );
        assert!(matches!(second, Some(ServerJsonRpcMessage::Notification(_))), "{second:?}");
        assert!(matches!(two(r#"{"id":2,"result":NaN}"#), Some(ServerJsonRpcMessage::Error(_))));
        assert!(two(" and text").is_none());
        // The id is that of the first one that cannot be parsed.
        let (id, _) = fault(r#"{"id":1,"result":NaN}{"id":2,"method":"x"}"#).unwrap();
        assert_eq!(id, RequestId::Number(1));
    }
}
