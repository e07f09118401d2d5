//! Charts as SVG, written by hand: text stays text, the same numbers give the same bytes, light and dark are both readable.

mod latency;
mod throughput;

pub use latency::latency;
pub use throughput::throughput;

use std::fmt::{Display, Write};

const WIDTH: f64 = 840.0;
const PADDING: f64 = 20.0;
/// Where rows have their names.
const LABELS: f64 = 290.0;

/// Both schemes bring their own ground, since the page around may have another one.
const STYLE: &str = "text{font:13px system-ui,-apple-system,Segoe UI,Helvetica,Arial,sans-serif;fill:#1f2328}\
    .ground{fill:#fff;stroke:#d0d7de}.title{font-size:16px;font-weight:600}.dim{fill:#59636e}.small{font-size:11px}\
    .bar{fill:#8c959f}.own{fill:#0969da}.grid{stroke:#d0d7de}.base{stroke:#59636e;stroke-dasharray:4 3}\
    .range{stroke:#1f2328;stroke-width:1.5}.track{stroke:#8c959f;stroke-width:3}.track.own{stroke:#0969da}\
    .end{text-anchor:end}.middle{text-anchor:middle}\
    @media(prefers-color-scheme:dark){text{fill:#e6edf3}.ground{fill:#0d1117;stroke:#3d444d}.dim{fill:#9198a1}\
    .bar{fill:#656c76}.own{fill:#4493f8}.grid{stroke:#3d444d}.base{stroke:#9198a1}.range{stroke:#e6edf3}\
    .track{stroke:#656c76}.track.own{stroke:#4493f8}}";

/// Shapes in the order in which they are painted.
struct Canvas {
    height: f64,
    shapes: String,
}

impl Canvas {
    fn new(height: f64) -> Canvas {
        Canvas { height, shapes: String::new() }
    }

    fn text(&mut self, (x, y): (f64, f64), class: &str, text: impl Display) {
        let text = escaped(&text.to_string());
        self.add(format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\">{text}</text>"));
    }

    fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), class: &str) {
        self.add(format_args!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" class=\"{class}\"/>"
        ));
    }

    fn rectangle(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), class: &str) {
        self.add(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"2\" class=\"{class}\"/>"
        ));
    }

    fn circle(&mut self, (x, y): (f64, f64), radius: f64, class: &str) {
        self.add(format_args!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" class=\"{class}\"/>"));
    }

    fn add(&mut self, shape: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.shapes, "{shape}");
    }

    fn finish(self, title: &str) -> String {
        let (title, height) = (escaped(title), self.height);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH:.0} {height:.0}\" width=\"{WIDTH:.0}\" \
             height=\"{height:.0}\" role=\"img\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
             <rect x=\"0.5\" y=\"0.5\" width=\"{:.1}\" height=\"{:.1}\" rx=\"8\" class=\"ground\"/>\n{}</svg>\n",
            WIDTH - 1.0,
            height - 1.0,
            self.shapes
        )
    }
}

/// A contender's name without Markdown.
fn label(contender: super::contender::Contender) -> String {
    contender.name().replace('`', "")
}

/// Our own bars are highlighted.
fn class(contender: super::contender::Contender) -> &'static str {
    if contender.name().contains("mcp-edge") { "own" } else { "" }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every tag that is opened is closed in order, and there is one root.
    pub fn assert_well_formed(svg: &str) {
        let (mut open, mut roots) = (Vec::new(), 0);
        let mut rest = svg;
        while let Some((text, tagged)) = rest.split_once('<') {
            assert!(!text.contains('>'), "a `>` outside of a tag");
            let (tag, after) = tagged.split_once('>').expect("a tag that ends");
            assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name));
            } else if !tag.ends_with('/') {
                roots += usize::from(open.is_empty());
                open.push(tag.split(' ').next().expect("a name"));
            }
            rest = after;
        }
        assert!(open.is_empty() && roots == 1 && rest.trim().is_empty(), "{open:?} {roots} {rest}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn text_is_escaped() {
        let mut canvas = Canvas::new(50.0);
        canvas.text((1.0, 2.0), "dim", "a < b & \"c\"");
        let svg = canvas.finish("<title>");
        assert_well_formed(&svg);
        assert!(svg.contains("<text x=\"1.0\" y=\"2.0\" class=\"dim\">a &lt; b &amp; &quot;c&quot;</text>"));
    }

    #[test]
    #[should_panic(expected = "left")]
    fn the_check_finds_tags_in_the_wrong_order() {
        assert_well_formed("<svg><g><text></g></text></svg>");
    }
}
