use super::*;
use crate::import::gateways::testing::{any_json, findings, imported, mutated, refusal};
use crate::import::{ToolCount, finish};
use proptest::prelude::*;

const SHOP: &str = r#"{
  "info": {"name": "Shop API", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
  "auth": {"type": "bearer", "bearer": [{"key": "token", "value": "{{accessToken}}", "type": "string"}]},
  "variable": [{"key": "baseUrl", "value": "https://api.example.com/v1"}, {"key": "accessToken", "value": "hunter2"},
               {"key": "region", "value": "eu"}, {"key": "unused", "value": "1"}],
  "event": [{"listen": "prerequest", "script": {"exec": [""]}}],
  "item": [
    {"name": "Orders", "description": "All about orders.", "item": [
      {"name": "Get one order", "request": {
         "method": "GET", "description": {"content": "Gets one order of the shop.", "type": "text/markdown"},
         "header": [{"key": "Accept", "value": "application/json"}, {"key": "X-Region", "value": "{{region}}"}, {"key": "X-Old", "value": "1", "disabled": true}, {"key": "Host", "value": "x"}],
         "url": {"raw": "{{baseUrl}}/orders/:id?expand=true&tag=a&tag=b", "host": ["{{baseUrl}}"], "path": ["orders", ":id"],
                 "query": [{"key": "expand", "value": "true", "description": "More of it"}, {"key": "tag", "value": "a"}, {"key": "tag", "value": "b"}, {"key": "page", "value": "2", "disabled": true}],
                 "variable": [{"key": "id", "value": "42", "description": "Id of the order"}]}},
       "response": [{"name": "Not there", "code": 404, "body": "{}"}, {"name": "Paid", "code": 200, "body": "{\"id\": 42}"}]},
      {"name": "Sub", "item": [
        {"name": "Add order", "event": [{"listen": "test", "script": {"exec": ["pm.test()"]}}], "request": {
           "method": "POST", "header": [{"key": "Content-Type", "value": "application/json"}],
           "body": {"mode": "raw", "raw": "{\"note\": \"x\", \"count\": 2, \"items\": [{\"sku\": \"a\"}], \"region\": {{region}}, \"who\": \"{{user}}\"}", "options": {"raw": {"language": "json"}}},
           "url": "{{baseUrl}}/orders"}}
      ]}
    ]},
    {"name": "Upload", "request": {"method": "POST", "auth": {"type": "apikey", "apikey": [{"key": "key", "value": "X-Key"}, {"key": "value", "value": "hunter3"}]},
       "body": {"mode": "formdata", "formdata": [{"key": "file", "type": "file", "src": "/tmp/a.png"}, {"key": "note", "value": "hi", "type": "text"}]},
       "url": {"raw": "https://files.example.com/upload"}}},
    {"name": "Form", "request": {"method": "POST", "auth": {"type": "noauth"}, "body": {"mode": "urlencoded", "urlencoded": [{"key": "a", "value": "1"}]}, "url": {"protocol": "http", "host": ["{{host}}", "example", "com"], "port": "8080", "path": ["form"]}}},
    {"name": "Graph", "request": {"method": "POST", "body": {"mode": "graphql", "graphql": {"query": "query($id: Int) { a(id: $id) }", "variables": "{\"id\": 1}"}}, "url": "{{baseUrl}}/graphql"}},
    {"name": "Signed", "request": {"method": "GET", "auth": {"type": "awsv4"}, "url": "{{baseUrl}}/signed"}},
    {"name": "Raw file", "request": {"method": "PUT", "body": {"mode": "file", "file": {"src": "a"}}, "url": "{{baseUrl}}/raw"}},
    {"name": "No URL", "request": {"method": "GET"}}
  ]
}"#;

#[test]
fn a_collection_becomes_toolsets_with_examples() {
    let finished = imported(import, SHOP);
    assert_eq!(finished.tools, ToolCount { imported: 6, refused: 2 }, "{:?}", finished.fidelity.findings);
    let names: Vec<&str> = finished.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["shop_api.toml", "orders.toml"]);
    let all: String = finished.files.iter().map(|file| file.text.as_str()).collect();
    for line in [
        "url = \"${BASE_URL:-https://api.example.com}\"",
        "url = \"http://${HOST}.example.com:8080\"",
        "token = \"${ACCESS_TOKEN}\"",
        "endpoint = \"/v1/orders/{id}\"",
        "name = \"get_one_order\"",
        "description = \"Id of the order\"",
        "X-Region = \"${REGION}\"",
        "body = \"multipart\"",
        "file_name = \"a.png\"",
        "body = \"form\"",
        "body = \"bytes:file\"",
        "wire_name = \"variables.id\"",
        "items = { type = \"object\", properties = { sku = { type = \"string\" } } }",
        "tags = [\"Sub\"]",
        "instructions = \"All about orders.\"",
        "arguments = { expand = true, id = \"42\", tag = [\"a\"] }",
        "status = 200",
    ] {
        assert!(all.contains(line), "{line}\n{all}");
    }
    for gone in ["hunter2", "hunter3", "X-Old", "Host ="] {
        assert!(!all.contains(gone), "{gone}\n{all}");
    }
    let codes: Vec<&str> = findings(&finished).into_iter().map(|(code, _)| code).collect();
    for code in [
        "beside-tools",
        "disabled",
        "not-expressible",
        "not-used",
        "script-dropped",
        "secret-replaced",
        "type-inferred",
        "variable-moved",
    ] {
        assert!(codes.contains(&code), "{code} {codes:?}");
    }
    assert!(
        !codes.contains(&"unknown-member") && !codes.contains(&"example-refused"),
        "{:?}",
        findings(&finished)
    );
}

