//! A table's options against the cards: which connector and format they choose, and whether every one is known and well written.

use millstream_flow::{
    ConnectorCard, FormatCard, OptionCard, OptionKind, Options, SCAN_OPTIONS, parse_boolean, parse_duration,
    parse_memory_size,
};
use millstream_types::{Fault, nearest};

use super::{Cards, Variables};

/// What a table's options choose.
#[derive(Debug, Clone)]
pub(crate) struct Chosen {
    pub connector: &'static ConnectorCard,
    /// Under their primary keys, variables put in.
    pub options: Options,
    pub format: Option<&'static FormatCard>,
    pub format_options: Options,
}

/// The keys that choose a format for a record's value.
const FORMAT_KEYS: [&str; 2] = ["format", "value.format"];

/// Chooses connector and format and checks every option.
///
/// # Errors
/// User: no or an unknown connector, an unknown or missing option, a value of the wrong kind, a variable that is not set.
pub(crate) fn choose(
    options: &[(String, String)],
    legacy: bool,
    columns: &[&str],
    cards: &Cards,
    variables: &dyn Variables,
) -> Result<Chosen, Fault> {
    let mut given: Vec<(String, String)> = Vec::new();
    for (key, value) in options {
        let value = substitute_variables(key, value, variables)?;
        match given.iter_mut().find(|(k, _)| k == key) {
            Some(entry) => entry.1 = value,
            None => given.push((key.clone(), value)),
        }
    }
    let connector = choose_connector(&mut given, cards)?;
    let (format, format_key) = choose_format(&given, connector, legacy, cards)?;

    let mut chosen =
        Chosen { connector, options: Options::default(), format, format_options: Options::default() };
    for (key, value) in &given {
        // Every table may carry the version of its options' names; there is only one.
        if Some(key.as_str()) == format_key || key == "property-version" {
            continue;
        }
        if let Some((card, primary)) = find_option(connector.options, key, legacy) {
            check_columns(card, &primary, columns)?;
            check_value(card, key, value)?;
            chosen.options.set(primary, canonical(card, value));
            continue;
        }
        // Options of the scan, for whatever is read as raw records.
        if format.is_some()
            && let Some((card, primary)) = find_option(SCAN_OPTIONS, key, legacy)
        {
            check_value(card, key, value)?;
            chosen.options.set(primary, canonical(card, value));
            continue;
        }
        if let Some(format) = format
            && let Some(rest) = strip_format(key, format.name)
            && let Some((card, primary)) = find_option(format.options, rest, false)
        {
            check_value(card, key, value)?;
            chosen.format_options.set(primary, canonical(card, value));
            continue;
        }
        // Blink writes a format's options without prefix.
        if legacy
            && let Some(format) = format
            && let Some((card, primary)) = find_option(format.options, key, true)
        {
            check_value(card, key, value)?;
            chosen.format_options.set(primary, canonical(card, value));
            continue;
        }
        return Err(unknown_option(key, connector, format));
    }
    for card in connector.options.iter().filter(|o| o.required && !o.key.contains('#')) {
        if chosen.options.get(card.key).is_none() {
            return Err(missing(card, card.key, &format!("connector '{}'", connector.name)));
        }
    }
    if let Some(format) = format {
        for card in format.options.iter().filter(|o| o.required) {
            if chosen.format_options.get(card.key).is_none() {
                let key = format!("{}.{}", format.name, card.key);
                return Err(missing(card, &key, &format!("format '{}'", format.name)));
            }
        }
    }
    Ok(chosen)
}

fn missing(card: &OptionCard, key: &str, whose: &str) -> Fault {
    Fault::user("missing-option", format!("{whose} needs the option '{key}'"))
        .hint(format!("add '{key}' = '...' to WITH: {}", card.doc))
}

fn choose_connector(
    given: &mut Vec<(String, String)>,
    cards: &Cards,
) -> Result<&'static ConnectorCard, Fault> {
    let blink = !given.iter().any(|(k, _)| k == "connector");
    let is_key = |k: &str| if blink { k.eq_ignore_ascii_case("type") } else { k == "connector" };
    let Some(at) = given.iter().position(|(k, _)| is_key(k)) else {
        if let Some((_, old)) = given.iter().find(|(k, _)| k == "connector.type") {
            return Err(Fault::user(
                "missing-connector",
                "the table has 'connector.type', the form of Flink before 1.11",
            )
            .hint(format!("write 'connector' = '{old}' and the options of that connector")));
        }
        let near = nearest("connector", given.iter().map(|(k, _)| k.as_str()));
        let fault = Fault::user("missing-connector", "the table has no option 'connector'");
        return Err(match near {
            Some(near) => fault.hint(format!("'{near}' is not known; did you mean 'connector'?")),
            None => fault.hint(format!("add 'connector' = '...' to WITH; there are: {}", names(cards))),
        });
    };
    let (_, name) = given.remove(at);
    cards.connector(&name).ok_or_else(|| {
        let fault = Fault::user("unknown-connector", format!("there is no connector '{name}'"));
        let all = cards.connectors.iter().flat_map(|c| c.aliases.iter().copied().chain([c.name]));
        match nearest(&name, all) {
            Some(near) => fault.hint(format!("did you mean '{near}'?")),
            None => fault.hint(format!("there are: {}", names(cards))),
        }
    })
}

