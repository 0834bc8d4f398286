//! Correlated draws: several parameters from one multivariate normal distribution, by its covariance.
//!
//! x = m + L z with the covariance C = L L^T (Cholesky) and independent standard normal z, one for each coordinate of
//! the run's point. For a state, C may be given in axes of the script's state: then x = m + T L z, where T turns
//! position and velocity alike.
//!
//! # References
//! Axes as in Vallado, Fundamentals of Astrodynamics and Applications: RIC (radial, in-track, cross-track) and VNB
//! (velocity, normal, binormal). A velocity is turned, not differenced: the axes count as at rest.

use serde_json::json;

use super::distribution::normal_quantile;
use crate::base::nearest::did_you_mean;
use crate::base::nominal::Nominal;
use crate::config::reader::{Reader, Table, Value, cut};

/// The components of a state, as fields of a spacecraft.
const STATE: [&str; 6] = ["X", "Y", "Z", "VX", "VY", "VZ"];
const KEYS: [&str; 7] = ["parameters", "mean", "covariance", "sigma", "correlation", "axes", "relative_to"];
/// How far from symmetric a matrix may be, in units of its diagonal.
const SYMMETRIC: f64 = 1e-9;

/// The axes that a covariance of a state is given in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Axes {
    /// Those of the spacecraft's coordinate system.
    Inertial,
    Ric,
    Vnb,
}

/// A group of parameters that are drawn together.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) paths: Vec<(String, std::ops::Range<usize>)>,
    /// The mean, or none where it is the script's value.
    mean: Option<Vec<f64>>,
    covariance: Vec<Vec<f64>>,
    factor: Vec<Vec<f64>>,
    axes: Axes,
}

/// What a group needs of the script: the mean and the turn of its axes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    mean: Vec<f64>,
    units: Vec<f64>,
    /// Columns are the axes.
    turn: [[f64; 3]; 3],
}

impl Group {
    /// How many parameters it has.
    pub(super) fn size(&self) -> usize {
        self.paths.len()
    }

    /// Its place for the script's values; the number of a parameter that has none.
    pub(super) fn place(&self, nominal: impl Fn(usize) -> Option<Nominal>) -> Result<Place, usize> {
        let needs = self.mean.is_none() || self.axes != Axes::Inertial;
        let nominals: Vec<Nominal> = if needs {
            (0..self.size()).map(|number| nominal(number).ok_or(number)).collect::<Result<_, _>>()?
        } else {
            Vec::new()
        };
        let values: Vec<f64> = nominals.iter().map(|nominal| nominal.value).collect();
        let turn = match (self.axes, &values[..]) {
            (Axes::Inertial, _) => [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            (axes, &[x, y, z, vx, vy, vz]) => turn(axes, [x, y, z], [vx, vy, vz]).ok_or(0_usize)?,
            _ => unreachable!("axes belong to six numbers"),
        };
        let units = if self.mean.is_none() {
            nominals.iter().map(|nominal| nominal.unit).collect()
        } else {
            vec![1.0; self.size()]
        };
        Ok(Place { mean: self.mean.clone().unwrap_or(values), units, turn })
    }

    /// Its values at these coordinates of the unit cube.
    pub(super) fn values(&self, place: &Place, coordinate: impl Fn(usize) -> f64, out: &mut [f64]) {
        // z in place, then L z from the last row up: each row needs those before it alone
        for (number, out) in out.iter_mut().enumerate() {
            *out = normal_quantile(coordinate(number));
        }
        for row in (0..self.size()).rev() {
            out[row] = self.factor[row].iter().zip(&out[..=row]).map(|(l, z)| l * z).sum();
        }
        if self.axes != Axes::Inertial {
            for half in out.chunks_exact_mut(3) {
                let turned: [f64; 3] = std::array::from_fn(|row| (0..3).map(|k| place.turn[row][k] * half[k]).sum());
                half.copy_from_slice(&turned);
            }
        }
        for ((out, mean), unit) in out.iter_mut().zip(&place.mean).zip(&place.units) {
            *out = mean + unit * *out;
        }
    }

    pub(super) fn canonical(&self) -> serde_json::Value {
        let paths: Vec<&str> = self.paths.iter().map(|(path, _)| path.as_str()).collect();
        json!({ "parameters": paths, "mean": self.mean, "covariance": self.covariance, "axes": format!("{:?}", self.axes) })
    }
}

/// The axes of a state as columns; none where position and velocity are parallel.
fn turn(axes: Axes, r: [f64; 3], v: [f64; 3]) -> Option<[[f64; 3]; 3]> {
    let unit = |a: [f64; 3]| {
        let length = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]).sqrt();
        (length > 0.0 && length.is_finite()).then(|| a.map(|x| x / length))
    };
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let normal = unit(cross(r, v))?;
    let [first, second, third] = if axes == Axes::Vnb {
        let along = unit(v)?;
        [along, normal, cross(along, normal)]
    } else {
        let radial = unit(r)?;
        [radial, cross(normal, radial), normal]
    };
    Some(std::array::from_fn(|row| [first[row], second[row], third[row]]))
}

