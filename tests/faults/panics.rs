//! A panic that no run can be blamed for: one line with rank, place and words, and all ranks end.
//!
//! Nothing in the program panics on request, so a system call fails whose error is a panic: the journal of a worker that
//! runs programs. A panic inside a run, which costs that run alone, is `a_panic_costs_its_own_run_alone` of tests/worker.rs.

use std::time::Duration;

use crate::case::Case;
use crate::launch::Code;
use crate::process::ranks;
use crate::shim::{ENOSPC, Fault, fly};

#[test]
fn mpi_a_panic_of_one_rank_ends_all_with_one_line() {
    let case = Case::of_workload("kind = \"command\"\nargv = [\"sleep\", \"0.2\"]", "x = { linspace = [0, 1, 200] }");
    for (size, rank) in [(3, 1), (3, 2), (1, 0)] {
        let path = [".jobs.0.jsonl", ".jobs.1.jsonl", ".jobs.2.jsonl"][rank];
        let ended = fly(&case, size, &["config.toml"], Fault { rank, call: "write", path, error: ENOSPC, after: 1 });
        let what = format!("rank {rank} of {size}:\n{}", ended.text);
        assert_eq!(ended.code, Code::Exit(101), "{what}");
        assert!(ended.took < Duration::from_secs(20), "{:?}, {what}", ended.took);
        assert_eq!(ended.text.matches("panic").count(), 1, "{what}");
        let line = format!("sweep-mpi: rank {rank}: panic at src/sweep/programs.rs:");
        let told = ended.text.lines().find(|text| text.starts_with(&line)).unwrap_or_else(|| panic!("{what}"));
        assert!(told.contains("the journal cannot be written: No space left on device"), "{told}");
        assert_eq!(ranks(case.folder.path()), [], "{what}");
        case.flies(2, &["config.toml", "--resume", "-q"]);
        std::fs::remove_file(case.path("out.h5")).unwrap();
    }
}
