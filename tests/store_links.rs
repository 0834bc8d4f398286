//! A result file that points into another file.
//!
//! The store switches such links off for its whole process, so another process makes the skeleton
//! before this one, still without the store, adds the link.

mod sample;

use std::path::Path;
use std::process::Command;
use sweep_mpi::store::{Reader, create_skeleton};

#[test]
fn make_skeleton() {
    if let Ok(path) = std::env::var("SWEEP_TEST_SKELETON") {
        create_skeleton(Path::new(&path), &sample::layout(3)).unwrap();
    }
}

#[test]
fn a_link_to_another_file_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let (path, secret) = (folder.path().join("out.h5"), folder.path().join("secret.h5"));
    let made = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "make_skeleton"])
        .env("SWEEP_TEST_SKELETON", &path)
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    let other = hdf5::File::create(&secret).unwrap();
    other.new_dataset_builder().with_data(&[1.0, 2.0, 3.0]).create("x").unwrap();
    other.close().unwrap();
    let file = hdf5::File::open_rw(&path).unwrap();
    file.link_external(secret.to_str().unwrap(), "x", "leak").unwrap();
    assert_eq!(file.dataset("leak").unwrap().read_raw::<f64>().unwrap(), [1.0, 2.0, 3.0], "the link works");
    file.close().unwrap();
    let text = Reader::open(&path).map(|_| ()).unwrap_err().to_string();
    assert!(text.contains("link class"), "{text}");
}
