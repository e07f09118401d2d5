//! The file that lines go to. Whatever happens, it holds whole lines.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Each of our lines begins like this.
const BEGINNING: &[u8] = b"{\"time\":\"";

/// No line of ours is longer.
const LONGEST_LINE: u64 = 1 << 20;

/// Why a path cannot be the audit log.
#[derive(Debug, thiserror::Error)]
#[error("audit file `{path}` {reason}")]
pub struct AuditError {
    pub path: String,
    reason: String,
}

/// An open file.
#[derive(Debug)]
pub(super) struct AuditFile {
    path: PathBuf,
    /// `None` if it could not be opened again.
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    file: File,
    /// Device and inode of a regular file; a pipe or a device is never replaced.
    identity: Option<(u64, u64)>,
}

/// Whether a path can be the audit log; nothing is made or changed.
pub fn check(path: &Path) -> Result<(), AuditError> {
    match std::fs::metadata(path) {
        Ok(metadata) => check_kind(path, &metadata).and_then(|()| {
            let is_stream = !metadata.is_file();
            let opened = OpenOptions::new().read(true).append(!is_stream).write(true).open(path);
            opened.map(drop).map_err(|error| AuditError::new(path, format!("cannot be written: {error}")))
        }),
        Err(error) if error.kind() == ErrorKind::NotFound => check_folder(path),
        Err(error) => Err(AuditError::new(path, format!("cannot be used: {error}"))),
    }
}

fn check_kind(path: &Path, metadata: &Metadata) -> Result<(), AuditError> {
    let kind = metadata.file_type();
    let what = if kind.is_dir() {
        "is a folder; name a file in it, like `audit.jsonl`"
    } else if kind.is_socket() {
        "is a socket; name a file, a named pipe or a device such as `/dev/stdout`"
    } else if kind.is_block_device() {
        "is a block device; name a file"
    } else {
        return Ok(());
    };
    Err(AuditError::new(path, what))
}

fn check_folder(path: &Path) -> Result<(), AuditError> {
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    match std::fs::metadata(folder) {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        _ => Err(AuditError::new(path, format!("cannot be made: there is no folder `{}`", folder.display()))),
    }
}

impl AuditError {
    pub(super) fn new(path: &Path, reason: impl Into<String>) -> AuditError {
        AuditError { path: path.display().to_string(), reason: reason.into() }
    }
}

impl AuditFile {
    /// Opens the file, or makes it.
    pub(super) fn open(path: &Path) -> Result<AuditFile, AuditError> {
        check(path)?;
        let open =
            Open::new(path).map_err(|error| AuditError::new(path, format!("cannot be opened: {error}")))?;
        Ok(AuditFile { path: path.to_owned(), open: Some(open) })
    }

    /// Opens it again: its name may lead to another file by now.
    pub(super) fn reopen(&mut self) -> io::Result<()> {
        self.open = None;
        self.open = Some(Open::new(&self.path)?);
        Ok(())
    }

    /// Appends lines and takes them away from `lines`. After an error, what is left begins with a line that is not in the file,
    /// or with the rest of one.
    pub(super) fn append(&mut self, lines: &mut Vec<u8>) -> io::Result<()> {
        // It may have been moved away or deleted.
        let is_ours = |open: &Open| {
            open.identity
                .is_none_or(|ours| std::fs::metadata(&self.path).is_ok_and(|now| identity(&now) == ours))
        };
        if !self.open.as_ref().is_some_and(is_ours) {
            self.reopen()?;
        }
        match &mut self.open {
            _ if lines.is_empty() => Ok(()),
            Some(open) => open.append(lines),
            None => Err(ErrorKind::NotFound.into()),
        }
    }
}

impl Open {
    fn new(path: &Path) -> io::Result<Open> {
        let is_stream = std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
        if is_stream {
            // For reading, too: a pipe that nobody reads would keep us waiting here.
            let file = OpenOptions::new().read(true).write(true).open(path)?;
            return Ok(Open { file, identity: None });
        }
        let mut options = OpenOptions::new();
        let mut file = options.read(true).append(true).create(true).mode(0o600).open(path)?;
        // Every process that writes holds the lock with others, as the old and the new one do in an upgrade. Who gets it alone
        // finds no line half-written by someone alive. Where there are no locks, nothing is repaired.
        if file.try_lock().is_ok() {
            end_last_line(&mut file)?;
        }
        let _ = file.try_lock_shared();
        let identity = identity(&file.metadata()?);
        Ok(Open { file, identity: Some(identity) })
    }

