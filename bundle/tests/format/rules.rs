//! What a plan may hold: every rule of `verify` with a case that breaks it.
#![cfg(test)]

use crate::encoder::{assemble, features, sections};
use crate::support::{Draft, http, sample};
use mcp_bundle::format::{ReadError, Trust, WriteError, read, write};
use mcp_bundle::plan::*;
use mcp_bundle::strings::StrId;
use mcp_bundle::template::{Destination, Encoding, Op, OpCode, Run};
use mcp_bundle::wire_enums::PartKind;

/// Tools of the sample.
pub const JSON: usize = 0;
pub const FIXED: usize = 1;
pub const ORDER: usize = 2;
pub const FORM: usize = 3;
pub const WHOLE: usize = 4;

pub const NO_STRING: StrId = StrId(100_000);

/// The edit makes the writer and the reader refuse the sample, for the same reason.
#[track_caller]
pub fn refused(expected: &str, edit: impl FnOnce(&mut Draft)) {
    let mut draft = sample();
    edit(&mut draft);
    let contents = draft.finish();
    let Err(WriteError::Invalid(written)) = write(&contents) else { panic!("written: {expected}") };
    assert_eq!(written.to_string(), expected);
    let Err(ReadError::Invalid(found)) =
        read(&assemble(features(&contents), &sections(&contents)), &Trust::Any)
    else {
        panic!("read: {expected}")
    };
    assert_eq!(found, written);
}

/// As [`refused`], for one tool.
#[track_caller]
pub fn tool_refused(at: usize, expected: &str, edit: impl FnOnce(&mut Draft, &mut ToolPlan)) {
    let name = ["create_user", "fixed", "get_order", "search", "upload"][at];
    refused(&format!("tool `{name}`: {expected}"), |d| {
        let mut tool = d.contents.tools[at].clone();
        edit(d, &mut tool);
        d.contents.tools[at] = tool;
    });
}

/// The edit leaves a bundle that can be served.
#[track_caller]
pub fn accepted(edit: impl FnOnce(&mut Draft)) {
    let mut draft = sample();
    edit(&mut draft);
    let contents = draft.finish();
    assert_eq!(read(&write(&contents).unwrap(), &Trust::Any).unwrap().contents, contents);
}

#[test]
fn manifest() {
    refused("manifest: name is string 100000, which does not exist", |d| {
        d.contents.manifest.name = NO_STRING;
    });
    refused("manifest: toolset `demo` comes after `shop`, not sorted", |d| {
        d.contents.manifest.toolsets.swap(0, 1);
    });
    refused("manifest: toolset `demo` is duplicated", |d| {
        d.contents.manifest.toolsets[1].name = d.s("demo");
    });
    for name in ["", "tools", "invoke", "..", "a/b", "a b", "é"] {
        refused(&format!("manifest: `{name}` cannot name a toolset"), |d| {
            d.contents.manifest.toolsets[0].name = d.s(name);
        });
    }
    refused("manifest: toolset title is string 100000, which does not exist", |d| {
        d.contents.manifest.toolsets[0].title = Some(NO_STRING);
    });
    refused("manifest: toolset instructions is string 100000, which does not exist", |d| {
        d.contents.manifest.toolsets[0].instructions = Some(NO_STRING);
    });
    refused("manifest: variable `OTHER` comes after `TOKEN`, not sorted", |d| {
        d.contents.manifest.variables.swap(0, 1);
    });
    refused("manifest: a variable without a name", |d| d.contents.manifest.variables[0] = d.s(""));
    refused("manifest: pattern is string 100000, which does not exist", |d| {
        d.contents.manifest.patterns[0] = NO_STRING;
    });
    refused("manifest: schema is string 100000, which does not exist", |d| {
        d.contents.manifest.schemas[0] = NO_STRING;
    });
}

#[test]
fn upstreams() {
    refused("upstream 0: name is string 100000, which does not exist", |d| {
        d.contents.upstreams[0].name = NO_STRING;
    });
    for host in ["", "EXAMPLE.com", "a b", "a/b", "[::1]", "user@host", "a\r\nb"] {
        let expected =
            format!("upstream 0: host `{}` is not a lower-case host name or address", host.escape_debug());
        refused(&expected, |d| d.contents.upstreams[0].host = d.s(host));
    }
    refused("upstream 0: port 0", |d| d.contents.upstreams[0].port = 0);
    refused("upstream 0: authority `127.0.0.1` instead of `127.0.0.1:9000`", |d| {
        d.contents.upstreams[0].authority = d.s("127.0.0.1");
    });
    refused("upstream 0: authority `127.0.0.1:9000` instead of `127.0.0.1`", |d| {
        d.contents.upstreams[0].port = 80;
    });
    refused("upstream 1: authority `2001:db8::1` instead of `[2001:db8::1]`", |d| {
        d.contents.upstreams[1].authority = d.s("2001:db8::1");
    });
}

