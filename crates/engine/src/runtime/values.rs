//! Constant rows (VALUES, SELECT without FROM) as a source of one split.

use millstream_flow::{BoxFuture, Offset, Read, Source, Split, SplitReader};
use millstream_types::{Batch, Fault, RowKind, SchemaRef, Value};

/// Constant rows.
#[derive(Debug)]
pub(crate) struct ValuesSource {
    pub(crate) schema: SchemaRef,
    pub(crate) rows: Vec<Vec<Value>>,
}

struct ValuesReader {
    batch: Option<Batch>,
}

impl Source for ValuesSource {
    fn is_bounded(&self) -> bool {
        true
    }

    fn discover<'a>(&'a self, known: &'a [Split]) -> BoxFuture<'a, Result<Vec<Split>, Fault>> {
        let all = if known.is_empty() {
            vec![Split { id: "VALUES".into(), payload: String::new() }]
        } else {
            Vec::new()
        };
        Box::pin(async move { Ok(all) })
    }

    fn reads_in_sequence(&self) -> bool {
        true
    }

    fn open<'a>(
        &'a self,
        _: &'a Split,
        from: Option<&'a Offset>,
    ) -> BoxFuture<'a, Result<Box<dyn SplitReader>, Fault>> {
        Box::pin(async move {
            let batch = match from.and_then(|o| o.part("rows")) {
                Some(_) => None,
                None => {
                    let rows: Vec<_> = self.rows.iter().map(|r| (RowKind::Insert, r.clone())).collect();
                    Some(Batch::from_rows(self.schema.clone(), &rows)?)
                }
            };
            Ok(Box::new(ValuesReader { batch }) as Box<dyn SplitReader>)
        })
    }
}

impl SplitReader for ValuesReader {
    fn next(&mut self) -> BoxFuture<'_, Result<Read, Fault>> {
        let read = self.batch.take().map_or(Read::End, Read::Rows);
        Box::pin(async move { Ok(read) })
    }

    fn offset(&self) -> Offset {
        Offset::of(&[("rows", u64::from(self.batch.is_none()))])
    }
}
