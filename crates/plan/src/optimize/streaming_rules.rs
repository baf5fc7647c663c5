//! What OVER windows cannot do on rows that never end.

use millstream_types::{Fault, Span};

use crate::{JobPlan, Op, OverOp};

/// Refuses OVER windows that a stream cannot have.
///
/// # Errors
/// User, at the call.
pub(super) fn check_overs(plan: &JobPlan) -> Result<(), Fault> {
    if plan.settings.batch {
        return Ok(());
    }
    for node in &plan.nodes {
        if let Op::Over(over) = &node.op {
            check(over).map_err(|f| f.at(node.span.unwrap_or_default()))?;
        }
    }
    Ok(())
}

fn check(over: &OverOp) -> Result<(), Fault> {
    let call_span = over.calls.first().and_then(|c| c.span);
    let refuse = |message: String, hint: &str, span: Option<Span>| {
        let fault = Fault::user("streaming-over", message).hint(hint);
        Err(match span.or(call_span) {
            Some(s) => fault.at(s),
            None => fault,
        })
    };
    if let Some(call) = over.calls.iter().find(|c| &*c.function == "LEAD") {
        return refuse(
            "LEAD Function is not supported in stream mode".to_string(),
            "use LAG, which looks back; or run the query in batch mode",
            call.span,
        );
    }
    if let Some(call) = over
        .calls
        .iter()
        .find(|c| matches!(&*c.function, "RANK" | "DENSE_RANK" | "PERCENT_RANK" | "CUME_DIST" | "NTILE"))
    {
        return refuse(
            format!("{}() on streaming table is not supported", call.function),
            "use ROW_NUMBER(), with a bound on it: WHERE rn <= 10",
            call.span,
        );
    }
    let Some(first) = over.order_by.first() else {
        return refuse(
            "The window of an OVER aggregate on a stream must be ordered".to_string(),
            "add ORDER BY with the column that has a watermark",
            None,
        );
    };
    if over.order_by.len() > 1 {
        return refuse(
            "The window can only be ordered by a single time column".to_string(),
            "order by the column that has a watermark alone",
            over.order_by.get(1).and_then(|k| k.expr.span),
        );
    }
    if first.descending {
        return refuse(
            "The window can only be ordered in ASCENDING mode".to_string(),
            "remove DESC; for the first rows of each group add a bound on ROW_NUMBER(): WHERE rn <= 10",
            first.expr.span,
        );
    }
    if over.following != Some(0) {
        return refuse(
            "OVER RANGE FOLLOWING windows are not supported".to_string(),
            "end the frame at CURRENT ROW",
            None,
        );
    }
    Ok(())
}
