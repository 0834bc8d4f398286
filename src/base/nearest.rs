//! The names that are near to one that does not exist.

/// The most candidates that are compared letter by letter: a hostile text may have any number, of each of many names.
const COMPARED_MAX: usize = 5000;
/// The longest name that is compared letter by letter, bytes.
const NAME_MAX: usize = 200;

/// The at most `most` candidates that are nearest to `name`, nearest first; those that share
/// little with it are left out.
///
/// Of many candidates only the first 5000 are compared letter by letter, and no name that is longer than 200 bytes.
/// Names that differ in case alone come first. Distance is Damerau-Levenshtein; a candidate is
/// near if at most a third of the longer name (and at least two characters) differs.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>, most: usize) -> Vec<&'a str> {
    let mut found: Vec<(usize, &str)> = candidates
        .into_iter()
        .enumerate()
        .filter_map(|(number, candidate)| {
            if candidate.eq_ignore_ascii_case(name) {
                return Some((0, candidate));
            }
            if number >= COMPARED_MAX || name.len().max(candidate.len()) > NAME_MAX {
                return None;
            }
            let distance = strsim::damerau_levenshtein(name, candidate);
            let room = (name.chars().count().max(candidate.chars().count()) / 3).max(2);
            (distance <= room && distance < candidate.chars().count()).then_some((distance, candidate))
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().take(most).map(|(_, candidate)| candidate).collect()
}

/// More names than this are not put into a message.
const LISTED_MAX: usize = 40;

/// "did you mean `a` or `b`?", or "supported: ..." where nothing is near.
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let candidates: Vec<&str> = candidates.into_iter().collect();
    let near = nearest(name, candidates.iter().copied(), 3);
    if near.is_empty() && candidates.len() > LISTED_MAX {
        return "`sweep-mpi list` names what is supported".to_owned();
    }
    if near.is_empty() {
        return format!("supported: {}", candidates.join(", "));
    }
    let quoted: Vec<String> = near.iter().map(|n| format!("`{n}`")).collect();
    format!("did you mean {}?", quoted.join(" or "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        assert_eq!(nearest("integrater", ["integrator", "interval_s", "kind"], 3), ["integrator"]);
        assert_eq!(nearest("sat.sma", ["Sat.SMA", "Sat.ECC"], 1), ["Sat.SMA"]);
        assert!(nearest("zzz", ["a", "b"], 3).is_empty());
        assert_eq!(did_you_mean("zzzzzz", ["a", "b"]), "supported: a, b");
    }
}
