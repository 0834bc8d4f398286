//! Files of gravity fields: `.cof` of GMAT and `.gfc` of ICGEM.
//!
//! `.cof`: fixed columns. A line beginning with C is a comment. `POTFIELD` holds the degree (columns 9-11), the
//! order (12-14), then mu (m^3/s^2), the radius (m) and 1 if normalised, after a first number that is ignored.
//! `RECOEF` holds n (9-11), m (12-14), C (18-38) and S (39-59, may be absent for m = 0). `END` or `99999` ends.
//!
//! `.gfc`: words. A head of keywords up to `end_of_head`, then `gfc n m C S ...`; of `gfct` the static part is
//! taken and its trends (`trnd`, `dot`, `asin`, `acos`) are left out.
//!
//! # References
//! ICGEM format description (2011 and 2023), icgem.gfz-potsdam.de. The columns of `.cof` are those that GMAT reads.

use super::field::{Field, FieldError, LARGEST_DEGREE, index};
use std::io::Read;
use std::path::Path;

/// The longest file that is read, bytes.
const LONGEST: u64 = 64 << 20;

/// The field in a file; the format is that of its extension.
pub(super) fn read(path: &Path) -> Result<Field, FieldError> {
    let shown = path.display().to_string();
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(LONGEST + 1).read_to_end(&mut bytes))
        .map_err(|source| FieldError::Unreadable { path: shown.clone(), source })?;
    if bytes.len() as u64 > LONGEST {
        return Err(FieldError::TooLong { path: shown, limit: LONGEST });
    }
    parse(&shown, &bytes)
}

/// The field in the bytes of a file of this path; the format is that of its extension.
pub(super) fn parse(path: &str, bytes: &[u8]) -> Result<Field, FieldError> {
    let extension = Path::new(path).extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    let name = Path::new(path).file_name().and_then(|n| n.to_str()).unwrap_or(path);
    match extension.as_str() {
        "cof" => cof(name, bytes),
        "gfc" => gfc(name, bytes),
        _ => Err(FieldError::UnknownFormat { path: path.to_owned() }),
    }
}

/// The head of a file, before and while it is known.
struct Head {
    mu: Option<f64>,
    radius: Option<f64>,
    normalised: bool,
}

/// Reads the bytes of a `.cof` file.
pub(super) fn cof(name: &str, bytes: &[u8]) -> Result<Field, FieldError> {
    let mut state: Option<(Field, bool)> = None;
    for (number, line) in lines(bytes) {
        let wrong = |reason: String| FieldError::Line { name: name.to_owned(), line: number, reason };
        if line.first() == Some(&b'C') {
            continue;
        }
        let column = |from: usize, to: usize| words(line.get(from..to.min(line.len())).unwrap_or_default());
        match column(0, 8) {
            "END" | "99999" => break,
            "POTFIELD" => {
                if state.is_some() {
                    return Err(wrong("a second POTFIELD".to_owned()));
                }
                let (degree, order) = (count(column(8, 11), "degree"), count(column(11, 14), "order"));
                let (degree, order) = (degree.map_err(wrong)?, order.map_err(wrong)?);
                let mut rest = column(14, usize::MAX).split_ascii_whitespace().skip(1);
                let mut next = |what| real(rest.next().unwrap_or_default(), what).map_err(wrong);
                let head =
                    Head { mu: Some(next("mu")?), radius: Some(next("radius")?), normalised: next("flag")? > 0.0 };
                state = Some((begin(name, &head, degree, order)?, head.normalised));
            }
            "RECOEF" => {
                let (field, normalised) =
                    state.as_mut().ok_or_else(|| wrong("coefficients before POTFIELD".to_owned()))?;
                let (n, m) = place(field, column(8, 11), column(11, 14)).map_err(wrong)?;
                let c = real(column(17, 38), "C").map_err(wrong)?;
                let s = if m == 0 { 0.0 } else { real(column(38, 59), "S").map_err(wrong)? };
                put(field, *normalised, (n, m), (c, s)).map_err(wrong)?;
            }
            _ => {}
        }
    }
    let missing = || FieldError::Incomplete { name: name.to_owned(), reason: "there is no POTFIELD line" };
    state.map(|(field, _)| field).ok_or_else(missing)
}

