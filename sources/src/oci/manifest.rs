//! The manifest of a bundle in a registry: one layer, which is the file.

use super::digest_of;
use crate::location::is_digest;
use crate::remote::Facts;
use serde_json::{Value, json};

/// Of manifests.
pub const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
/// What the artifact is.
pub const ARTIFACT: &str = "application/vnd.mcpc.bundle.v1";
/// What its layer is.
pub const LAYER: &str = "application/vnd.mcpc.bundle.v1.mcpk";
/// The configuration that artifacts without one have.
pub const EMPTY: &str = "application/vnd.oci.empty.v1+json";
pub const EMPTY_BYTES: &[u8] = b"{}";

/// The largest manifest that is read: ours have less than 4 KiB.
pub const MAX_LENGTH: u64 = 1 << 20;

/// The file of an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    pub digest: String,
    pub length: u64,
}

/// The bytes are the same for the same bundle, so pushing it again changes nothing.
pub fn write(layer: &Layer, facts: &Facts) -> Vec<u8> {
    let mut manifest = json!({
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "artifactType": ARTIFACT,
        "config": { "mediaType": EMPTY, "digest": digest_of(EMPTY_BYTES), "size": EMPTY_BYTES.len() },
        "layers": [{
            "mediaType": LAYER,
            "digest": layer.digest,
            "size": layer.length,
            // The name of the file where others unpack it.
            "annotations": { "org.opencontainers.image.title": format!("{}.mcpk", facts.name) },
        }],
        "annotations": {
            "org.opencontainers.image.title": facts.name,
            "dev.mcpc.bundle.revision": facts.revision,
            "dev.mcpc.bundle.tools": facts.tools.to_string(),
            "dev.mcpc.bundle.signers": facts.signers.join(","),
        },
    });
    // The map's own order depends on the build.
    manifest.sort_all_objects();
    manifest.to_string().into_bytes()
}

/// The file of an artifact, or why it is not one of ours.
pub fn read(bytes: &[u8]) -> Result<Layer, String> {
    let manifest: Value = serde_json::from_slice(bytes).map_err(|_| "its manifest is not JSON".to_owned())?;
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    if manifest.get("manifests").is_some() {
        return Err("this is an index of several images".to_owned());
    }
    let layers = manifest.get("layers").and_then(Value::as_array).ok_or("its manifest has no layers")?;
    let mut ours = layers.iter().filter(|layer| text(layer, "mediaType").as_deref() == Some(LAYER));
    let (layer, others) = (ours.next(), ours.next());
    let Some(layer) = layer else {
        let other = text(&manifest, "artifactType").or_else(|| text(manifest.get("config")?, "mediaType"));
        let other = other.unwrap_or_else(|| "of no type".to_owned());
        let shown: String = other.chars().filter(char::is_ascii_graphic).take(100).collect();
        return Err(format!("none of its layers is `{LAYER}`; the artifact is `{shown}`"));
    };
    if others.is_some() {
        return Err("it has several bundles".to_owned());
    }
    let digest = text(layer, "digest").filter(|digest| is_digest(digest));
    let digest = digest.ok_or("the digest of its layer is not SHA-256")?;
    let length = layer.get("size").and_then(Value::as_u64).ok_or("its layer has no size")?;
    Ok(Layer { digest, length })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn facts() -> Facts {
        Facts {
            name: "shop".to_owned(),
            revision: "ab".repeat(32),
            tools: 3,
            signers: vec!["mcpc-ed25519:x".to_owned()],
        }
    }

    fn layer() -> Layer {
        Layer { digest: digest_of(b"bundle"), length: 6 }
    }

    #[test]
    fn what_is_written_is_read_and_always_the_same() {
        let bytes = write(&layer(), &facts());
        assert_eq!(read(&bytes).unwrap(), layer());
        assert_eq!(bytes, write(&layer(), &facts()));
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.starts_with(r#"{"annotations":{"dev.mcpc.bundle.revision":"abab"#), "{text}");
        assert!(text.contains(r#""dev.mcpc.bundle.signers":"mcpc-ed25519:x","dev.mcpc.bundle.tools":"3""#));
    }

    #[test]
    fn the_empty_configuration_has_the_digest_that_the_specification_gives() {
        let digest = "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
        assert_eq!(digest_of(EMPTY_BYTES), digest);
    }

    #[test]
    fn other_artifacts_are_refused_with_what_they_are() {
        let ours = String::from_utf8(write(&layer(), &facts())).unwrap();
        let change = |from: &str, to: &str| read(ours.replace(from, to).as_bytes()).unwrap_err();
        assert!(change(LAYER, "application/x").contains(ARTIFACT));
        assert!(change("sha256:", "sha512:").contains("not SHA-256"));
        assert!(change("\"size\":6", "\"size\":-6").contains("no size"));
        assert!(read(br#"{"manifests":[]}"#).unwrap_err().contains("index"));
        assert!(read(b"[]").unwrap_err().contains("no layers"));
        assert!(read(b"<html>").unwrap_err().contains("not JSON"));
        let image =
            r#"{"layers":[],"config":{"mediaType":"application/vnd.docker.container.image.v1+json"}}"#;
        assert!(read(image.as_bytes()).unwrap_err().contains("container.image"));
        let layer = ours.split_once("\"layers\":[").unwrap().1.split_once(']').unwrap().0;
        assert!(change(layer, &format!("{layer},{layer}")).contains("several"));
    }

    proptest! {
        #[test]
        fn nothing_breaks(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&bytes);
        }
    }
}
