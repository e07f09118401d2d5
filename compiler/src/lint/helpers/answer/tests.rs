//! Findings and their words.

use super::*;
use crate::check::{MemoryFiles, check_files};
use crate::lint::testing::{found, underlined};

/// A tool with a template, an `output_schema` or anything else, and example responses.
fn tool(template: &str, rest: &str, responses: &[(u16, &str)]) -> String {
    let mut spec = format!(
        "[[tool]]\nname = \"get_order\"\ndescription = \"Gets an order of the shop.\"\nmethod = \"GET\"\n\
         endpoint = \"https://api.example.com/order\"\nresponse_template = '''{template}'''\n{rest}\n"
    );
    for (status, body) in responses {
        spec.push_str(&format!(
            "[[tool.examples]]\narguments = {{}}\nresponse = {{ status = {status}, body = '{body}' }}\n"
        ));
    }
    spec
}

fn by_examples(template: &str, bodies: &[&str]) -> Vec<String> {
    let responses: Vec<(u16, &str)> = bodies.iter().map(|body| (200, *body)).collect();
    underlined(&UNKNOWN_RESPONSE_FIELD, &tool(template, "", &responses))
}

const ORDER: &str = "output_schema = { type = 'object', properties = { id = { type = 'string' }, items = { type = 'array', items = { '$ref' = '#/$defs/item' } }, customer = { anyOf = [{ type = 'null' }, { type = 'object', properties = { name = true } }] }, labels = { type = 'object', additionalProperties = { type = 'object', properties = { text = { type = 'string' } } } }, extra = { type = 'object' }, more = { type = 'object', properties = { a = true }, additionalProperties = true } }, '$defs' = { item = { type = 'object', allOf = [{ properties = { name = { type = 'string' } } }, { properties = { parts = { type = 'array', items = { '$ref' = '#/$defs/item' } } } }] } } }";

fn by_schema(template: &str) -> Vec<String> {
    underlined(&UNKNOWN_RESPONSE_FIELD, &tool(template, ORDER, &[]))
}

#[test]
fn a_schema_defines_the_fields() {
    for template in [
        "{{ .id }}{{ range .items }}{{ .name }}{{ range .parts }}{{ range .parts }}{{ .name }}{{ end }}{{ end }}{{ end }}",
        "{{ .customer.name }}{{ .customer.name.first }}{{ with .customer }}{{ .name }}{{ end }}",
        "{{ range $key, $label := .labels }}{{ $label.text }}{{ end }}{{ .labels.any.text }}",
        "{{ .extra.anything }}{{ .more.b.c }}{{ range .more }}{{ .x }}{{ end }}",
        "{{ gjson \"items.#.name\" }}{{ gjson \"items.0.x\" }}{{ (index .items 0).x }}",
    ] {
        assert_eq!(by_schema(template), [""; 0], "{template}");
    }
    for (template, places) in [
        ("{{ .idd }} {{ .idd }}", ["idd", "idd"].as_slice()),
        ("{{ range .items }}{{ .nam }}{{ end }}", &["nam"]),
        ("{{ range .items }}{{ range .parts }}{{ .nam }}{{ end }}{{ end }}", &["nam"]),
        ("{{ .customer.nam }}", &["nam"]),
        ("{{ .costumer.name }}", &["costumer"]),
        ("{{ with .costumer }}{{ .name }}{{ .city }}{{ end }}", &["costumer"]),
        ("{{ .labels.any.txt }}", &["txt"]),
        ("{{ .items.name }}", &["name"]),
        ("{{ .id.value }}", &["value"]),
        ("{{ gjson \"customer.nam\" }}", &["nam"]),
        ("{{ index .customer \"nam\" }}{{ index . \"idd\" }}", &["nam", "idd"]),
        ("{{lookup customer 'nam'}}{{lookup customer 'name'}}", &["{{lookup customer 'nam'}}"]),
        ("{{ if .x }}{{ else }}{{ .y | upper }}{{ end }}", &["x", "y"]),
        ("{{#each items}}{{nam}}{{../idd}}{{/each}}", &["nam", "idd"]),
    ] {
        assert_eq!(by_schema(template), places, "{template}");
    }
}