/// Reads `correlated`, a list of groups.
pub(super) fn read(value: &Value, reader: &mut Reader) -> Option<Vec<Group>> {
    const ALLOWED: &str =
        "a list of groups: [{ parameters = [\"Sat.X\", \"Sat.Y\"], mean = [0, 0], covariance = [[1, 0], [0, 1]] }]";
    let items = reader.list("design.correlated", value, ALLOWED)?;
    let groups: Vec<Group> = items.iter().filter_map(|item| group(item, reader)).collect();
    (groups.len() == items.len()).then_some(groups)
}

fn group(item: &Value, reader: &mut Reader) -> Option<Group> {
    let table = reader.table("design.correlated", item, "{ parameters = [...], covariance = [[...]] }")?;
    for (key, _) in table.entries.iter().filter(|(key, _)| !KEYS.contains(&key.name.as_str())) {
        let message = format!("`{}` is not a key of a correlated group", cut(&key.name));
        reader.refuse(&key.range, message, did_you_mean(&key.name, KEYS));
    }
    let Some(written) = table.get("parameters") else {
        reader.refuse(
            &item.range,
            "a correlated group has no `parameters`",
            "write: parameters = [\"Sat.X\", \"Sat.Y\"]",
        );
        return None;
    };
    let mut paths = Vec::new();
    for path in reader.list("parameters", written, "a list of paths, such as [\"Sat.X\", \"Sat.Y\"]")? {
        paths.push((reader.text_of("parameters", path, "a path into the script")?.to_owned(), path.range.clone()));
    }
    if paths.is_empty() {
        reader.refuse(&written.range, "`parameters` of a correlated group is empty", "at least one path");
        return None;
    }
    let covariance = covariance(table, item, paths.len(), reader)?;
    let axes = match table.get("axes") {
        None => Axes::Inertial,
        Some(value) => match reader.text_of("axes", value, "\"inertial\", \"RIC\" or \"VNB\"")? {
            "inertial" => Axes::Inertial,
            "RIC" => Axes::Ric,
            "VNB" => Axes::Vnb,
            _ => {
                reader.refuse_value("axes", value, "\"inertial\", \"RIC\" or \"VNB\"");
                return None;
            }
        },
    };
    if axes != Axes::Inertial && !is_state(&paths) {
        let message = "axes belong to a state, and these parameters are none";
        reader.refuse(&written.range, message, "allowed: X, Y, Z, VX, VY, VZ of one spacecraft, in this order");
        return None;
    }
    let relative = match table.get("relative_to") {
        None => false,
        Some(value) if reader.text_of("relative_to", value, "\"nominal\"")? == "nominal" => true,
        Some(value) => {
            reader.refuse_value("relative_to", value, "\"nominal\": the script's values");
            return None;
        }
    };
    let mean = match (table.get("mean"), relative) {
        (Some(value), false) => Some(numbers("mean", value, paths.len(), reader)?),
        (None, true) => None,
        (Some(value), true) => {
            reader.refuse(&value.range, "a correlated group has both `mean` and `relative_to`", "one of them");
            return None;
        }
        (None, false) => {
            let help = "write: mean = [...], or relative_to = \"nominal\" for the script's values";
            reader.refuse(&item.range, "a correlated group has no `mean`", help);
            return None;
        }
    };
    let Some(factor) = cholesky(&covariance) else {
        let range =
            table.get("covariance").or(table.get("correlation")).map_or(item.range.clone(), |v| v.range.clone());
        let message = "the covariance is not positive: some combination of the parameters has a variance below 0";
        reader.refuse(&range, message, "allowed: eigenvalues of at least 0");
        return None;
    };
    Some(Group { paths, mean, covariance, factor, axes })
}