#[test]
fn origins_with_variables() {
    let with = |d: &mut Draft, url: &str| {
        let (empty, url) = (d.s(""), d.s(url));
        let upstream = &mut d.contents.upstreams[0];
        (upstream.host, upstream.authority, upstream.port, upstream.url) = (empty, empty, 0, Some(url));
    };
    let mut draft = sample();
    with(&mut draft, "http://${ES_HOST:-localhost}:9200");
    assert!(write(&draft.finish()).is_ok());
    refused("upstream 0: url `ftp://${H:-a}` can never be an origin", |d| with(d, "ftp://${H:-a}"));
    refused("upstream 0: url `${H` can never be an origin", |d| with(d, "${H"));
    refused("upstream 0: url is too long", |d| with(d, &"a".repeat(2049)));
    refused("upstream 0: variable `NEW` of the url is not in the manifest", |d| with(d, "${NEW}"));
    refused("upstream 0: both a url with variables and a host", |d| {
        d.contents.upstreams[0].url = Some(d.s("${URL:-http://a.example}"));
    });
}

#[test]
fn policies_and_templates() {
    refused("policy 0: scope is string 100000, which does not exist", |d| {
        d.contents.policies[0].scopes[0] = NO_STRING;
    });
    refused("policy 0: scope `orders:read` comes after `orders:write`, not sorted", |d| {
        d.contents.policies[0].scopes.swap(0, 1);
    });
    refused("policy 0: `a\\\"b` is not a scope", |d| d.contents.policies[0].scopes[0] = d.s("a\"b"));
}

