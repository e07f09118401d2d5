//! The HTTP client of all sources: its trust, its patience and its limits. It blocks.

use crate::error::TransferError;
use crate::location::is_loopback;
use crate::patience::Patience;
use crate::remote::Options;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Body, Proxy, SendBody};

/// Heads of responses.
const HEAD: usize = 64 * 1024;
const REDIRECTS: u32 = 5;
/// Room that a length alone gets; the rest comes with the bytes.
const ROOM: u64 = 1024 * 1024;
/// Nobody is believed who asks for a longer pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(3600);

pub type Request = http::request::Builder;
pub type Response = http::Response<Body>;

/// Told how many bytes have gone, or have come.
pub type Progress<'a> = &'a mut dyn FnMut(u64);

/// Copies share their connections.
#[derive(Debug, Clone)]
pub struct Client {
    agent: Agent,
}

/// What a request carries.
pub enum Payload<'a> {
    None,
    Bytes(&'a [u8], Progress<'a>),
}

impl Client {
    /// With `plain`, it talks to servers without TLS, too.
    pub fn new(options: &Options, plain: bool) -> Result<Client, TransferError> {
        let Patience { connect, answer, silence, transfer } = options.patience;
        let roots = roots(options.ca_file.as_deref())?;
        let tls = TlsConfig::builder().root_certs(RootCerts::Specific(Arc::new(roots))).build();
        // What is on this machine or beside it, such as the metadata of a cloud, is not behind a proxy.
        let proxy = if plain { None } else { Proxy::try_from_env() };
        let config = Agent::config_builder()
            .proxy(proxy)
            .tls_config(tls)
            .https_only(!plain)
            .http_status_as_error(false)
            .max_redirects(REDIRECTS)
            // Not to another host: a registry sends readers to a store that has its own word in the URL.
            .redirect_auth_headers(ureq::config::RedirectAuthHeaders::SameHost)
            .user_agent(concat!("mcpc/", env!("CARGO_PKG_VERSION")))
            .accept_encoding("identity")
            .max_response_header_size(HEAD)
            .timeout_resolve(Some(connect))
            .timeout_connect(Some(connect))
            .timeout_recv_response(Some(answer))
            .timeout_per_read(Some(silence))
            .timeout_per_write(Some(silence))
            .timeout_global(Some(transfer))
            .build();
        Ok(Client { agent: config.new_agent() })
    }

    /// Any status is a response. `place` is for messages.
    pub fn send(
        &self,
        request: Request,
        payload: Payload<'_>,
        place: &str,
    ) -> Result<Response, TransferError> {
        let unusable = |error: http::Error| unreachable(place, error.to_string());
        let sent = match payload {
            Payload::None => self.agent.run(request.body(()).map_err(unusable)?),
            Payload::Bytes(bytes, progress) => {
                let length = bytes.len();
                let mut counted = Counted { inner: bytes, sent: 0, progress };
                let has_length =
                    request.headers_ref().is_some_and(|headers| headers.contains_key("content-length"));
                let request = if has_length { request } else { request.header("content-length", length) };
                let body = SendBody::from_reader(&mut counted);
                self.agent.run(request.body(body).map_err(unusable)?)
            }
        };
        sent.map_err(|error| unreachable(place, plain(&error)))
    }
}

/// The body, if it is not larger than the limit, which is compared before a byte is read.
pub fn read_body(
    response: Response,
    limit: u64,
    place: &str,
    progress: Progress<'_>,
) -> Result<Vec<u8>, TransferError> {
    let too_large = |length| TransferError::TooLarge { place: place.to_owned(), length, limit };
    let announced = response.body().content_length();
    if let Some(length) = announced.filter(|length| *length > limit) {
        return Err(too_large(length));
    }
    let broken = |reason: String| TransferError::Broken { place: place.to_owned(), reason };
    let room = announced.unwrap_or_default().min(ROOM);
    let mut bytes = Vec::with_capacity(usize::try_from(room).unwrap_or_default());
    let mut body = response.into_body().into_with_config().limit(u64::MAX).reader();
    let mut buffer = [0; 16 * 1024];
    loop {
        let count = match body.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(broken(plain_io(&error))),
        };
        bytes.extend_from_slice(buffer.get(..count).unwrap_or_default());
        if bytes.len() as u64 > limit {
            return Err(too_large(bytes.len() as u64));
        }
        progress(bytes.len() as u64);
    }
    match announced {
        Some(length) if length != bytes.len() as u64 => {
            Err(broken(format!("{} of {length} bytes came", bytes.len())))
        }
        _ => Ok(bytes),
    }
}

