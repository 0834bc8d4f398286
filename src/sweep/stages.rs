//! Between two sweeps of a job: rank 0 reads what the next one starts from in the file that is just
//! complete, and all ranks get it.

use super::together;
use crate::base::outcome::Status;
use crate::cli::{Stop, machine};
use crate::comm::World;
use crate::design::results::Results;
use crate::plan::Plan;
use crate::store::{ColumnInfo, Reader, StoreError};

/// Gives the design of a plan the results that it starts from, if it takes any. Collective.
pub(super) fn take_results(world: &World, plan: &Plan, before: Option<&Plan>) -> Result<(), Stop> {
    let (Some(results), Some(before)) = (plan.design.results(), before) else { return Ok(()) };
    let read = if world.rank() == 0 { read(results, before).map_err(machine) } else { Ok(Vec::new()) };
    let rows = together(world, "reading the results that a stage starts from", read)?;
    let mut bytes: Vec<u8> = rows.iter().flat_map(|value| value.to_le_bytes()).collect();
    world.broadcast_bytes(&mut bytes);
    let rows = bytes.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    results.fill(rows);
    Ok(())
}

fn read(results: &Results, before: &Plan) -> Result<Vec<f64>, StoreError> {
    let reader = Reader::open(&before.output)?;
    let runs = reader.runs();
    let find = |name: &String| -> Result<&ColumnInfo, StoreError> {
        let all = reader.outputs().iter().chain(reader.parameters());
        let found = all.into_iter().find(|column| column.name == *name);
        found.ok_or_else(|| StoreError::new("read", name, "the file has no such column"))
    };
    let values = |name: &String| reader.values(find(name)?, 0, runs);
    let columns = results.columns.iter().map(values).collect::<Result<Vec<_>, _>>()?;
    let by = results.by.as_ref().map(values).transpose()?;
    let ok: Vec<bool> = reader.status(0, runs)?.into_iter().map(|status| status == Status::Ok.code()).collect();
    Ok(results.reduce(&columns, by.as_deref(), &ok))
}
