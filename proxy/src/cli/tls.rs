//! Whether certificates and keys can be used, without listening.

use crate::config::FileProblem;
use crate::transport::{Certificate, CertificateError, TlsFiles, read_authorities};
use std::path::Path;

/// Every problem with a listener's files.
pub fn check_files(files: &TlsFiles) -> Vec<FileProblem> {
    let problems = Certificate::read(files).err().unwrap_or_default();
    problems.into_iter().map(FileProblem::from).collect()
}

pub fn check_ca(file: &Path) -> Result<(), FileProblem> {
    read_authorities(file).map(drop).map_err(FileProblem::from)
}

impl From<CertificateError> for FileProblem {
    fn from(problem: CertificateError) -> FileProblem {
        FileProblem::new(&problem.file, problem.message)
    }
}
