//! What a run has measured.

use super::closed::Measured;
use super::contender::Contender;
use super::open::Paced;
use super::plan::Case;
use super::size::Size;

#[derive(Debug, Default)]
pub struct Results {
    pub groups: Vec<Group>,
    pub paced: Vec<PacedGroup>,
}

/// A case of the closed loop.
#[derive(Debug)]
pub struct Group {
    pub case: Case,
    pub rows: Vec<Row<Measured>>,
}

/// A rate of the open loop.
#[derive(Debug)]
pub struct PacedGroup {
    /// Percent of what `mcp-edge` reached in the closed loop.
    pub share: u16,
    /// Requests in a second.
    pub rate: f64,
    pub rows: Vec<Row<Paced>>,
}

/// One contender.
#[derive(Debug)]
pub struct Row<T> {
    pub contender: Contender,
    /// One for each round, in their order.
    pub turns: Vec<T>,
}

impl Results {
    /// The group of this size and number of connections in which all of these are.
    pub fn group(&self, size: Size, connections: u16, all: &[Contender]) -> Option<&Group> {
        self.groups.iter().find(|group| {
            let fits = group.case.size == size && group.case.connections == connections;
            fits && all.iter().all(|contender| group.row(*contender).is_some())
        })
    }
}

impl Group {
    pub fn row(&self, contender: Contender) -> Option<&Row<Measured>> {
        self.rows.iter().find(|row| row.contender == contender)
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    pub fn turn(rate: f64, cpu: f64) -> Measured {
        Measured { rate, p50: 10.0, p99: 20.0, p999: 30.0, cpu, memory_mib: 5.0 }
    }

    pub fn row(contender: Contender, turns: &[(f64, f64)]) -> Row<Measured> {
        Row { contender, turns: turns.iter().map(|(rate, cpu)| turn(*rate, *cpu)).collect() }
    }

    pub fn group(size: Size, connections: u16, rows: Vec<Row<Measured>>) -> Group {
        let contenders = rows.iter().map(|row| row.contender).collect();
        Group { case: Case { title: "some".to_owned(), size, connections, contenders }, rows }
    }

    pub fn paced(contender: Contender, p50: f64, max: f64) -> Row<Paced> {
        let turn = Paced { offered: 1000.0, achieved: 999.0, p50, p99: p50 * 10.0, p999: p50 * 20.0, max };
        Row { contender, turns: vec![turn] }
    }

    #[test]
    fn a_group_is_found_by_who_is_in_it() {
        let results = Results {
            groups: vec![
                group(Size::Small, 64, vec![row(Contender::Call, &[])]),
                group(Size::Small, 64, vec![row(Contender::List, &[]), row(Contender::NginxFile, &[])]),
            ],
            paced: Vec::new(),
        };
        let found = results.group(Size::Small, 64, &[Contender::NginxFile, Contender::List]);
        assert_eq!(found.map(|group| group.rows.len()), Some(2));
        assert!(results.group(Size::Small, 64, &[Contender::Call, Contender::List]).is_none());
        assert!(results.group(Size::List, 64, &[Contender::Call]).is_none());
    }
}
