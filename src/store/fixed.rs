//! The digest of what a result file holds beside its rows and does not change any more: axes and texts.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use super::layout::Layout;
use super::resume::DRIFT;

/// `fixed_sha256`: SHA-256 over each axis (name, NUL, values as little endian float64) and then each text of
/// `/provenance` but the drift (name, NUL, text, NUL), in the order in which they stand in the file.
#[derive(Default)]
pub(super) struct FixedDigest(Sha256);

impl FixedDigest {
    /// That of a layout, hexadecimal.
    pub(super) fn of(layout: &Layout) -> String {
        let mut digest = FixedDigest::default();
        for axis in &layout.axes {
            digest.axis(&axis.name, &axis.values);
        }
        for (name, text) in layout.provenance.iter().filter(|(name, _)| name != DRIFT) {
            digest.text(name, text);
        }
        digest.finish()
    }

    pub(super) fn axis(&mut self, name: &str, values: &[f64]) {
        self.0.update(name);
        self.0.update([0]);
        for value in values {
            self.0.update(value.to_le_bytes());
        }
    }

    pub(super) fn text(&mut self, name: &str, text: &str) {
        for part in [name, text] {
            self.0.update(part);
            self.0.update([0]);
        }
    }

    pub(super) fn finish(self) -> String {
        self.0.finalize().iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }
}
