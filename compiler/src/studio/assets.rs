//! The files of the page. They are part of the program, and hold nothing of the specs.

/// A file of the page.
#[derive(Debug, Clone, Copy)]
pub struct Asset {
    pub path: &'static str,
    pub content_type: &'static str,
    pub bytes: &'static [u8],
}

macro_rules! assets {
    ($($path:literal, $name:literal, $content_type:expr;)*) => {
        &[$(Asset {
            path: $path,
            content_type: $content_type,
            bytes: include_bytes!(concat!("../../assets/studio/", $name)),
        }),*]
    };
}

const HTML: &str = "text/html; charset=utf-8";

/// Every file of `compiler/assets/studio/`, by its path.
static ASSETS: &[Asset] = assets! {
    "/", "index.html", HTML;
};

pub fn find(path: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// What the page may have at most, uncompressed.
    const MAX_BYTES: usize = 150 << 10;

    #[test]
    fn every_file_of_the_folder_is_served() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/studio");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| format!("/{}", entry.unwrap().file_name().into_string().unwrap()))
            .map(|path| if path == "/index.html" { "/".to_owned() } else { path })
            .collect();
        files.sort();
        let mut served: Vec<String> = ASSETS.iter().map(|asset| asset.path.to_owned()).collect();
        served.sort();
        assert_eq!(served, files);
    }

    #[test]
    fn the_page_is_small() {
        let bytes: usize = ASSETS.iter().map(|asset| asset.bytes.len()).sum();
        assert!(bytes < MAX_BYTES, "{bytes}");
    }
}