/// Reads the bytes of a `.gfc` file.
pub(super) fn gfc(name: &str, bytes: &[u8]) -> Result<Field, FieldError> {
    let mut head = Head { mu: None, radius: None, normalised: true };
    let (mut model, mut tide_system, mut degree) = (name.to_owned(), String::new(), None);
    let mut state: Option<Field> = None;
    let mut given: Vec<bool> = Vec::new();
    for (number, line) in lines(bytes) {
        let wrong = |reason: String| FieldError::Line { name: name.to_owned(), line: number, reason };
        let mut items = words(line).split_ascii_whitespace();
        let keyword = items.next().unwrap_or_default();
        let mut value = || items.next().unwrap_or_default();
        if let Some(field) = &mut state {
            if keyword == "gfc" || keyword == "gfct" {
                let (n, m) = place(field, value(), value()).map_err(wrong)?;
                let numbers = (real(value(), "C").map_err(wrong)?, real(value(), "S").map_err(wrong)?);
                if std::mem::replace(&mut given[index(n, m)], true) {
                    return Err(wrong(format!("degree {n} order {m} is given twice")));
                }
                put(field, head.normalised, (n, m), numbers).map_err(wrong)?;
            }
            continue;
        }
        match keyword {
            "modelname" => value().clone_into(&mut model),
            "earth_gravity_constant" | "gravity_constant" => head.mu = Some(real(value(), "mu").map_err(wrong)?),
            "radius" => head.radius = Some(real(value(), "radius").map_err(wrong)?),
            "max_degree" => degree = Some(count(value(), "degree").map_err(wrong)?),
            "tide_system" => value().clone_into(&mut tide_system),
            "norm" => {
                head.normalised = match value() {
                    "fully_normalized" => true,
                    "unnormalized" => false,
                    other => {
                        return Err(wrong(format!("norm {other:?}; supported are fully_normalized, unnormalized")));
                    }
                }
            }
            "end_of_head" => {
                let missing = || FieldError::Incomplete { name: name.to_owned(), reason: "the head has no max_degree" };
                let degree = degree.ok_or_else(missing)?;
                state = Some(begin(&model, &head, degree, degree)?);
                given = vec![false; index(degree, degree) + 1];
            }
            _ => {}
        }
    }
    let missing = || FieldError::Incomplete { name: name.to_owned(), reason: "there is no end_of_head line" };
    let mut field = state.ok_or_else(missing)?;
    field.tide_system = tide_system;
    Ok(field)
}

/// The lines, counted from 1.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    bytes.split(|&byte| byte == b'\n').enumerate().map(|(at, line)| (at + 1, line.strip_suffix(b"\r").unwrap_or(line)))
}

/// The text of some bytes without blanks around it; bytes that are no text are no word of these formats.
fn words(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or("?").trim()
}

fn count(text: &str, what: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(number) if number <= LARGEST_DEGREE => Ok(number),
        Ok(number) => Err(format!("{what} {number} is above {LARGEST_DEGREE}")),
        Err(_) => Err(format!("{what} {text:?} is not a whole number")),
    }
}

/// A finite number; the exponent may be written with d or D.
fn real(text: &str, what: &str) -> Result<f64, String> {
    let number = text.parse().or_else(|_| text.replace(['d', 'D'], "e").parse());
    number.ok().filter(|number: &f64| number.is_finite()).ok_or_else(|| format!("{what} {text:?} is not a number"))
}

/// An empty field of the head's numbers, converted from m to km.
fn begin(name: &str, head: &Head, degree: usize, order: usize) -> Result<Field, FieldError> {
    let incomplete = |reason| FieldError::Incomplete { name: name.to_owned(), reason };
    let positive = |number: Option<f64>| number.filter(|&number| number > 0.0);
    let mu = positive(head.mu).ok_or_else(|| incomplete("the gravitational parameter is not given or not positive"))?;
    let radius = positive(head.radius).ok_or_else(|| incomplete("the radius is not given or not positive"))?;
    if order > degree {
        return Err(incomplete("the order is above the degree"));
    }
    Ok(Field::point(name, mu / 1e9, radius / 1e3, degree, order))
}

/// Degree and order of a line of coefficients.
fn place(field: &Field, n: &str, m: &str) -> Result<(usize, usize), String> {
    let (n, m) = (count(n, "degree")?, count(m, "order")?);
    if n > field.degree || m > field.order || m > n {
        return Err(format!("degree {n} order {m} is outside the field, {} by {}", field.degree, field.order));
    }
    Ok((n, m))
}

