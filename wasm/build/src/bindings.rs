//! What wasm-bindgen writes, edited: in the wasm file the names of what it imports, in its bindings
//! these names, checks, and the methods of `package/model.js`.

use std::{collections::BTreeSet, error::Error};

/// Where the module imports from, as wasm-bindgen calls it, and as the package does.
const FROM: (&str, &str) = ("./bindings_bg.js", "b");

/// How wasm-bindgen's name of an import begins, and how many digits of a hash end it; two of them
/// tell apart what the package imports.
const HEAD: &str = "__wbg_";
const DIGITS: usize = 16;
const DIGITS_KEPT: usize = 2;

/// The name of an import that wasm-bindgen made, without its head and with two digits of its hash;
/// others as they are. It depends on nothing else: the bindings of one file serve others.
fn short(name: &str) -> &str {
    let made = |inner: &str| {
        let (_, hash) = inner.rsplit_once('_')?;
        let digits = hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        (hash.len() == DIGITS && digits).then(|| inner.len() - DIGITS + DIGITS_KEPT)
    };
    let inner = name.strip_prefix(HEAD).unwrap_or_default();
    made(inner).map_or(name, |end| &inner[..end])
}

/// Makes the names of imports and of the modules they come from short: hashes do not compress.
pub fn shorten<'a>(
    imports: impl Iterator<Item = (&'a mut String, &'a mut String)>,
) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for (module, name) in imports {
        if module == FROM.0 {
            *module = FROM.1.to_owned();
        }
        *name = short(name).to_owned();
        if !seen.insert((module.clone(), name.clone())) {
            return Err(format!(
                "two imports would be called {name}: keep more digits"
            ));
        }
    }
    Ok(())
}

/// The bindings with the names that [`shorten`] gives.
fn shortened(bindings: &str) -> String {
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut pieces = bindings.split(HEAD);
    let mut short_ones = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end = piece.find(|letter| !is_of_name(letter));
        let (inner, rest) = piece.split_at(end.unwrap_or(piece.len()));
        short_ones.push_str(short(&format!("{HEAD}{inner}")));
        short_ones.push_str(rest);
    }
    short_ones
}

/// The bindings with short names, with `package/model.js` applied to their classes, and with what
/// only an edit can add: a call before the module is loaded says so, and classes without a
/// constructor refuse `new`.
pub fn completed(bindings: &str) -> Result<String, Box<dyn Error>> {
    let mut complete = shortened(bindings);
    let (from, short_from) = (
        format!("        \"{}\": import0,\n", FROM.0),
        format!("        \"{}\": import0,\n", FROM.1),
    );
    for (places, made, wanted) in [
        (1, &*from, &*short_from),
        (
            1,
            "let wasmModule, wasmInstance, wasm;\n",
            "let wasmModule, wasmInstance, wasm = notLoaded;\n",
        ),
        (
            2,
            "if (wasm !== undefined) return wasm;\n",
            "if (wasm !== notLoaded) return wasm;\n",
        ),
    ] {
        let found = complete.matches(made).count();
        if found != places {
            return Err(
                format!("the bindings have {made:?} in {found} places, not in {places}").into(),
            );
        }
        complete = complete.replace(made, wanted);
    }
    let mut names = Vec::new();
    for class in bindings.split("\nexport class ").skip(1) {
        let (name, body) = class.split_once(" {\n").unwrap_or_default();
        let (body, _) = body.split_once("\n}\n").ok_or("a class without an end")?;
        names.push(name);
        if !body.contains("    constructor(") {
            let head = format!("\nexport class {name} {{\n");
            let refusal = format!("{head}    constructor() {{ noConstructor('{name}'); }}\n");
            complete = complete.replace(&head, &refusal);
        }
    }
    if !names.contains(&"Model") {
        return Err("the bindings have no class Model".into());
    }
    Ok(format!(
        "{complete}\nimport {{ complete, noConstructor, notLoaded }} from './model.js';\n\
         complete({{ {} }});\n",
        names.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::{completed, shorten};

    #[test]
    fn imports_have_short_names_that_are_the_same_in_the_bindings() {
        let names = [
            "__wbg_seed_ce9b53331dea3f5e",
            "__wbg___wbindgen_throw_4c88d8bf264fd984",
            "__wbg_seed_6808651575dd7888",
            // No hash: an export, a head alone, too many digits, too few, none.
            "__wbg_model_free",
            "__wbg_",
            "__wbg_a_6808651575dd78880",
            "__wbg_a_6808651575dd788",
            "__wbindgen_generic_0000000000000001",
        ];
        let wanted = ["seed_ce", "__wbindgen_throw_4c", "seed_68"];
        let mut imports = names.map(|name| ("./bindings_bg.js".to_owned(), name.to_owned()));
        imports[2].0 = "./values.js".to_owned();
        let line = |names: &[&str]| format!("{}: 1, wasm.{}();", names.join(", "), names.join("."));
        let before = line(&names);
        shorten(imports.iter_mut().map(|(module, name)| (module, name))).unwrap();
        let after: Vec<&str> = imports.iter().map(|(_, name)| &**name).collect();
        assert_eq!(after[..3], wanted);
        assert_eq!(after[3..], names[3..]);
        assert_eq!(super::shortened(&before), line(&after));
        let modules: Vec<&str> = imports.iter().map(|(module, _)| &**module).collect();
        assert_eq!(modules[..3], ["b", "b", "./values.js"]);

        let mut alike = ["__wbg_seed_ce9b53331dea3f5e", "__wbg_seed_ce00000000000000"]
            .map(|name| ("./bindings_bg.js".to_owned(), name.to_owned()));
        assert!(shorten(alike.iter_mut().map(|(module, name)| (module, name))).is_err());
    }

    #[test]
    fn the_bindings_are_completed_where_they_are_what_is_known() {
        let load = "    if (wasm !== undefined) return wasm;\n";
        let state = "let wasmModule, wasmInstance, wasm;\n";
        let imports = "        \"./bindings_bg.js\": import0,\n";
        let model = "\nexport class Model {\n    free() {\n    }\n}\n";
        let trainer = "\nexport class Trainer {\n    constructor(options) {\n    }\n}\n";
        let made = [imports, state, load, load, trainer, model].concat();
        let complete = completed(&made).unwrap();
        assert!(complete.contains("let wasmModule, wasmInstance, wasm = notLoaded;\n"));
        assert!(
            complete.contains("class Model {\n    constructor() { noConstructor('Model'); }\n")
        );
        assert_eq!(complete.matches("noConstructor(").count(), 1);
        assert!(complete.ends_with("complete({ Trainer, Model });\n"));
        assert!(!complete.contains("undefined"));
        for other in [
            String::new(),
            [&made, state].concat(),
            [imports, state, load, model].concat(),
            [state, load, load, trainer, model].concat(),
            [imports, state, load, load, trainer].concat(),
        ] {
            assert!(completed(&other).is_err());
        }
    }
}
