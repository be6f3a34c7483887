//! Each rule on sources that keep it and sources that break it.

use super::{
    Finding, imports, lengths,
    order::Order,
    programs, public,
    ratchet::Ratchet,
    source::{Source, core_modules},
};

const ORDER: &str = "text\n```order\nfloat names\nsearch\nmodel\ntrain\n```\nmore";

fn source(path: &str, text: &str) -> Source {
    Source::new(path.to_owned(), text.to_owned()).unwrap()
}

/// What `imports` finds in files of `core/src`, as `key file:line`.
fn forbidden(files: &[(&str, &str)]) -> Vec<String> {
    let order = Order::read(ORDER).unwrap();
    let mut sources: Vec<Source> = files
        .iter()
        .map(|(path, text)| source(path, text))
        .collect();
    for path in ["core/src/train/mod.rs", "core/processor/src/lib.rs"] {
        sources.push(source(path, ""));
    }
    let mut told = Vec::new();
    for finding in imports::check(&core_modules(&sources), &order) {
        for place in finding.places {
            told.push(format!("{} {}:{}", finding.key, place.path, place.line));
        }
    }
    told
}

#[test]
fn imports_of_lines_above_are_allowed() {
    let used = "use crate::{float::power, search::Top};\nfn f() { crate::names::read() }";
    assert_eq!(forbidden(&[("core/src/model/mod.rs", used)]), [""; 0]);
}

#[test]
fn imports_of_lines_below_are_found_in_every_form() {
    let uses = "use crate::{float::power, train::{self, Trainer}};\nuse super::train::x;";
    let told = forbidden(&[("core/src/model.rs", uses)]);
    assert_eq!(
        told,
        [
            "model -> train core/src/model.rs:1",
            "model -> train core/src/model.rs:2"
        ]
    );
    for code in [
        "fn f() -> crate::train::Report {}",
        "fn f() { g(vec![crate::train::NONE]) }",
        "mod inner { use super::super::super::train::Report; }",
        "impl crate::train::Training for Model {}",
    ] {
        let told = forbidden(&[("core/src/model/linear.rs", code)]);
        assert_eq!(
            told,
            ["model -> train core/src/model/linear.rs:1"],
            "{code}"
        );
    }
}

#[test]
fn a_crate_in_core_is_a_folder() {
    let used = "use hapax_processor::Processor;";
    let told = forbidden(&[("core/src/model.rs", used)]);
    assert_eq!(
        told,
        ["model -> processor core/src/model.rs:1"],
        "it is in no line"
    );
    let told = forbidden(&[("core/float/src/lib.rs", "use hapax_processor::Processor;")]);
    assert_eq!(told, ["float -> processor core/float/src/lib.rs:1"]);
}

#[test]
fn two_folders_of_a_line_do_not_import_each_other() {
    let one = ("core/src/float.rs", "use crate::names::A;");
    assert_eq!(forbidden(&[one]), [""; 0]);
    let told = forbidden(&[one, ("core/src/names.rs", "\nuse crate::float::B;")]);
    assert_eq!(
        told,
        [
            "float -> names core/src/float.rs:1",
            "names -> float core/src/names.rs:2"
        ]
    );
    let methods = [
        ("core/src/train/mach/mod.rs", "use crate::train::memoir::A;"),
        ("core/src/train/mach/step.rs", ""),
        (
            "core/src/train/memoir/step.rs",
            "use super::super::mach::B;",
        ),
    ];
    assert_eq!(forbidden(&methods).len(), 2);
    assert_eq!(forbidden(&methods[1..]), [""; 0]);
}

#[test]
fn tests_import_what_they_like() {
    let files = [
        (
            "core/src/model/mod.rs",
            "#[cfg(test)] mod tests;\n#[cfg(test)] mod more { use crate::train::A; }",
        ),
        ("core/src/model/tests.rs", "use crate::train::A;"),
    ];
    assert_eq!(forbidden(&files), [""; 0]);
}

#[test]
fn an_order_that_is_not_there_is_an_error() {
    assert!(Order::read("```\nfloat\n```").is_err());
}

#[test]
fn functions_over_80_lines_are_found() {
    let function = |lines: usize| {
        format!(
            "/// Doc.\n#[inline]\nfn f() {{\n{}}}\n",
            "\n".repeat(lines - 2)
        )
    };
    assert_eq!(lengths::functions(&source("a.rs", &function(80))), []);
    let long = lengths::functions(&source("a.rs", &function(81)));
    assert_eq!(
        (long[0].key.as_str(), long[0].value, long[0].places[0].line),
        ("a.rs f", 81, 3)
    );
    for around in ["impl A {", "trait A {", "mod a {"] {
        let text = format!("{around} {} }}", function(81));
        assert_eq!(
            lengths::functions(&source("a.rs", &text)).len(),
            1,
            "{around}"
        );
    }
}

#[test]
fn files_over_400_lines_are_found() {
    assert!(lengths::file(&source("a.mjs", &"\n".repeat(400))).is_none());
    let long = lengths::file(&source("a.mjs", &"\n".repeat(401))).unwrap();
    assert_eq!(
        (long.value, long.limit, long.places[0].line),
        (401, 400, 401)
    );
}

#[test]
fn comments_beyond_100_columns_are_found() {
    let line = |mark: &str, columns: usize| format!("{mark}{}\n", "ä".repeat(columns - mark.len()));
    let sources = [
        source(
            "core/src/a/b.rs",
            &(line("    // ", 100) + &line("// ", 101)),
        ),
        source("tests/a.sh", &(line("# ", 101) + &line("echo ", 101))),
        source("core/src/lib.rs", &line("// ", 100)),
    ];
    let found: Vec<_> = lengths::comments(&sources)
        .into_iter()
        .map(|finding| (finding.key, finding.value, finding.places[0].line))
        .collect();
    assert_eq!(
        found,
        [("core/src/a".to_owned(), 1, 2), ("tests".to_owned(), 1, 1)]
    );
}

