//! The layout of a result file, read back from it: what a file of the same sweep is made from.

use super::StoreError;
use super::layout::{Axis, Column, Layout, ReportLayout, TIMING};
use super::raw::{self, Id, Object, Outcome};
use super::reader::{ColumnInfo, Reader};

/// Text attributes of a column that are not its own.
const COMMON: [&str; 6] = ["units", "long_name", "gmat_name", "coordinates", "CLASS", "NAME"];

/// The most values of an axis that are read: 32 MiB.
const AXIS_MAX: u64 = 1 << 22;

impl Reader {
    /// What the file holds besides the numbers; [`super::create_skeleton`] makes the same file of it again.
    ///
    /// # Errors
    /// Something that a result file has is not there.
    pub fn layout(&self) -> Result<Layout, StoreError> {
        let column = |info: &ColumnInfo, report: &str| -> Result<Column, StoreError> {
            let attributes = self.set(&info.name).and_then(|set| own_attributes(&set));
            Ok(Column {
                name: info.name.strip_prefix(report).unwrap_or(&info.name).to_owned(),
                gmat_name: info.gmat_name.clone(),
                units: info.units.clone(),
                long_name: info.long_name.clone(),
                kind: info.kind,
                attributes: attributes.map_err(|why| self.fail(&info.name, why))?,
            })
        };
        let columns = |infos: &[ColumnInfo]| infos.iter().map(|info| column(info, "")).collect::<Result<Vec<_>, _>>();
        let outputs = columns(self.outputs())?;
        let reports = self.reports().iter().map(|report| {
            let prefix = format!("{}_", report.name);
            let columns = report.columns.iter().map(|info| column(info, &prefix)).collect::<Result<_, _>>()?;
            Ok(ReportLayout { name: report.name.clone(), max_steps: report.max_steps, columns })
        });
        let texts = self.provenance_names()?.into_iter().map(|name| Ok((name.clone(), self.provenance(&name)?)));
        let text = |name: &str| self.attribute(name).to_owned();
        Ok(Layout {
            title: text("title"),
            source: text("source"),
            sweep_id: text("sweep_id"),
            plan_sha256: text("plan_sha256"),
            runs: self.runs(),
            slice: self.slice(),
            parameters: columns(self.parameters())?,
            timing: TIMING.iter().all(|(name, ..)| outputs.iter().any(|column| column.name == *name)),
            outputs,
            reports: reports.collect::<Result<_, StoreError>>()?,
            axes: self.axes()?,
            error_codes: self.error_codes().map_err(|why| self.fail("error_code", why))?,
            failures_max: self.failures_max()?,
            provenance: texts.collect::<Result<_, StoreError>>()?,
        })
    }

    /// The grid's axes; none where the sweep is no grid.
    pub(super) fn axes(&self) -> Result<Vec<Axis>, StoreError> {
        self.read_axes().map_err(|why| self.fail("axes", why))
    }

    fn read_axes(&self) -> Outcome<Vec<Axis>> {
        if !raw::members(&self.file)?.iter().any(|name| name == "axes") {
            return Ok(Vec::new());
        }
        let Object::Group(group) = raw::open_object(&self.file, "axes")? else {
            return Err("it is no group".to_owned());
        };
        let axis = |name: String| {
            let set = raw::open_dataset(&group, &name)?;
            let [count] = raw::info(&set)?.dims[..] else { return Err(format!("`{name}` is no list")) };
            if count > AXIS_MAX {
                return Err(format!("`{name}` has {count} values, more than {AXIS_MAX}"));
            }
            let values = raw::read(&set, &[0], &[count])?;
            let text = |attribute| Ok::<_, String>(raw::text(&set, attribute)?.unwrap_or_default());
            Ok(Axis { units: text("units")?, long_name: text("long_name")?, name, values })
        };
        raw::members(&group)?.into_iter().map(axis).collect()
    }

    fn error_codes(&self) -> Outcome<Vec<(i16, String)>> {
        let set = self.set("error_code")?;
        let values = raw::numbers::<i16>(&set, "flag_values")?;
        let names = raw::text(&set, "flag_meanings")?.unwrap_or_default();
        Ok(values.into_iter().zip(names.split(' ').map(str::to_owned)).collect())
    }
}

/// The text attributes that a column alone has.
fn own_attributes(set: &Id) -> Outcome<Vec<(String, String)>> {
    let names = raw::attribute_names(set)?.into_iter().filter(|name| !COMMON.contains(&name.as_str()));
    let mut all = Vec::new();
    for name in names {
        // all others are no texts
        if let Some(text) = raw::text(set, &name)? {
            all.push((name, text));
        }
    }
    Ok(all)
}
