//! `hapax evaluate --report`: one page of HTML that needs neither scripts nor network.
//!
//! It holds no date and no times, so equal models and data give equal bytes.

mod buckets;
mod html;

use super::{
    Tested,
    labels::{Confusion, LabelFigures},
    pictures::{Bars, Lines},
    worst::{Worst, beginning, place_in_words},
};
use crate::{
    failure::Failure,
    inspect::model_facts,
    table::{bytes, count, percent},
};
use buckets::buckets;
use hapax::files::write_whole;
use html::{Cell, Html, number, word};
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

/// How many lines the tables of confusions and labels have.
const LINES: usize = 25;

/// What the page is made of.
pub struct Page<'a> {
    pub model: &'a Path,
    pub test: &'a Path,
    pub bytes: u64,
    pub tested: &'a Tested<'a>,
    pub labels: &'a [LabelFigures],
    pub confusions: &'a [Confusion],
    pub worst: Option<&'a Worst>,
}

impl Page<'_> {
    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        let page = self.html();
        let page = page.map_err(|error| Failure::Other(format!("cannot draw: {error}")))?;
        Ok(write_whole(path, page.as_bytes())?)
    }

    fn html(&self) -> Result<String, Box<dyn std::error::Error>> {
        let mut page = Html::new(
            &format!("Evaluation of {}", file_name(self.model)),
            include_str!("report.css"),
        );
        page.paragraph(&format!(
            "On {} rows of {}.",
            count(self.tested.evaluated.report.rows),
            file_name(self.test)
        ));
        self.figures(&mut page);
        self.precision(&mut page)?;
        self.frequencies(&mut page)?;
        self.confused(&mut page);
        self.erring(&mut page);
        self.wrong(&mut page);
        self.card(&mut page);
        Ok(page.end())
    }

    fn figures(&self, page: &mut Html) {
        page.heading("Figures");
        let report = &self.tested.evaluated.report;
        let mut header = vec![word("percent")];
        header.extend(report.ks.iter().map(|k| number(format!("@{k}"))));
        let mut lines = vec![
            ("precision", &report.precision),
            ("attainable precision", &report.attainable_precision),
            ("recall", &report.recall),
            ("R-precision", &report.r_precision),
            ("nDCG", &report.ndcg),
            ("coverage of labels", &report.coverage),
        ];
        lines.extend(report.psp.as_ref().map(|psp| ("PSP", psp)));
        lines.extend(report.psndcg.as_ref().map(|ndcg| ("PSnDCG", ndcg)));
        let lines = lines.into_iter().map(|(name, figures)| {
            let figures = figures.iter().map(|&figure| number(percent(figure)));
            std::iter::once(word(name)).chain(figures).collect()
        });
        page.table("At the first k answers", &header, lines);
        let cut = report.cut;
        let lines = [
            ("accuracy of the first answer", report.accuracy),
            ("micro-F1", report.micro_f1),
            ("macro-F1", report.macro_f1),
            ("example-F1", report.example_f1),
        ];
        let lines = lines.map(|(name, figure)| vec![word(name), number(percent(figure))]);
        let caption = format!("F1, where the first {cut} of each row are predicted");
        page.table(&caption, &[word("figure"), number("percent")], lines);
        for note in self.tested.evaluated.notes() {
            page.paragraph(&note);
        }
    }

    fn precision(&self, page: &mut Html) -> Result<(), Box<dyn std::error::Error>> {
        let most = self.tested.evaluated.report.ks.last().copied();
        let ks: Vec<usize> = (1..=most.unwrap_or(1)).collect();
        let report = self.tested.report_at(&ks, |_| true);
        let report = report.map_err(|failure| failure.to_string())?;
        page.heading("Precision at k");
        let lines = Lines {
            first: ("precision", &report.precision),
            second: ("attainable", &report.attainable_precision),
        };
        let at = |k: usize| format!("{} at {k}", percent(report.precision[k - 1]));
        let ends = match ks.len() {
            1 => at(1),
            most => format!("{}, {}", at(1), at(most)),
        };
        let told = format!("Precision in percent: {ends}.");
        let caption = "The share of the first k answers that are right, and the highest share that any ranking could \
                       reach: a row has only so many labels.";
        page.figure(&lines.svg()?, &told, caption);
        Ok(())
    }

    fn frequencies(&self, page: &mut Html) -> Result<(), Box<dyn std::error::Error>> {
        page.heading("Rare and frequent labels");
        let Some(buckets) = buckets(self.labels) else {
            page.paragraph("The model does not know how many training rows its labels had.");
            return Ok(());
        };
        let names: Vec<_> = buckets.iter().map(buckets::Bucket::name).collect();
        let precision: Vec<_> = buckets.iter().map(|of| of.sums.precision()).collect();
        let recall: Vec<_> = buckets.iter().map(|of| of.sums.recall()).collect();
        let bars = Bars {
            names: &names,
            first: ("precision", &precision),
            second: ("recall", &recall),
        };
        let caption =
            "Precision and recall of predicted labels by the number of their training rows.";
        page.figure(&bars.svg()?, "The table that follows, as bars.", caption);
        let header = [
            number("training rows"),
            number("labels"),
            number("in test rows"),
            number("predicted"),
            number("precision"),
            number("recall"),
        ];
        let lines = buckets.iter().map(|of| {
            vec![
                number(of.name()),
                number(count(of.labels)),
                number(count(of.sums.support)),
                number(count(of.sums.predicted)),
                optional(of.sums.precision()),
                optional(of.sums.recall()),
            ]
        });
        page.table(
            "Labels by the number of their training rows",
            &header,
            lines,
        );
        Ok(())
    }

    fn confused(&self, page: &mut Html) {
        page.heading("Most confused labels");
        if self.confusions.is_empty() {
            page.paragraph("No label was predicted in place of another.");
            return;
        }
        let header = [word("label"), word("predicted instead"), number("rows")];
        let lines = self.confusions.iter().take(LINES).map(|pair| {
            let names = [pair.truth, pair.answer].map(|id| word(self.tested.name(id)));
            let mut line = Vec::from(names);
            line.push(number(count(pair.rows)));
            line
        });
        let caption = "Rows that carry the one label, did not get it, and wrongly got the other";
        page.table(caption, &header, lines);
    }

    fn erring(&self, page: &mut Html) {
        page.heading("Labels with the most errors");
        let header = [
            word("label"),
            number("training rows"),
            number("in test rows"),
            number("predicted"),
            number("precision"),
            number("recall"),
            number("F1"),
        ];
        let erring = self.labels.iter().filter(|of| of.errors() > 0).take(LINES);
        let lines = erring.map(|of| {
            let training = of.training_rows.map(|rows| count(u64::from(rows)));
            vec![
                word(self.tested.name(of.id)),
                number(training.unwrap_or_else(|| "–".into())),
                number(count(of.support)),
                number(count(of.predicted)),
                optional(of.precision()),
                optional(of.recall()),
                number(percent(of.f1())),
            ]
        });
        page.table(
            "Rows that lack the label or have it wrongly are errors",
            &header,
            lines,
        );
    }

    fn wrong(&self, page: &mut Html) {
        let Some(worst) = self.worst else {
            return;
        };
        page.heading("Rows that are most surely wrong");
        let header = [
            number("row"),
            word("text"),
            word("labels"),
            word("answers"),
            number("margin"),
            word("right label"),
        ];
        let lines = worst.rows.iter().map(|miss| {
            let text = self.tested.texts.get(miss.row);
            let best = miss.answered.best.iter();
            let answers: Vec<_> = best.map(|of| self.tested.name(of.id)).collect();
            vec![
                number(count(miss.row as u64 + 1)),
                word(text.map_or_else(|| "–".into(), |text| beginning(text))),
                word(self.tested.truth(miss.row).join(", ")),
                word(answers.join(", ")),
                number(format!("{:.3}", miss.margin)),
                word(place_in_words(miss)),
            ]
        });
        let caption = format!(
            "Of {} rows without a right label in the first {}",
            worst.misses, worst.k
        );
        page.table(&caption, &header, lines);
    }

    fn card(&self, page: &mut Html) {
        page.heading("Model card");
        let tested = self.tested;
        let model = tested.model;
        let facts = model_facts(model);
        let mut lines: Vec<_> = facts
            .iter()
            .map(|(name, fact)| [(*name).to_string(), fact.clone()])
            .collect();
        let line = |name: &str, fact: String| [name.to_string(), fact];
        lines.push(line("size of the file", bytes(self.bytes)));
        let told = model.provenance().report.iter();
        lines.extend(told.map(|(name, value)| line(name, value.to_string())));
        let test = tested.test;
        lines.push(line("test rows", count(test.len() as u64)));
        lines.push(line(
            "labels of test rows",
            count(test.labels().total() as u64),
        ));
        lines.push(line(
            "test fingerprint",
            format!("{:016x}", fingerprint(tested)),
        ));
        let lines = lines.into_iter().map(|line| line.map(word).into());
        page.table(
            "What made the model, and what it was tested on",
            &[word("fact"), word("value")],
            lines,
        );
        page.subheading("What it is not for");
        let (labels, rows) = (count(u64::from(model.labels())), model.provenance().rows);
        page.list(&[
            format!(
                "Labels outside the {labels} of its {} training rows: it cannot answer them.",
                count(rows)
            ),
            "Data unlike the test data: the figures hold for rows drawn as these were.".into(),
            "Scores as probabilities: they order the answers of one row.".into(),
            "Labels with few training rows without a look at the table of rare labels.".into(),
            "Decisions about people that nobody reviews.".into(),
        ]);
    }
}

fn optional(share: Option<f64>) -> Cell {
    number(share.map_or_else(|| "–".into(), percent))
}

/// The name of a file without its folder.
fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Stands for the test rows, their order and their labels.
fn fingerprint(tested: &Tested) -> u64 {
    let mut hash = Xxh3::new();
    for (mark, labels) in tested.marks.iter().zip(tested.test.labels().iter()) {
        hash.update(&mark.to_le_bytes());
        hash.update(&(labels.len() as u64).to_le_bytes());
        for id in labels {
            hash.update(&id.to_le_bytes());
        }
    }
    hash.digest()
}
