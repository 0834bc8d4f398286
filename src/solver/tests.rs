//! The differential corrector against GMAT R2026a.

mod rules;
mod toys;