fn names(cards: &Cards) -> String {
    let mut names: Vec<&str> = cards.connectors.iter().map(|c| c.name).collect();
    names.sort_unstable();
    names.join(", ")
}

/// The format and the key that chose it.
fn choose_format(
    given: &[(String, String)],
    connector: &'static ConnectorCard,
    legacy: bool,
    cards: &Cards,
) -> Result<(Option<&'static FormatCard>, Option<&'static str>), Fault> {
    let all = || {
        let mut names: Vec<&str> = cards.formats.iter().map(|f| f.name).collect();
        names.sort_unstable();
        names.join(", ")
    };
    for key in FORMAT_KEYS {
        let Some((_, name)) = given.iter().find(|(k, _)| k == key) else { continue };
        if connector.options.iter().any(|o| o.key == key) {
            return Ok((cards.format(name), None));
        }
        if !connector.format {
            continue;
        }
        return match cards.format(name) {
            Some(format) => Ok((Some(format), Some(key))),
            None => {
                let fault = Fault::user("unknown-format", format!("there is no format '{name}'"));
                Err(match nearest(name, cards.formats.iter().map(|f| f.name)) {
                    Some(near) => fault.hint(format!("did you mean '{near}'?")),
                    None => fault.hint(format!("there are: {}", all())),
                })
            }
        };
    }
    if !connector.format {
        return Ok((None, None));
    }
    // Blink's queues and files carry JSON unless something else is said.
    if legacy && let Some(json) = cards.format("json") {
        return Ok((Some(json), None));
    }
    Err(Fault::user("missing-option", format!("connector '{}' needs the option 'format'", connector.name))
        .hint(format!("add 'format' = '...' to WITH; there are: {}", all())))
}

fn strip_format<'a>(key: &'a str, format: &str) -> Option<&'a str> {
    key.strip_prefix("value.").unwrap_or(key).strip_prefix(format)?.strip_prefix('.')
}

/// The card of an option and the option's primary key (`#` replaced by what stands in its place).
fn find_option(
    cards: &'static [OptionCard],
    key: &str,
    legacy: bool,
) -> Option<(&'static OptionCard, String)> {
    let same = |a: &str| if legacy { a.eq_ignore_ascii_case(key) } else { a == key };
    if let Some(card) = cards.iter().find(|c| c.key == key || c.aliases.iter().any(|a| same(a))) {
        return Some((card, card.key.to_string()));
    }
    if legacy && let Some(card) = cards.iter().find(|c| c.key.eq_ignore_ascii_case(key)) {
        return Some((card, card.key.to_string()));
    }
    cards.iter().find_map(|card| {
        let (before, after) = card.key.split_once('#')?;
        let middle = key.strip_prefix(before)?.strip_suffix(after)?;
        (!middle.is_empty()).then(|| (card, key.to_string()))
    })
}

/// `fields.NAME.kind` must name a column; nested fields follow after a dot.
fn check_columns(card: &OptionCard, key: &str, columns: &[&str]) -> Result<(), Fault> {
    let Some((before, after)) = card.key.split_once('#') else { return Ok(()) };
    let Some(name) = key.strip_prefix(before).and_then(|k| k.strip_suffix(after)) else { return Ok(()) };
    let known = |c: &str| name == c || name.strip_prefix(c).is_some_and(|rest| rest.starts_with('.'));
    if before != "fields." || columns.iter().any(|c| known(c)) {
        return Ok(());
    }
    let fault = Fault::user(
        "unknown-option",
        format!("option '{key}' names the column '{name}', which the table does not have"),
    );
    Err(match nearest(name, columns.iter().copied()) {
        Some(near) => fault.hint(format!("did you mean '{before}{near}{after}'?")),
        None => fault.hint(format!("its columns are: {}", columns.join(", "))),
    })
}

/// Checks that a value is what its card says.
///
/// # Errors
/// User, naming the option; the value is not repeated if it is a secret.
pub(crate) fn check_value(card: &OptionCard, key: &str, value: &str) -> Result<(), Fault> {
    let text = value.trim();
    let wanted = match card.kind {
        OptionKind::Text => return Ok(()),
        OptionKind::Boolean if parse_boolean(text).is_some() => return Ok(()),
        OptionKind::Integer if text.parse::<i64>().is_ok() => return Ok(()),
        OptionKind::Number if text.parse::<f64>().is_ok_and(f64::is_finite) => return Ok(()),
        OptionKind::Duration if parse_duration(text).is_some() => return Ok(()),
        OptionKind::MemorySize if parse_memory_size(text).is_some() => return Ok(()),
        OptionKind::OneOf(words) if words.iter().any(|w| w.eq_ignore_ascii_case(text)) => return Ok(()),
        OptionKind::Boolean => "true or false".to_string(),
        OptionKind::Integer => "a whole number".to_string(),
        OptionKind::Number => "a number".to_string(),
        OptionKind::Duration => "a duration such as '10 s', '1 min' or '500 ms'".to_string(),
        OptionKind::MemorySize => "a size such as '64 mb'".to_string(),
        OptionKind::OneOf(words) => {
            let hint = match nearest(text, words.iter().copied()) {
                Some(near) => format!("did you mean '{near}'?"),
                None => format!("set '{key}' to one of {}", words.join(", ")),
            };
            return Err(bad_value(card, key, value, &format!("one of {}", words.join(", "))).hint(hint));
        }
    };
    Err(bad_value(card, key, value, &wanted).hint(format!("set '{key}' to {wanted}")))
}

