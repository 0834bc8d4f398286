//! Reports: their columns, the kinds of their rows, and how they are written.

use super::Column;
use super::names::Names;
use super::target::SolverRows;

/// A report that keeps rows.
pub struct Report {
    /// The `ReportFile`'s name.
    pub name: String,
    /// Its columns, each once.
    pub columns: Vec<Column>,
    /// The kinds of rows, as places of their columns: first that of `Add`, which may have none, then one for each
    /// Report command.
    pub kinds: Vec<Vec<usize>>,
    /// Whether columns hold texts of Strings.
    pub has_texts: bool,
    /// For each kind what its columns are together: numbers, and Arrays as a whole.
    pub items: Vec<Vec<Item>>,
    /// Which rows of `Add` it gets while a Target is solved.
    pub solver_rows: SolverRows,
    /// How GMAT writes it as a text.
    pub settings: ReportSettings,
}

/// What stands in a row under one name: one column, or the elements of an Array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its name.
    pub name: String,
    /// Rows and columns of an Array; its elements are as many columns of the report.
    pub size: Option<(usize, usize)>,
}

impl Report {
    /// Leaves out the columns that hold texts, which no result file keeps; their names.
    pub fn leave_out_texts(&mut self, names: &Names) -> Vec<String> {
        let (columns, texts): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.columns).into_iter().enumerate().partition(|(_, column)| !column.is_text(names));
        let kept = |place: &usize| columns.iter().position(|(kept, _)| kept == place);
        for kind in &mut self.kinds {
            *kind = kind.iter().filter_map(kept).collect();
        }
        self.has_texts = false;
        self.columns = columns.into_iter().map(|(_, column)| column).collect();
        texts.into_iter().map(|(_, column)| column.path).collect()
    }
}

/// A setting of a report that a mission can change on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportField {
    /// Significant digits.
    Precision,
    /// Bytes.
    ColumnWidth,
    /// A switch.
    WriteHeaders,
    /// A switch.
    LeftJustify,
    /// A switch.
    ZeroFill,
    /// A switch.
    FixedWidth,
    /// A character, by its code.
    Delimiter,
}

impl ReportField {
    /// GMAT's names.
    pub const NAMES: [(&str, ReportField); 7] = [
        ("Precision", ReportField::Precision),
        ("ColumnWidth", ReportField::ColumnWidth),
        ("WriteHeaders", ReportField::WriteHeaders),
        ("LeftJustify", ReportField::LeftJustify),
        ("ZeroFill", ReportField::ZeroFill),
        ("FixedWidth", ReportField::FixedWidth),
        ("Delimiter", ReportField::Delimiter),
    ];

    /// Whether it is on or off.
    pub fn is_switch(self) -> bool {
        !matches!(self, ReportField::Precision | ReportField::ColumnWidth | ReportField::Delimiter)
    }

    /// The value that a number means: 4.5 digits are 4. None: out of range.
    pub fn value(self, number: f64) -> Option<f64> {
        match self {
            ReportField::Precision | ReportField::ColumnWidth => {
                Some(number.trunc()).filter(|size| (1.0..=SIZE_MAX as f64).contains(size))
            }
            _ => Some(number),
        }
    }
}

/// The most digits, and the widest column: texts are as long as they say.
pub const SIZE_MAX: usize = 1000;

/// How a report is written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // GMAT's own switches
pub struct ReportSettings {
    /// Significant digits, 1 or more. The reader of the script caps this and the width: texts are as long as they say.
    pub precision: usize,
    /// Lines with the columns' names.
    pub headers: bool,
    /// Texts begin at the left of their columns, rather than end at the right.
    pub left: bool,
    /// Zeros behind the last digit, up to the precision.
    pub zero_fill: bool,
    /// Columns of one width, rather than parted by the delimiter.
    pub fixed_width: bool,
    /// What parts columns that have no fixed width.
    pub delimiter: char,
    /// The width of a column, bytes.
    pub width: usize,
}

/// GMAT's defaults.
impl Default for ReportSettings {
    fn default() -> Self {
        ReportSettings {
            precision: 16,
            headers: true,
            left: true,
            zero_fill: false,
            fixed_width: true,
            delimiter: ' ',
            width: 23,
        }
    }
}
