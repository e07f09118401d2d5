//! The files of a run: a page with all tables, and two charts.

use super::contender::Contender;
use super::plan::CONNECTIONS;
use super::results::{Group, Results};
use super::size::Size;
use super::{bars, chart, table};
use crate::AnyError;
use std::fmt::Write;
use std::path::Path;

/// Facts that are printed with the results.
#[derive(Debug)]
pub struct About {
    /// Machine, versions, options.
    pub facts: Vec<(&'static str, String)>,
    /// Who was left out, and why.
    pub missing: Vec<String>,
}

const THROUGHPUT: &str = "throughput.svg";
const LATENCY: &str = "latency.svg";

/// Writes the page and those charts that there are figures for.
pub fn write(folder: &Path, about: &About, results: &Results) -> Result<(), AnyError> {
    std::fs::create_dir_all(folder)?;
    let throughput = usual(results).and_then(chart::throughput);
    let latency = chart::latency(&results.paced, CONNECTIONS);
    let mut charts = Vec::new();
    for (name, what, drawn) in [
        (THROUGHPUT, "Requests a second, relative to a bare Pingora pass-through", throughput),
        (LATENCY, "Latency at fixed rates of requests", latency),
    ] {
        if let Some(svg) = drawn {
            std::fs::write(folder.join(name), svg)?;
            charts.push(format!("![{what}]({name})\n"));
        }
    }
    std::fs::write(folder.join("results.md"), page(about, results, &charts))?;
    Ok(())
}

fn usual(results: &Results) -> Option<&Group> {
    results.group(Size::Small, CONNECTIONS, &[Contender::Passthrough])
}

fn page(about: &About, results: &Results, charts: &[String]) -> String {
    let mut out = String::from(
        "# Load: results\n\nWritten by `benches/run`. [BENCHMARKS.md](../BENCHMARKS.md#load) describes how it measures. Medians of \
         the rounds, their quartiles in parentheses; ratios are taken round by round.\n\n| | |\n|---|---|\n",
    );
    for (name, value) in &about.facts {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "| {name} | {value} |");
    }
    for line in &about.missing {
        let _ = write!(out, "\n{line}\n");
    }
    if let Some(bars) = bars::table(results) {
        let _ = write!(out, "\n## Bars\n\n{bars}");
    }
    for chart in charts {
        let _ = write!(out, "\n{chart}");
    }
    for group in &results.groups {
        let _ = write!(out, "\n## {}\n\n{}", group.case.title, table::closed(group));
    }
    if !results.paced.is_empty() {
        let _ = write!(
            out,
            "\n## Fixed rates: 300-byte answers, {CONNECTIONS} connections\n\nRequests are due on a schedule, whatever \
             becomes of those before; latency counts from then. Rates are shares of what `mcp-edge`, raw, reached above.\n\n{}",
            table::paced(&results.paced)
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::results::PacedGroup;
    use crate::load::results::tests::{group, paced, row};

    #[test]
    fn a_run_leaves_a_page_and_two_charts() {
        let rows = vec![row(Contender::Passthrough, &[(10.0, 2.0)]), row(Contender::Call, &[(20.0, 1.0)])];
        let rates = vec![PacedGroup { share: 25, rate: 5.0, rows: vec![paced(Contender::Call, 90.0, 1.0)] }];
        let results = Results { groups: vec![group(Size::Small, 64, rows)], paced: rates };
        let about = About {
            facts: vec![("cores", "2".to_owned())],
            missing: vec!["nginx is not installed".to_owned()],
        };
        let folder = tempfile::tempdir().expect("a folder");
        let out = folder.path().join("new/folder");
        write(&out, &about, &results).expect("files");
        let page = std::fs::read_to_string(out.join("results.md")).expect("a page");
        for text in [
            "| cores | 2 |",
            "\nnginx is not installed\n",
            "| 2.00 | met |",
            "](throughput.svg)",
            "](latency.svg)",
        ] {
            assert!(page.contains(text), "no {text} in {page}");
        }
        assert!(out.join(THROUGHPUT).is_file() && out.join(LATENCY).is_file());
    }

    #[test]
    fn what_was_not_measured_is_not_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let results = Results {
            groups: vec![group(Size::Small, 8, vec![row(Contender::Call, &[(1.0, 1.0)])])],
            paced: Vec::new(),
        };
        write(folder.path(), &About { facts: Vec::new(), missing: Vec::new() }, &results).expect("files");
        let page = std::fs::read_to_string(folder.path().join("results.md")).expect("a page");
        assert!(!page.contains("svg") && !page.contains("## Bars") && !page.contains("Fixed"), "{page}");
        assert!(!folder.path().join(THROUGHPUT).exists());
    }
}