/// A value as whoever reads the option expects it: a word in its card's spelling.
fn canonical<'a>(card: &OptionCard, value: &'a str) -> &'a str {
    match card.kind {
        OptionKind::OneOf(words) => {
            words.iter().copied().find(|w| w.eq_ignore_ascii_case(value.trim())).unwrap_or(value)
        }
        _ => value,
    }
}

fn bad_value(card: &OptionCard, key: &str, value: &str, wanted: &str) -> Fault {
    let shown = if card.secret || is_secret_key(key) { SECRET } else { value };
    Fault::user("bad-option", format!("option '{key}' has the value '{shown}', which is not {wanted}"))
}

fn unknown_option(key: &str, connector: &ConnectorCard, format: Option<&FormatCard>) -> Fault {
    let mut known: Vec<String> = connector.options.iter().map(|o| o.key.to_string()).collect();
    if connector.format {
        known.push("format".to_string());
        known.extend(SCAN_OPTIONS.iter().map(|o| o.key.to_string()));
    }
    if let Some(format) = format {
        known.extend(format.options.iter().map(|o| format!("{}.{}", format.name, o.key)));
    }
    known.sort();
    let fault = Fault::user(
        "unknown-option",
        format!(
            "option '{key}' is not known to connector '{}'{}",
            connector.name,
            match format {
                Some(f) => format!(" with format '{}'", f.name),
                None => String::new(),
            }
        ),
    );
    match nearest(key, known.iter().map(String::as_str)) {
        Some(near) => fault.hint(format!("did you mean '{near}'?")),
        None if known.is_empty() => fault.hint("it has no options: take it away"),
        None => fault.hint(format!("its options are: {}", known.join(", "))),
    }
}

/// What is printed instead of a secret.
pub(crate) const SECRET: &str = "******";

/// Whether a key names a secret by itself, whatever its card says: Flink's list of sensitive words.
pub(crate) fn is_secret_key(key: &str) -> bool {
    const WORDS: [&str; 11] = [
        "password",
        "secret",
        "fs.azure.account.key",
        "apikey",
        "api-key",
        "auth-params",
        "service-key",
        "token",
        "basic-auth",
        "jaas.config",
        "http-headers",
    ];
    let key = key.to_lowercase();
    WORDS.iter().any(|w| key.contains(w))
}

/// Whether an option of a table is a secret.
pub(crate) fn is_secret(key: &str, options: &[(String, String)], cards: &Cards) -> bool {
    if is_secret_key(key) {
        return true;
    }
    let name = |wanted: &str| options.iter().find(|(k, _)| k == wanted).map(|(_, v)| v.as_str());
    let connector = name("connector").or_else(|| name("type")).and_then(|c| cards.connector(c));
    let format = FORMAT_KEYS.iter().find_map(|k| name(k)).and_then(|f| cards.format(f));
    let of_connector =
        connector.and_then(|c| find_option(c.options, key, true)).is_some_and(|(card, _)| card.secret);
    let of_format = format
        .and_then(|f| find_option(f.options, strip_format(key, f.name)?, false))
        .is_some_and(|(card, _)| card.secret);
    of_connector || of_format
}

/// Puts variables in: `${NAME}` is the variable's value, `$${` stands for `${`.
fn substitute_variables(key: &str, value: &str, variables: &dyn Variables) -> Result<String, Fault> {
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some(at) = rest.find("${") {
        let (before, from) = rest.split_at(at);
        if let Some(escaped) = before.strip_suffix('$') {
            out.push_str(escaped);
            out.push_str("${");
            rest = from.strip_prefix("${").unwrap_or("");
            continue;
        }
        let Some((name, after)) = from.strip_prefix("${").and_then(|r| r.split_once('}')) else { break };
        let valid = !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && !name.starts_with(|c: char| c.is_ascii_digit());
        if !valid {
            return Err(Fault::user(
                "bad-option",
                format!("option '{key}' names the variable '{name}', which is no name"),
            )
            .hint("a name has letters, digits and underscores; write $${ for the characters ${"));
        }
        let Some(found) = variables.get(name) else {
            return Err(Fault::user(
                "missing-variable",
                format!("option '{key}' needs the environment variable {name}, which is not set"),
            )
            .hint(format!(
                "set {name} before starting, or write $${{{name}}} for the characters themselves"
            )));
        };
        out.push_str(before);
        out.push_str(&found);
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}
