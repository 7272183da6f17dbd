//! A long session against a strict server, one process a turn.

use super::*;

const TURNS: usize = 30;
/// The turn that is cancelled, in the midst of its last answer.
const CANCELLED: usize = 17;

/// A stream that calls two tools, one of which fails.
fn call(stream: &mut TcpStream, turn: usize) {
    let start = "data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"x\",\"role\":\"assistant\",\"content\":[],\"usage\":{\"input_tokens\":1}}}\n\n";
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n{start}"
    )
    .unwrap();
    for (index, file) in ["a.md", "gone.md"].iter().enumerate() {
        write!(
            stream,
            "data: {{\"type\":\"content_block_start\",\"index\":{index},\"content_block\":{{\"type\":\"tool_use\",\"id\":\"t{turn}x{index}\",\"name\":\"Read\",\"input\":{{}}}}}}\n\n\
             data: {{\"type\":\"content_block_delta\",\"index\":{index},\"delta\":{{\"type\":\"input_json_delta\",\"partial_json\":\"{{\\\"file_path\\\":\\\"{file}\\\"}}\"}}}}\n\n\
             data: {{\"type\":\"content_block_stop\",\"index\":{index}}}\n\n"
        )
        .unwrap();
    }
    let rest = "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":1}}\n\n\
        data: {\"type\":\"message_stop\"}\n\n";
    stream.write_all(rest.as_bytes()).unwrap();
}

#[test]
fn every_request_of_a_long_session_is_taken_and_continues_the_last() {
    let (place, server) = (Place::new(), Server::new());
    let mut bodies: Vec<Vec<u8>> = Vec::new();
    let mut id = None;
    for turn in 0..TURNS {
        let prompt = format!("Turn {turn}");
        let resume = id.iter().flat_map(|id: &String| ["--resume", id]);
        let arguments: Vec<_> = [prompt.as_str()].into_iter().chain(resume).collect();
        let mut child = with_server(&place, &server, &arguments).spawn().unwrap();
        let (body, mut stream) = server.request();
        bodies.push(body);
        call(&mut stream, turn);
        drop(stream);
        let (body, mut stream) = server.request();
        bodies.push(body);
        begin(&mut stream, &format!("Over {turn}"));
        let mut expected = Some(0);
        if turn == CANCELLED {
            let mut shown = [0; 7];
            child
                .stdout
                .as_mut()
                .unwrap()
                .read_exact(&mut shown)
                .unwrap();
            let id = child.id().to_string();
            let kill = Command::new("kill").args(["-INT", &id]).status().unwrap();
            assert!(kill.success());
            expected = Some(130);
        } else {
            end(&mut stream);
        }
        let ran = Ran::of(child.wait_with_output().unwrap());
        assert_eq!(ran.code, expected, "{ran:?}");
        assert!(ran.stderr.contains("aside: tool: Read failed"), "{ran:?}");
        id = Some(ran.id());
    }
    assert_eq!(bodies.len(), 2 * TURNS);
    for pair in bodies.windows(2) {
        assert_continues(&pair[0], &pair[1]);
    }
    let last = String::from_utf8(bodies.pop().unwrap()).unwrap();
    for said in ["Turn 0\"", "Over 17\"", "Turn 29\"", "\"is_error\":true"] {
        assert!(last.contains(said), "{said}: {last}");
    }
}
