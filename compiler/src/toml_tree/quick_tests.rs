use super::super::read_carefully;
use super::*;
use proptest::prelude::*;

/// Both ways give the same, places included; `true` if the quick one did not give up.
fn same(text: &str) -> bool {
    let Some(quick) = read(text) else { return false };
    let (careful, errors) = read_carefully(text);
    assert_eq!(errors, [], "only the quick way takes {text:?}");
    // Equality of the crate's `Spanned` leaves places out.
    assert_eq!(format!("{quick:#?}"), format!("{careful:#?}"), "{text}");
    true
}

#[test]
fn usual_spellings_are_read() {
    for text in [
        "",
        "\n\n# only a comment, with ünïcode\n\t# and another",
        "a = 1\nb=-20\nc = 0\nd = 2.50\ne = -0.5 # half\nf = true\ng = false",
        "a = \"\"\nb = \"x\"\n\"c d\" = ''\n'e\"f' = 'g\\h'\nkey-1_X = \"é\"",
        r#"a = "say \"hi\"\n\ttab \\ end\\""#,
        "a = \"\"\"\n line\n \"quoted\" and \"\" \"\"\"\nb = '''x\ny'''\nc = \"\"\"\"\"\"",
        "a = [1, 2,\n # more\n 3,\n]\nb = []\nc = [[1], [\"x\"], {}]",
        "a = { b = 1, 'c' = { d = [true] } }\nb = {}",
        "a = -0\nb = -0.0\n1 = 1#c\n- = 2\n\"\" = 3\n[x.'']#c",
        r#"a = "\\\"""#,
        "[[a]]\n[a.b]\n[[a]]\n[a.b]",
        "[a]\nb = 1\n[c.d]\ne = 1\n[c.f]\n[ g . \"h\" ]\n",
        "x = 1\n[[tool]]\nname = \"a\"\n[[tool.examples]]\nb = 1\n[tool.examples.c]\nd = 1\n[[tool.examples]]\n[[tool]]\n[tool.allow]",
    ] {
        assert!(same(text), "{text}");
    }
}

#[test]
fn what_is_rare_or_wrong_is_left_to_the_crate() {
    for text in [
        "a.b = 1",
        "a = 1979-05-27",
        "a = 0x1f\n",
        "a = 1_000",
        "a = +1",
        "a = 01",
        "a = 1e3",
        "a = .5",
        "a = 5.",
        "a = inf",
        "a = \"\\u00e9\"",
        "a = \"\\\"",
        "a = \"x\\",
        "a = \"\"\"\\\n  b\"\"\"",
        "a = \"\"\"b\"\"\"\"",
        "a = \"b\nc\"",
        "a = \"\u{1}\"",
        "a = '\u{7f}'",
        "# \u{0}",
        "a = 1\r\nb = 2",
        "\u{feff}a = 1",
        "a = 1 b = 2",
        "a = 1\na = 2",
        "a = [1 2]",
        "a = [1,, 2]",
        "a = { b = 1, }",
        "a = { b = 1\n}",
        "a = { b = 1, b = 2 }",
        "a = truex",
        "a =",
        "= 1",
        "[a",
        "[[a]",
        "[a]]",
        "[]",
        "[a]\n[a]",
        "[a.b]\n[a]",
        "a = {}\n[a.b]",
        "a = []\n[[a]]",
        "a = [{}]\n[[a]]",
        "a = [{}]\n[a.b]",
        "a = 1\n[a.b]",
        "[[a]]\n[a]",
        "[a]\n[[a]]",
    ] {
        assert!(read(text).is_none(), "{text}");
    }
    let deep = format!("a = {}{}", "[".repeat(MAX_DEPTH + 2), "]".repeat(MAX_DEPTH + 2));
    assert!(read(&deep).is_none());
    // Of the longest, the tree would be so deep that dropping it takes all of the stack.
    for keys in [MAX_DEPTH + 2, 81, 300_000] {
        assert!(read(&format!("[{}a]\n", "a.".repeat(keys - 1))).is_none(), "{keys}");
    }
    assert!(same(&format!("[{}a]\n", "a.".repeat(MAX_DEPTH))));
    let wide: String = (0..=MAX_KEYS).map(|number| format!("a{number} = 1\n")).collect();
    assert!(read(&wide).is_none());
}

