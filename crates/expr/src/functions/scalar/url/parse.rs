//! PARSE_URL.

use millstream_text::charset::{Url, UrlPart, query_parameter};
use millstream_types::{DataType, Fault};

use crate::functions::scalar::string::{Arg, strict_arguments};
use crate::kernel::{simple, strings};
use crate::{BoundCall, Call, EvalError, Example, Function};

pub(super) const FUNCTIONS: &[Function] = &[Function::new(
    "PARSE_URL",
    "PARSE_URL(url STRING, part STRING [, key STRING]) -> STRING",
    "A part of a URL: PROTOCOL, HOST, PATH, QUERY, REF, FILE, AUTHORITY or USERINFO, in upper case; or, with QUERY and a key, the value of the query's first parameter of that name, not decoded. \
     NULL when there is no such part, and for what is no URL.",
    &[
        Example::new("PARSE_URL('http://example.com/p.php?k1=v1&k2=v2#Ref1', 'HOST')", "example.com"),
        Example::new("PARSE_URL('http://example.com/p.php?k1=v1&k2=v2#Ref1', 'QUERY', 'k2')", "v2"),
    ],
    parse_url,
)
.aliases(&["URL"])];

fn parse_url(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str =
        "PARSE_URL(<CHARACTER>, <CHARACTER>)\nPARSE_URL(<CHARACTER>, <CHARACTER>, <CHARACTER>)";
    let args = strict_arguments(call, FORM, 2, &[Arg::Text; 3])?;
    let with_key = args.len() > 2;
    let kernel = simple("PARSE_URL", move |arguments, _| {
        let (urls, parts) = (arguments.strings(0)?, arguments.strings(1)?);
        let keys = if with_key { Some(arguments.strings(2)?) } else { None };
        strings::build(arguments.rows(), |row, out| {
            let (Some(url), Some(part)) = (urls.get(row), parts.get(row)) else { return Ok(false) };
            let key = match keys.map(|k| k.get(row)) {
                Some(None) => return Ok(false),
                Some(Some(key)) => Some(key),
                None => None,
            };
            let Some(part) = UrlPart::of(part).filter(|p| key.is_none() || *p == UrlPart::Query) else {
                return Ok(false);
            };
            let Some(url) = Url::parse(url).map_err(|f| EvalError::at_row(row, f))? else { return Ok(false) };
            let found = match key {
                Some(key) => url.query().and_then(|q| query_parameter(q, key)).map(str::to_string),
                None => url.part(part),
            };
            found.as_ref().inspect(|s| out.push_str(s));
            Ok(found.is_some())
        })
    });
    // A URL of a protocol that is not there yet fails.
    Ok(BoundCall::new(DataType::string(), args, kernel).fallible())
}
