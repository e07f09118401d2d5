use super::*;
use crate::template::ErrorKind;

fn tags(source: &str) -> Vec<(TagKind, &str)> {
    let scan = scan(source).unwrap();
    scan.tags.into_iter().map(|tag| (tag.kind, &source[tag.span])).collect()
}

fn problem(source: &str) -> String {
    scan(source).unwrap().problem.map(|error| error.message).unwrap_or_default()
}

#[test]
fn tags_are_found_with_their_roles() {
    use TagKind::{Close, Comment, Else, Open, Value};
    assert_eq!(
        tags("a{{x}}{{{y}}}{{#if z}}{{~else if q~}}{{^}}{{! c }}{{ ~ /if}}b"),
        [
            (Value, "{{x}}"),
            (Value, "{{{y}}}"),
            (Open, "{{#if z}}"),
            (Else, "{{~else if q~}}"),
            (Else, "{{^}}"),
            (Comment, "{{! c }}"),
            (Close, "{{ ~ /if}}"),
        ]
    );
}

#[test]
fn braces_in_strings_keys_and_objects_do_not_end_a_tag() {
    for source in [r#"{{eq "}}{{/if}}" 'a\'}}'}}"#, "{{[a }} b]}}", r#"{{len {"a":{"b":1}}}}"#, "{{{a}~}}"] {
        assert_eq!(tags(source), [(TagKind::Value, source)]);
    }
}

#[test]
fn escapes_comments_and_raw_blocks_hide_tags() {
    assert_eq!(tags(r"\{{#if}}\\{{x}}"), [(TagKind::Value, "{{x}}")]);
    assert_eq!(tags("{{!-- {{/if}} --}}"), [(TagKind::Comment, "{{!-- {{/if}} --}}")]);
    assert_eq!(tags("{{! -- }} --}}"), [(TagKind::Comment, "{{! -- }} --}}")]);
    assert_eq!(tags("{{!--}} a"), [(TagKind::Comment, "{{!--}}")]);
    let raw = r"{{{{raw}}}} {{#if}} \{{{{/raw}}}} {{{{/raw}}}}";
    assert_eq!(tags(raw), [(TagKind::Raw, raw)]);
}

#[test]
fn blocks_that_do_not_match_are_explained() {
    assert_eq!(problem("{{#if x}}a"), "block `if` is never closed");
    assert_eq!(problem("{{#if x}}a{{/each}}"), "`{{/each}}` closes block `if`");
    assert_eq!(problem("a{{/if}}"), "`{{/if}}` closes no block");
    assert_eq!(problem("a{{else}}b"), "`{{else}}` outside a block");
    assert_eq!(problem("a {{x"), "unclosed tag");
    assert_eq!(problem("{{x {{y}}"), "unclosed tag");
    assert_eq!(problem("{{! abc"), "unclosed comment");
    assert_eq!(problem("{{{{raw}}}} x"), "unclosed raw block");
    assert_eq!(problem("{{#if a}}{{/if}}"), "");
}

#[test]
fn depth_is_counted_whatever_hides_the_ends() {
    for level in [
        "{{#if a}}",
        "{{ ~ #if a}}",
        "{{#if a}}{{!-- {{/if}} --}}",
        "{{#if a}}{{! {{/if }}",
        "{{#if a}}\\{{/if}}",
        "{{#if \"{{/if}}\"}}",
        "{{#if a}}{{{{raw}}}}{{/if}}{{{{/raw}}}}",
        "{{#if [it's]}}{{x \"'{{/if}}'\"}}",
        "{{#if a}}{{> p}}{{#> q}}",
    ] {
        let error = scan(&level.repeat(400)).err().unwrap_or_else(|| panic!("{level} is let through"));
        assert_eq!(error.kind, ErrorKind::TooComplex, "{level}");
    }
}

#[test]
fn parentheses_and_literals_are_counted_too() {
    for level in ["(not ", "(eq \")\" ", "(eq ']' ", "[", "[\"]\",", "{\"a\":", "{\"}\":"] {
        let source = format!("{{{{#if {}", level.repeat(400));
        for tail in ["", "a)}}]}{{/if}}"] {
            let result = scan(&format!("{source}{tail}"));
            assert_eq!(result.err().map(|error| error.kind), Some(ErrorKind::TooComplex), "{level}{tail}");
        }
    }
}

#[test]
fn an_unsure_key_in_a_small_template_is_let_through() {
    assert_eq!(tags("{{a}}{{[it's]}}{{#if b}}{{/if}}"), [(TagKind::Value, "{{a}}")]);
}