#[test]
fn specs_are_read_the_quick_way() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tool-specs");
    let mut specs = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            assert!(same(&std::fs::read_to_string(&path).unwrap()), "{path:?}");
            specs += 1;
        }
    }
    assert!(specs > 3);
}

/// Values that the quick way reads.
fn values() -> impl Strategy<Value = String> {
    let scalars =
        ["0", "-12", "3.50", "true", "false", "''", "\"x y\"", "'a\"b'", r#""\t\\""#, "\"\"\"\na\n\"\"\""];
    let scalar = prop::sample::select(scalars.to_vec()).prop_map(str::to_owned);
    scalar.prop_recursive(3, 12, 4, |inner| {
        let items = prop::collection::vec(inner, 0..4);
        (items, any::<bool>()).prop_map(|(items, in_table)| {
            if in_table {
                let pairs = items.iter().enumerate().map(|(number, item)| format!("k{number} = {item}"));
                format!("{{ {} }}", pairs.collect::<Vec<_>>().join(", "))
            } else {
                format!("[{}]", items.join(",\n  "))
            }
        })
    })
}

/// Pieces of TOML, whole and broken, in any order.
const PIECES: &[&str] = &[
    "a",
    "b",
    "tool",
    "\"a\"",
    "'b'",
    " = ",
    "=",
    ".",
    ",",
    "\n",
    "\n",
    " ",
    "\t",
    "# c\n",
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    "[a]\n",
    "[[a]]\n",
    "[a.b]\n",
    "[[a.b]]\n",
    "a = 1\n",
    "b = 'x'\n",
    "a = {",
    "b = [",
    "1",
    "-1",
    "0",
    "01",
    "1.5",
    "1.",
    "true",
    "false",
    "\"",
    "'",
    "\"\"\"",
    "'''",
    "\\n",
    "\\\\",
    "\\\"",
    "\\q",
    "é",
    "\r",
    "\u{1}",
    "x = { a = 1, b = [2] }\n",
];

/// Whole lines, which are sound each on its own.
const LINES: &[&str] = &[
    "",
    "# c",
    "[a]",
    "[[a]]",
    "[a.b]",
    "[[a.b]]",
    "[a.b.c]",
    "[[a.b.c]]",
    "[b]",
    "a = 1",
    "b = {}",
    "b = { c = 1 }",
    "c = [{}]",
    "a = []",
    "c = \"x\\ty\"",
    "d = 'x'",
    "e = -1.50",
    "f = \"\"\"",
    "\"\"\"",
    "g = [",
    "1,",
    "]",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]
    #[test]
    fn both_ways_read_the_same(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..14)) {
        same(&pieces.concat());
    }

    #[test]
    fn usual_values_are_read(values in prop::collection::vec(values(), 0..6), header in any::<bool>()) {
        let header = if header { "[[t]]\n" } else { "" };
        let lines = values.iter().enumerate().map(|(number, value)| format!("{header}k{number} = {value} # {number}\n"));
        prop_assert!(same(&lines.collect::<String>()));
    }

    #[test]
    fn both_ways_read_the_same_lines(lines in prop::collection::vec(prop::sample::select(LINES), 0..10)) {
        same(&lines.join("\n"));
    }

    #[test]
    fn both_ways_read_the_same_strings(text in "[a-z\"'\\\\nté\\n\u{1}]{0,12}", quotes in prop::sample::select(&["\"", "'", "\"\"\"", "'''"])) {
        same(&format!("a = {quotes}{text}{quotes}\n"));
    }
}
