//! The persistent propagator allocates nothing once it runs: counted, not believed.
#![allow(clippy::unwrap_used, unsafe_code)] // an allocator is unsafe by its trait

mod plans;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

use sweep_mpi::base::lanes::{Isa, Vectors};
use sweep_mpi::propagator::Propagator;

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn prop_no_allocation_in_flight() {
    let electric = "Create ElectricTank T; Create ElectricThruster E; E.Tank = {T}; E.DecrementMass = true;
Create SolarPowerSystem P; P.InitialMaxPower = 3; Create FiniteBurn B; B.Thrusters = {E};
Sat.Tanks = {T}; Sat.Thrusters = {E}; Sat.PowerSystem = P;
RF.Add = {Sat.E.ThrustMagnitude, B.TotalThrust1};
BeginMissionSequence;
BeginFiniteBurn B(Sat);";
    for (tof, burn) in [("TOF = 20000", "BeginMissionSequence;"), ("TOF = 500", electric)] {
        no_allocation(&|script| script.replace("TOF = 60", tof).replace("BeginMissionSequence;", burn));
    }
}

fn no_allocation(change: &dyn Fn(String) -> String) {
    // some runs fail: a failure must not allocate either
    let design = "kind = \"grid\"\naxes = { \"Sat.ECC\" = { linspace = [0.0, 1.2, 200] }, \"Sat.SMA\" = { values = [9000, 30000] } }";
    let plan = plans::plan(design, "rows = { max = 100 }", change);
    for width in [1, 4, 8] {
        let mut propagator = Propagator::new(plans::flight(&plan), Vectors::new(Isa::best(), width));
        let (mut runs, mut failed) = (0, 0);
        let mut fly = |propagator: &mut Propagator, range| {
            propagator.fly(
                plans::flight(&plan),
                range,
                |run, out| plan.design.values(run, out),
                |finished| {
                    runs += 1;
                    failed += u64::from(finished.failure.is_some());
                },
            );
        };
        fly(&mut propagator, 0..plan.layout.runs); // buffers grow to what they need
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        fly(&mut propagator, 0..plan.layout.runs);
        let after = ALLOCATIONS.load(Ordering::Relaxed);
        assert_eq!(after - before, 0, "{width} lanes");
        assert_eq!(runs, 800);
        assert!(failed > 50 && failed < 700, "{failed}");
    }
}
