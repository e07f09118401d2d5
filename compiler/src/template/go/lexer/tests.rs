use super::*;

/// The tokens as `Kind:text`, without blanks and delimiters.
fn words(source: &str) -> Vec<String> {
    let (tokens, errors) = lex(source);
    assert_eq!(errors, [], "{source}");
    let skipped = |kind: &TokenKind| {
        matches!(kind, TokenKind::Space | TokenKind::Left | TokenKind::Right | TokenKind::End)
    };
    tokens
        .iter()
        .filter(|token| !skipped(&token.kind))
        .map(|token| source[token.span.clone()].to_owned())
        .collect()
}

fn first_error(source: &str) -> (String, &str) {
    let (_, errors) = lex(source);
    let error = errors.first().unwrap_or_else(|| panic!("`{source}` lexes"));
    (error.message.clone(), &source[error.span.clone()])
}

#[test]
fn names_numbers_and_marks_are_separate_tokens() {
    assert_eq!(
        words("{{ range $i, $v := .l.x | len }}"),
        ["range", "$i", ",", "$v", ":=", ".l", ".x", "|", "len"]
    );
    assert_eq!(words("{{(index .l 0).k}}"), ["(", "index", ".l", "0", ")", ".k"]);
    assert_eq!(words("{{ .名前 ._x . $ -3 .5 1e-3 }}"), [".名前", "._x", ".", "$", "-3", ".5", "1e-3"]);
}

#[test]
fn trim_markers_need_a_blank() {
    assert_eq!(words("a \n {{- .x -}} \n b"), ["a", ".x", "b"]);
    assert_eq!(words("a {{-3}} b"), ["a ", "-3", " b"]);
    assert_eq!(words("a {{3 -}} \n b"), ["a ", "3", "b"]);
    assert_eq!(words("a\u{a0}{{- .x -}}\u{a0}b"), ["a\u{a0}", ".x", "\u{a0}b"]);
}

#[test]
fn trimming_may_leave_no_text() {
    assert_eq!(words("\n\n{{- .x -}}\n"), [".x"]);
}

#[test]
fn comments_vanish_and_may_trim() {
    assert_eq!(words("a{{/* c\nd */}}b"), ["a", "b"]);
    assert_eq!(words("a {{- /* }} */ -}} b"), ["a", "b"]);
    assert_eq!(words("a {{/* c */ -}} b"), ["a ", "b"]);
}

#[test]
fn a_comment_fills_its_action() {
    assert_eq!(first_error("a{{/* c */ .x}}b").0, "a comment must fill its action");
    assert_eq!(first_error("a{{/* c").0, "unclosed comment");
}

#[test]
fn delimiters_inside_literals_do_not_end_an_action() {
    assert_eq!(words(r#"{{ "}}" `}}` '}' }}"#), [r#""}}""#, "`}}`", "'}'"]);
}

#[test]
fn a_closing_delimiter_in_text_is_text() {
    assert_eq!(words("{ {{ .a }} } }}"), ["{ ", ".a", " } }}"]);
}

#[test]
fn unterminated_literals_are_errors_at_their_quote() {
    assert_eq!(first_error("{{ \"a\nb\" }}"), ("unterminated string".to_owned(), "\""));
    assert_eq!(first_error("{{ \"a\\\nb\" }}"), ("unterminated string".to_owned(), "\""));
    assert_eq!(first_error("{{ `a }}"), ("unterminated raw string".to_owned(), "`"));
    assert_eq!(first_error("{{ 'a }}"), ("unterminated rune".to_owned(), "'"));
    assert_eq!(first_error(r#"{{ "\"#), ("unterminated string".to_owned(), "\""));
}

#[test]
fn malformed_literals_are_errors_over_their_text() {
    assert_eq!(first_error("{{ 'ab' }}"), ("malformed rune `'ab'`".to_owned(), "'ab'"));
    assert_eq!(first_error(r#"{{ "\q" }}"#), (r#"malformed string `"\q"`"#.to_owned(), r#""\q""#));
    assert_eq!(first_error("{{ 3x }}"), ("malformed number `3x`".to_owned(), "3x"));
    assert_eq!(first_error("{{ .2fa }}"), ("malformed number `.2fa`".to_owned(), ".2fa"));
    assert_eq!(first_error("{{ - }}"), ("malformed number `-`".to_owned(), "-"));
    assert_eq!(first_error("{{ 99999999999999999999 }}").0, "number `99999999999999999999` is out of range");
    assert_eq!(first_error("{{ 1+2i }}").0, "complex numbers are not supported");
}

#[test]
fn a_name_ends_where_go_lets_it_end() {
    assert_eq!(first_error("{{ .a-b }}"), ("unexpected `-` after `.a`".to_owned(), "-"));
    assert_eq!(first_error("{{ $x=1 }}"), ("unexpected `=` after `$x`".to_owned(), "="));
    assert_eq!(first_error("{{ len\"a\" }}"), ("unexpected `\"` after `len`".to_owned(), "\""));
    assert_eq!(first_error("{{ .? }}"), ("unexpected `?` after `.`".to_owned(), "?"));
}

#[test]
fn parentheses_must_match_within_an_action() {
    assert_eq!(first_error("{{ (len .a }}"), ("unclosed `(`".to_owned(), "("));
    assert_eq!(first_error("{{ len .a) }}"), ("unexpected `)`".to_owned(), ")"));
}

#[test]
fn parentheses_nest_up_to_the_limit() {
    let nested = |depth: usize| format!("{{{{ {}1{} }}}}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(lex(&nested(MAX_PAREN_DEPTH)).1, []);
    assert_eq!(first_error(&nested(MAX_PAREN_DEPTH + 1)).0, "parentheses nest deeper than 64");
}

#[test]
fn an_unclosed_action_is_an_error_at_its_start() {
    assert_eq!(first_error("a {{ .x"), ("unclosed action".to_owned(), "{{"));
    assert_eq!(first_error("a {{"), ("unclosed action".to_owned(), "{{"));
    assert_eq!(first_error("a {{ ."), ("unclosed action".to_owned(), "{{"));
}

#[test]
fn every_broken_action_is_reported_and_keeps_its_delimiters() {
    let (tokens, errors) = lex("{{ 3x }}a{{ \u{7f} }}b{{ .ok }}");
    assert_eq!(errors.len(), 2);
    let count = |wanted: TokenKind| tokens.iter().filter(|token| token.kind == wanted).count();
    assert_eq!((count(TokenKind::Left), count(TokenKind::Right)), (3, 3));
    assert_eq!((count(TokenKind::Broken), count(TokenKind::Text)), (2, 2));
}
