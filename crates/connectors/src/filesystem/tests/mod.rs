mod follow;
mod sink;
mod source;
