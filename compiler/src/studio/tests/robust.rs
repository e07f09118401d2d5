use super::{SHOP, folder};
use crate::studio::api;
use crate::studio::{Places, Studio, Subject, Token, Workspace};
use http::Method;
use proptest::prelude::*;
use std::sync::{Arc, LazyLock};

/// A studio that is not served, of files that it must not change.
static STUDIO: LazyLock<(tempfile::TempDir, Arc<Studio>)> = LazyLock::new(|| {
    let folder = folder(&[("shop.toml", SHOP)]);
    let paths = vec![folder.path().to_path_buf()];
    let places = Places { paths, is_mock: true, is_read_only: true, ..Places::default() };
    let subject = Subject::Specs(Box::new(Workspace::open(places).unwrap()));
    let studio = Studio::new(subject, Token::new().unwrap(), 1).unwrap();
    (folder, studio)
});

const SEGMENTS: &[&str] = &[
    "api",
    "studio",
    "mcp",
    "tools",
    "get_order",
    "preview",
    "send",
    "render",
    "examples",
    "run",
    "edits",
    "edit",
    "undo",
    "servers",
    "wiki",
    "call",
    "presets",
    "specs",
    "source",
    "findings",
    "1",
    "%20",
    "%ff",
    "..",
    "",
    "edge",
];

const KEYS: &[&str] = &[
    "kind",
    "tool",
    "key",
    "text",
    "path",
    "finding",
    "arguments",
    "argumentsText",
    "response",
    "status",
    "body",
    "base64",
    "contentType",
    "example",
    "title",
    "hashes",
    "apply",
    "name",
    "serverId",
    "toolName",
    "tools",
    "hash",
    "url",
    "timeout",
    "maxRetries",
    "retryOnError",
    "x",
];

fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        prop::sample::select(
            &[
                "\"get_order\"",
                "\"response_template\"",
                "\"body_template\"",
                "\"description\"",
                "\"fix\"",
                "\"fix_all\"",
                "\"text\"",
                "\"example\"",
                "\"source\"",
                "\"1-0\"",
                "\"-\"",
                "true",
                "null",
                "0",
                "-1",
                "1e999",
                "4294967296",
                "\"{{.id}}\"",
                "\"\"",
            ][..]
        )
        .prop_map(str::to_owned),
        "\"[a-z{}. -]{0,8}\"",
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let member =
            (prop::sample::select(KEYS), inner.clone()).prop_map(|(key, value)| format!("\"{key}\":{value}"));
        prop_oneof![
            prop::collection::vec(inner, 0..3).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(member, 0..4).prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    })
}

fn body() -> impl Strategy<Value = String> {
    let member = (prop::sample::select(KEYS), value()).prop_map(|(key, value)| format!("\"{key}\":{value}"));
    prop_oneof![
        4 => prop::collection::vec(member, 0..6).prop_map(|members| format!("{{{}}}", members.join(","))),
        1 => "[\\[\\]{}\",:a1 ]{0,12}",
    ]
}

fn path() -> impl Strategy<Value = String> {
    let any = prop::collection::vec(prop::sample::select(SEGMENTS), 0..6)
        .prop_map(|all| format!("/{}", all.join("/")));
    let known = prop::sample::select(
        &[
            "/api/studio/tools/get_order/preview",
            "/api/studio/tools/get_order/send",
            "/api/studio/tools/get_order/render",
            "/api/studio/edits",
            "/api/studio/examples/run",
            "/api/mcp/tools/call",
            "/api/mcp/servers/wiki/tools",
            "/api/mcp/servers",
            "/api/studio/source",
        ][..],
    );
    prop_oneof![1 => any, 3 => known.prop_map(str::to_owned)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_is_asked_is_answered_and_nothing_is_written(
        method in prop::sample::select(&["GET", "POST", "PUT", "DELETE", "HEAD"][..]),
        path in path(),
        query in "(path=)?[a-z%./&=]{0,10}",
        body in body(),
    ) {
        let (folder, studio) = &*STUDIO;
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let answered = api::route(studio, &method, &path, &query)
            .and_then(|call| api::answer(studio, &call, body.as_bytes()));
        if let Err(error) = answered {
            prop_assert!((400..500).contains(&error.status), "{} {} {} {:?}", method, path, body, error);
            prop_assert!(!error.message.is_empty() && !error.code.is_empty());
        }
        prop_assert_eq!(std::fs::read_to_string(folder.path().join("shop.toml")).unwrap(), SHOP);
        prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
