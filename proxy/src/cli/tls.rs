//! Whether certificates and keys can be used, without listening.

use crate::config::FileProblem;
use crate::runtime::exposed::check_key;
use crate::settings::ClientFiles;
use crate::transport::{Certificate, CertificateError, TlsFiles, read_authorities};
use crate::upstream::ClientCertificate;
use std::path::Path;

/// Every problem with a listener's files.
pub fn check_files(files: &TlsFiles) -> Vec<FileProblem> {
    let problems = Certificate::read(files).err().unwrap_or_default();
    problems.into_iter().map(FileProblem::from).collect()
}

/// The first problem with the files of the edge's own certificate for an upstream.
pub fn check_client_files(files: &ClientFiles) -> Result<(), FileProblem> {
    check_key(&files.key).map_err(|message| FileProblem::new(&files.key, message))?;
    let loaded = ClientCertificate::load(files).map(drop);
    loaded.map_err(|message| FileProblem::new(&files.certificate, message))
}

pub fn check_ca(file: &Path) -> Result<(), FileProblem> {
    read_authorities(file).map(drop).map_err(FileProblem::from)
}

impl From<CertificateError> for FileProblem {
    fn from(problem: CertificateError) -> FileProblem {
        FileProblem::new(&problem.file, problem.message)
    }
}