    fn append(&mut self, lines: &mut Vec<u8>) -> io::Result<()> {
        let start = self.file.metadata()?.len();
        let mut written = 0;
        let failure = loop {
            match self.file.write(lines.get(written..).unwrap_or_default()) {
                Ok(0) if written < lines.len() => break ErrorKind::WriteZero.into(),
                Ok(count) => written += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => break error,
            }
            if written >= lines.len() {
                lines.clear();
                return Ok(());
            }
        };
        let sent = lines.get(..written).unwrap_or_default();
        let whole = sent.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        // The beginning of a line goes, unless somebody has written behind it. Then, as in a pipe, the rest follows later.
        let is_cut = self.identity.is_some()
            && whole < written
            && self.file.metadata().is_ok_and(|now| now.len() == start + written as u64)
            && self.file.set_len(start + whole as u64).is_ok();
        lines.drain(..if is_cut { whole } else { written });
        Err(failure)
    }
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// A process that was killed may have left the beginning of a line. It goes; anything else that has no end gets one.
fn end_last_line(file: &mut File) -> io::Result<()> {
    let length = file.metadata()?.len();
    let from = length.saturating_sub(LONGEST_LINE);
    file.seek(SeekFrom::Start(from))?;
    let mut tail = Vec::new();
    file.take(LONGEST_LINE).read_to_end(&mut tail)?;
    if tail.is_empty() || tail.ends_with(b"\n") {
        return Ok(());
    }
    let whole = tail.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let rest = tail.get(whole..).unwrap_or_default();
    let is_ours = rest.starts_with(BEGINNING) || BEGINNING.starts_with(rest);
    if is_ours && (whole > 0 || from == 0) {
        tracing::warn!(bytes = rest.len(), "the last line of the audit log was incomplete and is gone");
        return file.set_len(from + whole as u64);
    }
    file.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        (folder, path)
    }

    fn read(path: &Path) -> String {
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn what_cannot_hold_lines_is_refused_in_words() {
        let (folder, path) = place();
        let socket = folder.path().join("s");
        let _socket = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        for (path, part) in [
            (folder.path().to_owned(), "is a folder"),
            (folder.path().join("none/a.jsonl"), "there is no folder"),
            (socket, "is a socket"),
        ] {
            let told = check(&path).unwrap_err().to_string();
            assert!(told.contains(part) && told.contains(&path.display().to_string()), "{told}");
            assert_eq!(AuditFile::open(&path).unwrap_err().to_string(), told);
        }
        check(&path).unwrap();
        assert!(!path.exists(), "a check makes nothing");
        check(Path::new("/dev/null")).unwrap();
    }

    #[test]
    fn a_new_file_is_for_its_owner_alone() {
        let (_folder, path) = place();
        AuditFile::open(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_file_that_was_moved_or_deleted_is_made_again() {
        let (folder, path) = place();
        let mut file = AuditFile::open(&path).unwrap();
        file.append(&mut b"1\n".to_vec()).unwrap();
        std::fs::rename(&path, folder.path().join("old")).unwrap();
        file.append(&mut b"2\n".to_vec()).unwrap();
        std::fs::remove_file(&path).unwrap();
        file.append(&mut b"3\n".to_vec()).unwrap();
        assert_eq!((read(&folder.path().join("old")), read(&path)), ("1\n".into(), "3\n".into()));
    }

    #[test]
    fn a_line_that_a_killed_process_left_half_written_is_gone_after_the_next_start() {
        let (_folder, path) = place();
        let whole = "{\"time\":\"1\"}\n";
        for (before, after) in [
            (format!("{whole}{{\"time\":\"2"), whole.to_owned()),
            (format!("{whole}{{\"ti"), whole.to_owned()),
            ("{\"time\":\"2".to_owned(), String::new()),
            (whole.to_owned(), whole.to_owned()),
            (String::new(), String::new()),
            // It is not ours to remove.
            ("precious".to_owned(), "precious\n".to_owned()),
        ] {
            std::fs::write(&path, &before).unwrap();
            AuditFile::open(&path).unwrap();
            assert_eq!(read(&path), after, "{before}");
        }
    }

    #[test]
    fn nothing_is_repaired_while_another_process_writes() {
        let (_folder, path) = place();
        let mut other = AuditFile::open(&path).unwrap();
        other.append(&mut b"{\"time\":\"1".to_vec()).unwrap();
        let mut ours = AuditFile::open(&path).unwrap();
        other.append(&mut b"\"}\n".to_vec()).unwrap();
        ours.append(&mut b"{\"time\":\"2\"}\n".to_vec()).unwrap();
        assert_eq!(read(&path), "{\"time\":\"1\"}\n{\"time\":\"2\"}\n");
    }

    #[test]
    fn what_is_not_written_stays() {
        let mut file = AuditFile::open(Path::new("/dev/full")).unwrap();
        let mut lines = b"1\n2\n".to_vec();
        assert_eq!(file.append(&mut lines).unwrap_err().kind(), ErrorKind::StorageFull);
        assert_eq!(lines, b"1\n2\n");
    }
}
