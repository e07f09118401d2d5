//! Bodies, parameters and upstreams that are easy to get wrong.

use super::*;

#[test]
fn a_body_and_a_parameter_of_one_name_are_told_apart() {
    let (_, finished) = imported(
        r##"
paths:
  /list:
    post:
      operationId: addList
      parameters: [{name: body, in: query, schema: {type: string}}]
      requestBody: {required: true, content: {application/json: {schema: {type: array, items: {type: integer}}}}}
      responses: {}
  /text:
    post:
      operationId: addText
      parameters: [{name: body, in: query, schema: {type: string}}]
      requestBody: {required: true, content: {application/json: {schema: {type: string}}}}
      responses: {}
  /file:
    post:
      operationId: addFile
      parameters: [{name: body, in: query, schema: {type: string}}]
      requestBody: {required: true, content: {application/octet-stream: {}}}
      responses: {}
"##,
    );
    let text = text(&finished);
    for line in ["body = \"whole:body_body\"", "{{ .body_body }}", "body = \"bytes:body_body\""] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    assert_eq!(finished.tools.imported, 3);
}

#[test]
fn files_of_3_1_are_bytes() {
    let document = r##"
openapi: 3.1.0
info: {title: Files, version: '1'}
servers: [{url: 'https://files.example'}]
paths:
  /upload:
    post:
      operationId: upload
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema:
              type: object
              required: [photo]
              properties:
                photo: {type: string, contentMediaType: image/png}
                raw: {type: string, contentMediaType: application/octet-stream}
                many: {type: array, items: {type: string, contentMediaType: application/pdf}}
                encoded: {type: string, contentEncoding: base64, contentMediaType: image/png}
                page: {type: string, contentMediaType: text/html}
                data: {type: string, contentMediaType: application/json}
      responses: {}
  /pdf: {put: {operationId: putPdf, requestBody: {required: true, content: {application/pdf: {}}}, responses: {}}}
  /zip: {put: {operationId: putZip, requestBody: {required: true, content: {application/zip: {schema: {type: string, contentMediaType: application/zip}}}}, responses: {}}}
  /xml: {put: {operationId: putXml, requestBody: {required: true, content: {application/xml: {}}}, responses: {}}}
"##;
    let (report, finished) = checked(finished(document, &Options::default()));
    assert_eq!(finished.tools, crate::import::ToolCount { imported: 4, refused: 0 });
    let parts: Vec<&str> = text(&finished).split("[[tool]]").collect();
    let of = |name: &str| *parts.iter().find(|part| part.contains(&format!("name = \"{name}\""))).unwrap();
    assert_eq!(of("upload").matches("encoding = \"base64\"").count(), 3, "{}", of("upload"));
    for (tool, body) in [("put_pdf", "bytes:body"), ("put_zip", "bytes:body"), ("put_xml", "whole:body")] {
        assert!(of(tool).contains(&format!("body = \"{body}\"")), "{}", of(tool));
    }
    let pdf = schema(&report, "put_pdf").to_text();
    assert!(pdf.contains("The bytes that are sent, in base64"), "{pdf}");
    assert!(schema(&report, "put_xml").to_text().contains("The text that is sent"));
    assert!(schema(&report, "upload").to_text().contains(r#""encoded":{"type":"string","format":"byte"}"#));
}

#[test]
fn encodings_are_used_or_reported() {
    let (_, finished) = imported(
        r##"
paths:
  /form:
    post:
      operationId: sendForm
      requestBody:
        required: true
        content:
          application/x-www-form-urlencoded:
            schema: {type: object, properties: {meta: {type: object, properties: {a: {type: string}}}, tags: {type: array, items: {type: string}}, name: {type: string}}}
            encoding:
              meta: {contentType: application/json}
              tags: {style: pipeDelimited, explode: false, allowReserved: true}
              name: {contentType: text/plain}
              gone: {style: form}
      responses: {}
  /parts:
    post:
      operationId: sendParts
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema: {type: object, properties: {photo: {type: string, format: binary}, scan: {type: string, format: binary}}}
            encoding:
              photo: {contentType: 'image/png, image/jpeg', headers: {X-A: {schema: {type: string}}}}
              scan: {contentType: image/tiff}
      responses: {}
"##,
    );
    let text = text(&finished);
    for line in ["style = \"json\"", "style = \"pipe\"", "content_type = \"image/tiff\""] {
        assert!(text.contains(line), "{line} in\n{text}");
    }
    let form = "/paths/~1form/post/requestBody/content/application~1x-www-form-urlencoded/encoding";
    let parts = "/paths/~1parts/post/requestBody/content/multipart~1form-data/encoding";
    let findings = finished.fidelity.findings.iter();
    let said: Vec<(&str, &str)> = findings
        .filter(|finding| finding.place.contains("/encoding/") && !finding.code.is_empty())
        .map(|finding| (finding.place.as_str(), finding.code))
        .collect();
    for (place, code) in [
        (format!("{form}/tags/allowReserved"), "style"),
        (format!("{form}/name/contentType"), "style"),
        (format!("{form}/gone"), "not-used"),
        (format!("{parts}/photo/contentType"), "style"),
        (format!("{parts}/photo/headers"), "style"),
    ] {
        assert!(said.contains(&(place.as_str(), code)), "{place} in {said:?}");
    }
    assert_eq!(said.len(), 5, "{said:?}");
}

/// One operation whose server or credential cannot be had takes no other one along.
#[test]
fn a_bad_upstream_takes_only_its_own_tools_along() {
    for (own, schemes) in [
        ("servers: [{url: 'https://exa mple.com/a b'}]", ""),
        ("servers: [{url: 'http://localhost:99999'}]", ""),
        ("security: [{k: []}]", "{k: {type: apiKey, in: header, name: 'X Key'}}"),
        ("security: [{k: []}]", "{k: {type: apiKey, in: header, name: Host}}"),
        (
            "security: [{k: []}]",
            "{k: {type: oauth2, flows: {clientCredentials: {tokenUrl: 'https://', scopes: {}}}}}",
        ),
        (
            "security: [{k: ['a b', '']}]",
            "{k: {type: oauth2, flows: {clientCredentials: {tokenUrl: 'https://id.example/t#f', scopes: {}}}}}",
        ),
    ] {
        let schemes = if schemes.is_empty() { "{}" } else { schemes };
        let (report, finished) = imported(&format!(
            r##"
paths:
  /ok: {{get: {{operationId: ok, responses: {{}}}}}}
  /odd:
    get:
      operationId: odd
      {own}
      responses: {{}}
components: {{securitySchemes: {schemes}}}
"##
        ));
        assert_eq!(
            finished.tools,
            crate::import::ToolCount { imported: 1, refused: 1 },
            "{own} {schemes}: {:?}",
            finished.fidelity
        );
        assert_eq!(report.tools(), 1);
        let refused = found(&finished.fidelity, "refused-by-check");
        assert!(refused.iter().all(|why| why.starts_with("/paths/~1odd/get")), "{refused:?}");
    }
}

#[test]
fn a_relative_token_server_is_said_to_be_one() {
    let (_, finished) = imported(
        r##"
security: [{k: []}]
paths: {/a: {get: {operationId: a, responses: {}}}}
components: {securitySchemes: {k: {type: oauth2, flows: {clientCredentials: {tokenUrl: /oauth/token, scopes: {}}}}}}
"##,
    );
    assert!(text(&finished).contains("kind = \"bearer\""), "{}", text(&finished));
    assert!(found(&finished.fidelity, "no-login").concat().contains("relative"));
}

#[test]
fn paths_of_azure_are_paths() {
    let (_, finished) = imported(
        r##"
paths: {/a: {get: {operationId: a, responses: {}}}}
x-ms-paths: {'/a?comp=list': {get: {operationId: listA, responses: {}}}}
"##,
    );
    assert_eq!(finished.tools.imported, 2);
    assert!(text(&finished).contains("endpoint = \"/a?comp=list\""), "{}", text(&finished));
}

/// Each is read once and found again by its name, so that a document with thousands does not take minutes.
#[test]
fn thousands_of_arguments_are_all_there() {
    let parameters: String =
        (0..2000).map(|i| format!("{{name: p{i}, in: query, schema: {{type: string}}}}, ")).collect();
    let (report, _) = imported(&format!(
        "paths: {{/a: {{get: {{operationId: many, responses: {{}}, parameters: [{parameters}]}}}}}}\n"
    ));
    assert_eq!(schema(&report, "many").get("properties").unwrap().as_object().unwrap().len(), 2000);
}