/// One line for each thing that a program may not do.
#[test]
fn programs() {
    refused("template 0: instruction 0: literal is string 100000, which does not exist", |d| {
        d.contents.templates.ops[0].a = NO_STRING.0;
    });
    refused("template 0: instruction 0: literal `a\\\"b` is not allowed inside a JSON string", |d| {
        d.contents.templates.ops[0].a = d.s("a\"b").0;
    });
    refused("template 0: instruction 1: path 1 does not exist, there are 1", |d| {
        d.contents.templates.ops[1].a = 1;
    });
    refused("template 0: instruction 1: encoding 9 does not exist", |d| d.contents.templates.ops[1].b = 9);
    refused("template 0: instruction 1: a value encoded as header is not allowed in a text", |d| {
        d.contents.templates.ops[1].b = u32::from(Encoding::Header.tag());
    });
    refused("template 0: instruction 1: register 3 does not exist, there are 3", |d| {
        d.contents.templates.paths[0].base = 3;
    });
    refused("template 0: instruction 2: constant 1 does not exist, there are 1", |d| {
        d.contents.templates.ops[2].a = 1;
    });
    refused("template 0: instruction 3: loop 1 does not exist, there are 1", |d| {
        d.contents.templates.ops[3].a = 1;
    });
    refused("template 0: instruction 3: a jump to 9, which is behind the end", |d| {
        d.contents.templates.ops[3].b = 9;
    });
    refused("template 0: instruction 4: register 3 does not exist, there are 3", |d| {
        d.contents.templates.ops[4].c = 2;
    });
    refused("template 0: instruction 5: test 4 does not exist", |d| d.contents.templates.ops[5].c = 4);
    refused("template 0: instruction 6: item of a loop 6 does not exist", |d| {
        d.contents.templates.ops[6].b = 6;
    });
    refused("template 0: instruction 7: function 0 does not exist", |d| {
        d.contents.templates.ops[7].code = OpCode::Call;
    });
    refused("template 0: instruction 7: a variable in the text of a result", |d| {
        d.contents.templates.ops[7] = Op::new(OpCode::Variable, u32::from(PartKind::Variable.tag()), 0, 1);
    });
    refused("template 0: 0 registers, there may be 1 to 4096", |d| {
        d.contents.templates.programs[0].registers = 0;
    });
    refused("template 0: 4097 loops, the most is 4096", |d| d.contents.templates.programs[0].loops = 4097);
    refused("template 0: shape 2 does not exist, there are 2", |d| {
        d.contents.templates.programs[0].shape = 2;
    });
    refused("template 0: instructions end at 9, there are 8", |d| {
        d.contents.templates.programs[0].ops.count = 9;
    });
    refused("template 0: its instructions begin at 1, those before end at 0", |d| {
        d.contents.templates.programs[0].ops = Run { start: 1, count: 1 };
    });
    refused("bundle: instructions or spots that belong to no template", |d| {
        d.contents.templates.programs[0].spots.count = 1;
    });
    refused("template 0: its spots are not in order", |d| d.contents.templates.spots.swap(0, 1));
    refused("bundle: steps of a path end at 2, there are 1", |d| {
        d.contents.templates.paths[0].steps.count = 2;
    });
    refused("bundle: a path of 65 steps, the most is 64", |d| {
        let step = d.contents.templates.steps[0];
        d.contents.templates.steps = vec![step; 65];
        d.contents.templates.paths[0].steps.count = 65;
    });
    refused("bundle: key of a step is string 100000, which does not exist", |d| {
        d.contents.templates.steps[0].key = NO_STRING;
    });
    refused("bundle: constant `x` is not a JSON number", |d| {
        d.contents.templates.constants[0].text = d.s("x");
    });
    refused("bundle: a field of shape 1 is shape 1, which is not before it", |d| {
        d.contents.templates.fields[0].shape = 1;
    });
    refused("bundle: the items of shape 0 are shape 0, which is not before it", |d| {
        d.contents.templates.shapes[0].items = 0;
    });
    refused("bundle: shape 1 has 1025 fields, the most is 1024", |d| {
        let field = d.contents.templates.fields[0];
        d.contents.templates.fields = vec![field; 1025];
        d.contents.templates.shapes[1].fields.count = 1025;
    });
    refused("bundle: shape 1 has fields and items", |d| d.contents.templates.shapes[1].items = 0);
    refused("bundle: fields of a shape end at 2, there are 1", |d| {
        d.contents.templates.shapes[1].fields.count = 2;
    });
    refused("bundle: key of a field is string 100000, which does not exist", |d| {
        d.contents.templates.fields[0].key = NO_STRING;
    });
    refused("bundle: the fields of shape 1 do not follow those before", |d| {
        let field = d.contents.templates.fields[0];
        d.contents.templates.fields.push(field);
        d.contents.templates.shapes[1].fields.start = 1;
    });
    refused("bundle: the prefix of field `status` is not its own", |d| {
        d.contents.templates.fields[0].prefix = 0;
    });
    tool_refused(ORDER, "template does not write text", |d, _| {
        let program = &mut d.contents.templates.programs[0];
        program.place = Destination::Json;
    });
}

#[test]
fn counts() {
    refused("bundle: 6 tools, but 4 list entries", |d| d.contents.list.truncate(4));
    refused("bundle: 4 tools, but 6 list entries", |d| d.contents.tools.truncate(4));
}

#[test]
fn tool_names() {
    refused("tool `#0`: name is string 100000, which does not exist", |d| {
        d.contents.tools[0].name = NO_STRING;
    });
    refused("tool `create_user`: tool `create_user` comes after `fixed`, not sorted", |d| {
        d.contents.tools.swap(0, 1);
    });
    refused("tool `create_user`: tool `create_user` is duplicated", |d| {
        d.contents.tools[1].name = d.contents.tools[0].name;
    });
    let long = "x".repeat(65);
    for name in ["", "a b", "a.b", "é", &long] {
        refused(&format!("tool `{name}`: a name is 1 to 64 letters, digits, `_` and `-`"), |d| {
            d.contents.tools[4].name = d.s(name);
        });
    }
}

