//! IS JSON and its kin.

use millstream_text::json::validate;
use millstream_types::{Fault, TypeKind};

use crate::kernel::{booleans, simple};
use crate::{BoundCall, Call, Example, Function};

#[derive(Debug, Clone, Copy)]
enum Kind {
    Value,
    Object,
    Array,
    Scalar,
}

impl Kind {
    fn fits(self, text: &str) -> bool {
        let first = text.bytes().find(|b| !b.is_ascii_whitespace());
        let fits = match self {
            Kind::Value => true,
            Kind::Object => first == Some(b'{'),
            Kind::Array => first == Some(b'['),
            Kind::Scalar => !matches!(first, Some(b'{' | b'[')),
        };
        fits && validate(text.as_bytes()).is_ok()
    }
}

macro_rules! tests {
    ($($name:literal, $bind:ident, $kind:ident, $wanted:literal, $doc:literal, $example:literal;)*) => {
        pub(super) const FUNCTIONS: &[Function] = &[$(Function::new(
            $name,
            concat!("value STRING ", $name, " -> BOOLEAN"),
            $doc,
            &[Example::new($example, "TRUE")],
            $bind,
        )),*];
        $(fn $bind(call: &Call<'_>) -> Result<BoundCall, Fault> {
            bind(call, Kind::$kind, $wanted)
        })*
    };
}

tests! {
    "IS JSON VALUE", value, Value, true, "Whether the text is JSON. IS JSON is the same. NULL is not.", "'[1]' IS JSON VALUE";
    "IS NOT JSON VALUE", no_value, Value, false, "Whether the text is no JSON. NULL is none.", "'x' IS NOT JSON VALUE";
    "IS JSON OBJECT", object, Object, true, "Whether the text is a JSON object. NULL is not.", "'{}' IS JSON OBJECT";
    "IS NOT JSON OBJECT", no_object, Object, false, "Whether the text is no JSON object. NULL is none.", "'[]' IS NOT JSON OBJECT";
    "IS JSON ARRAY", array, Array, true, "Whether the text is a JSON array. NULL is not.", "'[]' IS JSON ARRAY";
    "IS NOT JSON ARRAY", no_array, Array, false, "Whether the text is no JSON array. NULL is none.", "'{}' IS NOT JSON ARRAY";
    "IS JSON SCALAR", scalar, Scalar, true, "Whether the text is a JSON number, string, true, false or null. NULL is not.", "'1' IS JSON SCALAR";
    "IS NOT JSON SCALAR", no_scalar, Scalar, false, "Whether the text is no JSON number, string, true, false or null. NULL is none.", "'[]' IS NOT JSON SCALAR";
}

fn bind(call: &Call<'_>, kind: Kind, wanted: bool) -> Result<BoundCall, Fault> {
    const FORM: &str = "<CHARACTER> IS [NOT] JSON";
    call.expect(1, 1, FORM)?;
    call.no_bare_null()?;
    let args = vec![call.string(0, FORM)?];
    let kernel = simple("IS JSON", move |arguments, _| {
        let texts = arguments.strings(0)?;
        booleans::build(arguments.rows(), |row| {
            let is = texts.get(row).is_some_and(|t| kind.fits(t));
            Ok(Some(is == wanted))
        })
    });
    Ok(BoundCall::new(TypeKind::Boolean.not_null(), args, kernel))
}
