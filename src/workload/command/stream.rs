//! What a program prints: read without waiting, kept up to a cap, the rest dropped.

use std::fs::File;
use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::path::PathBuf;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

/// Bytes a read; also what a pipe holds.
const READ_BYTES: usize = 64 << 10;
/// Reads of one pipe before the others have their turn.
const READS_MAX: usize = 16;

/// The file of what the steps of an attempt print; it is made when the first byte comes.
#[derive(Debug)]
pub struct Capture {
    path: PathBuf,
    file: Option<File>,
    room: u64,
    failed: bool,
}

impl Capture {
    /// A file with room for so many bytes.
    pub fn new(path: PathBuf, max_bytes: u64) -> Self {
        Capture { path, file: None, room: max_bytes, failed: false }
    }

    /// Whether the file could not be written, on a full disk for example.
    pub fn has_failed(&self) -> bool {
        self.failed
    }

    fn take(&mut self, bytes: &[u8]) {
        let kept = &bytes[..bytes.len().min(usize::try_from(self.room).unwrap_or(usize::MAX))];
        if kept.is_empty() || self.failed {
            return;
        }
        if let Err(error) = self.write(kept) {
            tracing::warn!("{}: {error}", self.path.display());
            self.failed = true;
        }
        self.room -= kept.len() as u64;
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(File::create(&self.path)?),
        };
        file.write_all(bytes)
    }
}

/// Our end of a pipe.
#[derive(Debug)]
pub struct Stream {
    pipe: PipeReader,
}

/// Whether more may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// More may come.
    Open,
    /// All writers have closed it.
    Closed,
}

impl Stream {
    /// A pipe: our end, which never waits, and the program's.
    pub fn new() -> io::Result<(Stream, PipeWriter)> {
        let (pipe, writer) = io::pipe()?;
        let flags = fcntl_getfl(&pipe)?;
        fcntl_setfl(&pipe, flags | OFlags::NONBLOCK)?;
        Ok((Stream { pipe }, writer))
    }

    /// The descriptor to wait for.
    pub fn fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.pipe.as_fd()
    }

    /// Reads what is there; `sink` sees every byte, the capture keeps what it has room for.
    pub fn read(&mut self, capture: &mut Capture, scratch: &mut Vec<u8>, mut sink: impl FnMut(&[u8])) -> Flow {
        scratch.resize(READ_BYTES, 0);
        for _ in 0..READS_MAX {
            match self.pipe.read(scratch) {
                Ok(0) => return Flow::Closed,
                Ok(count) => {
                    sink(&scratch[..count]);
                    capture.take(&scratch[..count]);
                    if count < READ_BYTES {
                        return Flow::Open;
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Flow::Open,
                Err(_) => return Flow::Closed,
            }
        }
        Flow::Open
    }

    /// Reads what is left when the program has ended: what a pipe can hold, since a process that has
    /// left the group may go on writing for ever.
    pub fn drain(mut self, capture: &mut Capture, scratch: &mut Vec<u8>, mut sink: impl FnMut(&[u8])) {
        let mut left = rustix::pipe::fcntl_getpipe_size(&self.pipe).unwrap_or(READ_BYTES);
        scratch.resize(READ_BYTES, 0);
        while left > 0 {
            match self.pipe.read(scratch) {
                Ok(0) => return,
                Ok(count) => {
                    sink(&scratch[..count]);
                    capture.take(&scratch[..count]);
                    left = left.saturating_sub(count);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_holds_and_all_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stdout");
        let mut capture = Capture::new(path.clone(), 10);
        let (mut stream, mut writer) = Stream::new().unwrap();
        let mut scratch = Vec::new();
        let mut seen = 0;
        assert_eq!(stream.read(&mut capture, &mut scratch, |bytes| seen += bytes.len()), Flow::Open);
        assert!(!path.exists());
        for text in ["1234567", "890ABC", "DEF"] {
            writer.write_all(text.as_bytes()).unwrap();
            assert_eq!(stream.read(&mut capture, &mut scratch, |bytes| seen += bytes.len()), Flow::Open);
        }
        writer.write_all(b"last").unwrap();
        stream.drain(&mut capture, &mut scratch, |bytes| seen += bytes.len());
        assert_eq!(seen, 20);
        assert_eq!(std::fs::read_to_string(path).unwrap(), "1234567890");
        assert!(!capture.has_failed());
    }
}
