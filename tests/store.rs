//! The store on one rank, and files that are not what they should be.
#![allow(clippy::unwrap_used)] // Helpers of tests.

mod sample;

use sample::{layout, mix};
use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use sweep_mpi::store::{ColumnKind, Layout, LayoutError, Reader, ReportRows, RowBlock, create_skeleton, publish};

struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    fn new() -> Folder {
        Folder { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn skeleton(&self, runs: u64) -> PathBuf {
        let path = self.path("out.h5");
        create_skeleton(&path, &layout(runs)).unwrap();
        path
    }
}

fn refusal(path: &Path) -> String {
    Reader::open(path).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn a_skeleton_describes_itself() {
    let folder = Folder::new();
    let reader = Reader::open(&folder.skeleton(1000)).unwrap();
    assert_eq!(reader.runs(), 1000);
    assert_eq!(reader.attribute("title"), "A sweep of the tests");
    assert_eq!(reader.attribute("Conventions"), "CF-1.11");
    assert_eq!(reader.attribute("plan_sha256").len(), 64);
    let [sma, seed] = reader.parameters() else { panic!("two parameters") };
    assert_eq!((sma.name.as_str(), sma.gmat_name.as_str(), sma.units.as_str()), ("Sat_SMA", "Sat.SMA", "km"));
    assert_eq!((seed.kind, seed.units.as_str()), (ColumnKind::Integer, "1"));
    let outputs: Vec<&str> = reader.outputs().iter().map(|column| column.name.as_str()).collect();
    assert_eq!(outputs, ["Sat_ECC", "Sat_INC", "Sat_ElapsedDays"]);
    let [orbit, short] = reader.reports() else { panic!("two reports") };
    assert_eq!((orbit.name.as_str(), orbit.max_steps, orbit.columns.len()), ("Orbit", 7, 2));
    assert_eq!((orbit.columns[1].name.as_str(), short.max_steps), ("Orbit_X", 1));
    assert_eq!(reader.status_counts().unwrap(), ([1000, 0, 0, 0, 0, 0, 0], 0));
    assert_eq!(reader.failures().unwrap(), (Vec::new(), 0));
    assert_eq!(reader.provenance_names().unwrap(), ["config", "mission", "git"]);
    assert_eq!(reader.provenance("config").unwrap(), "# größer\n[sweep]\n");
    assert_eq!(reader.provenance("mission").unwrap().len(), 115_000, "longer than an attribute may be");
    assert_eq!(reader.provenance("git").unwrap(), "");
    assert!(reader.provenance("nothing").unwrap_err().to_string().contains("provenance/nothing"));
    assert_eq!(reader.verify_row_crc().unwrap(), Vec::<u64>::new());
    assert!(reader.status(999, 2).unwrap_err().to_string().contains("shorter than expected"));
}

#[test]
fn the_size_is_estimated_well_and_taken_at_once() {
    use std::os::unix::fs::MetadataExt as _;
    let folder = Folder::new();
    let path = folder.skeleton(20_000);
    let about = fs::metadata(&path).unwrap();
    let estimate = layout(20_000).file_size().unwrap();
    assert!(about.len() <= estimate && estimate - about.len() < 1 << 20, "{} of {estimate}", about.len());
    assert!(about.blocks() * 512 >= about.len(), "no holes");
}

#[test]
fn the_same_layout_makes_the_same_bytes() {
    let folder = Folder::new();
    let path = folder.skeleton(100);
    // HDF5 counts seconds, had it kept a time.
    std::thread::sleep(Duration::from_millis(1100));
    create_skeleton(&folder.path("again.h5"), &layout(100)).unwrap();
    assert!(fs::read(path).unwrap() == fs::read(folder.path("again.h5")).unwrap());
}

#[test]
fn nothing_is_overwritten_and_nothing_left_behind() {
    let folder = Folder::new();
    fs::write(folder.path("taken"), "precious").unwrap();
    let text = create_skeleton(&folder.path("taken"), &layout(3)).unwrap_err().to_string();
    assert!(text.contains("taken") && text.contains("exists already"), "{text}");
    assert_eq!(fs::read_to_string(folder.path("taken")).unwrap(), "precious");
    let nowhere = create_skeleton(&folder.path("no/out.h5"), &layout(3)).unwrap_err().to_string();
    assert!(nowhere.contains("No such file"), "{nowhere}");
    let nul = Layout { provenance: vec![("config".into(), "a\0b".into())], ..layout(3) };
    let text = create_skeleton(&folder.path("nul"), &nul).unwrap_err().to_string();
    assert!(text.contains("provenance/config") && text.contains("NUL"), "{text}");
    assert!(!folder.path("nul").exists());
}

#[test]
fn a_full_disk_is_noticed_before_anything_is_written() {
    let folder = Folder::new();
    let start = Instant::now();
    let text = create_skeleton(&folder.path("large"), &layout(1 << 50)).unwrap_err().to_string();
    assert!(text.contains("are free"), "{text}");
    assert!(start.elapsed() < Duration::from_secs(1));
    assert!(!folder.path("large").exists());
    assert_eq!(layout(1 << 62).check(), Err(LayoutError::TooLarge));
}

#[test]
fn publish_replaces_by_renaming() {
    let folder = Folder::new();
    let path = folder.skeleton(3);
    fs::write(folder.path("final.h5"), "old").unwrap();
    publish(&path, &folder.path("final.h5")).unwrap();
    assert!(!path.exists());
    assert_eq!(Reader::open(&folder.path("final.h5")).unwrap().runs(), 3);
    let text = publish(&path, &folder.path("final.h5")).unwrap_err().to_string();
    assert!(text.contains("out.h5"), "{text}");
}

#[test]
fn foreign_files_are_refused_with_a_reason() {
    let folder = Folder::new();
    let png = folder.path("picture.h5");
    fs::write(&png, [b"\x89PNG\r\n\x1a\n".to_vec(), vec![0; 5000]].concat()).unwrap();
    assert_eq!(refusal(&png), format!("cannot read {}: it is not an HDF5 file", png.display()));
    fs::write(folder.path("empty.h5"), "").unwrap();
    assert!(refusal(&folder.path("empty.h5")).contains("not an HDF5 file"));
    assert!(refusal(&folder.path("none.h5")).contains("No such file"));
    assert!(refusal(folder.folder.path()).contains("no ordinary file"));
    let other = folder.path("other.h5");
    hdf5::File::create(&other).unwrap().new_dataset::<f64>().shape(3).create("run").unwrap();
    assert!(refusal(&other).contains("not a result file"), "{}", refusal(&other));
}

#[test]
fn truncated_files_are_refused() {
    let folder = Folder::new();
    let path = folder.skeleton(50);
    let bytes = fs::read(&path).unwrap();
    let cut = folder.path("cut.h5");
    for part in 0..40 {
        fs::write(&cut, &bytes[..bytes.len() * part / 40]).unwrap();
        let text = refusal(&cut);
        assert!(text.contains("cut.h5"), "{text}");
    }
}

/// A file with ten rows, written by the serial driver as one rank would.
fn written() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| {
        let folder = Folder::new();
        let layout = layout(10);
        create_skeleton(&folder.path("w.h5"), &layout).unwrap();
        let file = hdf5::File::open_rw(folder.path("w.h5")).unwrap();
        let set = |name: &str| file.dataset(name).unwrap();
        set("status").write(&[1_i8; 10]).unwrap();
        set("Sat_SMA").write(&[7000.0; 10]).unwrap();
        set("Orbit_rows").write(&[0_i32; 10]).unwrap();
        for (name, steps) in [("Orbit_A1ModJulian", 7), ("Orbit_X", 7), ("Short_E", 1)] {
            set(name).write_raw(&vec![f64::from_bits(0x7ff8 << 48); 10 * steps]).unwrap();
        }
        // Through the public interface, so that the checksum is the writer's.
        let mut block = RowBlock::new(&layout);
        let nothing = [ReportRows::default(), ReportRows::default()];
        block.push(0, 1, 0, &[7000.0, 0.0], &[0.0; 3], nothing.into_iter());
        let mut bytes = [7000.0_f64, 0.0, 0.0, 0.0, 0.0].map(f64::to_le_bytes).concat();
        bytes.extend([0; 8]);
        bytes.extend([1, 0, 0]);
        set("row_crc32").write(&[crc32fast::hash(&bytes); 10]).unwrap();
        file.close().unwrap();
        fs::read(folder.path("w.h5")).unwrap()
    })
}