#[test]
fn examples_define_only_what_they_show() {
    let bodies = [r#"{"a":{"b":1},"l":[],"n":null,"s":"x"}"#, r#"{"a":{"c":[{"d":2}]},"l":[]}"#];
    for template in [
        "{{ .a.b }}{{ range .a.c }}{{ .d }}{{ end }}",
        "{{ range .l }}{{ .anything }}{{ end }}",
        "{{ .n.anything.at.all }}",
        "{{ . }}{{ len . }}",
    ] {
        assert_eq!(by_examples(template, &bodies), [""; 0], "{template}");
        assert_eq!(by_examples(template, &[]), [""; 0], "{template}");
        assert_eq!(by_examples(template, &["no JSON"]), [""; 0], "{template}");
    }
    for (template, place) in [
        ("{{ .b }}", "b"),
        ("{{ .a.d }}", "d"),
        ("{{ range .a.c }}{{ .e }}{{ end }}", "e"),
        ("{{ .s.t }}", "t"),
        ("{{ .l.t }}", "t"),
    ] {
        assert_eq!(by_examples(template, &bodies), [place], "{template}");
    }
}

#[test]
fn a_field_that_is_tested_for_may_be_in_no_example() {
    let bodies = [r#"{"city":"Rome","days":[{"high":1,"wind":{"speed":2}}]}"#];
    for template in [
        "{{ if .rain }}{{ .rain.mm }}{{ end }}",
        "{{ with .rain }}{{ .mm }}{{ end }}",
        "{{ if .rain.mm }}{{ .rain.hours }}{{ end }}",
        "{{ if and .rain .rain.mm }}{{ .rain.mm }}{{ end }}",
        "{{ if or .rain .snow }}{{ .rain }}{{ .snow }}{{ end }}",
        "{{ or .nick .city }}",
        "{{ range .days }}{{ if .low }}{{ .low }}{{ end }}{{ end }}",
        "{{ with $rain := .rain }}{{ $rain.mm }}{{ end }}",
        "{{#if rain}}{{rain.mm}}{{/if}}",
        "{{#unless rain}}dry{{else}}{{rain.mm}}{{/unless}}",
        "{{#with rain}}{{mm}}{{/with}}",
        "{{#each days}}{{#if low}}{{low}}{{/if}}{{/each}}",
    ] {
        assert_eq!(by_examples(template, &bodies), [""; 0], "{template}");
    }
    for (template, place) in [
        ("{{ if .city }}{{ .rain }}{{ end }}", "rain"),
        ("{{ if . }}{{ .rain }}{{ end }}", "rain"),
        ("{{ if eq .rain 1 }}wet{{ end }}", "rain"),
        ("{{ range .days }}{{ if .wind }}{{ .wind.sped }}{{ end }}{{ end }}", "sped"),
        ("{{#if days}}{{rain}}{{/if}}", "rain"),
    ] {
        assert_eq!(by_examples(template, &bodies), [place], "{template}");
    }
    // A schema is complete, and so is a selection.
    assert_eq!(by_schema("{{ if .idd }}{{ .idd }}{{ end }}"), ["idd", "idd"]);
    let selected = tool("{{ if .x }}{{ end }}", "select = ['id']", &[]);
    assert_eq!(underlined(&UNKNOWN_RESPONSE_FIELD, &selected), ["x"]);
}

#[test]
fn a_schema_outweighs_the_examples() {
    let spec = tool("{{ .extra.a }}", ORDER, &[(200, r#"{"extra":{}}"#)]);
    assert_eq!(found(&UNKNOWN_RESPONSE_FIELD, &spec), []);
}

#[test]
fn each_template_has_its_own_examples() {
    let errors = "error_template = '{{ .message }} {{ .id }}'";
    let responses = [(200, r#"{"id":1}"#), (404, r#"{"message":"none"}"#), (500, "a web page")];
    assert_eq!(
        underlined(&UNKNOWN_RESPONSE_FIELD, &tool("{{ .id }}{{ .message }}", errors, &responses)),
        ["message", "id"]
    );
    // Nothing is known of an error.
    let spec = tool("{{ .id }}", &format!("{errors}\n{ORDER}"), &[]);
    assert_eq!(found(&UNKNOWN_RESPONSE_FIELD, &spec), []);
}

#[test]
fn a_selection_keeps_nothing_else() {
    let with = |template: &str| {
        let spec = tool(
            template,
            "select = ['id', 'items[].name', 'a.b']",
            &[(200, r#"{"id":1,"x":2,"items":[{"name":"pen"}],"a":{"b":{"c":1}}}"#)],
        );
        underlined(&UNKNOWN_RESPONSE_FIELD, &spec)
    };
    assert_eq!(with("{{ .id }}{{ range .items }}{{ .name }}{{ end }}{{ .a.b.c }}"), [""; 0]);
    assert_eq!(
        with("{{ .x }}{{ range .items }}{{ .price }}{{ end }}{{ .a.c }}{{ .items.name }}"),
        ["x", "price", "c", "name"]
    );
    assert_eq!(with("{{ .a.b.d }}"), ["d"]);
    // An unreadable one decides nothing.
    let spec = tool("{{ .x }}", "select = ['id', 'a[0]']", &[]);
    assert_eq!(found(&UNKNOWN_RESPONSE_FIELD, &spec), []);
}

fn finding_of(spec: &str) -> (String, Vec<String>, Option<String>) {
    let report = check_files(&MemoryFiles::one("spec.toml", spec));
    let finding = report.diagnostics.into_iter().find(|d| d.is(&UNKNOWN_RESPONSE_FIELD)).unwrap();
    (finding.message, finding.notes, finding.help)
}

#[test]
fn a_finding_says_where_the_knowledge_comes_from() {
    let (message, notes, help) = finding_of(&tool("{{ range .items }}{{ .nam }}{{ end }}", ORDER, &[]));
    assert_eq!(message, "the response has no field `items[].nam`");
    assert_eq!(notes, ["`output_schema` has `name` and `parts` there"]);
    assert_eq!(help.as_deref(), Some("did you mean `name`?"));

    let many = r#"{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1}"#;
    let (_, notes, help) = finding_of(&tool("{{ .zzz }}", "", &[(200, many), (201, "{}")]));
    assert_eq!(
        notes,
        ["the 2 example responses have `a`, `b`, `c`, `d`, `e`, `f`, `g`, `h` and 2 more there"]
    );
    assert_eq!(help.as_deref(), Some("correct the name, or add an example whose response has it"));

    let (message, notes, help) = finding_of(&tool("{{ .items.length }}", "", &[(200, r#"{"items":[1]}"#)]));
    assert_eq!(message, "the response has no field `items.length`: `items` is a list");
    assert_eq!(notes, ["according to the example response"]);
    assert_eq!(help.as_deref(), Some("write `len .items` for the number of its elements"));
    let (message, _, help) = finding_of(&tool("{{ .name }}", "", &[(200, r#"[{"name":1}]"#)]));
    assert_eq!(message, "the response has no field `name`: it is a list");
    assert_eq!(help.as_deref(), Some("loop over it: `{{ range . }}…{{ end }}`"));
}

#[test]
fn a_finding_in_a_file_is_reported_there_and_names_the_tool() {
    let spec =
        tool("", ORDER, &[]).replace("response_template = ''''''", "response_template = { file = 't.tmpl' }");
    let mut files = MemoryFiles::one("spec.toml", &spec);
    files.add("t.tmpl", "é\r\n{{ .idd }}");
    let report = check_files(&files);
    let finding = report.diagnostics.iter().find(|d| d.is(&UNKNOWN_RESPONSE_FIELD)).unwrap();
    assert_eq!(report.sources.file(finding.span.file).name, "t.tmpl");
    assert_eq!(report.sources.text(finding.span), "idd");
    assert_eq!(finding.related.len(), 1);
}

#[test]
fn the_findings_of_one_template_are_bounded() {
    let template: String = (0..1000).map(|n| format!("{{{{ .x{n} }}}}")).collect();
    assert_eq!(by_schema(&template).len(), MAX_FINDINGS);
}

fn loops(template: &str, rest: &str, body: &str) -> Vec<String> {
    underlined(&LOOP_OVER_SCALAR, &tool(template, rest, &[(200, body)]))
}

#[test]
fn loops_need_elements() {
    let body = r#"{"s":"x","n":3,"b":true,"l":[1],"o":{"a":1},"z":null}"#;
    let go = "{{ range .s }}{{ end }}{{ range .n }}{{ end }}{{ range .b }}{{ end }}{{ range .l }}{{ end }}{{ range .o }}{{ end }}{{ range .z }}{{ end }}{{ range .gone }}{{ end }}";
    assert_eq!(loops(go, "", body), ["s", "b"]);
    let handlebars = "{{#each s}}{{/each}}{{#each n}}{{/each}}{{#each b}}{{/each}}{{#each l}}{{/each}}{{#each o}}{{/each}}{{#each z}}{{/each}}";
    assert_eq!(loops(handlebars, "", body), ["s", "n", "b"]);
    assert_eq!(loops("{{ range .items }}{{ range .name }}{{ end }}{{ end }}", ORDER, "{}"), ["name"]);
    assert_eq!(loops("{{ range .extra }}{{ range .name }}{{ end }}{{ end }}", ORDER, "{}"), [""; 0]);
    assert_eq!(loops("{{ range . }}{{ end }}", "", "\"text\"").len(), 1);
}

#[test]
fn one_kind_that_can_be_looped_over_is_enough() {
    let schema = |kind: &str| format!("output_schema = {{ type = 'object', properties = {{ x = {kind} }} }}");
    let found = |kind: &str| loops("{{ range .x }}{{ end }}", &schema(kind), "{}").len();
    assert_eq!(found("{ type = ['string', 'null'] }"), 1);
    assert_eq!(found("{ type = ['string', 'array'] }"), 0);
    assert_eq!(found("{ type = ['string', 'integer'] }"), 0);
    assert_eq!(found("{ enum = ['a', 'b'] }"), 1);
    assert_eq!(found("{ const = true }"), 1);
    assert_eq!(found("{ oneOf = [{ type = 'string' }, { type = 'boolean' }] }"), 1);
    assert_eq!(found("{ oneOf = [{ type = 'string' }, { description = 'any' }] }"), 0);
    assert_eq!(found("{ type = 'null' }"), 0);
    assert_eq!(found("{ '$ref' = '#/nowhere' }"), 0);
    assert_eq!(found("true"), 0);
}
