use super::*;
use crate::propulsion::chemical::tests::full;
use crate::propulsion::{ChemicalEngine, ChemicalStore, Draw, ElectricEngine, Polynomial, ThrustModel};

fn polynomial<const N: usize>(coefficients: [(usize, f64); N]) -> Polynomial {
    let mut c = [0.0; 16];
    for (number, value) in coefficients {
        c[number - 1] = value;
    }
    Polynomial::new(c)
}

fn chemical(thrust: Polynomial, specific_impulse: Polynomial, tank: u8) -> Thruster {
    Thruster {
        engine: Engine::Chemical(ChemicalEngine { thrust, specific_impulse }),
        draw: Some(Draw::on(tank)),
        decrement_mass: true,
        firing: true,
        ..Thruster::default()
    }
}

fn tank(fuel: f64, store: ChemicalStore) -> Tank {
    Tank::chemical(fuel, false, ChemicalStore { blow_down: true, ..store }).unwrap()
}

fn aft() -> Tank {
    tank(120.0, ChemicalStore { volume_m3: 0.2, density: 1000.0, pressure_kpa: 1800.0, ..ChemicalStore::default() })
}

/// Flies the mass alone (it does not depend on the orbit) in classical Runge-Kutta steps of order 4, the tanks
/// following at every stage; gives the speed change along a fixed direction as well, km/s.
fn fly(dry: f64, tanks: &mut [Tank], thrusters: &[Thruster], seconds: f64, steps: u32) -> (f64, f64) {
    let h = seconds / f64::from(steps);
    let mut mass = total_mass(dry, tanks);
    let mut speed = 0.0;
    let push = |tanks: &mut [Tank], mass: f64| {
        set_total_mass(dry, tanks, thrusters, mass).unwrap();
        let push = fire(thrusters.iter().map(|thruster| (thruster, [0.0, 2.0, 0.0])), tanks, mass).unwrap();
        (push.mass_flow, push.acceleration[1])
    };
    for _ in 0..steps {
        let (k1, a1) = push(tanks, mass);
        let (k2, a2) = push(tanks, mass + 0.5 * h * k1);
        let (k3, a3) = push(tanks, mass + 0.5 * h * k2);
        let (k4, a4) = push(tanks, mass + h * k3);
        mass += h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4);
        speed += h / 6.0 * (a1 + 2.0 * (a2 + a3) + a4);
    }
    set_total_mass(dry, tanks, thrusters, mass).unwrap();
    (mass, speed)
}

#[test]
fn val_masses_of_gmat() {
    // cases/burn_finite_*: 500 s, which GMAT flies to a microsecond (1e-7 kg), with 16 digits printed
    let near =
        |tank: &Tank, expected: f64| assert!((tank.fuel() - expected).abs() < 2e-7, "{} {expected}", tank.fuel());

    let mut tanks = [tank(400.0, ChemicalStore { temperature_c: 25.0, ..ChemicalStore::default() })];
    let thrust = polynomial([(1, 30.0), (2, 0.2), (3, 10.0), (15, 0.1), (16, 1e-4)]);
    let isp = polynomial([(1, 250.0), (2, 0.02), (3, 5.0)]);
    fly(850.0, &mut tanks, &[chemical(thrust, isp, 0)], 500.0, 500);
    near(&tanks[0], 341.302_407_593_362_2);
    assert!((tanks[0].store().unwrap().pressure_kpa - 1_354.154_812_413_679).abs() < 1e-6);

    let store = ChemicalStore { temperature_c: 28.0, reference_temperature_c: 21.0, ..ChemicalStore::default() };
    let mut tanks = [tank(400.0, store)];
    let thruster = Thruster { engine: Engine::Chemical(full()), ..chemical(isp, isp, 0) };
    fly(850.0, &mut tanks, &[thruster], 500.0, 500);
    near(&tanks[0], 360.414_546_861_912_9);

    // one thruster out of two tanks, MixRatio = [2.5 1]
    let mut tanks = [tank(400.0, ChemicalStore::default()), aft()];
    let main = chemical(polynomial([(1, 20.0), (2, 0.15)]), Polynomial::constant(300.0), 0);
    let mixed = Thruster { draw: Draw::mixed(&[(0, 2.5), (1, 1.0)]), ..main };
    fly(850.0, &mut tanks, &[mixed], 500.0, 500);
    near(&tanks[0], 369.883_134_135_46);
    near(&tanks[1], 107.953_253_654_184);
}

