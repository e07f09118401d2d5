//! The specs of a folder: what was read of them last, and what may be done with them.

use super::api::servers::Known;
use super::changes::{Change, Edit, Journal};
use super::error::ApiError;
use super::files::{self, Roots, WriteError};
use super::json::{Json, array, object};
use crate::check::{Report, check};
use crate::checked::{CheckedTool, CheckedToolset};
use crate::dev::{Recorded, Seen, read_environment};
use crate::files::disk::{self, DiscoverError};
use crate::files::{Files, Input, Overlay, ReadError};
use crate::servers::Programs;
use arc_swap::ArcSwap;
use mcp_bundle::plan::{Contents, ToolPlan};
use mcp_diagnostics::{Diagnostic, EnvFile, FileId, Severity, SourceFile, Sources, suggest};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where everything is.
#[derive(Debug, Clone, Default)]
pub struct Places {
    pub paths: Vec<PathBuf>,
    pub config: Option<PathBuf>,
    pub env_files: Vec<PathBuf>,
    /// Where keys go that are typed in; `None`: below the folder of the specs.
    pub secrets: Option<PathBuf>,
    pub programs: Programs,
    /// Calls are answered from the examples.
    pub is_mock: bool,
    pub is_read_only: bool,
}

#[derive(Debug)]
pub struct Workspace {
    pub places: Places,
    roots: Arc<Roots>,
    current: ArcSwap<Snapshot>,
    /// One reads or writes at a time.
    turn: Mutex<()>,
    journal: Mutex<Journal>,
    /// What is known of MCP servers, by the name of their upstream.
    pub servers: Mutex<BTreeMap<String, Known>>,
}

/// The specs as they were read at one time.
#[derive(Debug)]
pub struct Snapshot {
    pub generation: u64,
    pub input: Input,
    pub report: Report,
    /// The files of the specs, in the order in which they were read.
    specs: Vec<FileId>,
    /// The report of the files without errors, if others have some.
    sound: Option<Report>,
    /// Why there may be more or other specs.
    pub problem: Option<String>,
    /// What files are read with.
    files: Arc<Roots>,
    /// For the one who waits for changes.
    seen: Seen,
}

/// What a change of the specs was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    pub files: Vec<String>,
}

/// A tool of the specs.
#[derive(Debug, Clone, Copy)]
pub struct Found<'s> {
    /// The report that it is in.
    pub report: &'s Report,
    pub toolset: &'s CheckedToolset,
    pub tool: &'s CheckedTool,
}

impl Workspace {
    /// Reads the specs; a folder without specs is one to begin in.
    pub fn open(places: Places) -> Result<Workspace, DiscoverError> {
        let roots = Arc::new(Roots::of(&places.paths, places.config.as_deref()));
        let searched = discover(&places);
        let snapshot = read(&roots, &searched, 1, None);
        if let Err(error) = searched
            && !matches!(error, DiscoverError::NoSpecs(_))
        {
            return Err(error);
        }
        Ok(Workspace {
            places,
            roots,
            current: ArcSwap::from_pointee(snapshot),
            turn: Mutex::default(),
            journal: Mutex::default(),
            servers: Mutex::default(),
        })
    }

    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// What the specs were read from last.
    pub fn seen(&self) -> Seen {
        self.current.load().seen.clone()
    }

    /// Reads the specs again; `None` if they are what they were.
    pub fn refresh(&self) -> Option<Changed> {
        let _turn = lock(&self.turn);
        self.read_again()
    }

    fn read_again(&self) -> Option<Changed> {
        let before = self.current.load_full();
        let mut now = read(&self.roots, &discover(&self.places), before.generation, Some(&before));
        let files = differing(&before.report.sources, &now.report.sources);
        if files.is_empty() && before.problem == now.problem && before.input.specs == now.input.specs {
            self.current.store(Arc::new(now));
            return None;
        }
        now.generation += 1;
        self.current.store(Arc::new(now));
        Some(Changed { files })
    }

    /// Values of variables: the files that the command line names, and the keys that were typed in.
    pub fn variables(&self) -> Result<EnvFile, ApiError> {
        let mut names: Vec<String> = self.places.env_files.iter().map(|path| disk::display(path)).collect();
        let secrets = self.secrets_file();
        if secrets.is_file() {
            names.push(disk::display(&secrets));
        }
        read_environment(&names, &disk::Disk).map_err(|error| ApiError::not_usable(error.to_string()))
    }