#[test]
fn a_wrapped_collection_is_read_and_others_are_refused() {
    assert_eq!(imported(import, &format!("{{\"collection\": {SHOP}}}")).tools.imported, 6);
    for text in [
        "{}",
        "[]",
        r#"{"info": {"schema": "https://schema.getpostman.com/json/collection/v1.0.0/"}, "item": []}"#,
    ] {
        assert!(refusal(import, text).contains("Collection v2.1"), "{text}");
    }
}

#[test]
fn members_that_nobody_reads_are_told() {
    let finished = imported(
        import,
        &SHOP.replacen("\"method\": \"GET\",", "\"method\": \"GET\", \"proxy\": {\"host\": \"p\"},", 1),
    );
    assert!(findings(&finished).contains(&("unknown-member", "/item/0/item/0/request/proxy")));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn hostile_documents_are_imported_or_refused(choices in prop::collection::vec((0..250_u8, any_json()), 150)) {
        let document = mutated(&Json::parse(SHOP).unwrap(), &mut choices.into_iter());
        if let Ok(imported) = import(&Source { name: "x", stem: None }, &document) {
            finish(imported);
        }
    }
}

/// Wherever people leave credentials, none is in what is written, and the report names their variables.
#[test]
fn secrets_are_in_no_file() {
    let text = r#"{"info": {"name": "Shop", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
      "variable": [{"key": "baseUrl", "value": "https://api.example.com"}, {"key": "pw", "value": "s3cr3t"}, {"key": "token", "value": "s3cr3t"}],
      "item": [
        {"name": "Get order", "request": {"method": "GET",
          "header": [{"key": "X-Api-Key", "value": "s3cr3t"}],
          "url": {"raw": "{{baseUrl}}/orders/:token?api_key=s3cr3t&page_token=next", "path": ["orders", ":token"], "variable": [{"key": "token", "value": "s3cr3t"}],
                  "query": [{"key": "api_key", "value": "s3cr3t"}, {"key": "page_token", "value": "next"}, {"key": "access_token", "value": "s3cr3t", "disabled": true}]}},
         "response": [{"name": "ok", "code": 200, "body": "{\"id\": 1, \"refresh_token\": \"s3cr3t\"}"}]},
        {"name": "Query only", "request": {"method": "GET", "url": "https://api.example.com/x?client_secret=s3cr3t"}},
        {"name": "Log in", "request": {"method": "POST", "url": "{{baseUrl}}/login",
          "body": {"mode": "raw", "raw": "{\"user\": \"ada\", \"password\": \"s3cr3t\", \"other_password\": \"{{pw}}\", \"inner\": {\"secret\": \"s3cr3t\", \"n\": 1}}"}}},
        {"name": "List", "request": {"method": "POST", "url": "{{baseUrl}}/list", "body": {"mode": "raw", "raw": "[{\"password\": \"s3cr3t\"}]"}}},
        {"name": "Xml", "request": {"method": "POST", "url": "{{baseUrl}}/xml", "body": {"mode": "raw", "raw": "<password>s3cr3t</password>"}}},
        {"name": "Form", "request": {"method": "POST", "url": "{{baseUrl}}/form", "body": {"mode": "urlencoded", "urlencoded": [{"key": "client_secret", "value": "s3cr3t"}, {"key": "user", "value": "ada"}]}}},
        {"name": "Parts", "request": {"method": "POST", "url": "{{baseUrl}}/parts", "body": {"mode": "formdata", "formdata": [{"key": "apiKey", "value": "s3cr3t", "type": "text"}]}}},
        {"name": "Graph", "request": {"method": "POST", "url": "{{baseUrl}}/graphql", "body": {"mode": "graphql", "graphql": {"query": "query { a }", "variables": "{\"password\": \"s3cr3t\", \"in\": {\"token\": \"s3cr3t\"}}"}}}}
      ]}"#;
    let finished = imported(import, text);
    assert_eq!(finished.tools, ToolCount { imported: 8, refused: 0 }, "{:?}", finished.fidelity.findings);
    let all: String = finished.files.iter().map(|file| file.text.as_str()).collect();
    assert!(!all.contains("s3cr3t"), "{all}");
    assert!(finished.fidelity.findings.iter().all(|finding| !finding.why.contains("s3cr3t")));
    for variable in [
        "GET_ORDER_X_API_KEY",
        "GET_ORDER_API_KEY",
        "QUERY_ONLY_CLIENT_SECRET",
        "LOG_IN_PASSWORD",
        "LOG_IN_OTHER_PASSWORD",
        "FORM_CLIENT_SECRET",
        "PARTS_APIKEY",
        "GRAPH_PASSWORD",
    ] {
        assert!(all.contains(&format!("${{{variable}}}")), "{variable} in {all}");
    }
    assert!(all.contains("page_token = \"next\"") && all.contains("a_refresh_token"), "{all}");
}
