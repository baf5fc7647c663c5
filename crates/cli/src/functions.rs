//! `millstream functions`.

use millstream::{functions, manual};

use crate::arguments::FunctionArguments;
use crate::{DONE, WRONG_TEXT};

/// Lists functions, or prints what one does.
pub fn functions(arguments: &FunctionArguments) -> u8 {
    if arguments.markdown {
        print!("{}", manual::functions_markdown());
        return DONE;
    }
    match &arguments.name {
        None => {
            for name in functions::function_names() {
                println!("{name}");
            }
            DONE
        }
        Some(name) => match manual::function_markdown(name) {
            Some(text) => {
                print!("{}", text.trim_start());
                DONE
            }
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
