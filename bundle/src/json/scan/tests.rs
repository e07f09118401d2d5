use super::*;

fn scan(text: &str) -> Result<Value<'_>, ScanError> {
    let mut scanner = Scanner::of_text(text, 4);
    let value = scanner.value()?;
    scanner.finish()?;
    Ok(value)
}

fn refusal(text: &str) -> (ScanErrorKind, usize) {
    let error = scan(text).unwrap_err();
    (error.kind, error.offset)
}

#[test]
fn values_keep_their_text() {
    for text in ["null", "true", "-0.10e+07", r#""a\u00e9""#, "[1, [2]]", r#"{"a": {"b":[]}}"#] {
        assert_eq!(scan(&format!(" {text}\r\n\t")).unwrap().text, text);
    }
    assert!(scan(r#""a\n""#).unwrap().escaped);
    assert!(!scan(r#"["a\n"]"#).unwrap().escaped);
}

#[test]
fn what_is_not_json_is_refused_where_it_stops_being_json() {
    assert_eq!(refusal(""), (ScanErrorKind::UnexpectedEnd, 0));
    assert_eq!(refusal("[1,]"), (ScanErrorKind::ExpectedValue, 3));
    assert_eq!(refusal("[1 2]"), (ScanErrorKind::ExpectedCommaOrEnd, 3));
    assert_eq!(refusal("[,1]"), (ScanErrorKind::ExpectedValue, 1));
    assert_eq!(refusal("{a:1}"), (ScanErrorKind::ExpectedKey, 1));
    assert_eq!(refusal(r#"{"a":1,}"#), (ScanErrorKind::ExpectedKey, 7));
    assert_eq!(refusal(r#"{"a" 1}"#), (ScanErrorKind::ExpectedColon, 5));
    assert_eq!(refusal(r#"{"a":1]"#), (ScanErrorKind::ExpectedCommaOrEnd, 6));
    assert_eq!(refusal("01"), (ScanErrorKind::TrailingText, 1));
    assert_eq!(refusal("1.x"), (ScanErrorKind::InvalidNumber, 2));
    assert_eq!(refusal("1e"), (ScanErrorKind::UnexpectedEnd, 2));
    assert_eq!(refusal("+1"), (ScanErrorKind::ExpectedValue, 0));
    assert_eq!(refusal("nul"), (ScanErrorKind::InvalidLiteral, 0));
    assert_eq!(refusal("\"a\nb\""), (ScanErrorKind::ControlCharacter, 2));
    assert_eq!(refusal(r#""\x""#), (ScanErrorKind::InvalidEscape, 2));
    assert_eq!(refusal(r#""\u12g4""#), (ScanErrorKind::InvalidEscape, 5));
    assert_eq!(refusal("1 2"), (ScanErrorKind::TrailingText, 2));
}

#[test]
fn lone_surrogates_are_refused() {
    for text in [r#""\ud800""#, r#""\udc00""#, r#""\ud800\n""#, r#""\ud800\ud800""#, r#""\ud800x""#] {
        assert_eq!(refusal(text), (ScanErrorKind::LoneSurrogate, 1), "{text}");
    }
    assert!(scan(r#""\ud83d\ude00""#).is_ok());
}

/// What a lenient scanner takes, unescaped.
fn lenient(text: &str) -> Result<String, ScanError> {
    let mut scanner = Scanner::of_text(text, 4).allow_lone_surrogates();
    let value = scanner.value()?;
    scanner.finish()?;
    let mut out = String::new();
    crate::json::unescape(value.raw(), &mut out);
    Ok(out)
}

#[test]
fn a_lenient_scanner_takes_each_lone_surrogate_for_a_replacement_character() {
    for (text, expected) in [
        (r#""\ud800""#, "\u{fffd}"),
        (r#""\uDFFF""#, "\u{fffd}"),
        (r#""a\ud800b""#, "a\u{fffd}b"),
        (r#""\ud800\n""#, "\u{fffd}\n"),
        (r#""\ud800\u0041""#, "\u{fffd}A"),
        (r#""\udc00\ud800""#, "\u{fffd}\u{fffd}"),
        (r#""\ud800\ud800""#, "\u{fffd}\u{fffd}"),
        (r#""\ud800\ud800\udc00""#, "\u{fffd}\u{10000}"),
        (r#""\ud83d\ude00\ude00""#, "\u{1f600}\u{fffd}"),
        (r#""\ud83d\ude00""#, "\u{1f600}"),
        (r#""\ud83d\\ude00""#, "\u{fffd}\\ude00"),
    ] {
        assert_eq!(lenient(text).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn a_lenient_scanner_takes_them_anywhere_and_nothing_else_that_is_wrong() {
    for text in [r#"["\ud800",{"\udc00":["\ud800"]}]"#, r#"{"a":"\ud800","a\udc00":1}"#] {
        let mut scanner = Scanner::of_text(text, 4).allow_lone_surrogates();
        assert_eq!(scanner.value().unwrap().text, text);
        assert_eq!(scan(text).unwrap_err().kind, ScanErrorKind::LoneSurrogate);
    }
    let problem = |text| lenient(text).map_err(|error| (error.kind, error.offset));
    assert_eq!(problem(r#""\ud800\u12g4""#), Err((ScanErrorKind::InvalidEscape, 11)));
    assert_eq!(problem(r#""\ud800\x""#), Err((ScanErrorKind::InvalidEscape, 8)));
    assert_eq!(problem(r#""\ud80""#), Err((ScanErrorKind::InvalidEscape, 6)));
    assert_eq!(problem(r#""\ud800\u"#), Err((ScanErrorKind::UnexpectedEnd, 9)));
    assert_eq!(problem(r#""\ud800"#), Err((ScanErrorKind::UnexpectedEnd, 7)));
}

#[test]
fn nesting_is_bounded() {
    assert!(scan("[[[[]]]]").is_ok());
    assert_eq!(refusal("[[[[[]]]]]"), (ScanErrorKind::TooDeep, 4));
    let deep = "[".repeat(100_000);
    assert_eq!(
        Scanner::of_text(&deep, usize::MAX).value().unwrap_err(),
        ScanError { kind: ScanErrorKind::TooDeep, offset: MAX_DEPTH }
    );
}

#[test]
fn bytes_that_are_not_utf8_are_refused() {
    let error = Scanner::new(b"\"a\xff\"", 4).unwrap_err();
    assert_eq!((error.kind, error.offset), (ScanErrorKind::NotUtf8, 2));
}

#[test]
fn levels_are_walked_one_by_one() {
    let mut scanner = Scanner::of_text(r#"{"a":[1,{"x":[]}],"b":{}}"#, 8);
    assert_eq!(scanner.peek().unwrap(), Kind::Object);
    scanner.enter_object().unwrap();
    assert_eq!(scanner.next_key().unwrap().unwrap().raw(), "a");
    assert_eq!(scanner.peek().unwrap(), Kind::Array);
    scanner.enter_array().unwrap();
    assert!(scanner.next_item().unwrap());
    assert_eq!(scanner.value().unwrap().text, "1");
    assert!(scanner.next_item().unwrap());
    assert_eq!(scanner.value().unwrap().text, r#"{"x":[]}"#);
    assert!(!scanner.next_item().unwrap());
    assert_eq!(scanner.next_key().unwrap().unwrap().raw(), "b");
    assert_eq!(scanner.value().unwrap().kind, Kind::Object);
    assert_eq!(scanner.next_key().unwrap(), None);
    scanner.finish().unwrap();
}

#[test]
fn an_unclosed_level_does_not_finish() {
    let mut scanner = Scanner::of_text("[", 8);
    scanner.peek().unwrap();
    scanner.enter_array().unwrap();
    assert_eq!(scanner.finish().unwrap_err().kind, ScanErrorKind::UnexpectedEnd);
}
