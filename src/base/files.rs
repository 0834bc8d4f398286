//! Files that a script or a config names: read once, by the first rank, and given to all others.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The largest file that is read whole, bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Where the bytes of a file come from.
pub trait Files {
    /// The bytes of a file by its path as written.
    ///
    /// # Errors
    /// Why it cannot be read, in words that follow "cannot be read: ".
    fn read(&self, path: &str) -> Result<Rc<[u8]>, String>;
}

/// Files by their paths as written: what was read, or why it was not.
pub type Read = BTreeMap<String, Result<Rc<[u8]>, String>>;

/// A folder on disk, which remembers what was read; paths are relative to it, or absolute.
#[derive(Debug, Default)]
pub struct Folder {
    folder: PathBuf,
    read: RefCell<Read>,
}

impl Folder {
    /// A folder.
    pub fn new(folder: PathBuf) -> Self {
        Folder { folder, read: RefCell::default() }
    }

    /// What has been read.
    pub fn into_read(self) -> Read {
        self.read.into_inner()
    }
}

impl Files for Folder {
    fn read(&self, path: &str) -> Result<Rc<[u8]>, String> {
        if let Some(read) = self.read.borrow().get(path) {
            return read.clone();
        }
        let read = read_whole(&self.folder.join(path));
        self.read.borrow_mut().insert(path.to_owned(), read.clone());
        read
    }
}

fn read_whole(file: &Path) -> Result<Rc<[u8]>, String> {
    let metadata = std::fs::metadata(file).map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is not a file".to_owned());
    }
    if metadata.len() > MAX_BYTES {
        return Err(format!("it has {} bytes, more than the {MAX_BYTES} that are read", metadata.len()));
    }
    // a file may grow, and one of /proc does not tell its length
    let mut bytes = Vec::new();
    let read = std::fs::File::open(file).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("it has more than the {MAX_BYTES} bytes that are read"));
    }
    Ok(bytes.into())
}

/// What another rank has read.
impl Files for Read {
    fn read(&self, path: &str) -> Result<Rc<[u8]>, String> {
        self.get(path).cloned().unwrap_or_else(|| Err("it was not read".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_remembers_what_it_has_read() {
        let folder = tempfile::TempDir::new().unwrap();
        std::fs::write(folder.path().join("a.cof"), "abc").unwrap();
        let files = Folder::new(folder.path().to_owned());
        assert_eq!(&*files.read("a.cof").unwrap(), b"abc");
        std::fs::remove_file(folder.path().join("a.cof")).unwrap();
        assert_eq!(&*files.read("a.cof").unwrap(), b"abc", "read once");
        assert!(files.read("b.cof").unwrap_err().contains("No such file"));
        assert_eq!(files.read(".").unwrap_err(), "it is not a file");
        let read = files.into_read();
        assert_eq!(&*read.read("a.cof").unwrap(), b"abc");
        assert!(read.read("b.cof").unwrap_err().contains("No such file"), "why is remembered as well");
        assert_eq!(read.read("c.cof").unwrap_err(), "it was not read");
    }
}
