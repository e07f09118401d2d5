//! What a person writes for the place of a bundle, and what it means.

use std::fmt;
use std::str::FromStr;

/// A place behind a network that holds one bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// A file of a web server.
    Web(WebLocation),
    /// An artifact of a registry.
    Oci(OciLocation),
    /// An object of an object store.
    Bucket(BucketLocation),
}

#[derive(Clone, PartialEq, Eq)]
pub struct WebLocation {
    pub uri: http::Uri,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OciLocation {
    /// Host and port.
    pub registry: String,
    pub repository: String,
    pub reference: Reference,
}

/// Which artifact of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    Tag(String),
    /// `sha256:…`
    Digest(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketLocation {
    pub kind: BucketKind,
    pub bucket: String,
    pub key: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BucketKind {
    S3,
    Gcs,
    Azure,
}

/// What is wrong with a location. It never repeats a query, which may hold a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct LocationError {
    pub message: String,
    pub help: &'static str,
}

const MAX_LENGTH: usize = 2048;
const MAX_REPOSITORY: usize = 255;
const MAX_TAG: usize = 128;

const SCHEMES: &str = "a bundle comes from a file, or from `https://`, `oci://`, `s3://`, `gs://` or `az://`";
const OCI_FORM: &str = "write `oci://HOST/REPOSITORY:TAG`, or `oci://HOST/REPOSITORY@sha256:…`";
const WEB_FORM: &str = "write `https://HOST/PATH`";
const BUCKET_FORM: &str = "write the bucket and the key, such as `s3://my-bucket/tools.mcpk`";
const ENCRYPT: &str = "use `https://`; only servers of this machine are asked without TLS";

impl Location {
    /// `None` if it is a path of this machine: it has no scheme.
    pub fn find(text: &str) -> Option<Result<Location, LocationError>> {
        let (scheme, _) = text.split_once("://")?;
        // A path may have anything in it, but nobody begins one like this.
        let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
        is_scheme.then(|| text.parse())
    }

    /// What its path or key ends with, without `.mcpk`; of a registry, the last part of the repository.
    pub fn stem(&self) -> &str {
        let path = match self {
            Location::Web(web) => web.uri.path(),
            Location::Oci(oci) => &oci.repository,
            Location::Bucket(bucket) => &bucket.key,
        };
        let last = path.rsplit('/').find(|part| !part.is_empty()).unwrap_or("tools");
        last.strip_suffix(".mcpk").unwrap_or(last)
    }
}

impl FromStr for Location {
    type Err = LocationError;

    fn from_str(text: &str) -> Result<Location, LocationError> {
        let Some((scheme, rest)) = text.split_once("://") else {
            return Err(wrong("it has no scheme", SCHEMES));
        };
        if text.len() > MAX_LENGTH {
            return Err(wrong(format!("a URL of more than {MAX_LENGTH} bytes"), "use a shorter one"));
        }
        if text.bytes().any(|byte| !byte.is_ascii_graphic()) {
            let message = "a URL has visible ASCII characters only";
            return Err(wrong(message, "percent-encode what is not, such as `%20` for a space"));
        }
        match scheme.to_ascii_lowercase().as_str() {
            "https" | "http" => web(text).map(Location::Web),
            "oci" => oci(rest).map(Location::Oci),
            "s3" => bucket(BucketKind::S3, rest).map(Location::Bucket),
            "gs" => bucket(BucketKind::Gcs, rest).map(Location::Bucket),
            "az" => bucket(BucketKind::Azure, rest).map(Location::Bucket),
            other => Err(wrong(format!("`{other}://` is not a scheme for bundles"), SCHEMES)),
        }
    }
}

fn web(text: &str) -> Result<WebLocation, LocationError> {
    let uri: http::Uri = text.parse().map_err(|_| wrong("this is not a URL", WEB_FORM))?;
    let Some(authority) = uri.authority() else { return Err(wrong("the URL has no host", WEB_FORM)) };
    if text.contains('#') {
        return Err(wrong("the URL of a bundle has no fragment", "remove `#` and what follows"));
    }
    no_credentials(authority.as_str())?;
    if authority.host().is_empty() {
        return Err(wrong("the URL has no host", WEB_FORM));
    }
    if uri.scheme_str() == Some("http") && !is_loopback(authority.host()) {
        return Err(wrong("`http://` is not encrypted", ENCRYPT));
    }
    if uri.path() == "/" && uri.query().is_none() {
        return Err(wrong("the URL names no file", WEB_FORM));
    }
    Ok(WebLocation { uri })
}

fn oci(rest: &str) -> Result<OciLocation, LocationError> {
    let Some((registry, path)) = rest.split_once('/') else {
        return Err(wrong("the reference has no repository", OCI_FORM));
    };
    no_credentials(registry)?;
    let authority: Option<http::uri::Authority> = registry.parse().ok();
    if authority.is_none_or(|authority| authority.host().is_empty()) {
        return Err(wrong(format!("`{registry}` is not a host"), OCI_FORM));
    }
    let (path, digest) = match path.split_once('@') {
        Some((path, digest)) => (path, Some(digest)),
        None => (path, None),
    };
    let (repository, tag) = match path.split_once(':') {
        Some((repository, tag)) => (repository, Some(tag)),
        None => (path, None),
    };
    if !is_repository(repository) {
        let help = "it has lower-case letters, digits, and single `.`, `_`, `-` and `/` between them";
        return Err(wrong(format!("`{repository}` is not the name of a repository"), help));
    }
    if let Some(tag) = tag.filter(|tag| !is_tag(tag)) {
        let help =
            "it has up to 128 letters, digits, `_`, `.` and `-`, and begins with a letter, a digit or `_`";
        return Err(wrong(format!("`{tag}` is not a tag"), help));
    }
    let reference = match (digest, tag) {
        // Of both, the digest decides.
        (Some(digest), _) if is_digest(digest) => Reference::Digest(digest.to_owned()),
        (Some(digest), _) => {
            let help = "write `@sha256:` and 64 hexadecimal digits in lower case";
            return Err(wrong(format!("`{digest}` is not a digest"), help));
        }
        (None, Some(tag)) => Reference::Tag(tag.to_owned()),
        (None, None) => return Err(wrong("the reference has neither a tag nor a digest", OCI_FORM)),
    };
    Ok(OciLocation { registry: registry.to_owned(), repository: repository.to_owned(), reference })
}

fn bucket(kind: BucketKind, rest: &str) -> Result<BucketLocation, LocationError> {
    let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
    no_credentials(bucket)?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if bucket.is_empty() || !bucket.bytes().all(is_name) {
        return Err(wrong(format!("`{bucket}` is not the name of a bucket"), BUCKET_FORM));
    }
    let parts = || key.split('/');
    if key.is_empty() || parts().any(|part| part.is_empty() || part == "." || part == "..") {
        return Err(wrong(format!("`{key}` is not the key of an object"), BUCKET_FORM));
    }
    // A key is not a URL: what these would mean there is taken for a part of it.
    if key.contains(['?', '#', '%', '\\']) {
        return Err(wrong(
            format!("`{key}` has a character that keys of bundles must not have"),
            BUCKET_FORM,
        ));
    }
    Ok(BucketLocation { kind, bucket: bucket.to_owned(), key: key.to_owned() })
}

fn no_credentials(authority: &str) -> Result<(), LocationError> {
    if authority.contains('@') {
        let help = "put credentials into variables, see docs/SHIPPING.md";
        return Err(wrong("the URL has credentials in it", help));
    }
    Ok(())
}

/// Lower-case words with single separators, in parts with `/` between them.
fn is_repository(text: &str) -> bool {
    let is_word = |word: &str| {
        let is_edge =
            |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        let is_inner = |byte: u8| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'_' | b'-')
        };
        is_edge(word.bytes().next())
            && is_edge(word.bytes().next_back())
            && word.bytes().all(is_inner)
            && !word.contains("..")
    };
    text.len() <= MAX_REPOSITORY && text.split('/').all(is_word)
}

