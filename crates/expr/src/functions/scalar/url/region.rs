//! IP2REGION: what a table of the user's says of an address.

use std::sync::Arc;

use millstream_types::{DataType, Fault};

use super::address::address_of;
use crate::functions::scalar::string::{Arg, arguments};
use crate::kernel::{simple, strings};
use crate::region::RegionField;
use crate::{BoundCall, Call, EvalError, Example, Expr, Function, Origin};

const FORM: &str = "IP2REGION(<CHARACTER>, <CHARACTER> [, <CHARACTER literal>])";

pub(super) const FUNCTIONS: &[Function] = &[Function::new(
    "IP2REGION",
    "IP2REGION(address STRING, field STRING [, file STRING literal]) -> STRING",
    "What a table of networks says of an IPv4 or IPv6 address: the value of a column, or, of a MaxMind DB (.mmdb), what is at a path such as 'country.iso_code' or \
     'subdivisions.0.names.en' (of a thing with names the English one). The table is `file`, or that of SET 'ip2region.file' = '…'; it is read when the query is planned. A text \
     has a network, a range or two addresses at the beginning of each line and names its columns in the first one: `network,country,city`; of several ranges that hold an address the \
     smallest one counts. NULL for what is no address, for one that is in no network, and for an empty column. The example's file is `network,country` and `1.0.1.0/24,CN`.",
    &[Example::new("IP2REGION('1.0.1.9', 'country', 'regions.csv')", "CN")],
    bind,
)
.origin(Origin::Ancestor)];

fn bind(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let mut args = arguments(call, FORM, 2, &[Arg::Text; 3])?;
    let place = |i: usize| call.args.get(i).and_then(|a| a.span).unwrap_or(call.span);
    let path: Arc<str> = match (call.args.get(2), call.literal_text(2)) {
        (Some(_), Some(path)) => path.into(),
        (Some(_), None) => {
            return Err(Fault::user("constant-argument", "the file of IP2REGION must be a constant text")
                .at(place(2)));
        }
        (None, _) => {
            let set = call.context.resources.region_file.clone();
            let path = set.filter(|p| !p.is_empty()).ok_or_else(|| {
                Fault::user("no-region-file", "IP2REGION has no file to look into").at(call.span).hint(
                    "SET 'ip2region.file' = '/path/of/a.csv' (or .mmdb), or name it as the third argument",
                )
            })?;
            // As an argument: calls that look into other files are other calls.
            args.push(Expr::literal(&*path, DataType::string().with_nullable(false)));
            path
        }
    };
    let regions = call.context.resources.regions(&path).map_err(|f| f.at(place(2)))?;
    let constant: Option<RegionField> =
        call.literal_text(1).map(|name| regions.field(name).map_err(|f| f.at(place(1)))).transpose()?;
    let fallible = regions.fallible() || constant.is_none();
    let kernel = simple("IP2REGION", move |arguments, _| {
        let (addresses, names) = (arguments.strings(0)?, arguments.strings(1)?);
        let mut last: Option<(&str, RegionField)> = None;
        let mut text = String::new();
        strings::build(arguments.rows(), |row, out| {
            let (Some(address), Some(name)) = (addresses.get(row), names.get(row)) else { return Ok(false) };
            if constant.is_none() && last.as_ref().is_none_or(|(known, _)| *known != name) {
                last = Some((name, regions.field(name).map_err(|f| EvalError::at_row(row, f))?));
            }
            let field = constant.as_ref().or(last.as_ref().map(|(_, field)| field));
            let (Some(address), Some(field)) = (address_of(address), field) else { return Ok(false) };
            text.clear();
            let found = regions.push(address, field, &mut text).map_err(|f| EvalError::at_row(row, f))?;
            out.push_str(&text);
            Ok(found)
        })
    });
    let bound = BoundCall::new(DataType::string(), args, kernel);
    Ok(if fallible { bound.fallible() } else { bound })
}
