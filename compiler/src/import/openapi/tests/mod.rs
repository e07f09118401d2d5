use super::*;
use crate::check::{MemoryFiles, Report, check_files};
use crate::import::fidelity::Fidelity;
use crate::import::{Finished, document, finish};
use proptest::prelude::*;

mod answers;
mod requests;
mod schemas;

fn finished(text: &str, options: &Options) -> Finished {
    let json = document::read(text.as_bytes()).unwrap();
    finish(import(&json, options).unwrap())
}

/// The import of a document with these paths, with the check of what it wrote.
fn imported(rest: &str) -> (Report, Finished) {
    let text = format!(
        "openapi: 3.0.3\ninfo: {{title: The Shop API, version: '1'}}\nservers: [{{url: 'https://shop.example/v1'}}]\n{rest}"
    );
    checked(finished(&text, &Options::default()))
}

fn checked(finished: Finished) -> (Report, Finished) {
    let mut files = MemoryFiles::default();
    for file in &finished.files {
        files.add(&file.name, &file.text);
    }
    let report = check_files(&files);
    assert_eq!(report.errors(), 0, "{:?}", report.diagnostics);
    (report, finished)
}

/// The schema of a tool's arguments.
fn schema(report: &Report, tool: &str) -> Json {
    let tools = report.toolsets.iter().flat_map(|toolset| &toolset.tools);
    tools.into_iter().find(|known| known.label() == tool).unwrap().published_schema().clone()
}

fn text(finished: &Finished) -> &str {
    &finished.files[0].text
}

/// The findings with a code: `place: why`.
fn found(fidelity: &Fidelity, code: &str) -> Vec<String> {
    let all = fidelity.findings.iter().filter(|finding| finding.code == code);
    all.map(|finding| format!("{}: {}", finding.place, finding.why)).collect()
}

#[test]
fn parameters_of_paths_and_operations_become_arguments() {
    let (report, finished) = imported(
        r##"
paths:
  /users/{user.id}/orders:
    parameters:
      - {name: user.id, in: path, required: true, description: Id of the user, schema: {type: string}}
      - {name: page, in: query, description: from the path, schema: {type: integer}}
    get:
      operationId: listOrders
      parameters:
        - {name: page, in: query, description: The page, schema: {type: integer, default: 1, minimum: 1}}
        - {name: 'filter[state]', in: query, description: State, schema: {type: string, enum: [open, closed]}}
        - {name: ids, in: query, style: form, explode: false, description: Ids, schema: {type: array, items: {type: integer}}}
        - {name: sort, in: query, style: deepObject, description: Sorting, schema: {type: object, properties: {by: {type: string}}}}
        - {name: box, in: query, description: Box, schema: {type: object, properties: {west: {type: number}, east: {type: number}}}}
        - {name: Accept, in: header, schema: {type: string}}
        - {name: X-Version, in: header, required: true, schema: {type: string, enum: ['2']}}
        - {name: Connection, in: header, schema: {type: string}}
        - {name: api_key, in: query, schema: {type: string}}
      responses: {'200': {description: ok}}
"##,
    );
    let schema = schema(&report, "list_orders").to_text();
    assert!(
        schema.contains(r#""page":{"type":"integer","description":"The page. Default: 1","minimum":1}"#),
        "{schema}"
    );
    for name in ["user_id", "filter_state", "ids", "sort", "west", "east"] {
        assert!(schema.contains(&format!("\"{name}\":{{")), "{name} in {schema}");
    }
    for hidden in ["Accept", "X-Version", "Connection", "api_key", "\"box\""] {
        assert!(!schema.contains(hidden), "{hidden} in {schema}");
    }
    let text = text(&finished);
    assert!(text.contains("endpoint = \"/users/{user_id}/orders\""), "{text}");
    assert!(text.contains("wire_name = \"filter[state]\"") && text.contains("style = \"comma\""));
    assert!(text.contains("value = \"2\"") && text.contains("value = \"${SHOP_API_KEY}\""), "{text}");
    let fidelity = &finished.fidelity;
    assert_eq!(found(fidelity, "forbidden-header-parameter").len(), 1);
    assert_eq!(found(fidelity, "ignored-header").len(), 1);
    assert_eq!(found(fidelity, "secret-replaced").len(), 1);
    assert_eq!(found(fidelity, "constant").len(), 1);
    assert_eq!(finished.tools.imported, 1);
}

#[test]
fn bodies_are_flat_where_they_are_objects() {
    let (report, finished) = imported(
        r##"
paths:
  /pets:
    post:
      operationId: addPet
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}, example: {name: Rex, tags: [a]}}}
      responses: {}
  /pets/list:
    post:
      operationId: addPets
      requestBody:
        required: true
        content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Pet'}}}}
      responses: {}
  /login:
    post:
      operationId: logIn
      requestBody:
        required: true
        content:
          application/x-www-form-urlencoded:
            schema: {type: object, required: [user], properties: {user: {type: string}, roles: {type: array, items: {type: string}}}}
            encoding: {roles: {style: deepObject, explode: true}}
          text/plain: {schema: {type: string}}
      responses: {}
  /notes:
    post:
      operationId: addNote
      requestBody: {content: {text/markdown: {schema: {type: string}}}}
      responses: {}
  /photos:
    post:
      operationId: addPhoto
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema: {type: object, required: [photo], properties: {photo: {type: string, format: binary, description: It}, more: {type: array, items: {type: string, format: binary}}, about: {type: object, properties: {a: {type: string}}}}}
            encoding: {photo: {contentType: image/png}}
      responses: {}
    put:
      operationId: replacePhoto
      requestBody: {required: true, content: {image/png: {schema: {type: string, format: binary}}}}
      responses: {}
  /title:
    put:
      operationId: setTitle
      requestBody: {required: true, content: {application/json: {schema: {type: string}}}}
      responses: {}