fn is_tag(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (1..=MAX_TAG).contains(&text.len())
        && text.bytes().next().is_some_and(is_word)
        && text.bytes().all(|byte| is_word(byte) || matches!(byte, b'.' | b'-'))
}

/// Docker's own registry has names of its own.
#[cfg(feature = "web")]
pub(crate) fn is_docker_hub(registry: &str) -> bool {
    matches!(registry, "docker.io" | "index.docker.io" | "registry-1.docker.io")
}

/// SHA-256 in the form of registries.
pub(crate) fn is_digest(text: &str) -> bool {
    let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.strip_prefix("sha256:").is_some_and(|hex| hex.len() == 64 && hex.bytes().all(is_hex))
}

/// Whether a host is this machine, by its name alone.
pub(crate) fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let is_address = host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    is_address || host.eq_ignore_ascii_case("localhost")
}

fn wrong(message: impl Into<String>, help: &'static str) -> LocationError {
    LocationError { message: message.into(), help }
}

/// Without the query, which may hold a token.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Web(web) => web.fmt(f),
            Location::Oci(OciLocation { registry, repository, reference }) => match reference {
                Reference::Tag(tag) => write!(f, "oci://{registry}/{repository}:{tag}"),
                Reference::Digest(digest) => write!(f, "oci://{registry}/{repository}@{digest}"),
            },
            Location::Bucket(BucketLocation { kind, bucket, key }) => {
                write!(f, "{}://{bucket}/{key}", kind.scheme())
            }
        }
    }
}

