//! The log: lines on standard error, of rank 0 and, for errors, of the rank that has one.

use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::format::debug_fn;

use crate::cli::{LogFormat, Verbosity};

/// Starts the log of this process; `leader` is false for the ranks that keep silent.
pub fn start(verbosity: Verbosity, format: LogFormat, leader: bool) {
    let level = match (leader, verbosity) {
        (false, Verbosity::Trace) | (true, Verbosity::Verbose) => LevelFilter::DEBUG,
        (false, _) | (true, Verbosity::Quiet) => LevelFilter::ERROR,
        (true, Verbosity::Normal) => LevelFilter::INFO,
        (true, Verbosity::Trace) => LevelFilter::TRACE,
    };
    let log = tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr).with_target(false);
    // a second start, in a test, keeps the first
    let _ = match format {
        // the fields are for machines: people read the message
        LogFormat::Text => log
            .with_ansi(false)
            .without_time()
            .with_level(verbosity > Verbosity::Normal)
            .fmt_fields(debug_fn(
                |writer, field, value| {
                    if field.name() == "message" { write!(writer, "{value:?}") } else { Ok(()) }
                },
            ))
            .try_init(),
        LogFormat::Json => log.json().flatten_event(true).try_init(),
    };
}
