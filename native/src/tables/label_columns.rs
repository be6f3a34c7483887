//! Labels from several columns: they are joined, or the columns are labels themselves, marked by 1
//! in the rows that carry them.

use super::{
    TableProblem,
    places::{Known, Place},
};

/// Whether a mark says that the row has the label; `None` of what is none.
pub(super) fn mark(cell: &str) -> Option<bool> {
    match cell.trim() {
        "1" | "true" | "True" | "TRUE" => Some(true),
        "0" | "false" | "False" | "FALSE" | "" => Some(false),
        _ => None,
    }
}

impl Known<'_> {
    /// A column of this name, or several whose names stand between commas.
    pub(super) fn several(&self, wanted: &str) -> Result<Vec<Place>, TableProblem> {
        match self.find(wanted) {
            None if wanted.contains(',') => {
                wanted.split(',').map(|name| self.named(name)).collect()
            }
            _ => Ok(vec![self.named(wanted)?]),
        }
    }

    /// Whether columns of labels hold marks: it is remembered so, or there are several that do in
    /// the first rows, and what separates labels was not said.
    pub(super) fn marks(&self, labels: &[Place]) -> bool {
        let remembered = self.remembered.labels.as_deref();
        let remembered = remembered.and_then(|names| self.several(names).ok());
        if self.given.labels.is_none() && remembered.as_deref() == Some(labels) {
            return self.remembered.marks;
        }
        let several = labels.len() > 1 && self.given.separator.is_none();
        several
            && labels
                .iter()
                .all(|place| self.holds_marks(place.at, self.headed))
    }

    /// Whether a column holds 0 and 1 alone in the first rows, behind a header if there is one.
    pub(super) fn holds_marks(&self, at: usize, headed: bool) -> bool {
        let rows = self.rows.iter().skip(usize::from(headed));
        let cells: Option<Vec<&str>> = rows.map(|row| row.get(at).map(String::as_str)).collect();
        cells.is_some_and(|cells| {
            cells.iter().all(|cell| mark(cell).is_some())
                && cells.iter().any(|cell| !cell.trim().is_empty())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        Selection, Table,
        TableFormat::{Csv, JsonLines},
        read_table,
        tests::{are_refused, assert_rows, table},
    };
    use std::io::Cursor;

    #[test]
    fn columns_are_joined_or_are_labels_themselves() {
        for (format, given, text, rows) in [
            (
                Csv,
                "text=t labels=a,b",
                "t,a,b\nc,x,y\nd,,x\ne,,\n",
                &[("c", &["x", "y"][..]), ("d", &["x"]), ("e", &[])][..],
            ),
            (
                Csv,
                "text=t labels=x,Y",
                "t,x,y\nc,1,0\nd,true,1\ne,0,\n",
                &[("c", &["x"]), ("d", &["x", "y"]), ("e", &[])],
            ),
            (
                Csv,
                "text=t labels=a,b separator=none",
                "t,a,b\nc,1,0\n",
                &[("c", &["0", "1"])],
            ),
            (
                Csv,
                "text=1 labels=2,3 header=false",
                "c,1,1\n",
                &[("c", &["2", "3"])],
            ),
            (
                Csv,
                "text=t labels=a,b",
                "t,\"a,b\"\nc,1\n",
                &[("c", &["1"])],
            ),
            (
                JsonLines,
                "text=d.t labels=m.x,m.y",
                "{\"d\":{\"t\":\"c\"},\"m\":{\"x\":true,\"y\":0}}\n{\"d\":{\"t\":\"d\"},\"m\":{\"y\":1}}\n",
                &[("c", &["m.x"]), ("d", &["m.y"])],
            ),
            (
                JsonLines,
                "text=t labels=a.b,c",
                "{\"t\":\"c\",\"a\":{\"b\":[\"x\",\"y\"]},\"c\":\"z\"}\n{\"t\":\"d\",\"a.b\":\"x\"}\n",
                &[("c", &["x", "y", "z"]), ("d", &["x"])],
            ),
        ] {
            assert_rows(format, given, text, rows);
        }
    }

    #[test]
    fn columns_that_are_not_there_or_not_named_are_refused() {
        are_refused(&[
            (
                Csv,
                "",
                "id,comment,toxic,very rude\n7,one two three,0,1\n8,four five,0,0\n",
                "1:1: which column holds what is not clear: the columns are id, comment, toxic, very rude; say --text \
             comment --labels 'toxic,very rude'",
            ),
            (
                Csv,
                "labels=place,title",
                "n,title,place,about\n7,x,y,one two three\n",
                "1:1: which column holds what is not clear: the columns are n, title, place, about; say --text about \
                 --labels place,title",
            ),
            (
                Csv,
                "text=title labels=subjects,kind",
                "id,title,subjects\n1,a,x\n",
                "1:1: there is no column \"kind\"; the columns are id, title, subjects",
            ),
        ]);
    }

    #[test]
    fn marks_are_remembered_and_other_values_refused() {
        let rows = "t,a,b\nc,1,0\n".to_string() + &"d,0,1\n".repeat(300);
        let read_rows = |rows: &str, remembered: &Selection, given| {
            let table = Table {
                remembered: remembered.clone(),
                ..table(Csv, given)
            };
            read_table(Cursor::new(rows.as_bytes().to_vec()), table, None)
        };
        let nothing = Selection::default();
        let read = read_rows(&rows, &nothing, "text=t labels=a,b").unwrap();
        let remembered = read.selection;
        assert_eq!(
            remembered.to_json().unwrap(),
            r#"{"text":["t"],"labels":"a,b","marks":true}"#
        );
        assert_eq!(read.label_fields.len(), 0);
        let json = remembered.to_json().unwrap();
        assert_eq!(Selection::from_json(&json).unwrap(), remembered);
        // Where no row has a mark, they are marks all the same.
        let read = read_rows("b,t,a\n,c,\n", &remembered, "").unwrap();
        assert!(read.documents.labels.row(0).is_empty());
        assert_eq!(read.selection, remembered);
        // Another column of labels holds none.
        let read = read_rows("t,label\nc,x\n", &remembered, "").unwrap();
        assert_eq!(read.documents.label_names.get(0), Some("x".into()));
        let wrong = read_rows(&(rows + "e,0,2\n"), &nothing, "text=t labels=a,b");
        assert_eq!(
            wrong.unwrap_err().to_string(),
            "303:5: \"b\" holds 2, but 0 or 1 in the first rows, which mark whether a row has the label \"b\"; where \
             values are labels themselves, say --label-separator none"
        );
    }
}
