//! Requests to one repository of a registry, with the credentials that it asks for.

use super::challenge::{self, Challenge};
use crate::client::{
    Client, Payload, Progress, Response, failed, header, is_private, is_same_origin, read_body,
};
use crate::credentials::Login;
use crate::error::TransferError;
use crate::location::{OciLocation, is_docker_hub, is_loopback};
use crate::remote::{Options, Variables};
use http::{Method, Uri};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

const HELP: &str = "log in with `docker login`, or set `MCP_BUNDLE_USER` and `MCP_BUNDLE_PASSWORD`";
/// The largest answer of a token server, and the longest token.
const MAX_ANSWER: u64 = 64 * 1024;
const MAX_TOKEN: usize = 16 * 1024;

#[derive(Debug)]
pub struct Registry {
    /// For messages.
    pub place: String,
    base: String,
    origin: Uri,
    /// As a person writes it.
    name: String,
    client: Client,
    variables: Variables,
    /// What it accepted last.
    authorization: Authorization,
}

/// Never reaches a debug print.
#[derive(Default)]
struct Authorization(Option<String>);

/// A request that may have to be sent twice.
pub struct Ask<'a> {
    pub method: Method,
    pub accept: Option<&'a str>,
    pub content: Option<(&'a str, &'a [u8])>,
}

impl Ask<'_> {
    pub fn new(method: Method) -> Ask<'static> {
        Ask { method, accept: None, content: None }
    }
}

impl Registry {
    pub fn new(location: &OciLocation, place: String, options: &Options) -> Result<Registry, TransferError> {
        let OciLocation { registry, repository, .. } = location;
        let host = if is_docker_hub(registry) { "registry-1.docker.io" } else { registry.as_str() };
        let is_plain =
            host.parse().is_ok_and(|authority: http::uri::Authority| is_loopback(authority.host()));
        let scheme = if is_plain { "http" } else { "https" };
        let base = format!("{scheme}://{host}/v2/{repository}/");
        let origin = base.parse().map_err(|_| TransferError::Setup(format!("`{place}` makes no URL")))?;
        Ok(Registry {
            place,
            base,
            origin,
            name: registry.clone(),
            client: Client::new(options, is_plain)?,
            variables: options.variables.clone(),
            authorization: Authorization::default(),
        })
    }

    /// The URL of something in the repository.
    pub fn url(&self, path: &str) -> Result<Uri, TransferError> {
        self.resolve(&format!("{}{path}", self.base))
    }

    /// A URL that the registry sent, which may be relative to its host.
    pub fn resolve(&self, text: &str) -> Result<Uri, TransferError> {
        let unusable = || self.broken("it sent a URL that cannot be used");
        let uri: Uri = text.parse().map_err(|_| unusable())?;
        if uri.scheme().is_some() {
            return Ok(uri);
        }
        let mut parts = self.origin.clone().into_parts();
        parts.path_and_query = uri.into_parts().path_and_query;
        Uri::from_parts(parts).map_err(|_| unusable())
    }

    /// Any status but 401 is a response. Credentials go to the registry's own host only.
    pub fn send(
        &mut self,
        ask: &Ask<'_>,
        uri: &Uri,
        progress: Progress<'_>,
    ) -> Result<Response, TransferError> {
        let is_own = is_same_origin(uri, &self.origin);
        let response = self.once(ask, uri, is_own, progress)?;
        if response.status() != 401 || !is_own {
            return Ok(response);
        }
        // What was accepted before may have expired.
        self.authorization = Authorization::default();
        let challenges = response.headers().get_all("www-authenticate");
        let challenge = challenges.iter().find_map(|value| challenge::parse(value.to_str().ok()?));
        let Some(challenge) = challenge else { return Err(failed(&response, &self.place, HELP)) };
        let login = Login::of_registry(&self.name, &self.variables)?;
        let authorization = match (challenge, login) {
            (_, Some(login @ Login::Bearer(_))) => login.header(),
            (Challenge::Basic, Some(login)) => login.header(),
            (Challenge::Basic, None) => return Err(failed(&response, &self.place, HELP)),
            (Challenge::Bearer { realm, service, scope }, login) => {
                let token = self.token(&realm, &[("service", service), ("scope", scope)], login)?;
                format!("Bearer {token}")
            }
        };
        self.authorization = Authorization(Some(authorization));
        let response = self.once(ask, uri, is_own, progress)?;
        if response.status() == 401 {
            self.authorization = Authorization::default();
            return Err(failed(&response, &self.place, HELP));
        }
        Ok(response)
    }

    /// What a status means that was not expected, with the registry's own word for it.
    pub fn failed(&self, response: Response) -> TransferError {
        match failed(&response, &self.place, HELP) {
            TransferError::Status { place, status, retry_after, .. } => {
                let text = read_body(response, MAX_ANSWER, &self.place, &mut |_| {}).unwrap_or_default();
                TransferError::Status { place, status, retry_after, detail: code(&text) }
            }
            error => error,
        }
    }

    pub fn broken(&self, reason: &str) -> TransferError {
        TransferError::Broken { place: self.place.clone(), reason: reason.to_owned() }
    }

