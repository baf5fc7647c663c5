//! `millstream functions`.

use millstream::{functions, manual};

use crate::arguments::FunctionArguments;
use crate::output;
use crate::{DONE, WRONG_TEXT};

/// Lists functions, or prints what one does.
pub fn functions(arguments: &FunctionArguments) -> u8 {
    if arguments.markdown {
        return output::answer(&manual::functions_markdown(), DONE);
    }
    match &arguments.name {
        None => {
            let names: Vec<_> = functions::function_names().into_iter().collect();
            output::answer(&names.join("\n"), DONE)
        }
        Some(name) => match manual::function_markdown(name) {
            Some(text) => output::answer(text.trim_start(), DONE),
            None => {
                let near = millstream_types::nearest(name, functions::function_names());
                eprintln!("error: there is no function '{name}'");
                if let Some(near) = near {
                    eprintln!("help: did you mean {near}?");
                }
                WRONG_TEXT
            }
        },
    }
}
