//! The client of each kind of store, with the credentials that its platform has in its usual places.

use super::connector::Connector;
use super::profile::Profile;
use crate::error::TransferError;
use crate::location::{BucketKind, BucketLocation, is_loopback};
use crate::remote::{Options, Variables};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::{BackoffConfig, ObjectStore, RetryConfig};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// Variables that may also be in a file of secrets. All others of the platform are read from the environment.
const AWS: [&str; 6] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_REGION",
    "AWS_ENDPOINT_URL",
    "AWS_ALLOW_HTTP",
];
const GOOGLE: [&str; 3] =
    ["GOOGLE_SERVICE_ACCOUNT", "GOOGLE_SERVICE_ACCOUNT_KEY", "GOOGLE_APPLICATION_CREDENTIALS"];
const AZURE: [&str; 7] = [
    "AZURE_STORAGE_ACCOUNT_NAME",
    "AZURE_STORAGE_ACCOUNT_KEY",
    "AZURE_STORAGE_SAS_KEY",
    "AZURE_STORAGE_CLIENT_ID",
    "AZURE_STORAGE_CLIENT_SECRET",
    "AZURE_STORAGE_TENANT_ID",
    "AZURE_STORAGE_ENDPOINT",
];

pub fn open(
    location: &BucketLocation,
    options: &Options,
    connector: &Connector,
) -> Result<Arc<dyn ObjectStore>, TransferError> {
    let variables = &options.variables;
    let (connector, place) = (connector.clone(), connector.place.clone());
    let bucket = location.bucket.as_str();
    let store = match location.kind {
        BucketKind::S3 => {
            let builder = AmazonS3Builder::from_env();
            let mut builder =
                given(&AWS, variables).fold(builder, |builder, (key, value)| builder.with_config(key, value));
            let has = |builder: &AmazonS3Builder, key| builder.get_config_value(&key).is_some();
            let has_credentials = has(&builder, AmazonS3ConfigKey::AccessKeyId)
                || has(&builder, AmazonS3ConfigKey::WebIdentityTokenFile)
                || has(&builder, AmazonS3ConfigKey::ContainerCredentialsRelativeUri)
                || has(&builder, AmazonS3ConfigKey::ContainerCredentialsFullUri);
            if !has_credentials && let Some(profile) = Profile::find(variables)? {
                builder = builder.with_access_key_id(profile.key).with_secret_access_key(profile.secret);
                builder = profile.token.into_iter().fold(builder, AmazonS3Builder::with_token);
            }
            if !has(&builder, AmazonS3ConfigKey::Region)
                && let Some(region) = Profile::region(variables)?
            {
                builder = builder.with_region(region);
            }
            // A store of this machine, in a test perhaps.
            let endpoint = builder.get_config_value(&AmazonS3ConfigKey::Endpoint);
            if endpoint.is_some_and(|endpoint| is_of_this_machine(&endpoint)) {
                builder = builder.with_allow_http(true);
            }
            let store =
                builder.with_bucket_name(bucket).with_http_connector(connector).with_retry(once()).build();
            store.map(|store| Arc::new(store) as Arc<dyn ObjectStore>)
        }
        BucketKind::Gcs => {
            let builder = GoogleCloudStorageBuilder::from_env();
            let builder = given(&GOOGLE, variables)
                .fold(builder, |builder, (key, value): (GoogleConfigKey, _)| builder.with_config(key, value));
            let store =
                builder.with_bucket_name(bucket).with_http_connector(connector).with_retry(once()).build();
            store.map(|store| Arc::new(store) as Arc<dyn ObjectStore>)
        }
        BucketKind::Azure => {
            let builder = MicrosoftAzureBuilder::from_env();
            let builder = given(&AZURE, variables)
                .fold(builder, |builder, (key, value): (AzureConfigKey, _)| builder.with_config(key, value));
            // An emulator has one of its own.
            let is_named = [AzureConfigKey::AccountName, AzureConfigKey::UseEmulator].iter().any(|key| {
                builder.get_config_value(key).is_some_and(|value| !value.is_empty() && value != "false")
            });
            if !is_named {
                let message = format!("`{place}` names no storage account: set `AZURE_STORAGE_ACCOUNT_NAME`");
                return Err(TransferError::Credentials(message));
            }
            let store =
                builder.with_container_name(bucket).with_http_connector(connector).with_retry(once()).build();
            store.map(|store| Arc::new(store) as Arc<dyn ObjectStore>)
        }
    };
    store.map_err(|error| TransferError::Credentials(format!("`{place}` cannot be opened: {error}")))
}

/// Those that have a value, as the keys of a builder.
fn given<'v, K: FromStr>(
    names: &'v [&str],
    variables: &'v Variables,
) -> impl Iterator<Item = (K, String)> + 'v {
    names.iter().filter_map(|name| Some((name.to_ascii_lowercase().parse().ok()?, variables.get(name)?)))
}

/// Whoever asks decides when to ask again.
fn once() -> RetryConfig {
    RetryConfig { backoff: BackoffConfig::default(), max_retries: 0, retry_timeout: Duration::ZERO }
}

fn is_of_this_machine(endpoint: &str) -> bool {
    endpoint.parse().is_ok_and(|uri: http::Uri| uri.host().is_some_and(is_loopback))
}
