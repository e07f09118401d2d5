//! Our HTTP client under the object stores: the same trust, patience and limits as everywhere.

use crate::client::{Client, Payload, failed, read_body};
use crate::error::TransferError;
use crate::remote::Options;
use async_trait::async_trait;
use bytes::Bytes;
use http_body_util::BodyExt;
use object_store::client::{
    ClientConfigKey, HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
    HttpService,
};
use object_store::{ClientOptions, Error};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

const HELP: &str =
    "log in as for the command line of the cloud, or set its variables; docs/SHIPPING.md lists them";
/// Where machines of a cloud get credentials. Whoever has others is not sent there.
const MACHINE: [&str; 4] = ["169.254.169.254", "169.254.170.2", "fd00:ec2::254", "metadata.google.internal"];
/// An explanation of an error.
const MAX_EXPLANATION: u64 = 64 * 1024;
/// Codes of stores that mean: not with these credentials. Their status is 400.
const CREDENTIAL_CODES: [&str; 4] =
    ["ExpiredToken", "InvalidToken", "TokenRefreshRequired", "InvalidAccessKeyId"];

#[derive(Debug, Clone)]
pub struct Connector {
    pub place: String,
    encrypted: Client,
    plain: Client,
    limit: u64,
    shared: Arc<Shared>,
}

/// Of all requests of a store.
#[derive(Debug)]
struct Shared {
    failure: Mutex<Option<TransferError>>,
    sent: watch::Sender<u64>,
}

#[derive(Debug)]
struct Service {
    client: Client,
    connector: Connector,
}

impl Connector {
    pub fn new(place: String, options: &Options) -> Result<Connector, TransferError> {
        let client = |plain| Client::new(options, plain);
        let shared = Shared { failure: Mutex::default(), sent: watch::channel(0).0 };
        let (encrypted, plain) = (client(false)?, client(true)?);
        Ok(Connector { place, encrypted, plain, limit: options.limit, shared: Arc::new(shared) })
    }

    /// How many bytes of the last body have gone.
    pub fn sent(&self) -> watch::Receiver<u64> {
        self.shared.sent.subscribe()
    }

    /// Why the last request failed, if it did.
    pub fn last_failure(&self) -> Option<TransferError> {
        self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn remember(&self, failure: Option<TransferError>) {
        *self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner) = failure;
    }
}

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> Result<HttpClient, Error> {
        let allows_plain = options.get_config_value(&ClientConfigKey::AllowHttp);
        let is_plain = allows_plain.is_some_and(|value| value == "true");
        let client = if is_plain { self.plain.clone() } else { self.encrypted.clone() };
        Ok(HttpClient::new(Service { client, connector: self.clone() }))
    }
}

#[async_trait]
impl HttpService for Service {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        let (client, connector) = (self.client.clone(), self.connector.clone());
        let work = move || exchange(&client, &connector, parts, &body);
        let done = tokio::task::spawn_blocking(work).await;
        done.map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?
    }
}

fn exchange(
    client: &Client,
    connector: &Connector,
    parts: http::request::Parts,
    body: &Bytes,
) -> Result<HttpResponse, HttpError> {
    let place = connector.place.as_str();
    let is_for_credentials = parts.uri.host().is_some_and(is_of_machine);
    let mut request = http::Request::builder().method(parts.method).uri(parts.uri);
    if let Some(headers) = request.headers_mut() {
        *headers = parts.headers;
    }
    let mut progress = |count| {
        connector.shared.sent.send_replace(count);
    };
    let payload = if body.is_empty() { Payload::None } else { Payload::Bytes(body, &mut progress) };
    let lost = |error: TransferError| {
        let error = if is_for_credentials { no_credentials(place) } else { error };
        connector.remember(Some(error.clone()));
        HttpError::new(HttpErrorKind::Unknown, error)
    };
    let response = client.send(request, payload, place).map_err(lost)?;
    let status = response.status();
    let is_good = status.is_success() || status == http::StatusCode::NOT_MODIFIED;
    let failure = (!is_good).then(|| match is_for_credentials {
        true => no_credentials(place),
        false => failed(&response, place, HELP),
    });
    let limit = if is_good { connector.limit } else { MAX_EXPLANATION };
    let headers = response.headers().clone();
    let mut answer = http::Response::new(());
    *answer.status_mut() = status;
    *answer.headers_mut() = headers;
    let body = match read_body(response, limit, place, &mut |_| {}) {
        Ok(body) => body,
        Err(error) if is_good => return Err(lost(error)),
        // The status says enough.
        Err(_) => Vec::new(),
    };
    connector.remember(failure.map(|failure| explained(failure, &body)));
    Ok(answer.map(|()| body.into()))
}

fn is_of_machine(host: &str) -> bool {
    MACHINE.contains(&host.trim_start_matches('[').trim_end_matches(']'))
}

fn no_credentials(place: &str) -> TransferError {
    TransferError::Credentials(format!(
        "no credentials for `{place}` were found, and this machine has none; {HELP}"
    ))
}

/// With the code of the store, such as `<Code>NoSuchBucket</Code>`.
fn explained(failure: TransferError, body: &[u8]) -> TransferError {
    let text = String::from_utf8_lossy(body);
    let code = text.split_once("<Code>").and_then(|(_, rest)| rest.split_once("</Code>"));
    let is_code = |code: &&str| code.len() <= 64 && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let Some(code) = code.map(|(code, _)| code).filter(is_code) else { return failure };
    match failure {
        TransferError::Status { place, status, .. } if CREDENTIAL_CODES.contains(&code) => {
            TransferError::Refused { place, status, help: HELP }
        }
        TransferError::Status { place, status, retry_after, .. } => {
            TransferError::Status { place, status, retry_after, detail: format!(", {code}") }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_credentials_is_not_taken_for_a_store_that_is_away() {
        for url in [
            "http://169.254.169.254/latest/api/token",
            "http://[fd00:ec2::254]/latest",
            "http://metadata.google.internal/x",
        ] {
            let uri: http::Uri = url.parse().unwrap();
            assert!(is_of_machine(uri.host().unwrap()), "{url}");
        }
        assert!(!is_of_machine("bucket.s3.amazonaws.com"));
        let told = no_credentials("s3://b/k").to_string();
        assert!(told.starts_with("no credentials for `s3://b/k` were found"), "{told}");
    }
}
