//! `hapax web`: what it refuses, what it writes, and what it leaves alone.

use super::folder::{with_row_model, with_text_model};

#[test]
fn what_cannot_be_a_page_is_refused_before_anything_is_written() {
    let folder = with_row_model();
    folder.run("web m -o site").refused(
        "m: was trained on rows of features, but a page needs a model of texts: train one on texts",
    );
    let folder = with_text_model();
    for (arguments, reason) in [
        (
            "web absent -o site",
            "absent: cannot open: there is no such file",
        ),
        ("web train.tsv -o site", "train.tsv: "),
        (
            "web m -o site --example xqzzt",
            "--example \"xqzzt\": none of the 1 tokens",
        ),
        ("web m -o site --title=", "--title has no words"),
        (
            "web m -o site --label-info absent.tsv",
            "absent.tsv: cannot open",
        ),
    ] {
        folder.run(arguments).refused_for(reason);
    }
    for (arguments, reason) in [
        ("web m", "--output <FOLDER>"),
        (
            "web m -o site --language English_language",
            "no language tag",
        ),
        (
            "web m -o site --link x=javascript:alert(1)",
            "give its words, =, and an address of https, http or mailto, or a path",
        ),
    ] {
        let ran = folder.run(arguments);
        assert_eq!(ran.status, Some(2), "{ran:?}");
        assert!(ran.err.contains(reason), "{ran:?}");
    }
    assert_eq!(folder.files(), ["m", "train.tsv"]);
}

#[test]
fn mistakes_in_what_labels_mean_are_told_with_their_place() {
    let folder = with_text_model();
    for (lines, reason) in [
        (
            "lost\tgone\nstolen\n",
            "labels.tsv:2:1: the line is no label, tab, definition",
        ),
        (
            "lost\tgone\thttps://example.org\tmore\n",
            "labels.tsv:1:1: the line is no label",
        ),
        ("lost\t\t\n", "labels.tsv:1:1: the line is no label"),
        (
            "lost\tgone\tjavascript:alert(1)\n",
            "labels.tsv:1:11: \"javascript:alert(1)\" is no link",
        ),
        (
            "lost\tgone\nlost\taway\n",
            "labels.tsv:2:1: the label \"lost\" was there before",
        ),
        ("Lost\tgone\n", "labels.tsv: names no label of the model"),
        ("", "labels.tsv: names no label of the model"),
    ] {
        folder.write("labels.tsv", lines);
        folder
            .run("web m -o site --label-info labels.tsv")
            .refused_for(reason);
    }
    folder.write("labels.tsv", b"lost\tgone\nstolen\tt\xe4ken\n");
    folder
        .run("web m -o site --label-info labels.tsv")
        .refused_for("labels.tsv:2:1: the line is not UTF-8");
    assert_eq!(folder.files(), ["labels.tsv", "m", "train.tsv"]);
}

/// Without the npm package there is no page, and the command says how to get it.
#[cfg(not(web_package))]
#[test]
fn a_command_built_without_the_package_says_how_to_build_one_with_it() {
    let folder = with_text_model();
    let ran = folder.run("web m -o site");
    assert_eq!((ran.status, ran.out.as_str()), (Some(1), ""), "{ran:?}");
    assert!(
        ran.err
            .contains("run `cargo build-wasm` and build hapax again"),
        "{ran:?}"
    );
    assert_eq!(folder.files(), ["m", "train.tsv"]);
}

#[cfg(web_package)]
mod written {
    use super::{super::folder::Folder, with_text_model};
    use serde_json::Value;
    use std::{collections::BTreeSet, fs, io::Read, path::Path};

