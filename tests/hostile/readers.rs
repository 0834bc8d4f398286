//! Every reader of bytes that others may have made, each as a function from bytes to an answer. The targets of fuzz/
//! are these functions too.
#![allow(dead_code)] // each fuzz target uses one

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use sweep_mpi::astro::ephemeris::{Body, Ephemeris, Span};
use sweep_mpi::astro::epoch::{Epoch, Scale};
use sweep_mpi::astro::frames::EarthTable;
use sweep_mpi::astro::world::World;
use sweep_mpi::base::files::Read;
use sweep_mpi::base::lanes::{Isa, Vectors};
use sweep_mpi::base::nominal::Nominal;
use sweep_mpi::base::problem::Problem;
use sweep_mpi::cli::RunNumbers;
use sweep_mpi::config;
use sweep_mpi::config::overrides::{Overrides, apply_set};
use sweep_mpi::design;
use sweep_mpi::forces::drag::space_weather::{Activity, SpaceWeather, Weather};
use sweep_mpi::forces::harmonics::Field;
use sweep_mpi::gmat;
use sweep_mpi::mission::compile::compile_with;
use sweep_mpi::propagator::{Flight, Propagator};
use sweep_mpi::report::show;
use sweep_mpi::schedule::graph::{BatchReport, GraphOrder};
use sweep_mpi::store::Reader;
use sweep_mpi::workload::command::control::ControlOrder;
use sweep_mpi::workload::command::jobs::jobs_text;
use sweep_mpi::workload::command::journal;
use sweep_mpi::workload::command::results::{self, Lines};

/// Accepted, or the message of the refusal.
pub(crate) type Answer = Result<(), String>;

/// The words of an error that is one of a text of the user's.
fn told<T>(outcome: Result<T, impl std::fmt::Display>) -> Result<T, String> {
    outcome.map_err(|error| error.to_string())
}

/// The words of an error as the program says it: at the place of a file's name.
fn told_of<T>(outcome: Result<T, impl std::fmt::Display>) -> Result<T, String> {
    outcome.map_err(|error| Problem::of("a.script", format!("the file: {error}")).to_string())
}

/// Files that a hostile script may name: those of the samples, and itself.
pub(crate) fn files(script: &[u8]) -> Read {
    let mut read: Read = BTreeMap::new();
    let mut put = |name: &str, bytes: &[u8]| read.insert(name.to_owned(), Ok(Rc::from(bytes)));
    put("self.script", script);
    put(
        "JGM2.cof",
        b"POTFIELD  2  0  1 3.98600441500000E+14 6.37813630000000E+06 1.0\nRECOEF    2  0   -4.8416539e-04\nEND\n",
    );
    put("part.script", b"x = 1;\n");
    read
}

/// A mission script: lexer, parser, compiler, and where it is accepted a short flight.
pub(crate) fn script(bytes: &[u8]) -> Answer {
    let tree = told(gmat::parse("a.script", bytes))?;
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mission = told(compile_with("a.script", text, &tree, &files(bytes), World::gmat()))?;
    for line in &mission.ignored {
        assert!(!line.contains(char::is_control), "{line:?}");
    }
    let flight = Flight {
        mission,
        swept: Vec::new(),
        outputs: Vec::new(),
        rows_max: 10,
        steps_max: 30,
        wall_max: Some(Duration::from_millis(200)),
    };
    let mut ended = 0;
    Propagator::new(&flight, Vectors::new(Isa::best(), 1)).fly(
        &flight,
        0..1,
        |_, _| (),
        |run| {
            ended += 1;
            if let Some(failure) = run.failure {
                assert!(!flight.mission.sentence(failure).is_empty());
            }
        },
    );
    assert_eq!(ended, 1, "every run ends once");
    Ok(())
}

/// A config: TOML, sections, design, and the values of the first and the last run.
pub(crate) fn config(bytes: &[u8]) -> Answer {
    let sweeps = told(config::parse_stages("c.toml", Path::new("/home/you"), bytes, design::read))?;
    for (config, design) in &sweeps {
        assert!(config.output.file.value.is_absolute());
        let Some(design) = design else { continue };
        let mut values = vec![0.0; design.parameters().len()];
        if design.relate(&|number| Some(Nominal { value: number as f64 + 1.5, unit: 1.0 })).is_err() {
            continue; // axes of a state that has none
        }
        for run in [0, design.runs().saturating_sub(1)].into_iter().filter(|run| *run < design.runs()) {
            design.values(run, &mut values);
            assert!(values.iter().all(|value| value.is_finite()), "run {run}: {values:?}");
        }
    }
    Ok(())
}

/// Values and run numbers of the command line.
pub(crate) fn arguments(bytes: &[u8]) -> Answer {
    let text = String::from_utf8_lossy(bytes);
    let mut overrides = Overrides::default();
    let set = text.lines().try_for_each(|line| told(apply_set(&mut overrides, line)));
    let only = told(RunNumbers::read(&text)).map(|runs| assert!(runs.count() > 0));
    set.or(only)
}

