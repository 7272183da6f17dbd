//! Laws for mentions in any text.

use aside_attachments::{Mention, mentions};
use proptest::prelude::*;

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
    fn a_mention_is_part_of_the_text(text in "[ \\n@\"#L0-9:./\\\\aé。,]{0,40}") {
        let found = mentions(&text);
        prop_assert!(found.len() <= text.matches('@').count());
        for mention in &found {
            let written = written(mention);
            prop_assert!(!written.is_empty() && text.contains(written));
            if let Mention::Path { lines: Some(lines), .. } = mention {
                prop_assert!(1 <= lines.first && lines.first <= lines.last);
            }
        }
        // Words around mentions do not change them, and duplicates are removed.
        let again = mentions(&format!("word {text}\n{text}"));
        prop_assert_eq!(again, found);
    }

    #[test]
    fn a_quoted_path_is_unchanged(path in "[ -!#-~é]{1,20}") {
        prop_assume!(!path.trim().is_empty());
        let expected = Mention::Path { path: path.clone(), lines: None };
        prop_assert_eq!(mentions(&format!("see @\"{path}\", please")), [expected]);
    }

    #[test]
    fn any_text_is_parsed(text in any::<String>()) {
        let _ = mentions(&text);
    }
}
