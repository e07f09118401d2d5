//! Go templates of other gateways, made templates of specs.
//!
//! There, a template sees the arguments below a name such as `.args`, and settings below another one. Here it sees the arguments
//! alone, and a setting is a variable, `${NAME}`. So the names are taken out of the source, and the rest of it stays as it was.

mod pieces;
mod walk;

pub use pieces::{Piece, escape_variables, go_action, pieces, template_text};

use crate::template::TemplateError;
use crate::template::go::parse;
use std::collections::BTreeSet;
use std::ops::Range;
use walk::Walk;

/// What the names at the root of a template's data stand for.
#[derive(Debug, Clone, Copy)]
pub struct Roots<'r> {
    /// The data that a spec's template has as a whole; empty if the source has it so, too.
    pub data: &'r [&'r str],
    /// Settings, which become variables.
    pub settings: &'r [&'r str],
    /// The names that there are in the data; `None` if nobody knows.
    pub declared: Option<&'r BTreeSet<String>>,
    /// Whether `${` in the text would be read as a variable.
    pub has_variables: bool,
}

/// A template of a spec.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rewritten {
    pub text: String,
    /// The first names that it reads of the data.
    pub reads: BTreeSet<String>,
    /// It reads the data as a whole.
    pub reads_all: bool,
    pub settings: BTreeSet<String>,
    /// What it would read and never finds.
    pub undeclared: BTreeSet<String>,
    /// `join` had its arguments in the wrong order.
    pub swapped_join: bool,
}

/// Why a template cannot come over, and the part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub range: Range<usize>,
    pub message: String,
}

impl Refusal {
    /// The message, with the line of the template if it has several.
    pub fn words(&self, source: &str) -> String {
        let before = source.get(..self.range.start).unwrap_or_default();
        let line = 1 + before.matches('\n').count();
        let column = 1 + before.chars().rev().take_while(|c| *c != '\n').count();
        format!("{} (line {line}, column {column} of the template)", self.message)
    }
}

impl From<&TemplateError> for Refusal {
    fn from(error: &TemplateError) -> Refusal {
        Refusal { range: error.span.clone(), message: error.to_string() }
    }
}

/// Rewrites a template. `variable` names the variable of a setting.
pub fn rewrite(
    source: &str,
    roots: Roots<'_>,
    variable: &mut dyn FnMut(&str) -> String,
) -> Result<Rewritten, Refusal> {
    let template = parse(source).map_err(|errors| {
        errors
            .first()
            .map_or_else(|| Refusal { range: 0..0, message: "it is no template".to_owned() }, Refusal::from)
    })?;
    let mut walk = Walk::new(source, roots, variable);
    walk.template(&template)?;
    Ok(walk.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ROOTS: Roots<'_> =
        Roots { data: &["args"], settings: &["config"], declared: None, has_variables: true };

    fn request(source: &str) -> Result<Rewritten, String> {
        rewrite(source, ROOTS, &mut |key| format!("APP_{}", key.to_uppercase()))
            .map_err(|refusal| refusal.words(source))
    }

    #[test]
    fn names_are_taken_out() {
        for (source, expected) in [
            ("/a/{{.args.id}}/{{ $.args.id }}", "/a/{{.id}}/{{ $.id }}"),
            ("{{ .args.a.b | upper }}", "{{ .a.b | upper }}"),
            ("{{ toJson .args }}{{ index $.args \"x-y\" }}", "{{ toJson . }}{{ index $ \"x-y\" }}"),
            ("{{ index .args \"x\" }}", "{{ index . \"x\" }}"),
            ("{{ gjson \"args.x.0\" }}", "{{ gjson \"x.0\" }}"),
            ("Bearer {{.config.token}}", "Bearer ${APP_TOKEN}"),
            ("a{{- .config.token -}} b", "a${APP_TOKEN}b"),
            (
                "{{ if .args.x }}{{ .config.k }}{{ else }}{{ .args.y }}{{ end }}",
                "{{ if .x }}${APP_K}{{ else }}{{ .y }}{{ end }}",
            ),
            (
                "{{ range .args.l }}{{ .args.x }}{{ $.args.y }}{{ end }}",
                "{{ range .l }}{{ .args.x }}{{ $.y }}{{ end }}",
            ),
            (
                "{{ with .args.o }}{{ .args }}{{ else }}{{ .args.z }}{{ end }}",
                "{{ with .o }}{{ .args }}{{ else }}{{ .z }}{{ end }}",
            ),
            ("{{ (index .args.l 0).args }}", "{{ (index .l 0).args }}"),
            ("cost ${X}", "cost $${X}"),
            ("{{ join .args.l \", \" }}", "{{ join \", \" .l }}"),
            (
                "{{ template \"t\" .args }}{{ define \"t\" }}{{ .args.x }}{{ end }}",
                "{{ template \"t\" . }}{{ define \"t\" }}{{ .args.x }}{{ end }}",
            ),
            ("{{ uuidv4 }}", "{{ uuidv4 }}"),
        ] {
            assert_eq!(request(source).map(|rewritten| rewritten.text).as_deref(), Ok(expected), "{source}");
        }
    }

    #[test]
    fn what_is_read_is_known() {
        let rewritten =
            request("{{ .args.a.b }}{{ range $.args.l }}{{ .x }}{{ end }}{{ .config.k }}").unwrap();
        assert_eq!(rewritten.reads.iter().collect::<Vec<_>>(), ["a", "l"]);
        assert_eq!(rewritten.settings.iter().collect::<Vec<_>>(), ["k"]);
        assert!(!rewritten.reads_all);
        assert!(request("{{ toJson .args }}").unwrap().reads_all);
        assert_eq!(request("{{ index .args \"x-y\" }}").unwrap().reads.len(), 1);
    }

    #[test]
    fn what_is_never_there_is_nothing() {
        let declared = BTreeSet::from(["a".to_owned()]);
        let roots = Roots { declared: Some(&declared), ..ROOTS };
        let source = "{{ .args.a }}{{ .args.b }}{{ toJson .args.c }}{{ .args.d.e | upper }}";
        let rewritten = rewrite(source, roots, &mut str::to_owned).unwrap();
        assert_eq!(rewritten.text, "{{ .a }}{{ toJson nil }}{{ \"\" | upper }}");
        assert_eq!(rewritten.undeclared.iter().collect::<Vec<_>>(), ["b", "c", "d"]);
    }

    #[test]
    fn what_has_no_counterpart_is_refused() {
        for (source, expected) in [
            ("{{ .foo }}", "`.foo` is neither an argument nor a setting (line 1, column 4 of the template)"),
            (
                "a\n {{ b64enc .config.k }}",
                "the setting `k` is used in a computation, and variables can only be inserted (line 2, column 12 of the template)",
            ),
            ("{{ . }}", "it reads arguments and settings together (line 1, column 4 of the template)"),
            ("{{ getHostByName .args.x }}", "unknown function `getHostByName`"),
            ("{{ .config }}", "it reads all settings together"),
        ] {
            let message = request(source).unwrap_err();
            assert!(message.starts_with(expected), "{message}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_rewritten_or_refused(
            source in r#"(\{\{-? ?|-? ?\}\}|\.args|\.config|\$|\.x|range |if |end|else|with |join |gjson |"a\."|index |define |template |"t"|[ ()|$]|é|\$\{){0,14}"#,
        ) {
            if let Ok(rewritten) = request(&source) {
                prop_assert!(parse(&rewritten.text).is_ok(), "{:?} became {:?}", source, rewritten.text);
            }
        }
    }
}
