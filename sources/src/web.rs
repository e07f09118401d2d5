//! A bundle that is a file of a web server.

use crate::client::{Client, Payload, failed, header, is_private, read_body};
use crate::credentials::Login;
use crate::error::TransferError;
use crate::location::WebLocation;
use crate::remote::{Fetched, Options, Remote, Version};

const HELP: &str = "set `MCP_BUNDLE_TOKEN`, or `MCP_BUNDLE_USER` and `MCP_BUNDLE_PASSWORD`";

/// What is longer is none.
const MAX_VALIDATOR: usize = 1024;

#[derive(Debug)]
pub struct Web {
    location: WebLocation,
    client: Client,
    options: Options,
}

impl Web {
    pub fn new(location: WebLocation, options: &Options) -> Result<Web, TransferError> {
        let is_plain = location.uri.scheme_str() == Some("http");
        let client = Client::new(options, is_plain && is_private(&location.uri))?;
        Ok(Web { location, client, options: options.clone() })
    }
}

impl Remote for Web {
    fn newer(&mut self, known: Option<&Version>) -> Result<Option<Fetched>, TransferError> {
        let place = self.location.to_string();
        let mut request = http::Request::get(self.location.uri.clone());
        // Looked up each time: it may have been renewed.
        if let Some(login) = Login::of_variables(&self.options.variables) {
            request = request.header("authorization", login.header());
        }
        match known {
            Some(Version { etag: Some(etag), .. }) => request = request.header("if-none-match", etag),
            Some(Version { last_modified: Some(time), .. }) => {
                request = request.header("if-modified-since", time);
            }
            _ => {}
        }
        let response = self.client.send(request, Payload::None, &place)?;
        match response.status().as_u16() {
            304 if known.is_some_and(|known| !known.is_unknown()) => return Ok(None),
            200 => {}
            _ => return Err(failed(&response, &place, HELP)),
        }
        let is_short = |value: &&str| value.len() <= MAX_VALIDATOR;
        let text = |name| header(&response, name).filter(is_short).map(str::to_owned);
        let version = Version { etag: text("etag"), last_modified: text("last-modified"), digest: None };
        // A server that does not compare sends all of it again.
        if known == Some(&version) && !version.is_unknown() {
            return Ok(None);
        }
        let bytes = read_body(response, self.options.limit, &place, &mut |_| {})?;
        Ok(Some(Fetched { bytes, version }))
    }
}
