//! Checks PTX, the assembly language of NVIDIA GPUs, by libptxray.
//!
//! ```
//! let mut checker = ptxray::Checker::new();
//! for d in checker.check("mov.b32 %r0, %r1;", &ptxray::Options::new()) {
//!     println!("{}:{}: {} [{}]", d.begin.line, d.begin.column, d.message, d.rule);
//! }
//! ```
//!
//! A checker remembers what texts have in common. It may be sent to another thread, and serves one at a time.

use std::ffi::{c_char, c_int, CStr, CString};

mod sys {
    //! include/ptxray/ptxray-c.h
    use super::*;

    #[repr(C)]
    pub struct Note {
        pub message: *const c_char,
        pub has_range: c_int,
        pub begin: Place,
        pub end: Place,
    }
    #[repr(C)]
    pub struct Edit {
        pub begin: Place,
        pub end: Place,
        pub text: *const c_char,
    }
    #[repr(C)]
    pub struct Diagnostic {
        pub rule: *const c_char,
        pub kind: *const c_char,
        pub severity: c_int,
        pub message: *const c_char,
        pub begin: Place,
        pub end: Place,
        pub notes: *const *const Note,
        pub note_count: usize,
        pub fix_title: *const c_char,
        pub fix_is_safe: c_int,
        pub edits: *const *const Edit,
        pub edit_count: usize,
        pub origin_path: *const c_char,
        pub origin_line: u32,
        pub manual: *const c_char,
    }
    pub enum Options {}
    pub enum Checker {}
    pub enum Found {}
    extern "C" {
        pub fn ptxray_version() -> *const c_char;
        pub fn ptxray_options_new() -> *mut Options;
        pub fn ptxray_options_set(options: *mut Options, name: *const c_char, value: *const c_char) -> *const c_char;
        pub fn ptxray_options_free(options: *mut Options);
        pub fn ptxray_checker_new() -> *mut Checker;
        pub fn ptxray_checker_check(
            checker: *mut Checker,
            text: *const c_char,
            length: usize,
            options: *const Options,
        ) -> *mut Found;
        pub fn ptxray_checker_free(checker: *mut Checker);
        pub fn ptxray_result_count(found: *const Found) -> usize;
        pub fn ptxray_result_diagnostic(found: *const Found, index: usize) -> *const Diagnostic;
        pub fn ptxray_result_free(found: *mut Found);
    }
}

/// Lines and columns count from 1, columns and offsets in bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub line: u32,
    pub column: u32,
    pub offset: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
    Pedantic,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub message: String,
    pub range: Option<(Place, Place)>,
}

/// Replaces the text from `begin` to `end`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub begin: Place,
    pub end: Place,
    pub text: String,
}

/// All edits together are the fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    pub title: String,
    pub is_safe: bool,
    pub edits: Vec<Edit>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub rule: String,
    pub kind: Option<String>,
    pub severity: Severity,
    pub message: String,
    pub begin: Place,
    pub end: Place,
    pub notes: Vec<Note>,
    pub fix: Option<Fix>,
    /// The path and the line of the source that the PTX was made from.
    pub origin: Option<(String, u32)>,
    /// The section of the PTX manual.
    pub manual: Option<String>,
}

/// The version of the library.
pub fn version() -> String {
    unsafe { text(sys::ptxray_version()) }
}

unsafe fn text(pointer: *const c_char) -> String {
    CStr::from_ptr(pointer).to_string_lossy().into_owned()
}

unsafe fn optional(pointer: *const c_char) -> Option<String> {
    (!pointer.is_null()).then(|| text(pointer))
}

unsafe fn list<T, U>(first: *const *const T, count: usize, read: impl Fn(&T) -> U) -> Vec<U> {
    (0..count).map(|i| read(&**first.add(i))).collect()
}

/// How a text is checked; the names are those of a `.ptxray` file, and `language` and `constraints`.
pub struct Options(*mut sys::Options);

unsafe impl Send for Options {}
unsafe impl Sync for Options {} // a check only reads them

impl Options {
    pub fn new() -> Self {
        let made = unsafe { sys::ptxray_options_new() };
        assert!(!made.is_null(), "out of memory");
        Options(made)
    }

