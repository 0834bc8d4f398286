//! sweep-mpi: flies a parameter sweep over a GMAT mission script. See the library for everything.

use std::process::ExitCode;
use std::time::Instant;

use sweep_mpi::cli::{self, Command, Stop};
use sweep_mpi::report::{check, fly, format::say, jobs, list, reading, show, verify};
use sweep_mpi::{comm, output, sweep};

fn main() -> ExitCode {
    let start = Instant::now();
    let code = run(start).unwrap_or_else(|stop| {
        if stop.code == 0 {
            say(&stop.text);
        } else {
            eprint!("{}", stop.text);
        }
        stop.code
    });
    ExitCode::from(code)
}

fn run(start: Instant) -> Result<u8, Stop> {
    let command = cli::read(std::env::args_os());
    if let Ok(Command::Run(arguments)) = &command
        && !arguments.dry_run
        && arguments.only.is_none()
    {
        return sweep::fly(arguments, start);
    }
    if !comm::is_first() {
        return Ok(cli::EXIT_OK); // what one process can do, under a launcher too, the first one does
    }
    match command? {
        Command::Run(arguments) if arguments.dry_run => sweep::print_plan(&arguments),
        Command::Run(arguments) => sweep::print_runs(&arguments),
        Command::Show { file } => reading::apart(&file, || printed(show::text(&file))),
        Command::Merge(arguments) => output::merge::run(&arguments),
        Command::Verify { file } => reading::apart(&file, || verify::run(&file)),
        Command::Jobs { file, states, follow, orders } => jobs::run(&file, &states, follow, &orders),
        Command::Fly(arguments) => fly::run(&arguments),
        Command::Check { scripts } => Ok(check::run(&scripts)),
        Command::List { what } => printed(list::text(what.as_deref())),
    }
}

fn printed(text: Result<String, impl std::fmt::Display>) -> Result<u8, Stop> {
    say(&text.map_err(cli::refused)?);
    Ok(cli::EXIT_OK)
}
