//! The spellings of a reminder tag that text from outside may use.
//!
//! There are 628 forms. They combine letter case, closing and self-closing
//! tags, attributes, a missing `>`, characters before the name (slashes,
//! backslashes and spaces), other characters for the hyphen, and invisible
//! characters at each place. A model takes all of them for the tag, so all have
//! to be escaped.

/// Characters that print nothing: zero-width, variation selectors, fillers, tag
/// characters, controls of text direction, and C0 and C1 controls.
const HIDDEN: &str = "\u{200b}\u{3164}\u{e0041}\u{fe0f}\u{ad}\u{2062}\u{feff}\u{115f}\u{1d173}\
    \u{fff9}\0\u{7f}\u{9b}\u{2800}\u{180e}\u{202e}\u{34f}\u{ffa0}\u{e0100}\u{206a}";

/// Characters that may be read as the hyphen of the name, spaces and a line end
/// among them.
const HYPHENS: &str =
    "-_ \u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2015}\u{2212}\u{fe58}\u{fe63}\u{ff0d}\n\u{a0}";

/// White space before the name, the Unicode spaces included.
const SPACES: [&str; 6] = [" ", "\n", "\t", "\u{a0}", "\u{3000}", "\u{2028}"];

/// The characters that may be between `<` and the name.
const OPENINGS: [&str; 6] = ["", "/", " / ", "//", r"\/", r"\\\/ /"];

/// Returns every form, the plain ones first.
pub(super) fn all() -> Vec<String> {
    let mut forms = Vec::new();
    for slash in ["", "/"] {
        for (name, end) in [
            ("system-reminder", ">"),
            ("SYSTEM-REMINDER", ">"),
            ("System-Reminder", " foo=\"x\" >"),
            ("system-reminder", ""),
            ("system-reminder", "/>"),
            ("system-reminder", "\n>"),
        ] {
            forms.push(format!("<{slash}{name}{end}"));
        }
    }
    for opening in OPENINGS {
        for space in SPACES {
            forms.push(format!("<{opening}{space}system-reminder>"));
        }
    }
    for slash in ["", "/"] {
        for hyphen in HYPHENS.chars() {
            forms.push(format!("<{slash}system{hyphen}reminder>"));
            forms.push(format!("<{slash}system{hyphen}-{hyphen}reminder>"));
        }
        for hidden in HIDDEN.chars() {
            forms.push(format!("<{hidden}{slash}system-reminder>"));
            forms.push(format!("<{slash}{hidden}system-reminder>"));
            forms.push(format!("<{slash}sys{hidden}tem-remi{hidden}nder>"));
            forms.push(format!("<{slash}system{hidden}-{hidden}reminder>"));
            forms.push(format!("<{slash}system-reminder{hidden}>"));
            for hyphen in HYPHENS.chars().step_by(2) {
                forms.push(format!("<{slash}system{hidden}{hyphen}reminder{hidden}>"));
            }
        }
    }
    forms
}

/// Returns forms that each stand for a group of [`all`].
///
/// The plain forms are all in it; of the disguised ones, every sixteenth.
pub(super) fn sample() -> Vec<String> {
    let all = all();
    let (plain, disguised) = all.split_at(12);
    let disguised = disguised.iter().step_by(16);
    plain.iter().chain(disguised).cloned().collect()
}