    /// What is wrong, if the name or the value is unknown.
    pub fn set(self, name: &str, value: &str) -> Result<Self, String> {
        let nul = |_| "a NUL in an option".to_string();
        let (name, value) = (CString::new(name).map_err(nul)?, CString::new(value).map_err(nul)?);
        match unsafe { optional(sys::ptxray_options_set(self.0, name.as_ptr(), value.as_ptr())) } {
            None => Ok(self),
            Some(problem) => Err(problem),
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Options {
    fn drop(&mut self) {
        unsafe { sys::ptxray_options_free(self.0) }
    }
}

/// Checks one text after another.
pub struct Checker(*mut sys::Checker);

unsafe impl Send for Checker {}

impl Checker {
    pub fn new() -> Self {
        let made = unsafe { sys::ptxray_checker_new() };
        assert!(!made.is_null(), "out of memory");
        Checker(made)
    }

    /// What was found, in the order of the text. Panics when memory ends or the file is larger than 4 GiB.
    pub fn check(&mut self, text: impl AsRef<[u8]>, options: &Options) -> Vec<Diagnostic> {
        let text = text.as_ref();
        unsafe {
            let found = sys::ptxray_checker_check(self.0, text.as_ptr().cast(), text.len(), options.0);
            assert!(!found.is_null(), "out of memory");
            let count = sys::ptxray_result_count(found);
            let all = (0..count).map(|i| read(&*sys::ptxray_result_diagnostic(found, i))).collect();
            sys::ptxray_result_free(found);
            all
        }
    }
}

impl Default for Checker {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Checker {
    fn drop(&mut self) {
        unsafe { sys::ptxray_checker_free(self.0) }
    }
}

unsafe fn read(d: &sys::Diagnostic) -> Diagnostic {
    Diagnostic {
        rule: text(d.rule),
        kind: optional(d.kind),
        severity: [Severity::Error, Severity::Warning, Severity::Pedantic][d.severity as usize],
        message: text(d.message),
        begin: d.begin,
        end: d.end,
        notes: list(d.notes, d.note_count, |note| Note {
            message: text(note.message),
            range: (note.has_range != 0).then_some((note.begin, note.end)),
        }),
        fix: optional(d.fix_title).map(|title| Fix {
            title,
            is_safe: d.fix_is_safe != 0,
            edits: list(d.edits, d.edit_count, |edit| Edit {
                begin: edit.begin,
                end: edit.end,
                text: text(edit.text),
            }),
        }),
        origin: optional(d.origin_path).map(|path| (path, d.origin_line)),
        manual: optional(d.manual),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BAD: &str = ".version 8.0\n.target sm_80\n.visible .entry k()\n{\n\t.reg .b32 %r<4>;\n\tmov.b32 %r0, %r9;\n\
                       \tmov.b32 %r0, %r1\n\tret;\n}\n";

    #[test]
    fn gives_all_that_a_diagnostic_has() {
        let found = Checker::new().check(BAD, &Options::new());
        let rules: Vec<_> = found.iter().map(|d| d.rule.as_str()).collect();
        assert_eq!(rules, ["undefined-symbol", "expected-semicolon"]);
        assert_eq!((found[1].begin.line, found[1].severity), (7, Severity::Error));
        let fix = found[1].fix.as_ref().unwrap();
        assert!(fix.is_safe && fix.edits[0].text == ";" && fix.edits[0].begin == fix.edits[0].end);
        assert!(found[0].notes[0].range.is_some() && found[0].origin.is_none());
    }

    #[test]
    fn takes_options() {
        let off = Options::new().set("off", "undefined-symbol,expected-semicolon").unwrap();
        assert!(Checker::new().check(BAD.as_bytes(), &off).is_empty());
        assert!(Options::new().set("target", "sm_1").err().unwrap().contains("unknown target"));
        assert_eq!(version(), env!("CARGO_PKG_VERSION"));
    }

    #[test]
    fn one_for_each_thread() {
        let options = Options::new();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut checker = Checker::new();
                    (0..200).for_each(|_| assert_eq!(checker.check(BAD, &options).len(), 2));
                });
            }
        });
    }
}
