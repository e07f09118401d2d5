//! Tools that are ready to be called, and ways to call them. Each call is made in several ways that must agree.

use mcp_bundle::bind::matchers::Matchers;
use mcp_bundle::bind::{
    Arguments, BindError, Binder, Limits, PreparedTools, ProblemKind, Request, Scratch, UNEXPLAINED, Values,
};
use mcp_bundle::envelope::{self, Body};
use mcp_bundle::json::{self, MAX_DEPTH, ScanError, ScanErrorKind, Tape};
use mcp_bundle::plan::*;
use serde::de::IgnoredAny;
use serde_json::Value;

/// A tool ready to be called.
pub struct Built {
    pub contents: Contents,
    pub matchers: Matchers,
    /// `None` for patterns that it does not know.
    pub published: Option<jsonschema::Validator>,
    pub limits: Limits,
    pub variables: Vec<Box<str>>,
    pub tenant_id: Option<&'static str>,
    pub principal_sub: Option<&'static str>,
}

#[derive(Debug, PartialEq)]
pub struct Bound {
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: Option<String>,
}

impl Built {
    pub fn plan(&self) -> &ToolPlan {
        &self.contents.tools[0]
    }

    pub fn prepared(&self) -> PreparedTools {
        PreparedTools::new(&self.contents, &self.variables, &self.limits)
    }

    pub fn bind(&self, arguments: &[u8], request: &mut Request) -> Result<(), BindError> {
        let Ok(text) = std::str::from_utf8(arguments) else {
            // A message that is not text has no arguments.
            assert!(envelope::read(arguments, MAX_DEPTH, 1, &mut None).is_err());
            return Err(BindError::unexplained("get_order"));
        };
        let prepared = self.prepared();
        let bound = self.bind_prepared(&prepared, &Arguments::of_text(text), request);
        if let Err(error) = &bound {
            assert!(!error.problems.is_empty(), "{text}");
            assert!(error.problems.iter().all(|problem| problem.message != UNEXPLAINED), "{text}");
        }
        self.assert_same_of_a_message(&prepared, text, &bound, request);
        // Others cost too much time in tests that look at time.
        if bound.is_ok() && text.len() < 100_000 {
            self.assert_same_of_a_caller_with_variables(&prepared, text, request);
            self.assert_published(text);
        }
        bound
    }

