//! The house rules as tests: which crate may use which, licences and number of dependencies, sizes and names of files.
//! Nothing here is shipped, and nothing can be called.