    pub fn secrets_file(&self) -> PathBuf {
        self.places.secrets.clone().unwrap_or_else(|| self.roots.base().join(".mcpc").join("secrets.env"))
    }

    /// Where new specs go.
    pub fn folder(&self) -> Result<&Path, ApiError> {
        self.roots.folder().ok_or_else(|| {
            let folder = disk::display(self.roots.base());
            let message = format!(
                "the studio was started with files, and a new one would not be among them; start it with their \
                 folder, `mcpc studio {folder}`"
            );
            ApiError::not_possible(message)
        })
    }

    /// Whether an edit may change a file.
    pub fn is_writable(&self, path: &str) -> bool {
        !self.places.is_read_only && self.roots.hold(Path::new(path))
    }

    pub fn refuse_read_only(&self) -> Result<(), ApiError> {
        if self.places.is_read_only { Err(ApiError::read_only()) } else { Ok(()) }
    }

    /// Shows an edit, and makes it with `apply`. `hashes` are those of the files as the one who asks knows them.
    /// The second value says whether the specs changed.
    pub fn commit(
        &self,
        edit: Edit,
        hashes: &BTreeMap<String, String>,
        apply: bool,
    ) -> Result<(Json, Option<Changed>), ApiError> {
        let _turn = lock(&self.turn);
        if edit.changes.iter().all(|change| change.before == change.after) {
            return Err(ApiError::not_possible("the edit changes nothing"));
        }
        let mut changed = None;
        let mut id = None;
        let (before, after) = {
            let snapshot = self.snapshot();
            (counts(&snapshot.report), counts(&snapshot.with(&edit.changes)))
        };
        let shown = array(edit.changes.iter().map(Change::json));
        let title = edit.title.clone();
        if apply {
            self.refuse_read_only()?;
            for change in &edit.changes {
                let known = hashes.get(&change.path).map(String::as_str);
                let is_known = match &change.before {
                    Some(before) => known == Some(files::hash(before).as_str()),
                    None => true,
                };
                if known.is_none() && !is_known {
                    return Err(ApiError::bad_request(format!("`hashes` has no `{}`", change.path)));
                }
                if !is_known {
                    return Err(ApiError::stale(&change.path));
                }
                if !self.roots.hold(Path::new(&change.path)) {
                    let message = format!("`{}` is outside the folder of the specs", change.path);
                    return Err(ApiError::forbidden(message));
                }
            }
            write_all(&edit.changes)?;
            id = Some(lock(&self.journal).add(edit));
            changed = self.read_again();
        }
        let answer = object([
            ("applied", apply.into()),
            ("id", id.into()),
            ("title", title.into()),
            ("files", shown),
            ("before", before),
            ("after", after),
            ("generation", self.snapshot().generation.into()),
        ]);
        Ok((answer, changed))
    }

    /// Puts files back as they were before an edit.
    pub fn undo(&self, id: &str) -> Result<(Json, Option<Changed>), ApiError> {
        let entry = lock(&self.journal).find(id)?;
        if entry.undone {
            return Err(ApiError::not_possible("the edit has been undone already"));
        }
        let back = entry.edit.reversed();
        let known = back
            .changes
            .iter()
            .filter_map(|change| Some((change.path.clone(), files::hash(change.before.as_deref()?))));
        let answer = self.commit(back.clone(), &known.collect(), true)?;
        lock(&self.journal).set_undone(entry.id);
        Ok(answer)
    }

    /// Nothing is known any more of a server that is gone.
    pub fn forget_server(&self, id: &str) {
        lock(&self.servers).remove(id);
    }

    pub fn edits(&self) -> Json {
        lock(&self.journal).json()
    }
}

