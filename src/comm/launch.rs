//! Notices when a launcher started many processes that do not know of each other.

/// What to tell the user if this process is alone in its MPI world although its launcher started
/// several: then each of them would fly the whole sweep.
///
/// `size` is the number of ranks of the world; `variable` looks up the environment. Checked in this
/// order: under Open MPI's own launcher the world is trusted; else `PMI_SIZE`, then `SLURM_NTASKS`.
///
/// ```
/// use sweep_mpi::comm::launch_problem;
/// let slurm = |name: &str| (name == "SLURM_NTASKS").then(|| "8".to_owned());
/// assert!(launch_problem(1, slurm).unwrap().contains("--mpi=pmix"));
/// assert_eq!(launch_problem(8, slurm), None);
/// ```
pub fn launch_problem(size: usize, variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    if size > 1 || variable("OMPI_COMM_WORLD_SIZE").is_some() {
        return None;
    }
    ["PMI_SIZE", "SLURM_NTASKS"].into_iter().find_map(|name| {
        let tasks: u64 = variable(name)?.trim().parse().ok()?;
        (tasks > 1).then(|| {
            format!(
                "{name} says {tasks} tasks, but this process is alone in its MPI world: \
                 start it with `srun --mpi=pmix` or `mpirun`"
            )
        })
    })
}

/// Whether this process is the first of its launch, or alone: the one that speaks where MPI is not started.
pub fn is_first() -> bool {
    let rank = ["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok()?.trim().parse::<u64>().ok());
    rank.is_none_or(|rank| rank == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lonely_ones_of_many_are_refused() {
        let with = |pairs: &'static [(&'static str, &'static str)]| {
            move |name: &str| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        };
        assert_eq!(launch_problem(1, with(&[])), None);
        assert_eq!(launch_problem(1, with(&[("SLURM_NTASKS", "1")])), None);
        assert_eq!(launch_problem(1, with(&[("SLURM_NTASKS", "many")])), None);
        assert!(launch_problem(1, with(&[("PMI_SIZE", "4")])).is_some());
        assert_eq!(launch_problem(1, with(&[("SLURM_NTASKS", "4"), ("OMPI_COMM_WORLD_SIZE", "1")])), None);
    }
}