/// Puts C and S into the field, normalised: C_normalised = C sqrt((n+m)! / ((2 - [m = 0]) (2n+1) (n-m)!))
fn put(field: &mut Field, normalised: bool, (n, m): (usize, usize), (mut c, mut s): (f64, f64)) -> Result<(), String> {
    if !normalised {
        let kind = if m == 0 { 1.0 } else { 2.0 };
        let mut factor = libm::sqrt(1.0 / (kind * (2 * n + 1) as f64));
        for k in n - m + 1..=n + m {
            factor *= libm::sqrt(k as f64);
        }
        (c, s) = (if c == 0.0 { c } else { c * factor }, if s == 0.0 { s } else { s * factor });
        if !(c.is_finite() && s.is_finite()) {
            return Err(format!("degree {n} order {m} is out of range when normalised"));
        }
    }
    (field.c[index(n, m)], field.s[index(n, m)]) = (c, s);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const COF: &str = "COMMENT   1\nC text\nPOTFIELD  3  2  1 4.00000000000000E+14 6.40000000000000E+06 1.0\n\
        RECOEF    2  0   -4.84165390000000e-04\nRECOEF    2  1   -1.86987640000000e-10 1.19528010000000e-09\n\
        RECOEF    3  2    9.04627768605900e-07-6.19025944205000e-07\nEND \nRECOEF rubbish\n";
    const GFC: &str = "product_type gravity_field\nmodelname  some\nearth_gravity_constant 0.4000000000000D+15\n\
        radius 6400000.0\nmax_degree 3\nerrors no\nnorm fully_normalized\ntide_system zero_tide\n\
        key L M C S\nend_of_head =====\ngfc 0 0 1.0 0.0\ngfct 2 0 -4.8416539D-04 0.0 19500101\ntrnd 2 0 1e-11 0\n\
        gfc 2 1 -1.8698764e-10 1.1952801e-9\r\n gfc 3 2 9.046277686059e-07 -6.19025944205e-07 1e-11 1e-11\n";

    #[test]
    fn val_embedded_fields() {
        // the lines RECOEF 2 0 and 70 70 of GMAT's files
        let expected = [
            ("JGM2", -4.841_653_9e-4, -6.451_651_3e-10, -1.662_929_9e-10),
            ("JGM3", -4.841_653_748_864_7e-4, -6.430_693_336_999e-10, -1.861_959_617_713_9e-10),
            ("EGM96", -4.841_653_717_36e-4, -4.703_751_388_26e-10, -6.483_061_378_33e-10),
        ];
        for (name, c20, c, s) in expected {
            let field = Field::embedded(name).unwrap();
            assert_eq!((field.degree, field.order, field.c.len()), (70, 70, 71 * 72 / 2));
            assert_eq!(
                [field.mu_km3_s2, field.radius_km].map(f64::to_bits),
                [398_600.441_5, 6_378.136_3].map(f64::to_bits)
            );
            assert_eq!(field.coefficient(2, 0), (c20, 0.0));
            assert_eq!(field.coefficient(70, 70), (c, s));
            assert_eq!((field.coefficient(0, 0), field.coefficient(1, 1)), ((1.0, 0.0), (0.0, 0.0)));
            assert_eq!(field.coefficient(71, 0), (0.0, 0.0));
            assert_eq!(Field::embedded(&format!("{}.COF", name.to_lowercase())), Some(field.clone()));
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/gravity").join(&field.name);
            assert_eq!(Field::read(&path).unwrap(), field);
        }
        assert!(Field::embedded("JGM4.cof").is_none() && Field::embedded("").is_none());
    }

    #[test]
    fn val_files_are_read_as_they_stand() {
        let (cof, gfc) = (cof("a.cof", COF.as_bytes()).unwrap(), gfc("a.gfc", GFC.as_bytes()).unwrap());
        assert_eq!([cof.mu_km3_s2, cof.radius_km].map(f64::to_bits), [4e5, 6400.0].map(f64::to_bits));
        assert_eq!((cof.degree, cof.order, cof.name.as_str()), (3, 2, "a.cof"));
        assert_eq!(cof.coefficient(3, 2), (9.046_277_686_059e-7, -6.190_259_442_05e-7));
        assert_eq!((gfc.degree, gfc.order, gfc.name.as_str(), gfc.tide_system.as_str()), (3, 3, "some", "zero_tide"));
        assert_eq!((&cof.c, &cof.s), (&gfc.c, &gfc.s));
        assert_eq!([cof.mu_km3_s2, cof.radius_km].map(f64::to_bits), [gfc.mu_km3_s2, gfc.radius_km].map(f64::to_bits));
    }

    #[test]
    fn val_unnormalised_coefficients_are_normalised() {
        // J2 = -C20 = sqrt(5) 4.8416539e-4; C22 = C22_normalised sqrt(5 / 12)
        let text = GFC.replace("fully_normalized", "unnormalized").replace("gfc 3 2", "gfc 2 2");
        let field = gfc("a.gfc", text.as_bytes()).unwrap();
        assert!((field.coefficient(2, 0).0 / (-4.841_653_9e-4 / 5.0_f64.sqrt()) - 1.0).abs() < 4e-16);
        assert!((field.coefficient(2, 2).0 / (9.046_277_686_059e-7 * (12.0_f64 / 5.0).sqrt()) - 1.0).abs() < 4e-16);
        let text = COF.replace("+06 1.0", "+06 0.0");
        assert_eq!(cof("a.cof", text.as_bytes()).unwrap().coefficient(2, 0), field.coefficient(2, 0));
    }

    #[test]
    fn prop_cut_keeps_what_is_asked_for() {
        let full = Field::embedded("JGM3").unwrap();
        let cut = full.cut(5, 9).unwrap();
        assert_eq!((cut.degree, cut.order), (5, 5));
        let cut = full.cut(5, 3).unwrap();
        for (n, m) in (0..=6).flat_map(|n| (0..=n).map(move |m| (n, m))) {
            let expected = if n <= 5 && m <= 3 { full.coefficient(n, m) } else { (0.0, 0.0) };
            assert_eq!(cut.coefficient(n, m), expected);
        }
        assert!(cut.c[index(5, 4)] == 0.0 && cut.s[index(4, 4)] == 0.0);
        assert_eq!(full.cut(71, 4).unwrap_err().to_string(), "JGM3.cof: degree 71 was asked for, and the field has 70");
        assert_eq!(full.cut(4, 71).unwrap_err().to_string(), "JGM3.cof: order 71 was asked for, and the field has 70");
    }

    #[test]
    fn prop_errors_name_line_and_reason() {
        let cases = [
            (COF, "POTFIELD", "POTFOELD", "a.cof, line 4: coefficients before POTFIELD"),
            (COF, "POTFIELD  3", "POTFIELD  x", "a.cof, line 3: degree \"x\" is not a whole number"),
            (COF, "4.00000000000000E+14", "nan", "a.cof, line 3: mu \"nan\" is not a number"),
            (COF, "4.00000000000000E+14", "0.0", "a.cof: the gravitational parameter is not given or not positive"),
            (COF, "6.40000000000000E+06", "-6.4", "a.cof: the radius is not given or not positive"),
            (COF, " 1.19528010000000e-09", "", "a.cof, line 5: S \"\" is not a number"),
            (COF, "RECOEF    3  2", "RECOEF    3  3", "a.cof, line 6: degree 3 order 3 is outside the field, 3 by 2"),
            (COF, "RECOEF    3  2", "RECOEF    2 -2", "a.cof, line 6: order \"-2\" is not a whole number"),
            (GFC, "max_degree 3", "max_degree 2201", "a.gfc, line 5: degree 2201 is above 2200"),
            (GFC, "max_degree 3", "", "a.gfc: the head has no max_degree"),
            (GFC, "end_of_head", "", "a.gfc: there is no end_of_head line"),
            (
                GFC,
                "norm fully",
                "norm half",
                "a.gfc, line 7: norm \"half_normalized\"; supported are fully_normalized, unnormalized",
            ),
            (GFC, "gfc 3 2", "gfc 2 1", "a.gfc, line 15: degree 2 order 1 is given twice"),
            (GFC, "-6.19025944205e-07", "1e999", "a.gfc, line 15: S \"1e999\" is not a number"),
        ];
        for (text, from, to, message) in cases {
            let broken = text.replacen(from, to, 1);
            let result = if text == COF { cof("a.cof", broken.as_bytes()) } else { gfc("a.gfc", broken.as_bytes()) };
            assert_eq!(result.unwrap_err().to_string(), message);
        }
        assert!(matches!(cof("", b""), Err(FieldError::Incomplete { .. })));
        assert!(matches!(Field::read(Path::new("none.cof")), Err(FieldError::Unreadable { .. })));
        assert!(matches!(Field::parse("none.grv", b""), Err(FieldError::UnknownFormat { .. })));
    }

    #[test]
    fn prop_hostile_bytes_are_no_panic() {
        let mut seed = 1_u64;
        let mut random = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        let (mut read, mut refused) = (0, 0);
        for round in 0..40_000 {
            let mut bytes = if round % 2 == 0 { COF } else { GFC }.as_bytes().to_vec();
            for _ in 0..=random(6) {
                let at = random(bytes.len().max(1));
                match random(if bytes.is_empty() { 1 } else { 4 }) {
                    0 => bytes.insert(at, random(256) as u8),
                    1 => bytes[at] = b"0123456789.-+eED \n"[random(18)],
                    2 => drop(bytes.remove(at)),
                    _ => bytes.truncate(at + 1),
                }
            }
            let result = if round % 2 == 0 { cof("a", &bytes) } else { gfc("a", &bytes) };
            if result.is_ok() { read += 1 } else { refused += 1 }
        }
        assert!(read > 1000 && refused > 1000, "{read} {refused}");
    }
}