/// A poisoned lock guards nothing that a panic could leave half done.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes all files, or puts those back that were written.
fn write_all(changes: &[Change]) -> Result<(), ApiError> {
    let put = |change: &Change| {
        files::put(Path::new(&change.path), change.before.as_deref(), change.after.as_deref())
    };
    for (index, change) in changes.iter().enumerate() {
        let Err(error) = put(change) else { continue };
        for done in changes.iter().take(index).rev() {
            let Change { path, before, after } = done.clone();
            // If somebody changed it in this moment, that stays.
            let _ = put(&Change { path, before: after, after: before });
        }
        return Err(match error {
            WriteError::Stale => ApiError::stale(&change.path),
            WriteError::Failed(why) => {
                ApiError::not_possible(format!("`{}` cannot be written: {why}", change.path))
            }
        });
    }
    Ok(())
}

pub fn counts(report: &Report) -> Json {
    object([("errors", report.errors().into()), ("warnings", report.warnings().into())])
}

impl Snapshot {
    /// The report of what can be called: of the files without errors.
    fn sound(&self) -> &Report {
        self.sound.as_ref().unwrap_or(&self.report)
    }

    /// What can be called.
    pub fn contents(&self) -> Option<&Contents> {
        self.sound().contents.as_ref()
    }

    /// A tool of that name.
    pub fn tool(&self, name: &str) -> Result<Found<'_>, ApiError> {
        let all = |report: &'_ Report| -> Vec<String> {
            report.toolsets.iter().flat_map(|set| &set.tools).map(|tool| tool.label().to_owned()).collect()
        };
        find(&self.report, name).ok_or_else(|| {
            let names = all(&self.report);
            let meant = suggest::did_you_mean(name, names.iter().map(String::as_str));
            let meant = meant.map(|meant| format!("; {meant}")).unwrap_or_default();
            ApiError::not_found(format!("there is no tool `{name}`{meant}"))
        })
    }

    /// A tool that can be called, with its plan.
    pub fn callable(&self, name: &str) -> Result<(Found<'_>, &Contents, &ToolPlan), ApiError> {
        let found = self.tool(name)?;
        let report = self.sound();
        let ready = report.contents.as_ref().and_then(|contents| {
            let (_, plan) = contents.tool(name)?;
            Some((find(report, name)?, contents, plan))
        });
        let file = &self.report.sources.file(found.toolset.file).name;
        ready.ok_or_else(|| {
            ApiError::not_usable(format!("`{name}` cannot be used until the errors of `{file}` are fixed"))
        })
    }

    /// The report of what examples can be run of.
    pub fn runnable(&self) -> &Report {
        self.sound()
    }

    /// The text of a file that was read.
    pub fn source(&self, path: &str) -> Option<&str> {
        let files = self.report.sources.files();
        files.map(|(_, file)| file).find(|file| file.name == path).map(|file| file.text.as_str())
    }

    /// The spec that a file belongs to: templates and schemas are read right after the spec that names them.
    pub fn spec_of(&self, file: FileId) -> Option<FileId> {
        spec_of(&self.specs, file)
    }

    /// The tool that a finding is about.
    pub fn tool_of(&self, finding: &Diagnostic) -> Option<&CheckedTool> {
        let spec = self.spec_of(finding.span.file)?;
        let toolset = self.report.toolsets.iter().find(|toolset| toolset.file == spec)?;
        if finding.span.file != spec {
            let is_its = |tool: &&CheckedTool| {
                let templates = [&tool.response_template, &tool.error_template, &tool.body_template];
                templates
                    .into_iter()
                    .flatten()
                    .any(|template| template.locate(&self.report.sources, 0..0).file == finding.span.file)
            };
            return toolset.tools.iter().find(is_its);
        }
        // The last one that begins before it; before the first tool it is about the file.
        let begins = |tool: &&CheckedTool| tool.span.start.min(tool.label_span().start) <= finding.span.start;
        toolset.tools.iter().filter(begins).max_by_key(|tool| tool.span.start)
    }

    /// The files, of which some may get another text.
    pub fn files(&self) -> Overlay<'_> {
        Overlay::new(&*self.files)
    }

    /// What a check says once these changes are made.
    pub fn with(&self, changes: &[Change]) -> Report {
        let mut files = self.files();
        let mut input = self.input.clone();
        for Change { path, after, .. } in changes {
            let is_spec = path.ends_with(".toml") && input.config.as_ref() != Some(path);
            match after {
                Some(text) => {
                    files.replace(path, Ok(text.clone()));
                    if is_spec && !input.specs.contains(path) {
                        input.specs.push(path.clone());
                        input.specs.sort();
                    }
                }
                None => {
                    files.replace(path, Err(ReadError::Unreadable("it is removed".to_owned())));
                    input.specs.retain(|spec| spec != path);
                }
            }
        }
        // A changed template is read through the changed spec.
        check(&input, &files)
    }
}