#[test]
fn names_used_more_than_three_times_are_found() {
    let files = |name: &str, count: usize| -> Vec<Source> {
        (0..count)
            .map(|i| source(&format!("core/src/{i}/{name}"), ""))
            .collect()
    };
    assert_eq!(lengths::names(&files("saved.rs", 3)), []);
    assert_eq!(lengths::names(&files("mod.rs", 9)), []);
    let found = lengths::names(&files("saved.rs", 4));
    assert_eq!((found[0].key.as_str(), found[0].value), ("saved.rs", 4));
}

/// How many items of a crate are reachable, so many `pub fn`s added that the rule is broken.
fn reachable(files: &[(&str, &str)]) -> usize {
    let many: String = (0..400).map(|i| format!("pub fn f{i}() {{}}\n")).collect();
    let mut sources = vec![source("core/many/src/lib.rs", &many)];
    sources.extend(files.iter().map(|(path, text)| source(path, text)));
    public::check(&core_modules(&sources)).map_or(0, |finding| finding.value - 400)
}

#[test]
fn items_that_users_reach_are_counted() {
    assert_eq!(reachable(&[]), 0, "400 are allowed");
    let counts = [
        ("pub struct A; struct B; pub(crate) struct C;", 1),
        ("pub mod a { pub fn f() {} fn g() {} }", 2),
        ("mod a { pub fn f() {} }", 0),
        ("mod a { pub fn f() {} pub fn g() {} }\npub use a::f;", 1),
        ("mod a { pub mod b { pub fn f() {} } }\npub use a::b;", 2),
        ("mod a { pub fn f() {} pub fn g() {} }\npub use a::*;", 2),
        (
            "mod a { pub fn f() {} }\npub use crate::a::f as g; pub use a::f;",
            1,
        ),
        (
            "pub struct A; impl A { pub fn f() {} fn g() {} pub const C: u8 = 0; }",
            3,
        ),
        ("struct A; impl A { pub fn f() {} }", 0),
        (
            "pub struct A; mod a { use super::A; impl A { pub fn f() {} } }",
            2,
        ),
        ("pub trait T { fn f(); fn g() {} }", 3),
        (
            "#[macro_export] macro_rules! m { () => {} } macro_rules! n { () => {} }",
            1,
        ),
        ("#[cfg(test)] pub mod tests { pub fn f() {} }", 0),
    ];
    for (text, count) in counts {
        assert_eq!(reachable(&[("core/src/lib.rs", text)]), count, "{text}");
    }
}

#[test]
fn items_are_counted_across_files() {
    let files = [
        ("core/src/lib.rs", "pub mod a; mod b;"),
        (
            "core/src/a/mod.rs",
            "mod c; pub use c::{D, self as e}; pub use crate::b::F;",
        ),
        (
            "core/src/a/c.rs",
            "pub struct D; pub struct G; impl D { pub fn f(&self) {} }",
        ),
        ("core/src/b.rs", "pub enum F { A } pub fn unreached() {}"),
    ];
    // The module a, D, its f, the module c as e, its G, and F.
    assert_eq!(reachable(&files), 6);
}

fn finding(value: usize) -> Finding {
    Finding {
        rule: "files",
        key: "a.rs".to_owned(),
        value,
        limit: 400,
        places: vec![super::Place::at("a.rs", 401)],
    }
}

#[test]
fn a_figure_of_the_ratchet_only_falls() {
    let ratchet = Ratchet::read("# why\n[files]\n\"a.rs\" = 410\n").unwrap();
    assert_eq!(ratchet.compare(&[finding(410)]), [""; 0]);
    assert_eq!(
        ratchet.compare(&[finding(411)]),
        ["a.rs:401: files: a.rs: 411, limit 410"]
    );
    let lower = "tests/structure.toml: lower the figure in [files] of \"a.rs\" to 405";
    assert_eq!(ratchet.compare(&[finding(405)]), [lower]);
    let remove = "tests/structure.toml: remove \"a.rs\" from [files]: the rule is kept there";
    assert_eq!(ratchet.compare(&[]), [remove]);
    let empty = Ratchet::read("").unwrap();
    assert_eq!(
        empty.compare(&[finding(401)]),
        ["a.rs:401: files: a.rs: 401, limit 400"]
    );
}

#[test]
fn a_ratchet_that_cannot_be_read_is_an_error() {
    assert!(Ratchet::read("[files]\n\"a.rs\" = many").is_err());
    assert!(Ratchet::read(&"\n".repeat(101)).is_err());
}

#[test]
fn a_file_of_tests_is_named_by_the_module_around_it() {
    let sources = [
        ("core/tests/main.rs", "mod metrics;\nmod rows;"),
        ("core/tests/metrics.rs", ""),
        ("core/tests/rows/mod.rs", "mod reading;"),
        ("core/tests/rows/reading.rs", ""),
        ("core/tests/rows/lost.rs", ""),
        ("native/tests/main.rs", ""),
        ("native/tests/lost.rs", ""),
        ("native/tests/processes/main.rs", "mod kills;"),
        ("native/tests/processes/kills.rs", ""),
        ("native/src/lib.rs", ""),
    ];
    let sources = sources.map(|(path, text)| source(path, text));
    let found = programs::check(&sources);
    let keys: Vec<&str> = found.iter().map(|finding| finding.key.as_str()).collect();
    assert_eq!(keys, ["core/tests/rows/lost.rs", "native/tests/lost.rs"]);
}