impl fmt::Display for WebLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = self.uri.scheme_str().unwrap_or("https");
        let authority = self.uri.authority().map_or("", |authority| authority.as_str());
        let query = if self.uri.query().is_some() { "?…" } else { "" };
        write!(f, "{scheme}://{authority}{}{query}", self.uri.path())
    }
}

impl fmt::Debug for WebLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "WebLocation({self})")
    }
}

impl BucketKind {
    pub fn scheme(self) -> &'static str {
        match self {
            BucketKind::S3 => "s3",
            BucketKind::Gcs => "gs",
            BucketKind::Azure => "az",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn error(text: &str) -> String {
        let error = Location::find(text).unwrap().unwrap_err();
        assert!(!error.help.is_empty());
        error.message
    }

    #[test]
    fn each_kind_is_read_and_shown_as_it_was_written() {
        let digest = format!("sha256:{}", "0a".repeat(32));
        for text in [
            "https://tools.example.com/team/tools.mcpk",
            "http://127.0.0.1:8080/tools.mcpk",
            "http://[::1]:8080/tools.mcpk",
            "oci://registry.example.com:5000/team/my-tools:v1.2_x",
            "oci://localhost/a__b/c--d:prod",
            &format!("oci://ghcr.io/acme/tools@{digest}"),
            "s3://bucket-1/a/b.mcpk",
            "gs://bucket/tools",
            "az://container/tools.mcpk",
        ] {
            let location = Location::find(text).unwrap().unwrap();
            assert_eq!(location.to_string(), text);
        }
        let both = format!("oci://ghcr.io/acme/tools:v1@{digest}");
        let Ok(Location::Oci(oci)) = both.parse() else { panic!("a registry") };
        assert_eq!(oci.reference, Reference::Digest(digest), "of both, the digest decides");
    }

    #[test]
    fn a_path_is_not_a_location() {
        for path in ["tools.mcpk", "/etc/tools.mcpk", "a:b", "./a://b", "C:\\tools.mcpk", "://x"] {
            assert!(Location::find(path).is_none(), "{path}");
        }
    }

    #[test]
    fn a_query_is_never_shown() {
        let location: Location = "https://a.example/x.mcpk?token=hunter2".parse().unwrap();
        assert_eq!(location.to_string(), "https://a.example/x.mcpk?…");
        assert!(!format!("{location:?}").contains("hunter2"));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, part) in [
            ("ftp://a.example/x", "`ftp://` is not a scheme"),
            ("http://a.example/x", "not encrypted"),
            ("https://user:secret@a.example/x", "credentials"),
            ("https://a.example/x#y", "fragment"),
            ("https://a.example", "names no file"),
            ("https:///x", "not a URL"),
            ("https://a.example/a b", "visible ASCII"),
            ("oci://registry.example.com", "no repository"),
            ("oci://registry.example.com/tools", "neither a tag nor a digest"),
            ("oci://registry.example.com/Tools:v1", "not the name of a repository"),
            ("oci://registry.example.com/../x:v1", "not the name of a repository"),
            ("oci://registry.example.com/tools:-v1", "not a tag"),
            ("oci://registry.example.com/tools@sha256:00", "not a digest"),
            ("oci://u:p@registry.example.com/tools:v1", "credentials"),
            ("oci:///tools:v1", "not a host"),
            ("s3://bucket", "not the key"),
            ("s3://bucket/a//b", "not the key"),
            ("s3://bucket/../b", "not the key"),
            ("s3:///b", "not the name of a bucket"),
            ("s3://b/x?versionId=1", "must not have"),
        ] {
            let message = error(text);
            assert!(message.contains(part) && !message.contains("secret"), "{text}: {message}");
        }
        assert!(error(&format!("https://a.example/{}", "x".repeat(3000))).contains("more than 2048"));
    }

    #[test]
    fn a_stem_is_good_for_the_name_of_a_file() {
        for (text, stem) in [
            ("https://a.example/b/tools.mcpk?x=1", "tools"),
            ("oci://a.example/team/shop:v1", "shop"),
            ("s3://b/c/d", "d"),
        ] {
            assert_eq!(text.parse::<Location>().unwrap().stem(), stem);
        }
    }

    proptest! {
        #[test]
        fn what_is_accepted_reads_the_same_again(text in "(https?|oci|s3|gs|az)://[a-zA-Z0-9.:@/?#%_-]{0,60}") {
            if let Some(Ok(location)) = Location::find(&text) {
                let shown = location.to_string();
                if !shown.ends_with("?…") {
                    prop_assert_eq!(shown.parse::<Location>().unwrap(), location);
                }
            }
        }

        #[test]
        fn nothing_breaks(text in ".*") {
            let _ = Location::find(&text);
        }
    }
}
