//! Templates that the `handlebars` crate renders or refuses, and what we say to the refused ones.

use super::parse;

const ACCEPTED: &[&str] = &[
    "",
    "{{n}}",
    "{{ data.name }}",
    "{{data/name}}",
    "{{this}}",
    "{{this.data.name}}",
    "{{{data.name}}}",
    "{{&data.name}}",
    "{{data.[name]}}",
    "{{[a b]}}",
    "{{[it's]}}",
    "{{l.[1]}} {{l.0}}",
    "{{l.length}}",
    "[{{[this]}}]",
    "{{true}}",
    "{{#if a}}A{{else if b}}B{{else if c}}C{{else}}D{{/if}}",
    "{{#if a}}A{{^}}B{{/if}}",
    "{{#if n includeZero=true}}Z{{/if}}",
    "{{#unless a}}U{{else}}E{{/unless}}",
    "{{#each l}}{{@first}}/{{@last}} {{/each}}",
    "{{#each l}}{{this}}{{#unless @last}}, {{/unless}}{{/each}}",
    "{{#each m}}{{@key}}={{this}};{{/each}}",
    "{{#each l}}x{{else}}none{{/each}}",
    "{{#each l as |it|}}{{it.n}};{{/each}}",
    "{{#each m as |v k|}}{{k}}={{v}};{{/each}}",
    "{{#each g}}{{#each i}}{{../n}}{{this}} {{/each}}{{/each}}",
    "{{#each g}}{{#each i}}{{@../index}}.{{@index}} {{/each}}{{/each}}",
    "{{#each l}}{{@root.t}}{{this}} {{/each}}",
    "{{#each this}}{{this}},{{/each}}",
    "{{#with nope}}x{{else}}none{{/with}}",
    "{{#with data as |d|}}{{d.name}}{{/with}}",
    "{{#each l}}{{#with k}}{{@index}}{{v}} {{/with}}{{/each}}",
    "{{#each ks}}{{lookup ../m this}}{{/each}}",
    "{{#with (lookup l 0)}}{{k}}{{/with}}",
    "{{len l}}",
    "{{and a b}} {{or a b}} {{not a}}",
    "{{#eq a \"x\"}}T{{else}}F{{/eq}}",
    "{{#if (and (eq a \"x\") (gt n 1))}}T{{else}}F{{/if}}",
    "{{(lookup m \"k\")}}",
    "a\n  {{#if x}}  \n  b\n  {{/if}}  \nc",
    "{{~#each l~}}\n {{this}} \n{{~/each~}}\n.",
    "a\n{{! note }}\nb",
    "{{!-- {{x}} --}}",
    "a\r\n{{#if x}}\r\nb\r\n{{/if}}\r\nc",
    "{{{{raw}}}} {{x}} {{{{/raw}}}}",
    "{{lookup l 0}}{{lookup m \"a\"}}{{lookup m 'a'}}",
    "\\{{x}} \\\\{{x}}",
    "{{名前}} {{a-b}} {{ $x }}",
];

const REFUSED: &[(&str, &str)] = &[
    ("{{.}}", "invalid Handlebars syntax"),
    ("{{}}", "invalid Handlebars syntax"),
    ("{{a.}}", "invalid Handlebars syntax"),
    ("{{\"a\"}}", "invalid Handlebars syntax"),
    ("{{#with ..}}{{/with}}", "invalid Handlebars syntax"),
    ("{{- range $i, $v := .l }}{{ end }}", "invalid Handlebars syntax"),
    ("{{ if .x }}a{{ end }}", "invalid Handlebars syntax"),
    ("{{/* c */}}", "invalid Handlebars syntax"),
    ("{{^a}}x{{/a}}", "`{{^a}}` outside a block"),
    ("a {{x", "unclosed tag"),
    ("{{{x}}", "unclosed tag"),
    ("{{lookup m \"a}}", "unclosed tag"),
    ("{{! abc", "unclosed comment"),
    ("{{{{raw}}}} a", "unclosed raw block"),
    ("{{#if x}}a", "block `if` is never closed"),
    ("{{#each l}}{{#if x}}a{{/each}}", "`{{/each}}` closes block `if`"),
    ("{{#if x}}a{{/each}}", "`{{/each}}` closes block `if`"),
    ("a{{/if}}", "`{{/if}}` closes no block"),
    ("a{{else}}b", "`{{else}}` outside a block"),
    ("{{#if a}}1{{else}}2{{else}}3{{/if}}", "invalid Handlebars syntax"),
    ("{{> p}}", "partials are not supported"),
    ("{{> (lookup a b)}}", "partials are not supported"),
    ("{{#> p}}x{{/p}}", "partials are not supported"),
    ("{{#*inline \"p\"}}<{{name}}>{{/inline}}{{> p data}}", "inline partials are not supported"),
    ("{{#*deco a}}x{{/deco}}", "decorators are not supported"),
    ("{{* deco}}", "decorators are not supported"),
    ("{{foo x}}", "unknown helper `foo`"),
    ("{{foo x=1}}", "unknown helper `foo`"),
    ("{{#foo}}x{{/foo}}", "unknown helper `foo`"),
    ("{{{{foo}}}}x{{{{/foo}}}}", "unknown helper `foo`"),
    ("{{#if (foo)}}x{{/if}}", "unknown helper `foo`"),
    ("{{#if (a.b)}}x{{/if}}", "unknown helper `a.b`"),
    ("{{log \"x\"}}", "`log` is not supported"),
    ("[{{log}}]", "`log` is not supported"),
    ("[{{len}}]", "`len` is a helper and takes 1 parameter"),
    ("[{{lookup}}]", "`lookup` is a helper and takes 2 parameters"),
    ("{{#if}}x{{/if}}", "`if` takes 1 parameter, not 0"),
    ("{{#each}}x{{/each}}", "`each` takes 1 parameter, not 0"),
    ("{{eq a}}", "`eq` takes 2 parameters, not 1"),
    ("{{if a}}x", "`if` is a block helper"),
    ("{{#if a includeZero=b}}{{/if}}", "`includeZero` must be `true` or `false`"),
    ("{{#if a x=1}}{{/if}}", "`if` takes no `x=`"),
    ("{{@foo}}", "unknown variable `@foo`"),
    ("{{../a}}", "`../a` goes above the root"),
    ("{{#each [1]}}{{/each}}", "array and object literals are not supported"),
];

#[test]
fn what_the_crate_renders_is_accepted() {
    let registry = ::handlebars::Handlebars::new();
    for source in ACCEPTED {
        assert_eq!(parse(source).err(), None, "{source}");
        assert!(registry.render_template(source, &serde_json::json!({})).is_ok(), "{source}");
    }
}

#[test]
fn what_cannot_render_is_refused_with_a_message_of_its_own() {
    for (source, message) in REFUSED {
        let errors = parse(source).err().unwrap_or_else(|| panic!("`{source}` is accepted"));
        assert!(errors.iter().any(|error| error.message.starts_with(message)), "`{source}`: {errors:?}");
    }
}