fn find<'r>(report: &'r Report, name: &str) -> Option<Found<'r>> {
    report.toolsets.iter().find_map(|toolset| {
        let tool = toolset.tools.iter().find(|tool| tool.label() == name)?;
        Some(Found { report, toolset, tool })
    })
}

fn discover(places: &Places) -> Result<Input, DiscoverError> {
    disk::discover(&places.paths, places.config.as_deref())
}

/// Reads what a search found.
fn read(
    roots: &Arc<Roots>,
    searched: &Result<Input, DiscoverError>,
    generation: u64,
    before: Option<&Snapshot>,
) -> Snapshot {
    // A search takes a folder that is not there for a file that somebody named.
    let away = roots.away().map(|folder| DiscoverError::Unreadable {
        path: disk::display(folder),
        why: "it is not there".to_owned(),
    });
    let error = away.as_ref().or(searched.as_ref().err());
    let (input, texts) = match (error, before) {
        (None, _) => (searched.as_ref().ok().cloned().unwrap_or_default(), Overlay::new(&**roots)),
        (Some(DiscoverError::NoSpecs(_)), _) | (Some(_), None) => (Input::default(), Overlay::new(&**roots)),
        // What was there is shown until it can be read again.
        (Some(_), Some(before)) => (before.input.clone(), remembered(before)),
    };
    let files = Recorded::new(&texts);
    let report = check(&input, &files);
    let names: BTreeSet<&str> = input.specs.iter().map(String::as_str).collect();
    let is_spec = |(_, source): &(FileId, &SourceFile)| names.contains(source.name.as_str());
    let specs: Vec<FileId> = report.sources.files().filter(is_spec).map(|(id, _)| id).collect();
    let sound = sound(&input, &report, &specs, &files);
    let (problem, seen) = (error.map(ToString::to_string), files.seen(searched));
    Snapshot { generation, input, report, specs, sound, problem, files: Arc::clone(roots), seen }
}

/// The files as they are, and those that cannot be read any more as they were.
fn remembered(before: &Snapshot) -> Overlay<'_> {
    let mut files = before.files();
    for (_, file) in before.report.sources.files() {
        // One that could not be read before has no text.
        if !file.text.is_empty() && before.files.read(&file.name).is_err() {
            files.replace(&file.name, Ok(file.text.clone()));
        }
    }
    files
}

/// The report of the files without errors; `None` if that is all of them, or if it helps nothing.
fn sound(input: &Input, report: &Report, specs: &[FileId], files: &dyn Files) -> Option<Report> {
    let errors = report.diagnostics.iter().filter(|finding| finding.severity == Severity::Error);
    let broken: BTreeSet<&str> = errors
        .map(|finding| spec_of(specs, finding.span.file).unwrap_or(finding.span.file))
        .map(|file| report.sources.file(file).name.as_str())
        .collect();
    if broken.is_empty() {
        return None;
    }
    let specs = input.specs.iter().filter(|name| !broken.contains(name.as_str())).cloned().collect();
    let sound = check(&Input { specs, ..input.clone() }, files);
    sound.contents.is_some().then_some(sound)
}

/// The last one that was read before the file, or is the file.
fn spec_of(specs: &[FileId], file: FileId) -> Option<FileId> {
    specs.get(specs.partition_point(|spec| *spec <= file).checked_sub(1)?).copied()
}

/// Names of the files that are in one of two sets only, or have another text.
fn differing(before: &Sources, now: &Sources) -> Vec<String> {
    let texts = |sources: &'_ Sources| -> BTreeMap<String, String> {
        sources.files().map(|(_, file)| (file.name.clone(), file.text.clone())).collect()
    };
    let (before, now) = (texts(before), texts(now));
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    names.into_iter().filter(|name| before.get(*name) != now.get(*name)).cloned().collect()
}