/// The covariance: itself, or sigmas with or without correlations.
fn covariance(table: &Table, item: &Value, size: usize, reader: &mut Reader) -> Option<Vec<Vec<f64>>> {
    match (table.get("covariance"), table.get("sigma"), table.get("correlation")) {
        (Some(value), None, None) => matrix("covariance", value, size, reader),
        (None, Some(sigma), correlation) => {
            let written = sigma;
            let sigma = numbers("sigma", sigma, size, reader)?;
            if sigma.iter().any(|sigma| *sigma < 0.0) {
                reader.refuse(&written.range, "a sigma is below 0", "allowed: numbers of at least 0");
                return None;
            }
            let identity = (0..size).map(|i| (0..size).map(|j| f64::from(u8::from(i == j))).collect()).collect();
            let mut all: Vec<Vec<f64>> = match correlation {
                Some(value) => {
                    let matrix = matrix("correlation", value, size, reader)?;
                    let wrong = |(i, row): (usize, &Vec<f64>)| {
                        (row[i] - 1.0).abs() > SYMMETRIC || row.iter().any(|c| c.abs() > 1.0)
                    };
                    if matrix.iter().enumerate().any(wrong) {
                        reader.refuse(
                            &value.range,
                            "this is no correlation",
                            "allowed: 1 on the diagonal, from -1 to 1 elsewhere",
                        );
                        return None;
                    }
                    matrix
                }
                None => identity,
            };
            for (i, row) in all.iter_mut().enumerate() {
                for (j, c) in row.iter_mut().enumerate() {
                    *c *= sigma[i] * sigma[j];
                }
            }
            Some(all)
        }
        _ => {
            let help = "write: covariance = [[...], ...], or sigma = [...], with correlation = [[...], ...] or without";
            reader.refuse(&item.range, "a correlated group needs one of covariance and sigma", help);
            None
        }
    }
}

fn numbers(what: &str, value: &Value, size: usize, reader: &mut Reader) -> Option<Vec<f64>> {
    let allowed = format!("a list of {size} numbers");
    let items = reader.list(what, value, &allowed)?;
    if items.len() != size {
        reader.refuse(
            &value.range,
            format!("`{what}` is a list of length {}", items.len()),
            format!("allowed: {allowed}"),
        );
        return None;
    }
    items.iter().map(|item| reader.number(what, item, "a number")).collect()
}

/// A symmetric matrix, row by row.
fn matrix(what: &str, value: &Value, size: usize, reader: &mut Reader) -> Option<Vec<Vec<f64>>> {
    let allowed = format!("{size} rows of {size} numbers");
    let rows = reader.list(what, value, &allowed)?;
    if rows.len() != size {
        reader.refuse(&value.range, format!("`{what}` has {} rows", rows.len()), format!("allowed: {allowed}"));
        return None;
    }
    let rows: Vec<Vec<f64>> = rows.iter().map(|row| numbers(what, row, size, reader)).collect::<Option<_>>()?;
    for i in 0..size {
        for j in 0..i {
            let scale = (rows[i][i].abs() * rows[j][j].abs()).sqrt();
            if (rows[i][j] - rows[j][i]).abs() > SYMMETRIC * scale {
                let message = format!(
                    "`{what}` is not symmetric: {} in row {}, {} in row {}",
                    rows[i][j],
                    i + 1,
                    rows[j][i],
                    j + 1
                );
                reader.refuse(&value.range, message, "allowed: a symmetric matrix");
                return None;
            }
        }
    }
    Some(rows)
}

/// The lower factor L with L L^T = C; zeros where a variance is used up. None where C is not positive.
fn cholesky(c: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let n = c.len();
    let mut l = vec![vec![0.0; n]; n];
    for j in 0..n {
        let left = c[j][j] - l[j][..j].iter().map(|x| x * x).sum::<f64>();
        // rounding of the sums above
        let grain = 16.0 * f64::EPSILON * n as f64 * c[j][j].abs();
        if left < -grain {
            return None;
        }
        let pivot = if left > grain { left.sqrt() } else { 0.0 };
        l[j][j] = pivot;
        for i in j + 1..n {
            let rest = c[i][j] - (0..j).map(|k| l[i][k] * l[j][k]).sum::<f64>();
            if pivot > 0.0 {
                l[i][j] = rest / pivot;
            } else if rest.abs()
                > 16.0 * f64::EPSILON * n as f64 * (c[i][i].abs() * c[j][j].abs()).sqrt() + f64::MIN_POSITIVE
            {
                return None; // a covariance with something that does not vary
            }
        }
    }
    Some(l)
}

/// Whether the paths are the six numbers of one spacecraft's state.
fn is_state(paths: &[(String, std::ops::Range<usize>)]) -> bool {
    let Some((object, _)) = paths[0].0.rsplit_once('.') else { return false };
    paths.len() == 6 && paths.iter().zip(STATE).all(|((path, _), field)| *path == format!("{object}.{field}"))
}