    /// All files below a folder.
    fn all(folder: &Path) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            match path.is_dir() {
                true => found.extend(all(&path).iter().map(|below| format!("{name}/{below}"))),
                false => _ = found.insert(name.to_owned()),
            }
        }
        found
    }

    fn text(folder: &Folder, name: &str) -> String {
        String::from_utf8(folder.read(name)).unwrap()
    }

    #[test]
    fn a_site_has_all_that_it_names_and_lists_all_that_it_has() {
        let folder = with_text_model();
        folder.write(
            "labels.tsv",
            "lost\tgone <b>\nnew\tunknown\n\nstolen\t\thttps://example.org/?a&b\n",
        );
        let ran = folder.run("web m -o a/site --label-info labels.tsv");
        assert!(ran.err.contains("labels.tsv: lines left out"), "{ran:?}");
        let out = ran.good();
        let site = folder.path("a/site");
        let files = all(&site);
        assert!(
            out.starts_with(&format!("wrote a/site, {} files; ", files.len() - 1)),
            "{out}"
        );
        let list: Value = serde_json::from_str(&text(&folder, "a/site/hapax-site.json")).unwrap();
        let listed: BTreeSet<_> = list["files"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(
            &listed | &BTreeSet::from(["hapax-site.json".to_owned()]),
            files
        );
        assert_eq!(folder.read("a/site/model.hapax"), folder.read("m"));
        let labels: Value = serde_json::from_slice(&folder.read("a/site/labels.json")).unwrap();
        let wanted = serde_json::json!({"lost": ["gone <b>", ""], "stolen": ["", "https://example.org/?a&b"]});
        assert_eq!(labels, wanted);
        // What the page, its scripts and the service worker name is there.
        for quote in [
            "src=\"",
            "href=\"",
            "from './",
            "from \"./",
            "load('",
            "fetch('",
        ] {
            for from in files
                .iter()
                .filter(|name| name.ends_with("js") || name.ends_with("html"))
            {
                let above = from.rsplit_once('/').map_or("", |(above, _)| above);
                for named in text(&folder, &format!("a/site/{from}"))
                    .split(quote)
                    .skip(1)
                {
                    let named = named.split(['"', '\'']).next().unwrap();
                    assert!(
                        site.join(above).join(named).is_file(),
                        "{from} names {named}"
                    );
                }
            }
        }
        let worker = text(&folder, "a/site/sw.js");
        let kept = worker
            .lines()
            .find_map(|line| line.strip_prefix("const FILES = "))
            .unwrap();
        let kept: Vec<[String; 2]> = serde_json::from_str(kept.trim_end_matches(';')).unwrap();
        for [name, hash] in &kept {
            let name = if name.is_empty() { "index.html" } else { name };
            assert_eq!(list["files"][name], **hash, "{name}");
        }
        assert!(kept.iter().any(|[name, _]| name == "hapax/hapax_simd.wasm"));
        assert!(
            text(&folder, "a/site/_headers")
                .contains("content-security-policy: default-src 'none'")
        );
    }

    #[test]
    fn what_comes_from_the_command_line_is_text() {
        let folder = with_text_model();
        let words = "web m -o site --title <i>&{{links}} --example lost{{title}}";
        let link = "--link <b>{{examples}}=https://example.org/?\"a&b";
        folder.run(&format!("{words} {link}")).good();
        // Nothing is executed that comes from the command line, and nothing stands inline.
        let page = text(&folder, "site/index.html");
        let title = "&lt;i&gt;&amp;&#123;&#123;links}}";
        assert!(page.contains(&format!("<title>{title}</title>")), "{page}");
        assert!(page.contains(">lost&#123;&#123;title}}</button>"), "{page}");
        let link =
            "<a href=\"https://example.org/?&quot;a&amp;b\">&lt;b&gt;&#123;&#123;examples}}</a>";
        assert!(page.contains(link), "{page}");
        assert!(!page.contains("<style") && !page.contains("{{"), "{page}");
        for script in page.split("<script").skip(1) {
            assert!(
                script.contains("src=\"") && script.contains("></script>"),
                "{script}"
            );
        }
    }

    #[test]
    fn what_is_compressed_is_the_same() {
        let folder = with_text_model();
        folder.run("web m -o site").good();
        let files = all(&folder.path("site"));
        let mut gzipped = 0;
        for name in files.iter().filter_map(|name| name.strip_suffix(".gz")) {
            let mut out = Vec::new();
            let small = folder.read(&format!("site/{name}.gz"));
            flate2::read::GzDecoder::new(&small[..])
                .read_to_end(&mut out)
                .unwrap();
            assert_eq!(out, folder.read(&format!("site/{name}")), "{name}");
            out.clear();
            let small = folder.read(&format!("site/{name}.br"));
            brotli::BrotliDecompress(&mut &small[..], &mut out).unwrap();
            assert_eq!(out, folder.read(&format!("site/{name}")), "{name}");
            gzipped += 1;
        }
        assert!(gzipped > 10 && files.contains("hapax/hapax_simd.wasm.br"));
    }

    #[test]
    fn equal_models_make_equal_sites_and_a_second_run_takes_away_only_its_own() {
        let folder = with_text_model();
        folder.write("labels.tsv", "lost\tgone\n");
        folder.run("web m -o other --title t").good();
        folder
            .run("web m -o site --title t --label-info labels.tsv")
            .good();
        assert!(folder.path("site/labels.json").is_file());
        folder.write("site/robots.txt", "mine");
        folder.run("web m -o site --title t").good();
        assert_eq!(folder.read("site/robots.txt"), b"mine");
        assert!(!folder.path("site/labels.json").exists());
        fs::remove_file(folder.path("site/robots.txt")).unwrap();
        assert_eq!(all(&folder.path("site")), all(&folder.path("other")));
        for name in all(&folder.path("site")) {
            let (one, other) = (format!("site/{name}"), format!("other/{name}"));
            assert_eq!(folder.read(&one), folder.read(&other), "{name}");
        }
    }

    #[test]
    fn what_others_have_made_or_changed_is_left_alone() {
        let folder = with_text_model();
        folder
            .run("web m -o .")
            .refused_for(", which hapax did not write: name a new or an empty folder");
        folder.run("web m -o train.tsv").refused_for("train.tsv");
        fs::create_dir(folder.path("site")).unwrap();
        folder.run("web m -o site").good();
        let style = folder.read("site/style.css");
        folder.write("site/style.css", "mine");
        folder
            .run("web m -o site")
            .refused("site/style.css: was changed since hapax wrote it: move it away, or name another folder");
        assert_eq!(folder.read("site/style.css"), b"mine");
        folder.write("site/style.css", style);
        folder.write("site/labels.json", "mine");
        folder.write("labels.tsv", "lost\tgone\n");
        folder
            .run("web m -o site --label-info labels.tsv")
            .refused_for("site/labels.json: is not of hapax");
        assert_eq!(folder.read("site/labels.json"), b"mine");
        // What is lacking is made again; a run that was interrupted leaves no hashes.
        fs::remove_file(folder.path("site/app.js")).unwrap();
        folder.run("web m -o site").good();
        assert!(folder.path("site/app.js").is_file());
        let list = text(&folder, "site/hapax-site.json");
        let hash = list
            .split_once("\"app.js\": ")
            .unwrap()
            .1
            .split(',')
            .next()
            .unwrap();
        folder.write("site/hapax-site.json", list.replace(hash, "null"));
        folder.write("site/app.js", "half");
        folder.run("web m -o site").good();
        assert_ne!(folder.read("site/app.js"), b"half");
        for foreign in ["", "{\"files\": {\"../m\": null}}"] {
            folder.write("site/hapax-site.json", foreign);
            folder
                .run("web m -o site")
                .refused_for("is no list of files of hapax");
        }
        assert!(folder.path("m").is_file());
    }
}