#[test]
fn indexes_of_a_tool() {
    tool_refused(JSON, "toolset 2 does not exist, there are 2", |_, t| t.toolset = 2);
    tool_refused(JSON, "upstream 4 does not exist, there are 4", |_, t| http(t).upstream = 4);
    tool_refused(JSON, "schema 1 does not exist, there are 1", |_, t| t.schema = Some(1));
    tool_refused(JSON, "policy 1 does not exist, there are 1", |_, t| t.policy = 1);
    tool_refused(JSON, "additional arguments: check 4 does not exist, there are 4", |_, t| {
        t.additional = Some(4);
    });
    tool_refused(ORDER, "template 1 does not exist, there are 1", |_, t| t.response.template = Some(1));
    tool_refused(ORDER, "error template 1 does not exist, there are 1", |_, t| {
        t.response.error_template = Some(1);
    });
    tool_refused(ORDER, "257 selected paths, the most is 256", |d, t| {
        t.response.select = vec![d.s("a"); 257];
    });
    tool_refused(ORDER, "output schema 1 does not exist, there are 1", |_, t| {
        t.response.output_schema = Some(1);
    });
    tool_refused(ORDER, "selected path is string 100000, which does not exist", |_, t| {
        t.response.select[0] = NO_STRING;
    });
    tool_refused(FIXED, "fixed answer is string 100000, which does not exist", |_, t| {
        t.backend = Backend::Fixed(NO_STRING);
    });
}

#[test]
fn additional_arguments_need_a_json_body() {
    let expected = "additional arguments without a JSON body to write them into";
    tool_refused(FORM, expected, |_, t| t.additional = Some(0));
}

#[test]
fn parameters() {
    tool_refused(JSON, "parameter name is string 100000, which does not exist", |_, t| {
        t.parameters[0].name = NO_STRING;
    });
    tool_refused(JSON, "parameter `age` comes after `name`, not sorted", |_, t| t.parameters.swap(0, 1));
    tool_refused(JSON, "parameter `age` is duplicated", |_, t| t.parameters[1].name = t.parameters[0].name);
    tool_refused(JSON, "parameter `age`: check 4 does not exist, there are 4", |_, t| {
        t.parameters[0].check = 4;
    });
    tool_refused(JSON, "parameter `age`: default is string 100000, which does not exist", |_, t| {
        t.parameters[0].default = Some(NO_STRING);
    });
    tool_refused(JSON, "parameter `age`: default `18,\\\"admin\\\":true` is not JSON", |d, t| {
        t.parameters[0].default = Some(d.s("18,\"admin\":true"));
    });
    tool_refused(ORDER, "parameter `details`: `a: b` cannot name a header", |d, t| {
        t.parameters[0].mcp_header = Some(d.s("a: b"));
    });
    let expected = "parameter `userId`: part of the path, but neither required nor with a default";
    tool_refused(ORDER, expected, |_, t| t.parameters[2].required = false);
}

#[test]
fn parameters_are_placed_once_and_where_they_belong() {
    tool_refused(ORDER, "parameter `orderId` is placed 0 times in the path, not once", |_, t| {
        http(t).path.truncate(3);
    });
    tool_refused(ORDER, "parameter `userId` is placed 2 times in the path, not once", |_, t| {
        http(t).path.push(Part::parameter(2));
    });
    tool_refused(ORDER, "parameter `details` is placed 0 times in the query, not once", |_, t| {
        http(t).query.truncate(1);
    });
    tool_refused(ORDER, "path: parameter `details` belongs in the query, not in the path", |_, t| {
        http(t).path[1] = Part::parameter(0);
    });
    tool_refused(ORDER, "path: parameter 3 does not exist, there are 3", |_, t| {
        http(t).path[1] = Part::parameter(3);
    });
    tool_refused(
        JSON,
        "header `x-trace`: parameter `session` belongs in the cookie, not in the header",
        |_, t| {
            http(t).headers[2].value = vec![Part::parameter(2)];
        },
    );
    let expected = "query parameter `details`: a parameter must be the whole value";
    tool_refused(ORDER, expected, |d, t| http(t).query[1].value.push(d.literal("x")));
}

#[test]
fn checks() {
    tool_refused(JSON, "check 0: 0 is not a set of types", |_, t| t.checks[0].types = TypeSet(0));
    tool_refused(JSON, "check 0: 128 is not a set of types", |_, t| t.checks[0].types = TypeSet(128));
    tool_refused(JSON, "check 0: pattern 1 does not exist, there are 1", |_, t| {
        t.checks[0].string = Some(StringCheck { pattern: Some(1), ..StringCheck::default() });
    });
    tool_refused(JSON, "check 2: items: check 2 does not come before it", |_, t| {
        t.checks[2].array = Some(ArrayCheck { items: Some(2), ..ArrayCheck::default() });
    });
    for value in ["", "a", "[1]", "{}", " 1", "1 2"] {
        let expected = format!("check 0: allowed value `{value}` is not a JSON scalar");
        tool_refused(ORDER, &expected, |d, t| t.checks[0].enumeration[0] = d.s(value));
    }
    for bound in ["", "x", "\"1\"", "1 ", "+1", "01", ".5", "NaN"] {
        let expected = format!("check 1: bound `{}` is not a JSON number", bound.escape_debug());
        tool_refused(JSON, &expected, |d, t| {
            let exclusive_maximum = Some(d.s(bound));
            t.checks[1].number = Some(NumberCheck { exclusive_maximum, ..NumberCheck::default() });
        });
    }
}