    fn values(&self) -> Values<'_> {
        Values { tenant_id: self.tenant_id, principal_sub: self.principal_sub, ..Values::default() }
    }

    fn bind_prepared(
        &self,
        prepared: &PreparedTools,
        arguments: &Arguments<'_>,
        request: &mut Request,
    ) -> Result<(), BindError> {
        let (contents, matchers, limits) = (&self.contents, &self.matchers, &self.limits);
        let mut binder = Binder { contents, matchers, limits, scratch: &mut Scratch::default() };
        binder.bind(prepared.find("get_order").unwrap(), arguments, &self.values(), request)
    }

    /// Fixed headers are ready for those whose variables are the bundle's; who has others gets the same from the same values.
    fn assert_same_of_a_caller_with_variables(
        &self,
        prepared: &PreparedTools,
        arguments: &str,
        request: &Request,
    ) {
        let (contents, matchers, limits) = (&self.contents, &self.matchers, &self.limits);
        let mut binder = Binder { contents, matchers, limits, scratch: &mut Scratch::default() };
        let values = Values { variables: Some(&self.variables), ..self.values() };
        let (tool, mut same) = (prepared.find("get_order").unwrap(), Request::new());
        binder.bind(tool, &Arguments::of_text(arguments), &values, &mut same).unwrap();
        assert_eq!(&same, request);
    }

    /// What is accepted is what the tool's published schema allows, says a validator that is not ours.
    fn assert_published(&self, arguments: &str) {
        // It cannot read all numbers, and takes those of many digits for others.
        let mut runs = arguments.split(|character: char| !character.is_ascii_digit() && character != '.');
        let Ok(value) = serde_json::from_str::<Value>(arguments) else { return };
        if runs.all(|digits| digits.len() < 16)
            && let Some(Err(error)) = self.published.as_ref().map(|schema| schema.validate(&value))
        {
            panic!("{arguments} is bound, but {error}");
        }
    }

    /// A proxy reads arguments as part of a message: nothing else may come of it.
    fn assert_same_of_a_message(
        &self,
        prepared: &PreparedTools,
        arguments: &str,
        bound: &Result<(), BindError>,
        request: &Request,
    ) {
        // Invalid JSON can become valid inside a message.
        if serde_json::from_str::<IgnoredAny>(arguments).is_err() {
            return assert!(bound.is_err());
        }
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"arguments":{arguments}}}}}"#
        );
        // Where a message may nest no deeper than its arguments may, its tape is used; else they are scanned again.
        for depth in [self.limits.depth + 2, MAX_DEPTH] {
            let mut place = None;
            let message = match envelope::read(body.as_bytes(), depth, 1, &mut place) {
                Ok(Body::One(message)) => message,
                // The scanner's two refusals; a message is two levels deeper than its arguments.
                Err(ScanError { kind: ScanErrorKind::LoneSurrogate | ScanErrorKind::TooDeep, .. }) => {
                    return assert!(bound.is_err());
                }
                other => panic!("{other:?}"),
            };
            let Some(read) = Arguments::of_params(&message.params) else {
                return assert_eq!(arguments.trim_ascii(), "null");
            };
            assert_eq!(read.text(), arguments.trim_ascii());
            let inside =
                Some(json::Value::of_valid(read.text())).filter(|value| value.kind == json::Kind::Object);
            let inside = inside.map_or(0, values_in);
            let places = message.params.argument_tape.all().map(<[_]>::len);
            assert_eq!(places, (inside <= Tape::MOST).then_some(inside));
            let mut same = Request::new();
            assert_eq!(&self.bind_prepared(prepared, &read, &mut same), bound);
            if bound.is_ok() {
                assert_eq!(&same, request);
            }
        }
    }

    /// The request for arguments that must be good.
    pub fn ok(&self, arguments: &str) -> Bound {
        let mut request = Request::new();
        self.bind(arguments.as_bytes(), &mut request).unwrap_or_else(|error| panic!("{error}"));
        Bound {
            url: request.url(&self.contents, self.plan()),
            headers: request.headers().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            body: request.body().map(|body| String::from_utf8(body.to_vec()).unwrap()),
        }
    }

    /// What follows the authority in the URL.
    pub fn target(&self, arguments: &str) -> String {
        self.ok(arguments).url.strip_prefix("https://api.example.com").unwrap().to_owned()
    }

    pub fn json_body(&self, arguments: &str) -> String {
        let body = self.ok(arguments).body.unwrap();
        json::Scanner::of_text(&body, 64).value().unwrap();
        body
    }

    pub fn header(&self, arguments: &str) -> Option<String> {
        self.ok(arguments).headers.first().map(|(_, value)| value.clone())
    }

    pub fn error(&self, arguments: &str) -> BindError {
        self.bind(arguments.as_bytes(), &mut Request::new()).unwrap_err()
    }

    /// The one problem with arguments that must have one.
    pub fn problem(&self, arguments: &str) -> (ProblemKind, String) {
        let error = self.error(arguments);
        assert_eq!(error.problems.len(), 1, "{error}");
        (error.problems[0].kind, error.problems[0].message.clone())
    }

    pub fn kind(&self, arguments: &str) -> ProblemKind {
        self.problem(arguments).0
    }
}

/// How many values there are inside a value, names of members included.
fn values_in(value: json::Value<'_>) -> usize {
    let elements: usize = json::elements(value).map(|element| 1 + values_in(element)).sum();
    let members: usize = json::members(value).map(|(_, member)| 2 + values_in(member)).sum();
    elements + members
}
