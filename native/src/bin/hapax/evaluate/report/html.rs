//! A page of HTML that is well-formed XML, too. All text that goes in is escaped here.

use crate::output::shown_html;
use std::fmt::Write;

/// A cell of a table.
pub struct Cell {
    text: String,
    is_number: bool,
}

/// A cell that is read as words.
pub fn word(text: impl Into<String>) -> Cell {
    let (text, is_number) = (text.into(), false);
    Cell { text, is_number }
}

/// A cell that is read as a number.
pub fn number(text: impl Into<String>) -> Cell {
    let (text, is_number) = (text.into(), true);
    Cell { text, is_number }
}

/// A page that is being written.
pub struct Html(String);

impl Html {
    pub fn new(title: &str, style: &str) -> Self {
        let title = shown_html(title);
        Self(format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" \
             content=\"width=device-width, initial-scale=1\"/>\n<meta http-equiv=\"Content-Security-Policy\" \
             content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n<title>{title}</title>\n\
             <style>\n{style}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        ))
    }

    pub fn end(mut self) -> String {
        self.0.push_str("</main>\n</body>\n</html>\n");
        self.0
    }

    /// Writing to a string does not fail.
    fn push(&mut self, text: std::fmt::Arguments<'_>) {
        self.0.write_fmt(text).unwrap_or(());
    }

    pub fn heading(&mut self, text: &str) {
        self.push(format_args!("<h2>{}</h2>\n", shown_html(text)));
    }

    pub fn subheading(&mut self, text: &str) {
        self.push(format_args!("<h3>{}</h3>\n", shown_html(text)));
    }

    pub fn paragraph(&mut self, text: &str) {
        self.push(format_args!("<p>{}</p>\n", shown_html(text)));
    }

    pub fn list(&mut self, items: &[String]) {
        self.0.push_str("<ul>\n");
        for item in items {
            self.push(format_args!("<li>{}</li>\n", shown_html(item)));
        }
        self.0.push_str("</ul>\n");
    }

    /// A picture in SVG, in words for those who do not see it, and what it shows.
    pub fn figure(&mut self, svg: &str, told: &str, caption: &str) {
        let (told, caption) = (shown_html(told), shown_html(caption));
        self.push(format_args!(
            "<figure>\n<div role=\"img\" aria-label=\"{told}\">\n{svg}</div>\n<figcaption>{caption}</figcaption>\n</figure>\n"
        ));
    }

    pub fn table(
        &mut self,
        caption: &str,
        header: &[Cell],
        lines: impl IntoIterator<Item = Vec<Cell>>,
    ) {
        let caption = shown_html(caption);
        self.push(format_args!(
            "<div class=\"wide\">\n<table>\n<caption>{caption}</caption>\n<thead><tr>"
        ));
        for cell in header {
            let class = if cell.is_number { " class=\"n\"" } else { "" };
            let text = shown_html(&cell.text);
            self.push(format_args!("<th scope=\"col\"{class}>{text}</th>"));
        }
        self.0.push_str("</tr></thead>\n<tbody>\n");
        for line in lines {
            self.0.push_str("<tr>");
            for (at, cell) in line.iter().enumerate() {
                let class = if cell.is_number { " class=\"n\"" } else { "" };
                let text = shown_html(&cell.text);
                match at {
                    0 => self.push(format_args!("<th scope=\"row\"{class}>{text}</th>")),
                    _ => self.push(format_args!("<td{class}>{text}</td>")),
                }
            }
            self.0.push_str("</tr>\n");
        }
        self.0.push_str("</tbody>\n</table>\n</div>\n");
    }
}
