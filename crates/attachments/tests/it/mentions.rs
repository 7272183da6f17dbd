//! What holds of the mentions in any text.

use aside_attachments::{Mention, mentions};
use proptest::prelude::*;

/// What the mention was written as, or a part of that.
fn written(mention: &Mention) -> &str {
    match mention {
        Mention::Path { path, .. } => path,
        Mention::Resource { uri, .. } => uri,
        Mention::Agent { agent_type } => agent_type,
        other => panic!("{other:?}"),
    }
}

proptest! {
    #[test]
    fn a_mention_stands_in_the_text(text in "[ \\n@\"#L0-9:./\\\\aé。,]{0,40}") {
        let found = mentions(&text);
        prop_assert!(found.len() <= text.matches('@').count());
        for mention in &found {
            let written = written(mention);
            prop_assert!(!written.is_empty() && text.contains(written));
            if let Mention::Path { lines: Some(lines), .. } = mention {
                prop_assert!(1 <= lines.first && lines.first <= lines.last);
            }
        }
        // Words around a mention do not change it, and each is found once.
        let again = mentions(&format!("word {text}\n{text}"));
        prop_assert_eq!(again, found);
    }

    #[test]
    fn a_quoted_path_is_found_as_it_is(path in "[ -!#-~é]{1,20}") {
        prop_assume!(!path.trim().is_empty());
        let expected = Mention::Path { path: path.clone(), lines: None };
        prop_assert_eq!(mentions(&format!("see @\"{path}\", please")), [expected]);
    }

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        let _ = mentions(&text);
    }
}