#[test]
fn val_stages_of_gmat() {
    // cases/steps_burn_walk: two tanks whose flows change in ratio, fixed steps of 30 s of PrinceDormand45, whose stages
    // the tanks follow. The masses of the equations themselves would be 0.02 kg off after 500 s.
    let stages: [&[f64]; 7] = [
        &[],
        &[2.0 / 9.0],
        &[1.0 / 12.0, 1.0 / 4.0],
        &[55.0 / 324.0, -25.0 / 108.0, 50.0 / 81.0],
        &[83.0 / 330.0, -13.0 / 22.0, 61.0 / 66.0, 9.0 / 110.0],
        &[-19.0 / 28.0, 9.0 / 4.0, 1.0 / 7.0, -27.0 / 7.0, 22.0 / 7.0],
        &[19.0 / 200.0, 0.0, 3.0 / 5.0, -243.0 / 400.0, 33.0 / 40.0, 7.0 / 80.0],
    ];
    let mut tanks = [tank(400.0, ChemicalStore::default()), aft()];
    let main = chemical(polynomial([(1, 20.0), (2, 0.15)]), Polynomial::constant(300.0), 0);
    let side = chemical(polynomial([(1, 10.0), (2, 0.05)]), Polynomial::constant(230.0), 1);
    let thrusters = [main, side];
    let mut mass = total_mass(850.0, &tanks);
    for step in 1..=19 {
        let mut k = [0.0; 7];
        let mut at = mass;
        for (stage, row) in stages.iter().enumerate() {
            at = mass + 30.0 * row.iter().zip(k).fold(0.0, |sum, (a, k)| sum + a * k);
            set_total_mass(850.0, &mut tanks, &thrusters, at).unwrap();
            k[stage] = fire(thrusters.iter().map(|thruster| (thruster, [1.0; 3])), &tanks, at).unwrap().mass_flow;
        }
        mass = at;
        set_total_mass(850.0, &mut tanks, &thrusters, mass).unwrap();
        let [fuel, other] = [tanks[0].fuel(), tanks[1].fuel()];
        let expected = match step {
            1 => [397.508_843_304_686_1, 118.679_118_521_688_7],
            10 => [375.537_229_866_482_5, 107.556_732_447_074_2],
            19 => [354.313_227_725_748_2, 97.514_049_579_034_32],
            _ => continue,
        };
        // 16 digits printed, some hundred roundings of 1e-13 kg
        assert!((fuel - expected[0]).abs() < 1e-11 && (other - expected[1]).abs() < 1e-11, "{fuel} {other}");
    }
}

#[test]
fn val_constant_flows_of_gmat() {
    // cases/burn_finite_scale and burn_electric_constant: 400 N at 300 s with duty 0.8, of which the scale factor of 1.1
    // takes no part; 0.3 N at 2500 s with duty 0.9 over 40 000 s
    let plain = chemical(Polynomial::constant(400.0), Polynomial::constant(300.0), 0);
    let mut tanks = [Tank::chemical(400.0, false, ChemicalStore::default()).unwrap()];
    let scaled = Thruster { duty_cycle: 0.8, scale: 1.1, ..plain };
    fly(850.0, &mut tanks, &[scaled], 500.0, 10);
    assert!((tanks[0].fuel() - 345.633_707_056_616_2).abs() < 2e-7);
    let mut tanks = [Tank::electric(100.0, false).unwrap()];
    let electric = ElectricEngine {
        model: ThrustModel::ConstantThrustAndIsp,
        constant_thrust: 0.3,
        specific_impulse: 2500.0,
        ..ElectricEngine::default()
    };
    let ion = Thruster {
        engine: Engine::Electric(electric),
        duty_cycle: 0.9,
        scale: 1.05,
        gravity: 9.80665,
        power_kw: 10.0,
        ..plain
    };
    fly(850.0, &mut tanks, &[ion], 40_000.0, 10);
    assert!((tanks[0].fuel() - 99.559_482_595_990_06).abs() < 2e-11);
}

#[test]
fn val_push_of_gmat() {
    // FB.TotalThrust, TotalAcceleration and TotalMassFlowRate right after BeginFiniteBurn, along the velocity: 16 digits
    let tanks = [tank(400.0, ChemicalStore::default())];
    let thruster = chemical(Polynomial::constant(400.0), Polynomial::constant(300.0), 0);
    let v = [-6.527_350_523_501_169, -3.362_208_515_164_782, 2.044_056_086_749_982];
    let push = fire([(&thruster, v)].into_iter(), &tanks, 1250.0).unwrap();
    let thrust = [-342.570_758_761_077_2, -176.456_637_039_181_1, 107.276_887_010_588_4];
    let acceleration = [-0.000_274_056_607_008_861_9, -0.000_141_165_309_631_344_9, 8.582_150_960_847_071e-5];
    for i in 0..3 {
        assert!((push.thrust[i] / thrust[i] - 1.0).abs() < 2e-15);
        assert!((push.acceleration[i] / acceleration[i] - 1.0).abs() < 2e-15);
    }
    assert!((push.mass_flow / -0.135_915_732_246_007_5 - 1.0).abs() < 1e-15);
    assert_eq!(fire([(&thruster, [0.0; 3])].into_iter(), &tanks, 1250.0), Err(FiringError::NoDirection));
}

