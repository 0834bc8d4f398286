//! How a run ended: the numbers of `status` in the result file.

/// The values of `status` and their names, as CF flags.
pub const STATUS_FLAGS: [(Status, &str); 7] = [
    (Status::NotRun, "not_run"),
    (Status::Ok, "ok"),
    (Status::Failed, "failed"),
    (Status::Timeout, "timeout"),
    (Status::Diverged, "diverged"),
    (Status::InvalidInput, "invalid_input"),
    (Status::Impact, "impact"),
];

/// How a run ended; the value of `status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i8)]
pub enum Status {
    /// It has not been flown yet.
    NotRun = 0,
    /// It ended as the script says.
    Ok = 1,
    /// It could not be finished; see `error_code`.
    Failed = 2,
    /// It passed its limit of steps or of wall time.
    Timeout = 3,
    /// A number became NaN or infinite.
    Diverged = 4,
    /// Its parameters do not make a mission.
    InvalidInput = 5,
    /// The spacecraft met the ground.
    Impact = 6,
}

impl Status {
    /// The number in the file.
    pub fn code(self) -> i8 {
        self as i8
    }

    /// The status of a number in the file.
    pub fn from_code(code: i8) -> Option<Status> {
        STATUS_FLAGS.iter().find(|(status, _)| status.code() == code).map(|(status, _)| *status)
    }

    /// Its name in `flag_meanings`.
    pub fn name(self) -> &'static str {
        STATUS_FLAGS[self as usize].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_its_number() {
        for (number, (status, name)) in STATUS_FLAGS.iter().enumerate() {
            assert_eq!(usize::try_from(status.code()), Ok(number));
            assert_eq!(Status::from_code(status.code()), Some(*status));
            assert_eq!(status.name(), *name);
        }
        assert_eq!(Status::from_code(7), None);
    }
}