#[test]
fn a_chain_of_else_has_a_limit() {
    let chain = |count: usize| format!("{{{{#if a}}}}{}{{{{/if}}}}", "{{else if b}}".repeat(count));
    assert!(scan(&chain(MAX_ELSE)).is_ok());
    assert!(scan(&chain(MAX_ELSE + 1)).is_err());
    assert!(scan(&chain(100).repeat(4)).is_ok());
    let half = format!("{{{{#if a}}}}{}", "{{else if b}}".repeat(MAX_ELSE / 2));
    assert!(scan(&half.repeat(3)).is_err());
    assert!(scan(&format!("{{{{[it's]}}}}{}", chain(MAX_ELSE))).is_err());
}

mod agreement {
    use ::handlebars::template::{HelperTemplate, Template, TemplateElement};
    use proptest::prelude::*;

    use super::super::scan;
    use crate::template::handlebars::position::Positions;

    const TEXT: &[&str] =
        &["a", " ", "\n", "\\", "\\\\", "{", "}", "\\{{x}}", "\\{{{{x}}}}", "é", "[", "\"", "'"];
    const TAGS: &[&str] = &[
        "{{a}}",
        "{{ ~ a ~ }}",
        "{{{a}}}",
        "{{~{a}~}}",
        "{{ { a } }}",
        "{{&a}}",
        "{{[a }} b]}}",
        "{{a.[{{].b}}",
        "{{eq \"}}\" '{{/if}}'}}",
        "{{eq a 'it\\'s }}'}}",
        "{{f {\"a\":{\"b\":1}}}}",
        "{{f [1,2] x=\"}}\"}}",
        "{{(f (g \")\") 1)}}",
        "{{!}}",
        "{{! c }}",
        "{{!-- {{c}} --}}",
        "{{! -- }} --}}",
        "{{{{raw}}}} {{#if}} \\{{{{/raw}}}} {{{{/raw}}}}",
        "{{{{raw \"}}}}\"}}}}{{{{/raw}}}}",
        "{{> p}}",
        "{{* d}}",
    ];
    const OPEN: &[(&str, &str)] = &[
        ("{{#if a}}", "{{/if}}"),
        ("{{ ~ # if \"{{/if}}\" ~}}", "{{~ / if ~}}"),
        ("{{#if a}}{{else if b}}", "{{else}}{{/if}}"),
        ("{{#if a}}x{{^}}", "{{/if}}"),
        ("{{#each l as |v k|}}", "{{/each}}"),
        ("{{#> p}}", "{{/p}}"),
        ("{{#*inline \"p\"}}", "{{/inline}}"),
    ];

    fn template() -> impl Strategy<Value = String> {
        let leaf =
            prop_oneof![prop::sample::select(TEXT), prop::sample::select(TAGS)].prop_map(str::to_owned);
        leaf.prop_recursive(4, 48, 6, |inner| {
            (prop::option::of(prop::sample::select(OPEN)), prop::collection::vec(inner, 0..6)).prop_map(
                |(block, parts)| {
                    let (open, close) = block.unwrap_or(("", ""));
                    format!("{open}{}{close}", parts.concat())
                },
            )
        })
    }

    fn places(template: &Template, found: &mut Vec<(usize, usize)>) {
        for (at, element) in template.elements.iter().enumerate() {
            if let (Some(place), false) =
                (template.mapping.get(at), matches!(element, TemplateElement::RawString(_)))
            {
                found.push((place.0, place.1));
            }
            match element {
                TemplateElement::HelperBlock(block) => helper(block, found),
                TemplateElement::DecoratorBlock(block) | TemplateElement::PartialBlock(block) => {
                    block.template.iter().for_each(|inner| places(inner, found));
                }
                _ => {}
            }
        }
    }

    fn helper(block: &HelperTemplate, found: &mut Vec<(usize, usize)>) {
        block.template.iter().chain(&block.inverse).for_each(|inner| places(inner, found));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_scan_and_the_crate_see_the_same_tags(source in template()) {
            let Ok(parsed) = Template::compile(&source) else { return Ok(()) };
            let scan = scan(&source).unwrap();
            prop_assert_eq!(scan.problem, None);
            let starts: Vec<_> = scan.tags.iter().map(|tag| tag.span.start).collect();
            let mut found = Vec::new();
            places(&parsed, &mut found);
            let mut positions = Positions::new(&source, scan.tags);
            for (line, column) in found {
                let offset = positions.offset(line, column);
                prop_assert!(starts.contains(&offset), "{:?} has a tag at {}", source, offset);
            }
        }
    }
}
