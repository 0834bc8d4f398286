//! A state as a script gives it, field by field.
//!
//! GMAT collects the fields that stand before `BeginMissionSequence`: the representation is the first
//! that has all of them, whatever `DisplayStateType` says, and the numbers that are not given are those of
//! the default Cartesian state in that representation. Fields of no common representation are refused
//! there ([`StateInput::accepts`]). In the mission sequence, and in a sweep over another representation
//! than the script's, the state so far is converted and the field set in it.
//!
//! One oddity is not followed: GMAT takes an AlternateEquinoctial state for an Equinoctial or Keplerian one
//! if SMA, EquinoctialH or EquinoctialK stand after AltEquinoctialP or AltEquinoctialQ.
//!
//! Tests: `val_fields_of_gmat`, `prop_fields_of_one_representation_commute`.

use super::fields::Field;
use super::{Centre, REPRESENTATIONS, Representation, RepresentationError, state_of};
use crate::astro::elements::Cartesian;

/// A state and the fields set in it. Plain numbers, copied without an allocation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StateInput {
    /// Where the numbers come from that are not given.
    base: Cartesian,
    /// One bit for each representation that has all the fields given so far.
    owners: u16,
    /// One bit for each of the six numbers that is given.
    given: u8,
    values: [f64; 6],
}

const EVERY_OWNER: u16 = (1 << REPRESENTATIONS.len()) - 1;
const ALL_GIVEN: u8 = 0b11_1111;

impl Default for StateInput {
    /// GMAT's default spacecraft.
    fn default() -> Self {
        StateInput::from(Cartesian { r: [7100.0, 0.0, 1300.0], v: [0.0, 7.35, 1.0] })
    }
}

impl From<Cartesian> for StateInput {
    fn from(base: Cartesian) -> Self {
        StateInput { base, owners: EVERY_OWNER, given: 0, values: [0.0; 6] }
    }
}

impl StateInput {
    /// Where the numbers come from that are not given.
    pub fn base(&self) -> Cartesian {
        self.base
    }

    /// Takes the numbers that are not given from another state.
    pub fn rebase(&mut self, base: Cartesian) {
        self.base = base;
    }

    /// Whether GMAT lets this field stand beside those given so far, before `BeginMissionSequence`.
    pub fn accepts(&self, field: &Field) -> bool {
        self.owners & field.owners != 0
    }

    /// Sets one field. Where it belongs to another representation than those given so far, the state is
    /// converted first; if that fails, nothing is set.
    pub fn set(&mut self, field: &Field, value: f64, centre: &Centre) -> Result<(), RepresentationError> {
        field.check(value)?;
        if !self.accepts(field) {
            *self = StateInput::from(self.to_cartesian(centre)?);
        }
        self.owners &= field.owners;
        self.given |= 1 << field.place;
        self.values[field.place] = value;
        Ok(())
    }

    /// The representation that the fields given so far mean.
    pub fn representation(&self) -> &'static Representation {
        &REPRESENTATIONS[self.owners.trailing_zeros() as usize]
    }

    /// The six numbers in [`StateInput::representation`], in the units of scripts.
    pub fn numbers(&self, centre: &Centre) -> Result<[f64; 6], RepresentationError> {
        if self.given == ALL_GIVEN {
            return Ok(self.values);
        }
        let representation = self.representation();
        let mut numbers = (representation.from_cartesian)(&self.base, centre)?;
        for (place, number) in numbers.iter_mut().enumerate() {
            if self.given & (1 << place) != 0 {
                *number = self.values[place];
            }
        }
        // a new SMA or ECC alone may turn an ellipse into a hyperbola: GMAT turns the sign of SMA
        let one_of_both = matches!(self.given & 0b11, 0b01 | 0b10);
        if representation.name == "Keplerian" && one_of_both && (numbers[0] > 0.0) == (numbers[1] > 1.0) {
            numbers[0] = -numbers[0];
        }
        Ok(numbers)
    }

    /// One number of the state: as it was given, or in the first representation that has the field.
    pub fn number(&self, field: &Field, centre: &Centre) -> Result<f64, RepresentationError> {
        if field.owners & (1 << self.owners.trailing_zeros()) != 0 {
            return Ok(self.numbers(centre)?[field.place]);
        }
        let representation = &REPRESENTATIONS[field.owners.trailing_zeros() as usize];
        Ok((representation.from_cartesian)(&self.to_cartesian(centre)?, centre)?[field.place])
    }

    /// The Cartesian state, km and km/s.
    pub fn to_cartesian(&self, centre: &Centre) -> Result<Cartesian, RepresentationError> {
        if self.given == 0 {
            return Ok(self.base);
        }
        let state = (self.representation().to_cartesian)(&self.numbers(centre)?, centre)?;
        if super::numbers_of(&state).iter().all(|x| x.is_finite()) {
            Ok(state)
        } else {
            Err(RepresentationError::NotFinite)
        }
    }

    /// The same with six numbers of a representation given at once.
    pub fn of(representation: &Representation, values: [f64; 6]) -> Self {
        let bit = REPRESENTATIONS.iter().position(|other| other.name == representation.name);
        bit.map_or_else(
            || StateInput::from(state_of(&values)),
            |bit| StateInput { base: state_of(&[0.0; 6]), owners: 1 << bit, given: ALL_GIVEN, values },
        )
    }
}
