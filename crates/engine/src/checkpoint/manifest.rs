//! The manifest of a checkpoint and its form on disk: a line of JSON behind a line with its checksum.

use millstream_types::Fault;
use serde::{Deserialize, Serialize};

/// Version of the form; a manifest of another version is refused.
const VERSION: u32 = 1;

/// Everything a checkpoint knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of this form.
    pub version: u32,
    /// The job's id, minted in its first start.
    pub job: String,
    /// `pipeline.name`.
    pub name: String,
    /// Position in the sequence, from 1.
    pub number: u64,
    /// The manifest that this start of the job was restored from.
    pub restored_from: Option<u64>,
    /// The start that wrote it: the number of the manifest that it began with, so a later start has a greater one.
    pub start: u64,
    /// When it was written, in milliseconds since the epoch.
    pub created: i64,
    /// The job has ended: restoring it only commits.
    pub finished: bool,
    /// Number of key groups.
    pub key_groups: u16,
    /// Operators with the fingerprints of what is above them.
    pub operators: Vec<ManifestOperator>,
    /// Where reading goes on.
    pub scans: Vec<ManifestScan>,
    /// What sinks have prepared.
    pub sinks: Vec<ManifestSink>,
}

/// An operator of the plan, for comparing an edited text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestOperator {
    /// Identity, in hexadecimal.
    pub id: String,
    /// Fingerprint of what is above it, in hexadecimal.
    pub upstream: String,
    /// What it is, for people.
    pub name: String,
}

/// A scan's position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestScan {
    /// Identity of the source, in hexadecimal.
    pub id: String,
    /// Splits in the order in which they were discovered.
    pub splits: Vec<ManifestSplit>,
}

/// A split's position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestSplit {
    /// The split's id.
    pub id: String,
    /// What the connector needs to open it.
    pub payload: String,
    /// Where to go on; `None`: at its start.
    pub offset: Option<String>,
    /// Nothing is left of it.
    pub finished: bool,
    /// Its watermark for each of the scan's watermark declarations; `None`: none yet.
    pub watermarks: Vec<Option<i64>>,
}

/// What a sink has prepared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestSink {
    /// Identity of the sink's operator, in hexadecimal.
    pub id: String,
    /// The table's name.
    pub name: String,
    /// Committables.
    pub committables: Vec<String>,
}

impl Manifest {
    /// A manifest of a job that has not read anything.
    pub fn new(job: String, name: String, key_groups: u16) -> Self {
        Manifest {
            version: VERSION,
            job,
            name,
            number: 0,
            restored_from: None,
            start: 0,
            created: 0,
            finished: false,
            key_groups,
            operators: Vec::new(),
            scans: Vec::new(),
            sinks: Vec::new(),
        }
    }

    /// Its form on disk.
    ///
    /// # Errors
    /// Internal, if it cannot be written as JSON.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Fault> {
        let body =
            serde_json::to_string(self).map_err(|e| Fault::internal(format!("writing a manifest: {e}")))?;
        Ok(format!("crc32 {:08x}\n{body}\n", crc32fast::hash(body.as_bytes())).into_bytes())
    }

    /// Reads the form on disk.
    ///
    /// # Errors
    /// External, when it is damaged; user, when another version wrote it.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Fault> {
        let damaged = |why: &str| {
            Fault::external("damaged-checkpoint", format!("the checkpoint's manifest is damaged: {why}"))
                .hint("restore an older checkpoint by its number, with --allow-duplicates")
        };
        let text = std::str::from_utf8(bytes).map_err(|_| damaged("it is not UTF-8"))?;
        let (head, body) = text.split_once('\n').ok_or_else(|| damaged("it is cut off"))?;
        let body = body.strip_suffix('\n').ok_or_else(|| damaged("it is cut off"))?;
        let wanted = head.strip_prefix("crc32 ").and_then(|h| u32::from_str_radix(h, 16).ok());
        if wanted != Some(crc32fast::hash(body.as_bytes())) {
            return Err(damaged("its checksum is wrong"));
        }
        let manifest: Manifest = serde_json::from_str(body).map_err(|e| damaged(&e.to_string()))?;
        if manifest.version != VERSION {
            return Err(Fault::user(
                "checkpoint-version",
                format!(
                    "the checkpoint has format version {}, this program reads {VERSION}",
                    manifest.version
                ),
            ));
        }
        Ok(manifest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_seen() {
        let m = Manifest::new("j".into(), "n".into(), 128);
        let bytes = m.to_bytes().unwrap();
        assert_eq!(Manifest::from_bytes(&bytes).unwrap(), m);
        for i in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[i] ^= 1;
            assert!(Manifest::from_bytes(&broken).is_err(), "byte {i}");
            assert!(Manifest::from_bytes(&bytes[..i]).is_err(), "cut at {i}");
        }
    }
}
