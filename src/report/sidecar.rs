//! `OUT.log.json`: what depends on the machine and the moment, kept out of the result file.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::summary::{Figures, RankFigures};

/// The sidecar's path of a result file.
pub fn path(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".log.json");
    PathBuf::from(name)
}

/// Writes the sidecar under another name and renames it, so that there is never half of it.
pub fn write(output: &Path, sweep_id: &str, isa: &str, lanes: usize, figures: &Figures) -> std::io::Result<()> {
    let orders: u64 = figures.workers().iter().map(|rank| rank.chunks).sum();
    let waited: f64 = figures.workers().iter().map(|rank| rank.wait_s).sum();
    let dispatch = figures.dispatch();
    let document = json!({
        "sweep_id": sweep_id,
        "version": env!("CARGO_PKG_VERSION"),
        "runs": {
            "ok": figures.ok,
            "not_ok": figures.not_ok,
            "reused": figures.reused,
            "left": figures.interrupted.as_ref().map_or(0, |interrupted| interrupted.1),
        },
        "interrupted": figures.interrupted.as_ref().map(|interrupted| &interrupted.0),
        "wall_s": {
            "all": figures.wall.as_secs_f64(),
            "start": figures.start.as_secs_f64(),
            "fly": figures.fly.as_secs_f64(),
            "write": figures.write.as_secs_f64(),
        },
        "flush_rounds": figures.rounds,
        "threads": figures.threads,
        "instruction_set": isa,
        "lanes": lanes,
        "orders": orders,
        "dispatch_latency_s": if orders > 0 { waited / orders as f64 } else { 0.0 },
        "dispatch_wait_s": { "p50": dispatch.quantile_s(0.5), "p99": dispatch.quantile_s(0.99) },
        "flush_share": figures.flush_share(),
        "starved_share": figures.starved_share(),
        "tail_imbalance": figures.tail_imbalance(),
        "ranks": figures.ranks,
        "rank_shares": figures.ranks.iter().map(RankFigures::shares).collect::<Vec<_>>(),
    });
    let path = path(output);
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let mut file = std::fs::File::create(&partial)?;
    file.write_all(serde_json::to_string_pretty(&document)?.as_bytes())?;
    file.write_all(b"\n")?;
    file.sync_all()?;
    std::fs::rename(partial, path)
}