#[test]
fn verify_names_the_damaged_rows() {
    let folder = Folder::new();
    let path = folder.path("w.h5");
    fs::write(&path, written()).unwrap();
    assert_eq!(Reader::open(&path).unwrap().verify_row_crc().unwrap(), Vec::<u64>::new());
    let at = hdf5::File::open(&path).unwrap().dataset("Sat_SMA").unwrap().offset().unwrap();
    let mut file = fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
    for run in [2, 9] {
        let mut byte = [0];
        file.seek(SeekFrom::Start(at + 8 * run + 3)).unwrap();
        file.read_exact(&mut byte).unwrap();
        file.seek(SeekFrom::Start(at + 8 * run + 3)).unwrap();
        file.write_all(&[byte[0] ^ 4]).unwrap();
    }
    drop(file);
    assert_eq!(Reader::open(&path).unwrap().verify_row_crc().unwrap(), [2, 9]);
}

#[test]
fn summaries_are_over_ok_runs() {
    let folder = Folder::new();
    let path = folder.path("w.h5");
    fs::write(&path, written()).unwrap();
    let file = hdf5::File::open_rw(&path).unwrap();
    file.dataset("Sat_ECC").unwrap().write(&[1.0, 2.0, f64::NAN, 1e9, 6.0, 0.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
    file.dataset("status").unwrap().write(&[1_i8, 1, 1, 2, 1, 0, 0, 0, 0, 99]).unwrap();
    file.close().unwrap();
    let reader = Reader::open(&path).unwrap();
    assert_eq!(reader.status_counts().unwrap(), ([4, 4, 1, 0, 0, 0, 0], 1));
    let all = reader.column_summaries().unwrap();
    let ecc = all.iter().find(|column| column.name == "Sat_ECC").unwrap();
    assert_eq!((ecc.count, ecc.min, ecc.mean, ecc.max), (3, 1.0, 3.0, 6.0));
}

/// Damage anywhere gives an error or numbers, never a panic or an endless read.
#[test]
fn damaged_files_do_no_harm() {
    let folder = Folder::new();
    let path = folder.path("damaged.h5");
    let mut opened = 0;
    for trial in 0..400 {
        let mut bytes = written().to_vec();
        for hit in 0..3 {
            // Metadata is at the front for the most part.
            let place = mix(trial, hit) as usize % if trial % 2 == 0 { bytes.len() } else { 12_000 };
            bytes[place] = mix(hit, trial) as u8;
        }
        fs::write(&path, bytes).unwrap();
        let Ok(reader) = Reader::open(&path) else { continue };
        opened += 1;
        let _ = (reader.status_counts(), reader.column_summaries(), reader.failures(), reader.verify_row_crc());
        let _ = reader.provenance("config");
    }
    assert!(opened > 20, "most damage is to numbers: {opened}");
}