/// A gravity field, by the extension of its name.
pub(crate) fn gravity(name: &str, bytes: &[u8]) -> Answer {
    let field = told_of(Field::parse(name, bytes))?;
    let potential = field.potential([7000.0, 1000.0, -500.0]);
    assert!(!potential.is_nan() || field.degree > 0, "a point mass has a potential");
    drop(field.cut(field.degree.min(4), field.order.min(4)));
    Ok(())
}

/// An ephemeris file; it is read from a disk, so the bytes go there first.
pub(crate) fn ephemeris(file: &Path, bytes: &[u8]) -> Answer {
    write(file, bytes);
    let ephemeris = told_of(Ephemeris::of_file(file, Span::USUAL))?;
    let span = ephemeris.span();
    for share in [0.0, 0.5, 0.999_999] {
        let day = span.first + share * (span.end - span.first);
        let Ok(epoch) = Epoch::from_mjd(Scale::Tdb, day) else { continue };
        for body in Body::all() {
            let _ = ephemeris.state(body, Body::Earth, epoch);
        }
    }
    Ok(())
}

/// Earth orientation parameters.
pub(crate) fn earth_orientation(bytes: &[u8]) -> Answer {
    let table = told_of(EarthTable::parse(&String::from_utf8_lossy(bytes)))?;
    let (first, last) = table.span();
    assert!(first <= last);
    for day in [20_000.0, 21_545.0, 25_000.5, 40_000.0] {
        let parameters = table.at(told(Epoch::from_mjd(Scale::Utc, day))?);
        assert!(parameters.x.is_finite() && parameters.ut1_minus_tai.is_finite());
    }
    Ok(())
}

/// Space weather.
pub(crate) fn space_weather(bytes: &[u8]) -> Answer {
    let file = told_of(SpaceWeather::parse(&String::from_utf8_lossy(bytes)))?;
    let weather = Weather::from_file(Activity::constant(150.0, 150.0, 3.0), file.into(), true, true);
    for day in [-1e6, 0.0, 18_408.0, 29_001.3, 29_005.0, 29_100.9, 60_000.0, 1e6] {
        let _ = (weather.for_jacchia_roberts(day), weather.for_msise90(day));
    }
    Ok(())
}

/// Both messages of the task graph.
pub(crate) fn message(bytes: &[u8]) -> Answer {
    let again = |encoded: &[u8]| assert_eq!(encoded, bytes, "what is read is what was written");
    let order = GraphOrder::decode(bytes);
    if let Ok(order) = &order {
        let mut encoded = Vec::new();
        order.encode(&mut encoded);
        again(&encoded);
    }
    let report = BatchReport::decode(bytes);
    if let Ok(report) = &report {
        let mut encoded = Vec::new();
        report.encode(&mut encoded);
        again(&encoded);
    }
    told(order).map(drop).or(told(report).map(drop))
}

/// Standard output of a program, in pieces.
pub(crate) fn lines(bytes: &[u8]) -> Answer {
    let mut lines = Lines::new(["x", "y", "Sat.SMA"].map(str::to_owned).to_vec());
    bytes.chunks(997).for_each(|piece| lines.take(piece));
    number(lines.value("x")).and(number(lines.value("Sat.SMA")))
}

/// A CSV file of a program.
pub(crate) fn csv(file: &Path, bytes: &[u8]) -> Answer {
    write(file, bytes);
    number(results::csv(file, "x"))
}

/// A JSON file of a program.
pub(crate) fn json(file: &Path, bytes: &[u8]) -> Answer {
    write(file, bytes);
    number(results::json(file, "/a/1/x"))
}

fn number(outcome: Result<f64, impl std::fmt::Debug>) -> Answer {
    let number = outcome.map_err(|failure| format!("{failure:?}"))?;
    assert!(number.is_finite());
    Ok(())
}

/// A journal of programs, and orders to them.
pub(crate) fn jobs(output: &Path, bytes: &[u8]) -> Answer {
    write(&journal::path(output, 0), bytes);
    let text = told(jobs_text(output, &[]))?;
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    let orders = String::from_utf8_lossy(bytes);
    drop(orders.lines().map(ControlOrder::parse).collect::<Vec<_>>());
    // a journal is never refused, what is no line of it is counted
    if text.contains("cannot be read") { Err(text) } else { Ok(()) }
}

/// A result file: all that can be asked of it.
pub(crate) fn result(file: &Path, bytes: &[u8]) -> Answer {
    write(file, bytes);
    let reader = told(Reader::open(file))?;
    told(reader.status_counts())?;
    told(reader.column_summaries())?;
    told(reader.failures())?;
    told(reader.verify_row_crc())?;
    for name in told(reader.provenance_names())? {
        told(reader.provenance(&name))?;
    }
    let text = told(show::text(file))?;
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    Ok(())
}

fn write(file: &Path, bytes: &[u8]) {
    let mut out = std::fs::File::create(file).unwrap();
    out.write_all(bytes).unwrap();
}

/// A place for a reader that wants a file.
pub(crate) fn place(name: &str) -> PathBuf {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    folder.join(format!("sweep-mpi-hostile-{}-{name}", std::process::id()))
}
