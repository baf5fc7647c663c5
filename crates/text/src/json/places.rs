//! Several paths through a text at once: where the values are that they lead to. Nothing is built.

use super::JsonError;
use super::locate::is_name;
use super::path::{JsonPath, Step};
use super::scan::Scan;

/// A step of a path that leads to one value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum JsonStep {
    /// A field of an object.
    Name(String),
    /// An item of an array, counted from 0.
    Index(usize),
}

/// Where a path leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JsonPlace {
    /// Nowhere: a name or an item is not there.
    #[default]
    Missing,
    /// It ends early at a `null`.
    Null,
    /// It ends early at another value that has no such parts.
    Barred,
    /// To the value between these bytes.
    At(usize, usize),
}

/// Paths that are followed together.
#[derive(Debug, Clone, Default)]
pub struct JsonPlaces {
    nodes: Vec<Node>,
    paths: usize,
}

#[derive(Debug, Clone, Default)]
struct Node {
    names: Vec<(String, usize)>,
    items: Vec<(usize, usize)>,
    /// The paths that end here.
    ends: Vec<usize>,
    /// The paths that go through here.
    through: Vec<usize>,
}

impl JsonPath {
    /// The steps of a path of single names and indexes from the start; `None`: it is another one.
    pub fn plain_steps(&self) -> Option<Vec<JsonStep>> {
        if !self.is_plain() {
            return None;
        }
        let steps = self.steps().iter().map(|step| match step {
            Step::Names(names) => names.first().cloned().map(JsonStep::Name),
            Step::Indexes(indexes) => Some(JsonStep::Index(usize::try_from(*indexes.first()?).ok()?)),
            _ => None,
        });
        steps.collect()
    }
}

impl JsonPlaces {
    /// One more path; its number counts from 0.
    pub fn add(&mut self, steps: &[JsonStep]) -> usize {
        let path = self.paths;
        self.paths += 1;
        let mut at = 0;
        if self.nodes.is_empty() {
            self.nodes.push(Node::default());
        }
        for step in steps {
            let next = self.nodes.len();
            let Some(node) = self.nodes.get_mut(at) else { break };
            node.through.push(path);
            at = match step {
                JsonStep::Name(name) => match node.names.iter().find(|(n, _)| n == name) {
                    Some((_, there)) => *there,
                    None => {
                        node.names.push((name.clone(), next));
                        next
                    }
                },
                JsonStep::Index(index) => match node.items.iter().find(|(i, _)| i == index) {
                    Some((_, there)) => *there,
                    None => {
                        node.items.push((*index, next));
                        next
                    }
                },
            };
            if at == next {
                self.nodes.push(Node::default());
            }
        }
        if let Some(node) = self.nodes.get_mut(at) {
            node.ends.push(path);
        }
        path
    }

    /// Follows all paths through the first value of a text; `places` has one entry a path then.
    ///
    /// # Errors
    /// Where the text is no JSON, wherever in its first value.
    pub fn follow(&self, text: &str, places: &mut Vec<JsonPlace>) -> Result<(), JsonError> {
        places.clear();
        places.resize(self.paths, JsonPlace::Missing);
        let mut scan = Scan { text: text.as_bytes(), at: 0, seen: 0 };
        self.node(0, &mut scan, 0, places)
    }

    /// Goes over a value that is `depth` containers deep. Nests as deep as the longest path.
    fn node(
        &self,
        number: usize,
        scan: &mut Scan<'_>,
        depth: usize,
        places: &mut [JsonPlace],
    ) -> Result<(), JsonError> {
        let Some(node) = self.nodes.get(number) else { return scan.skip(depth) };
        let first = scan.token();
        let from = scan.at;
        // Of equal names the last one counts, with all that is in it.
        match first {
            b'{' if !node.names.is_empty() => {
                set(&node.through, JsonPlace::Missing, places);
                self.bar(&node.items, places);
                self.fields(node, scan, depth, places)?;
            }
            b'[' if !node.items.is_empty() => {
                set(&node.through, JsonPlace::Missing, places);
                self.bar(&node.names, places);
                self.items(node, scan, depth, places)?;
            }
            _ => {
                let barred = if first == b'n' { JsonPlace::Null } else { JsonPlace::Barred };
                set(&node.through, barred, places);
                scan.skip(depth)?;
            }
        }
        set(&node.ends, JsonPlace::At(from, scan.at), places);
        Ok(())
    }

    /// The paths through these parts end before them.
    fn bar<K>(&self, parts: &[(K, usize)], places: &mut [JsonPlace]) {
        for node in parts.iter().filter_map(|(_, n)| self.nodes.get(*n)) {
            set(&node.ends, JsonPlace::Barred, places);
            set(&node.through, JsonPlace::Barred, places);
        }
    }

    fn fields(
        &self,
        node: &Node,
        scan: &mut Scan<'_>,
        depth: usize,
        places: &mut [JsonPlace],
    ) -> Result<(), JsonError> {
        scan.fields(depth, |scan, raw| {
            let next = if memchr::memchr(b'\\', raw).is_none() {
                node.names.iter().find(|(name, _)| name.as_bytes() == raw)
            } else {
                node.names.iter().find(|(name, _)| is_name(raw, name))
            };
            self.next(next.map(|(_, n)| *n), scan, depth, places)
        })
    }

    fn items(
        &self,
        node: &Node,
        scan: &mut Scan<'_>,
        depth: usize,
        places: &mut [JsonPlace],
    ) -> Result<(), JsonError> {
        scan.items(depth, |scan, index| {
            let next = node.items.iter().find(|(i, _)| *i == index);
            self.next(next.map(|(_, n)| *n), scan, depth, places)
        })
    }

    /// Goes over a part of a container: `None`: no path leads there.
    fn next(
        &self,
        node: Option<usize>,
        scan: &mut Scan<'_>,
        depth: usize,
        places: &mut [JsonPlace],
    ) -> Result<(), JsonError> {
        if let Some(node) = node {
            return self.node(node, scan, depth + 1, places);
        }
        scan.token();
        scan.skip(depth + 1)
    }
}

fn set(paths: &[usize], place: JsonPlace, places: &mut [JsonPlace]) {
    for path in paths {
        if let Some(slot) = places.get_mut(*path) {
            *slot = place;
        }
    }
}
