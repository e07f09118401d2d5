//! Each kind of place, if this build has it.

use crate::error::TransferError;
use crate::location::Location;
use crate::remote::{Facts, Options, Pushed, Remote};

/// The client of a place. Nothing is asked yet.
pub fn open(location: &Location, options: &Options) -> Result<Box<dyn Remote>, TransferError> {
    match location {
        #[cfg(feature = "web")]
        Location::Web(web) => Ok(Box::new(crate::web::Web::new(web.clone(), options)?)),
        #[cfg(feature = "web")]
        Location::Oci(oci) => Ok(Box::new(crate::oci::Artifact::new(oci.clone(), options)?)),
        #[cfg(feature = "buckets")]
        Location::Bucket(bucket) => Ok(Box::new(crate::bucket::Object::new(bucket, options)?)),
        #[cfg(not(all(feature = "web", feature = "buckets")))]
        _ => Err(left_out(location, options)),
    }
}

/// Uploads a bundle, unless it is there already. `progress` is told how many of its bytes have gone.
pub fn push(
    location: &Location,
    bytes: &[u8],
    facts: &Facts,
    options: &Options,
    progress: &mut dyn FnMut(u64),
) -> Result<Pushed, TransferError> {
    match location {
        #[cfg(feature = "web")]
        Location::Oci(oci) => crate::oci::push(oci, bytes, facts, options, progress),
        #[cfg(feature = "buckets")]
        Location::Bucket(bucket) => crate::bucket::push(bucket, bytes, facts, options, progress),
        Location::Web(_) => {
            let message =
                "web servers have no common way to upload: copy the file to where yours serves it from";
            Err(TransferError::Setup(message.to_owned()))
        }
        #[cfg(not(all(feature = "web", feature = "buckets")))]
        _ => {
            let _ = (bytes, facts, progress);
            Err(left_out(location, options))
        }
    }
}

#[cfg(not(all(feature = "web", feature = "buckets")))]
fn left_out(location: &Location, _: &Options) -> TransferError {
    let feature = match location {
        Location::Web(_) | Location::Oci(_) => "remote",
        Location::Bucket(_) => "buckets",
    };
    TransferError::Setup(format!(
        "`{location}` needs the feature `{feature}`, which this program was built without: build it with `--features {feature}`"
    ))
}
