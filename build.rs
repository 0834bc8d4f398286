//! The commit that is built, for the result file's provenance.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=.git/HEAD");
    println!("cargo::rerun-if-changed=.git/refs");
    let output = Command::new("git").args(["rev-parse", "--short=12", "HEAD"]).output();
    let hash = output.ok().filter(|output| output.status.success()).and_then(|o| String::from_utf8(o.stdout).ok());
    println!("cargo::rustc-env=SWEEP_MPI_GIT_HASH={}", hash.as_deref().map_or("unknown", str::trim));
}
