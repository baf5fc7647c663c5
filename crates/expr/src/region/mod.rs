//! Tables of IP addresses: which network an address is in and what is said of it, from a text of ranges or a MaxMind DB.

mod mmdb;
mod ranges;
mod rows;
#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;

use std::net::IpAddr;

use millstream_types::Fault;

use mmdb::Database;
use rows::Table;

/// A table of addresses.
#[derive(Debug)]
pub(crate) enum Regions {
    /// Lines of ranges and columns.
    Rows(Table),
    /// A MaxMind DB.
    Database(Box<Database>),
}

/// A field of a table, found by its name.
#[derive(Debug, Clone)]
pub(crate) enum RegionField {
    /// A column, by position.
    Column(usize),
    /// The keys that lead to the value; a second path for a level that databases keep elsewhere.
    Path(Vec<mmdb::Step>, Option<Vec<mmdb::Step>>),
}

impl Regions {
    /// Reads the content of a file. What is a MaxMind DB is seen by its content.
    ///
    /// # Errors
    /// User (`bad-regions`), with the file and the line.
    pub fn read(path: &str, content: Vec<u8>) -> Result<Self, Fault> {
        if Database::is_one(path, &content) {
            Database::read(path, content).map(|d| Regions::Database(Box::new(d)))
        } else {
            Table::read(path, &content).map(Regions::Rows)
        }
    }

    /// The field of a name; case does not count for columns.
    ///
    /// # Errors
    /// User, when the table has no such column; a database is not asked.
    pub fn field(&self, name: &str) -> Result<RegionField, Fault> {
        match self {
            Regions::Rows(table) => table.column(name).map(RegionField::Column),
            Regions::Database(_) => Ok(mmdb::field(name)),
        }
    }

    /// Appends what the table says of an address; `false`: nothing.
    ///
    /// # Errors
    /// User, when the database is damaged where the address is.
    pub fn push(&self, address: IpAddr, field: &RegionField, out: &mut String) -> Result<bool, Fault> {
        // An IPv4 address in IPv6 clothes is the IPv4 address.
        let address = address.to_canonical();
        match (self, field) {
            (Regions::Rows(table), RegionField::Column(column)) => {
                let text = table.get(address, *column);
                out.push_str(text.unwrap_or_default());
                Ok(text.is_some())
            }
            (Regions::Database(database), RegionField::Path(path, other)) => {
                if database.push(address, path, out)? {
                    return Ok(true);
                }
                other.as_ref().map_or(Ok(false), |other| database.push(address, other, out))
            }
            _ => Err(Fault::internal("a field of another table")),
        }
    }

    /// Whether looking up can fail.
    pub fn fallible(&self) -> bool {
        matches!(self, Regions::Database(_))
    }
}

/// A fault of a file.
fn bad(path: &str, message: String) -> Fault {
    Fault::user("bad-regions", message).in_place(path)
}