#[test]
#[allow(clippy::float_cmp)] // one division
fn val_powers_shared_by_gmat() {
    // cases/burn_electric_two: 10.26 kW for MinimumUsablePower 2, 2.5 and 3.9: the third is off, the others get half
    let electric = |min_power_kw| Thruster {
        engine: Engine::Electric(ElectricEngine { min_power_kw, max_power_kw: 20.0, ..ElectricEngine::default() }),
        ..Thruster::default()
    };
    let mut thrusters = [electric(2.0), electric(2.5), electric(3.9)];
    let mut shares = |power: f64, places: &[u8]| {
        allot(power, places, &mut thrusters);
        thrusters.map(|thruster| thruster.power_kw)
    };
    assert_eq!(shares(10.261_467_497_229_77, &[0, 1, 2]), [5.130_733_748_614_885, 5.130_733_748_614_885, 0.0]);
    // another order: 3.42 is more than the 2 of the last
    let third = 10.2 / 3.0;
    assert_eq!(shares(10.2, &[2, 1, 0]), [third; 3]);
    assert_eq!(shares(4.9, &[0, 1, 2]), [4.9, 0.0, 0.0]);
    assert_eq!(shares(2.0, &[0, 1, 2]), [0.0; 3], "exactly the minimum is not enough");
    assert_eq!(shares(0.0, &[0, 1, 2]), [0.0; 3]);
}

#[test]
fn val_errors_of_the_mass_by_hand() {
    let near = |error: f64, expected: f64| assert!((error / expected - 1.0).abs() < 1e-12);
    near(mass_error(1000.0, 998.0, -3e-9), 1.5e-9);
    near(mass_error(1000.0, 1000.05, 3e-9), 3e-9);
    assert!(mass_error(1000.0, 990.0, f64::NAN).is_nan());
}

#[test]
fn prop_rocket_equation() {
    // dv = Isp g ln(M0 / M1) for any thrust history out of one tank, here of a thrust that falls with the pressure;
    // order 4 in 1000 steps: 1e-12
    let mut tanks = [tank(400.0, ChemicalStore::default())];
    let thruster = chemical(polynomial([(6, 1e-3), (7, 1.9)]), Polynomial::constant(290.0), 0);
    let (mass, speed) = fly(850.0, &mut tanks, &[thruster], 600.0, 1000);
    assert!(mass < 1200.0);
    let ideal = 290.0 * 9.81 / 1000.0 * libm::log(1250.0 / mass);
    assert!((speed / ideal - 1.0).abs() < 1e-11, "{speed} {ideal}");
    assert!((tanks[0].fuel() - (mass - 850.0)).abs() < 1e-12);
}

#[test]
fn prop_mass_and_momentum_add_up() {
    let mut tanks = [tank(400.0, ChemicalStore::default()), aft(), tank(50.0, ChemicalStore::default())];
    let a = chemical(polynomial([(2, 0.2)]), Polynomial::constant(300.0), 0);
    let b = chemical(polynomial([(2, 0.1)]), Polynomial::constant(200.0), 1);
    let mixed = Thruster { draw: Draw::mixed(&[(2, 1.0), (0, 3.0)]), ..a };
    let thrusters = [a, Thruster { firing: false, ..b }, b, mixed];
    for mass in [1419.0, 1400.0, 1400.5, 1390.0] {
        set_total_mass(850.0, &mut tanks, &thrusters, mass).unwrap();
        assert!((total_mass(850.0, &tanks) - mass).abs() < 1e-12);
    }
    let directions = [[1.0, 0.0, 0.0], [9.0, 9.0, 9.0], [0.0, -3.0, 0.0], [0.0, 0.0, 0.1]];
    let push = fire(thrusters.iter().zip(directions), &tanks, 1390.0).unwrap();
    let outputs = thrusters.map(|thruster| thruster.output(&tanks).unwrap());
    let thrusts = [outputs[0].thrust, -outputs[2].thrust, outputs[3].thrust];
    for (acceleration, thrust) in push.acceleration.iter().zip(thrusts) {
        assert!((acceleration * 1390.0 * 1000.0 / thrust - 1.0).abs() < 1e-15);
    }
    let flow = outputs.iter().fold(0.0, |all, output| all + output.mass_flow);
    assert_eq!(push.mass_flow.to_bits(), flow.to_bits());
    // nothing fires: nothing can change
    let off = [Thruster { firing: false, ..a }];
    assert_eq!(set_total_mass(850.0, &mut tanks, &off, 1200.0), Err(FiringError::NothingFires));
    let mass = total_mass(850.0, &tanks);
    assert_eq!(set_total_mass(850.0, &mut tanks, &off, mass), Ok(()));
    // nothing flows: nothing changes
    let dry = [Thruster { decrement_mass: false, ..a }];
    assert_eq!(set_total_mass(850.0, &mut tanks, &dry, 1200.0), Ok(()));
    assert_eq!(total_mass(850.0, &tanks).to_bits(), mass.to_bits());
    assert_eq!(set_total_mass(850.0, &mut tanks, &[a; FIRING_MAX + 1], 1200.0), Err(FiringError::TooMany));
    // a tank that cannot give ends it
    let error = set_total_mass(850.0, &mut tanks, &[b], 900.0);
    assert!(matches!(error, Err(FiringError::Tank(_))), "{error:?}");
}
