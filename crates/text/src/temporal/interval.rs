//! Intervals as text.

use crate::number::{push_i64, push_padded};

/// Appends an interval of months, `+1-02`.
pub fn push_interval_months(out: &mut String, months: i32) {
    let size = i64::from(months).unsigned_abs();
    out.push(if months < 0 { '-' } else { '+' });
    push_i64(out, (size / 12) as i64);
    out.push('-');
    push_padded(out, size % 12, 2);
}

/// Appends an interval of milliseconds, `+1 02:03:04.005`.
pub fn push_interval_millis(out: &mut String, millis: i64) {
    let size = millis.unsigned_abs();
    out.push(if millis < 0 { '-' } else { '+' });
    push_i64(out, (size / 86_400_000) as i64);
    let mut separator = ' ';
    for (unit, limit) in [(3_600_000, 24), (60_000, 60), (1000, 60)] {
        out.push(separator);
        push_padded(out, size / unit % limit, 2);
        separator = ':';
    }
    out.push('.');
    push_padded(out, size % 1000, 3);
}
