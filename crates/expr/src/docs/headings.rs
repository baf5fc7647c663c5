//! The chapters' headings in English and Chinese.

const CHINESE: &[(&str, &str)] = &[
    ("Comparison", "比较"),
    ("Conditions by name", "按名称的条件"),
    ("Logic", "逻辑"),
    ("Conditional values", "条件取值"),
    ("Numbers", "数值"),
    ("Bits, bases and operations by name", "位运算、进制与按名称的运算"),
    ("Text", "文本"),
    ("Regular expressions", "正则表达式"),
    ("Digests", "摘要"),
    ("URLs and addresses", "URL 与地址"),
    ("Dates and times", "日期与时间"),
    ("Dates and times as text", "文本形式的日期与时间"),
    ("Log lines", "日志解析"),
    ("JSON", "JSON 处理"),
    ("Types", "类型"),
    ("Collections", "集合"),
    ("Arrays and maps", "数组与映射"),
    ("Structured types", "结构化类型"),
    ("VARIANT", "VARIANT 类型"),
    ("BITMAP", "BITMAP 类型"),
    ("Aggregate functions", "聚合函数"),
    ("Grouping functions", "分组函数"),
    ("Window functions", "窗口函数"),
    ("Table functions", "表函数"),
];

/// A chapter's heading in both languages.
pub(super) fn heading(title: &str) -> String {
    match CHINESE.iter().find(|(english, _)| *english == title) {
        Some((_, chinese)) => format!("{title} · {chinese}"),
        None => title.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::scalar::FAMILIES;

    #[test]
    fn every_chapter_has_both() {
        for family in FAMILIES {
            assert_ne!(heading(family.title), family.title, "{}", family.title);
        }
    }
}