#[test]
fn object_checks() {
    let object =
        |t: &mut ToolPlan, edit: &dyn Fn(&mut ObjectCheck)| edit(t.checks[3].object.as_mut().unwrap());
    tool_refused(JSON, "check 3: property `a` comes after `b`, not sorted", |_, t| {
        object(t, &|o| o.properties.swap(0, 1));
    });
    tool_refused(JSON, "check 3: property `a` is duplicated", |_, t| {
        object(t, &|o| o.properties[1].name = o.properties[0].name);
    });
    tool_refused(JSON, "check 3: property: check 3 does not come before it", |_, t| {
        object(t, &|o| o.properties[0].check = 3);
    });
    tool_refused(JSON, "check 3: property name is string 100000, which does not exist", |_, t| {
        object(t, &|o| o.properties[0].name = NO_STRING);
    });
    tool_refused(JSON, "check 3: additional properties: check 3 does not come before it", |_, t| {
        object(t, &|o| o.additional = Some(3));
    });
}

#[test]
fn list_entries() {
    let at = "list entry of tool `get_order`";
    refused(&format!("{at}: text is string 100000, which does not exist"), |d| {
        d.contents.list[ORDER].text = NO_STRING;
    });
    refused(&format!("{at}: text `[1]` does not begin with `{{` or has a line end"), |d| {
        d.contents.list[ORDER].text = d.s("[1]");
    });
    refused(&format!("{at}: text `{{\\n}}` does not begin with `{{` or has a line end"), |d| {
        d.contents.list[ORDER].text = d.s("{\n}");
    });
    refused(&format!("{at}: end 0 comes after 1"), |d| d.contents.list[ORDER].ends[0] = 0);
    refused(&format!("{at}: end 18 comes after 19"), |d| d.contents.list[ORDER].ends[1] = 18);
    refused(&format!("{at}: end 30 is not between two characters of 51 bytes"), |d| {
        d.contents.list[ORDER].ends[2] = 30;
    });
    refused(&format!("{at}: end 52 is not between two characters of 51 bytes"), |d| {
        d.contents.list[ORDER].ends[4] = 52;
    });
    refused(&format!("{at}: end 33 is not before a `,` or `}}`"), |d| d.contents.list[ORDER].ends[3] = 33);
    refused(&format!("{at}: the modern text does not end with `}}`"), |d| {
        d.contents.list[ORDER].modern = Some(d.s("{"));
    });
}

#[test]
fn names_have_a_longest_length() {
    let long = "x".repeat(1025);
    let problem = "of 1025 bytes, the most is 1024";
    refused(&format!("manifest: variable {problem}"), |d| d.contents.manifest.variables[1] = d.s(&long));
    tool_refused(JSON, &format!("parameter name {problem}"), |d, t| t.parameters[3].name = d.s(&long));
    tool_refused(JSON, &format!("header {problem}"), |d, t| http(t).headers[0].name = d.s(&long));
}

/// Looking at the long strings once for each tool would take minutes.
#[test]
fn a_long_string_in_every_tool_is_looked_at_once() {
    let mut d = sample();
    let path = d.literal(&format!("/{}", "x".repeat(2_000_000)));
    let text = format!("{{\"description\":\"{}\"}}", "x".repeat(2_000_000));
    let entry = ListEntry { text: d.s(&text), ends: [text.len() as u32 - 1; 5], modern: None };
    for number in 0..20_000 {
        let tool = d.tool(&format!("z{number:05}"), "/");
        http(&mut d.contents.tools[tool]).path = vec![path];
        d.contents.list[tool] = entry.clone();
    }
    assert!(write(&d.finish()).is_ok());
}

#[test]
fn long_and_odd_strings_stay_on_one_line_of_a_message() {
    let long = format!("a\n{}", "x".repeat(500));
    let expected =
        format!("query parameter `api%2Dversion`: literal `a\\n{}…` does not belong here", "x".repeat(78));
    tool_refused(ORDER, &expected, |d, t| http(t).query[0].value = vec![d.literal(&long)]);
}