components:
  schemas:
    Pet:
      allOf:
        - {$ref: '#/components/schemas/Named'}
        - type: object
          properties:
            id: {type: integer, readOnly: true}
            parent: {$ref: '#/components/schemas/Node'}
            tags: {type: array, nullable: true, items: {type: string}}
          required: [id]
    Named: {type: object, required: [name], properties: {name: {type: string, description: Its name}}}
    Node: {type: object, properties: {next: {$ref: '#/components/schemas/Node'}, value: {type: integer, minimum: 0, exclusiveMinimum: true}}}
"##,
    );
    let pet = schema(&report, "add_pet");
    assert_eq!(pet.get("required").unwrap().to_text(), r#"["name"]"#);
    let properties = pet.get("properties").unwrap();
    assert!(properties.get("id").is_none(), "the API sets it");
    assert_eq!(properties.get("tags").unwrap().get("type").unwrap().to_text(), r#"["array","null"]"#);
    assert_eq!(properties.get("parent").unwrap().to_text(), r##"{"$ref":"#/$defs/Node"}"##);
    let node = pet.get("$defs").unwrap().get("Node").unwrap().to_text();
    assert!(
        node.contains(r##""next":{"$ref":"#/$defs/Node"}"##) && node.contains(r#""exclusiveMinimum":0"#),
        "{node}"
    );
    let text = text(&finished);
    assert!(
        text.contains("body = \"whole:body\"")
            && text.contains("body = \"form\"")
            && text.contains("style = \"deep\"")
    );
    assert!(text.contains("headers = { content-type = \"text/markdown\" }"), "{text}");
    assert!(text.contains("body_template = { go = \"{{ .body }}\" }"), "{text}");
    assert!(text.contains("arguments = { name = \"Rex\", tags = [\"a\"] }"), "{text}");
    assert!(
        text.contains("body = \"bytes:body\"") && text.contains("content_type = \"image/png\""),
        "{text}"
    );
    assert_eq!(text.matches("encoding = \"base64\"").count(), 3, "{text}");
    assert_eq!(finished.tools, crate::import::ToolCount { imported: 7, refused: 0 });
    assert_eq!(found(&finished.fidelity, "other-media-type").len(), 1);
    assert_eq!(found(&finished.fidelity, "read-only").len(), 1);
}

#[test]
fn fat_answers_are_cut_and_described() {
    let fields: String = (0..30).map(|i| format!("field_{i}: {{type: string}}, ")).collect();
    let rest = format!(
        r##"
paths:
  /orders:
    get:
      operationId: listOrders
      description: '<p>Lists <b>orders</b>.</p>'
      responses:
        '200':
          description: ok
          content:
            application/json:
              schema:
                type: object
                required: [data]
                properties:
                  has_more: {{type: boolean}}
                  data: {{type: array, items: {{$ref: '#/components/schemas/Order'}}}}
              example: {{has_more: false, data: [{{id: 7, name: x, owner: {{login: ada, node_id: q}}, self_url: u}}]}}
        '404': {{description: none}}
  /orders/{{id}}:
    get:
      operationId: getOrder
      responses:
        '200': {{description: ok, content: {{application/json: {{schema: {{$ref: '#/components/schemas/Order'}}}}}}}}
components:
  schemas:
    Order:
      type: object
      required: [id, name]
      properties: {{id: {{type: integer}}, name: {{type: string}}, owner: {{type: object, properties: {{login: {{type: string}}, node_id: {{type: string}}}}}}, self_url: {{type: string}}, {fields}}}
    Unused: {{type: object}}
"##
    );
    let (report, finished) = imported(&rest);
    let tool = &report.toolsets[0].tools[0];
    let select: Vec<&str> = tool.select.iter().map(|path| path.value.as_str()).collect();
    assert!(
        select.contains(&"has_more")
            && select.contains(&"data[].id")
            && select.contains(&"data[].owner.login")
    );
    assert!(!select.iter().any(|path| path.contains("url") || path.contains("node_id")), "{select:?}");
    let output = tool.output_schema.as_ref().unwrap().value.to_text();
    assert!(
        output.contains(r#""id":{"type":"integer"}"#) && output.contains(r#""owner":{"type":"object""#),
        "{output}"
    );
    assert_eq!(tool.description.as_ref().unwrap().value, "Lists orders.");
    assert!(text(&finished).contains("GET /orders/{id}"));
    assert_eq!(found(&finished.fidelity, "other-answer").len(), 1);
    assert_eq!(
        found(&finished.fidelity, "not-used"),
        ["/components/schemas/Unused: nothing that was imported refers to it"]
    );
    assert!(found(&finished.fidelity, "description-changed").concat().contains("its markup was removed"));
}

#[test]
fn a_document_that_breaks_its_word_promises_nothing() {
    let (report, _) = imported(
        r##"
paths:
  /a:
    get:
      operationId: getThing
      responses:
        '200':
          description: ok
          content:
            application/json:
              schema: {type: object, required: [id, n], properties: {id: {type: integer}, n: {type: integer}}}
              example: {id: "a text", n: 1}
"##,
    );
    let tool = &report.toolsets[0].tools[0];
    let output = tool.output_schema.as_ref().unwrap().value.to_text();
    assert_eq!(output, r#"{"type":"object","properties":{"id":{},"n":{"type":"integer"}}}"#);
    assert_eq!(tool.examples.len(), 1);
}

#[test]
fn credentials_and_servers_become_upstreams() {
    let text = r##"
openapi: 3.1.0
info: {title: GitHub's REST API, version: 1.0.0}
servers:
  - url: https://{region}.a.example:{port}/{base}
    variables: {region: {default: eu}, port: {default: '8443'}, base: {default: v2}}
  - {url: 'https://b.example'}
security: [{oauth: [read]}, {key: []}]
paths:
  /a: {get: {operationId: a, summary: Reads the first of all things, responses: {}}}
  /b: {get: {operationId: b, security: [], servers: [{url: /other}], responses: {}}}
  /c: {get: {operationId: c, security: [{machine: [x, y]}], responses: {}}}
  /d: {get: {operationId: d, security: [{key: [], second: [], third: []}], responses: {}}}
  /e: {get: {operationId: e, servers: [{url: 'https://c.example'}], responses: {}}}
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Key}
    second: {type: apiKey, in: query, name: k2}
    third: {type: apiKey, in: cookie, name: session}
    oauth: {type: oauth2, flows: {authorizationCode: {authorizationUrl: 'https://a.example/a', tokenUrl: 'https://a.example/t', scopes: {}}}}
    machine: {type: oauth2, flows: {clientCredentials: {tokenUrl: 'https://id.example/t', scopes: {}}}}
"##;
    let (_, finished) = checked(finished(text, &Options::default()));
    let text = self::text(&finished);
    for line in [
        "url = \"https://${GITHUBS_REGION:-eu}.a.example:${GITHUBS_PORT:-8443}/v2\"",
        "name = \"X-Key\"",
        "value = \"${GITHUBS_API_KEY}\"",
        "url = \"${GITHUBS_URL}/other\"",
        "kind = \"oauth2\"",
        "scopes = [\"x\", \"y\"]",
        "value = \"${GITHUBS_SECOND}\"",
        "value = \"${GITHUBS_THIRD}\"",
        "value = \"${GITHUBS_API_KEY_2}\"",
    ] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    assert_eq!(finished.tools, crate::import::ToolCount { imported: 5, refused: 0 });
}

#[test]
fn swagger_2_is_read_as_it_is() {
    let text = r##"
swagger: '2.0'
info: {title: Old Shop, version: '1'}
host: old.example
basePath: /api
schemes: [http, https]
consumes: [application/json]
securityDefinitions: {basic: {type: basic}}
security: [{basic: []}]
paths:
  /orders/{id}:
    get:
      parameters:
        - {$ref: '#/parameters/id'}
        - {name: tags, in: query, type: array, items: {type: string}, collectionFormat: multi, description: Tags}
      responses: {200: {description: ok, schema: {$ref: '#/definitions/Order'}, examples: {application/json: {id: 1}}}}
    put:
      operationId: replaceOrder
      parameters:
        - {$ref: '#/parameters/id'}
        - {name: order, in: body, required: true, schema: {$ref: '#/definitions/Order'}}
      responses: {}
    post:
      operationId: sendOrder
      consumes: [application/x-www-form-urlencoded]
      parameters:
        - {$ref: '#/parameters/id'}
        - {name: note, in: formData, type: string, required: true, description: A note}
      responses: {}
  /upload:
    post: {operationId: upload, parameters: [{name: file, in: formData, type: file}], responses: {}}
parameters: {id: {name: id, in: path, required: true, type: integer, format: int64, description: Its id}}
definitions: {Order: {type: object, required: [id], properties: {id: {type: integer}, note: {type: string, x-nullable: true}}}}
"##;
    let (report, finished) = checked(finished(text, &Options::default()));
    let text = self::text(&finished);
    assert!(
        text.contains("url = \"https://old.example/api\"") && text.contains("kind = \"basic\""),
        "{text}"
    );
    assert!(text.contains("style = \"repeat\"") && text.contains("body = \"form\""), "{text}");
    assert!(text.contains("response = { status = 200, body = { id = 1 } }"), "{text}");
    assert!(
        schema(&report, "get_orders").to_text().contains(r#""id":{"type":"integer","description":"Its id"}"#)
    );
    let replace = schema(&report, "replace_order").to_text();
    assert!(replace.contains(r#""id_body":{"type":"integer"}"#), "{replace}");
}

#[test]
fn operations_are_selected_and_named() {
    let text = r##"
openapi: 3.0.0
info: {title: Many, version: '1'}
servers: [{url: 'https://a.example'}]
paths:
  /a/one: {get: {tags: [x], responses: {}}, delete: {tags: [y], operationId: same, deprecated: true, responses: {}}}
  /b/two: {post: {tags: [y], operationId: Same, responses: {}}, get: {x-internal: true, responses: {}}}
  /c: {trace: {responses: {}}, get: {tags: [z], operationId: same, responses: {}}}
"##;
    let count =
        |selection: Selection| finished(text, &Options { selection, ..Options::default() }).tools.imported;
    assert_eq!(count(Selection::default()), 4);
    assert_eq!(count(Selection { internal: true, ..Selection::default() }), 5);
    assert_eq!(count(Selection { read_only: true, ..Selection::default() }), 2);
    assert_eq!(count(Selection { skip_deprecated: true, ..Selection::default() }), 3);
    assert_eq!(count(Selection { tags: vec!["y".into()], ..Selection::default() }), 2);
    assert_eq!(count(Selection { paths: vec!["/a/**".into()], ..Selection::default() }), 2);
    assert_eq!(count(Selection { methods: vec!["post".into()], ..Selection::default() }), 1);
    assert_eq!(count(Selection { max_tools: Some(2), ..Selection::default() }), 2);
    let json = document::read(text.as_bytes()).unwrap();
    let wrong = Selection { tags: vec!["yy".into()], ..Selection::default() };
    let error = import(&json, &Options { selection: wrong, ..Options::default() }).map(|_| ()).unwrap_err();
    assert!(error.contains("no operation has the tag `yy`"), "{error}");
    let by_tag = finished(text, &Options { by_tag: true, ..Options::default() });
    let names: Vec<&str> = by_tag.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["many_x.toml", "many_y.toml", "many_z.toml"]);
    let all: String = by_tag.files.iter().map(|file| file.text.as_str()).collect();
    let tools: std::collections::BTreeSet<&str> =
        all.lines().filter(|line| line.starts_with("name = ") && !line.contains("many_")).collect();
    assert_eq!(tools.len(), 4, "{tools:?}");
    assert!(all.contains("name = \"list_a_one\""));
}

#[test]
fn what_cannot_be_had_is_refused_by_its_reason() {
    let (_, finished) = imported(
        r##"
paths:
  /ok: {get: {operationId: ok, responses: {}}}
  /far: {get: {operationId: far, parameters: [{$ref: 'other.yaml#/a'}], responses: {}}}
  /matrix/{id}: {get: {operationId: matrix, parameters: [{name: id, in: path, required: true, style: matrix, schema: {type: string}}], responses: {}}}
  /xml: {post: {operationId: xml, requestBody: {required: true, content: {application/xml: {schema: {type: object}}}}, responses: {}}}
  /bad{: {get: {operationId: bad, responses: {}}}
  /broken: 7
"##,
    );
    assert_eq!(finished.tools, crate::import::ToolCount { imported: 1, refused: 4 });
    let fidelity = &finished.fidelity;
    assert!(found(fidelity, "unresolved-ref").concat().contains("nothing from the network"));
    assert!(found(fidelity, "style").concat().contains("`matrix`"));
    assert!(found(fidelity, "media-type").concat().contains("application/xml"));
    assert!(found(fidelity, "path").concat().contains("braces"));
    assert!(found(fidelity, "invalid").concat().contains("/paths/~1broken"));
}

#[test]
fn the_same_document_gives_the_same_bytes() {
    let text = include_str!("shop.yaml");
    let one = finished(text, &Options::default());
    let other = finished(text, &Options::default());
    assert_eq!(one.files, other.files);
    assert_eq!(one.fidelity, other.fidelity);
    assert_eq!(one.tools.refused, 0, "{:?}", one.fidelity);
    let (report, _) = checked(one);
    assert_eq!(report.tools(), 3);
}

/// Values that documents hold where they should not.
fn odd() -> impl Strategy<Value = Json> {
    prop_oneof![
        Just(Json::Null),
        Just(Json::Bool(true)),
        Just(Json::Number("-1e999".into())),
        Just(Json::string("#/paths")),
        Just(Json::string("")),
        Just(Json::Array(vec![Json::Null])),
        Just(Json::Object(vec![("$ref".into(), Json::string("#"))])),
        Just(Json::Object(vec![("$ref".into(), Json::string("#/components/schemas/Order"))])),
        Just(Json::Object(vec![
            ("type".into(), Json::string("array")),
            ("items".into(), Json::Object(vec![("$ref".into(), Json::string("#/components/schemas/Order"))])),
        ])),
        Just(Json::Object(vec![("".into(), Json::Null), ("type".into(), Json::string("array"))])),
    ]
}

/// Puts a value in the place of the value with this number.
fn replace(json: &mut Json, number: &mut usize, by: &Json) {
    if *number == 0 {
        *json = by.clone();
        *number = usize::MAX;
        return;
    }
    *number -= 1;
    let inside: Vec<&mut Json> = match json {
        Json::Array(items) => items.iter_mut().collect(),
        Json::Object(members) => members.iter_mut().map(|(_, value)| value).collect(),
        _ => Vec::new(),
    };
    for value in inside {
        if *number != usize::MAX {
            replace(value, number, by);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    /// Whatever is wrong with a document, what is written has no errors, and every value is accounted for.
    #[test]
    fn broken_documents_are_imported_or_refused(places in prop::collection::vec((0..400_usize, odd()), 1..4), compact: bool) {
        let mut json = document::read(include_str!("shop.yaml").as_bytes()).unwrap();
        for (place, by) in places {
            let mut number = place;
            replace(&mut json, &mut number, &by);
        }
        let options = Options { compact, by_tag: compact, ..Options::default() };
        if let Ok(imported) = import(&json, &options) {
            checked(finish(imported));
        }
    }
}
