mod sink;
mod source;