/// What a status that is not a success means.
pub fn failed(response: &Response, place: &str, help: &'static str) -> TransferError {
    let status = response.status().as_u16();
    let place = place.to_owned();
    match status {
        401 | 403 => TransferError::Refused { place, status, help },
        404 | 410 => TransferError::NotFound { place, status },
        _ => {
            let retry_after = retry_after(response);
            TransferError::Status { place, status, retry_after, detail: String::new() }
        }
    }
}

/// A header that is text.
pub fn header<'r>(response: &'r Response, name: &str) -> Option<&'r str> {
    response.headers().get(name)?.to_str().ok().filter(|value| !value.is_empty())
}

/// Whether a URL may get what is meant for `origin`: same scheme, host and port.
pub fn is_same_origin(one: &http::Uri, other: &http::Uri) -> bool {
    let port = |uri: &http::Uri| {
        uri.port_u16().or_else(|| match uri.scheme_str() {
            Some("https") => Some(443),
            Some("http") => Some(80),
            _ => None,
        })
    };
    let host = |uri: &http::Uri| uri.host().map(str::to_ascii_lowercase);
    one.scheme() == other.scheme() && host(one) == host(other) && port(one) == port(other)
}

/// Whether a request there is encrypted, or stays on this machine.
pub fn is_private(uri: &http::Uri) -> bool {
    uri.scheme_str() == Some("https") || uri.host().is_some_and(is_loopback)
}

fn retry_after(response: &Response) -> Option<Duration> {
    let text = header(response, "retry-after")?.trim();
    let pause = match text.parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => httpdate::parse_http_date(text).ok()?.duration_since(SystemTime::now()).ok()?,
    };
    Some(pause.min(LONGEST_PAUSE))
}

fn unreachable(place: &str, reason: String) -> TransferError {
    TransferError::Unreachable { place: place.to_owned(), reason }
}

/// The reason in words that stay the same: no addresses, no times.
fn plain(error: &ureq::Error) -> String {
    match error {
        ureq::Error::Io(error) => plain_io(error),
        ureq::Error::HostNotFound => "there is no host of that name".to_owned(),
        ureq::Error::ConnectionFailed => "no connection".to_owned(),
        ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => {
            "connecting takes too long".to_owned()
        }
        ureq::Error::Timeout(ureq::Timeout::RecvResponse) => "the answer takes too long".to_owned(),
        ureq::Error::Timeout(_) => "it takes too long".to_owned(),
        ureq::Error::TooManyRedirects => "too many redirects".to_owned(),
        ureq::Error::RequireHttpsOnly(_) => "it redirects to a URL without TLS".to_owned(),
        ureq::Error::Rustls(error) => format!("TLS: {error}"),
        error => error.to_string(),
    }
}

fn plain_io(error: &std::io::Error) -> String {
    // What the system says of it differs.
    if error.to_string().starts_with("failed to lookup address") {
        return "its name cannot be resolved".to_owned();
    }
    if let Some(inner) = error.get_ref() {
        return match inner.downcast_ref::<ureq::Error>() {
            Some(error) => plain(error),
            None => inner.to_string(),
        };
    }
    match error.kind() {
        std::io::ErrorKind::ConnectionRefused => "nobody listens there".to_owned(),
        kind => kind.to_string(),
    }
}

fn roots(ca_file: Option<&Path>) -> Result<Vec<Certificate<'static>>, TransferError> {
    let Some(path) = ca_file else {
        let native = rustls_native_certs::load_native_certs();
        let native = native.map_err(|error| {
            TransferError::Setup(format!("the certificates of this machine cannot be read: {error}"))
        })?;
        return Ok(native.iter().map(|der| Certificate::from_der(der.as_ref()).to_owned()).collect());
    };
    let name = path.display();
    let text = std::fs::read(path)
        .map_err(|error| TransferError::Setup(format!("`{name}` cannot be read: {error}")))?;
    let mut roots = Vec::new();
    for item in parse_pem(&text) {
        match item {
            Ok(PemItem::Certificate(certificate)) => roots.push(certificate),
            Ok(_) => {}
            Err(error) => return Err(TransferError::Setup(format!("`{name}` is not PEM: {error}"))),
        }
    }
    if roots.is_empty() {
        return Err(TransferError::Setup(format!("`{name}` has no certificate")));
    }
    Ok(roots)
}

/// Bytes that are told of as they go.
struct Counted<'a> {
    inner: &'a [u8],
    sent: u64,
    progress: Progress<'a>,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.sent += count as u64;
        (self.progress)(self.sent);
        Ok(count)
    }
}