    fn once(
        &self,
        ask: &Ask<'_>,
        uri: &Uri,
        is_own: bool,
        progress: Progress<'_>,
    ) -> Result<Response, TransferError> {
        let mut request = http::Request::builder().method(ask.method.clone()).uri(uri.clone());
        if let Some(accept) = ask.accept {
            request = request.header("accept", accept);
        }
        if let Some(authorization) = self.authorization.0.as_ref().filter(|_| is_own) {
            request = request.header("authorization", authorization);
        }
        let payload = match ask.content {
            Some((kind, bytes)) => {
                request = request.header("content-type", kind);
                Payload::Bytes(bytes, progress)
            }
            None => Payload::None,
        };
        self.client.send(request, payload, &self.place)
    }

    /// Asks the server that the registry named.
    fn token(
        &self,
        realm: &str,
        about: &[(&str, Option<String>)],
        login: Option<Login>,
    ) -> Result<String, TransferError> {
        let unusable = || self.broken("it asks for a token from a URL that cannot be used");
        let uri: Uri = realm.parse().map_err(|_| unusable())?;
        if !is_private(&uri) {
            return Err(unusable());
        }
        let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let given = about.iter().filter_map(|(name, value)| Some((*name, value.as_deref()?)));
        let mut form: Vec<String> = given.map(|(name, value)| format!("{name}={}", encode(value))).collect();
        // A realm has a scheme and a host, so this is its authority.
        let place = uri.authority().map_or_else(|| self.place.clone(), ToString::to_string);
        let (request, text) = match &login {
            Some(Login::Refresh(token)) => {
                form.push(format!("grant_type=refresh_token&client_id=mcpc&refresh_token={}", encode(token)));
                let request = http::Request::post(uri);
                (request.header("content-type", "application/x-www-form-urlencoded"), form.join("&"))
            }
            login => {
                let separator = if uri.query().is_some() { "&" } else { "?" };
                let request = http::Request::get(format!("{realm}{separator}{}", form.join("&")));
                let header = login.as_ref().map(Login::header);
                (
                    header.into_iter().fold(request, |request, value| request.header("authorization", value)),
                    String::new(),
                )
            }
        };
        let mut ignored = |_| {};
        let payload = match text.is_empty() {
            true => Payload::None,
            false => Payload::Bytes(text.as_bytes(), &mut ignored),
        };
        let response = self.client.send(request, payload, &place)?;
        if response.status() != 200 {
            return Err(failed(&response, &place, HELP));
        }
        let answer = read_body(response, MAX_ANSWER, &place, &mut |_| {})?;
        token_of(&answer)
            .ok_or_else(|| TransferError::Broken { place, reason: "its answer has no token".to_owned() })
    }
}

impl std::fmt::Debug for Authorization {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Some" } else { "None" })
    }
}

fn token_of(answer: &[u8]) -> Option<String> {
    let answer: Value = serde_json::from_slice(answer).ok()?;
    let token = answer.get("token").or_else(|| answer.get("access_token"))?.as_str()?;
    let is_good = (1..=MAX_TOKEN).contains(&token.len()) && token.bytes().all(|byte| byte.is_ascii_graphic());
    is_good.then(|| token.to_owned())
}

/// The code of the first error, such as `MANIFEST_INVALID`.
fn code(answer: &[u8]) -> String {
    let answer: Option<Value> = serde_json::from_slice(answer).ok();
    let code = answer.as_ref().and_then(|answer| answer.get("errors")?.get(0)?.get("code")?.as_str());
    let code = code.filter(|code| code.len() <= 64 && code.bytes().all(|byte| byte.is_ascii_graphic()));
    code.map(|code| format!(", {code}")).unwrap_or_default()
}

/// A header that must be there.
pub fn required<'r>(
    response: &'r Response,
    name: &str,
    registry: &Registry,
) -> Result<&'r str, TransferError> {
    header(response, name).ok_or_else(|| registry.broken(&format!("its answer has no `{name}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_taken_only_if_they_can_be_sent_on() {
        assert_eq!(token_of(br#"{"token":"a"}"#).as_deref(), Some("a"));
        assert_eq!(token_of(br#"{"access_token":"b"}"#).as_deref(), Some("b"));
        for wrong in ["{}", r#"{"token":""}"#, r#"{"token":"a\r\nb"}"#, r#"{"token":1}"#, "x"] {
            assert_eq!(token_of(wrong.as_bytes()), None, "{wrong}");
        }
        let long = format!(r#"{{"token":"{}"}}"#, "x".repeat(MAX_TOKEN + 1));
        assert_eq!(token_of(long.as_bytes()), None);
    }

    #[test]
    fn the_code_of_an_error_is_shown_if_it_is_one() {
        assert_eq!(code(br#"{"errors":[{"code":"MANIFEST_INVALID","message":"x"}]}"#), ", MANIFEST_INVALID");
        for other in ["", "[]", r#"{"errors":[]}"#, r#"{"errors":[{"code":"a b"}]}"#] {
            assert_eq!(code(other.as_bytes()), "", "{other}");
        }
    }
}
