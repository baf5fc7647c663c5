//! What functions look up: IP2REGION's tables and grok patterns of the session's own.

use millstream::Session;
use millstream::types::Value;

use crate::rows;

#[path = "../../../expr/src/region/samples.rs"]
#[allow(dead_code)]
mod samples;

use samples::{Sample, database};

/// A directory that goes when the test ends.
struct Dir(std::path::PathBuf);

impl Dir {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("millstream-lookups-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Dir(path)
    }

    fn write(&self, name: &str, content: &[u8]) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, content).unwrap();
        path.display().to_string()
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

async fn texts(session: &mut Session, sql: &str) -> Vec<Vec<Value>> {
    rows(session, sql).await.into_iter().map(|(_, row)| row).collect()
}

fn refused(session: &mut Session, sql: &str) -> String {
    let faults = session.check(sql);
    faults.iter().map(|f| f.render("text", sql)).collect()
}

#[tokio::test]
async fn regions_of_a_csv_file_and_of_a_maxmind_db() {
    let dir = Dir::new("regions");
    let csv = dir.write("regions.csv", b"network,country,city\n10.0.0.0/8,AA,x\n2001:db8::/32,BB,\n");
    let mmdb = dir.write(
        "regions.mmdb",
        &database(&[("10.0.0.0/9", Sample::Map(vec![("country", Sample::Text("CC"))]))]),
    );
    let mut session = Session::new();
    session.set("ip2region.file", &csv).unwrap();
    let sql = format!(
        "SELECT IP2REGION(ip, 'country'), IP2REGION(ip, 'city'), IP2REGION(ip, 'country', '{mmdb}'), IP2REGION(ip, name) \
         FROM (VALUES ('10.1.2.3', 'city'), ('2001:db8::1', 'country'), ('11.0.0.1', 'city'), ('none', 'city'), (CAST(NULL AS STRING), 'city')) AS t (ip, name)"
    );
    let text = |t: &str| Value::from(t);
    assert_eq!(
        texts(&mut session, &sql).await,
        [
            vec![text("AA"), text("x"), text("CC"), text("x")],
            vec![text("BB"), Value::Null, Value::Null, text("BB")],
            vec![Value::Null; 4],
            vec![Value::Null; 4],
            vec![Value::Null; 4],
        ]
    );
    // A file that has changed is read anew.
    dir.write("regions.csv", b"network,country,town\n10.0.0.0/8,AAA,x\n");
    let rows = texts(&mut session, "SELECT IP2REGION('10.1.2.3', 'country')").await;
    assert_eq!(rows, [vec![text("AAA")]]);
    let said = refused(&mut session, "SELECT IP2REGION('10.1.2.3', 'city')");
    assert!(said.contains("has no column 'city'") && said.contains("country, town"), "{said}");
}

#[tokio::test]
async fn regions_that_cannot_be_read_are_refused_before_the_start() {
    let dir = Dir::new("refused");
    let mut session = Session::new();
    let said = refused(&mut session, "SELECT IP2REGION('10.1.2.3', 'city')");
    assert!(said.contains("IP2REGION has no file") && said.contains("SET 'ip2region.file'"), "{said}");
    let said = refused(&mut session, "SELECT IP2REGION('10.1.2.3', 'city', '/no/such/file.csv')");
    assert!(said.contains("cannot read '/no/such/file.csv'") && said.contains("^"), "{said}");
    let bad = dir.write("bad.csv", b"network,city\n10.0.0.0/8,x\n10.0.0/8,y\n");
    let said = refused(&mut session, &format!("SELECT IP2REGION('10.1.2.3', 'city', '{bad}')"));
    assert!(said.contains("line 3: '10.0.0/8'") && said.contains(&bad), "{said}");
    let cut = dir.write("cut.mmdb", b"no database");
    let said = refused(&mut session, &format!("SELECT IP2REGION('10.1.2.3', 'city', '{cut}')"));
    assert!(said.contains("the MaxMind DB is damaged"), "{said}");
}

#[tokio::test]
async fn grok_patterns_of_the_session() {
    let dir = Dir::new("grok");
    let file = dir.write("patterns", b"# ours\nCODE [A-Z]{3}\nSHIP ship-%{CODE:code}\n");
    let mut session = Session::new();
    let text = format!(
        "SET 'grok.patterns-file' = '{file}';
         SET 'grok.pattern.ORDER' = 'o-%{{INT:order:int}} %{{SHIP}}';
         SELECT g.`order`, g.code FROM (VALUES ('paid o-17 ship-XYZ')) AS t (line), LATERAL TABLE(GROK(line, '%{{ORDER}}')) AS g"
    );
    assert_eq!(texts(&mut session, &text).await, [vec![Value::Int(17), "XYZ".into()]]);
    // The third argument's patterns come first.
    let sql = "SELECT GROK('paid o-17 ship-7', '%{ORDER}', 'CODE [0-9]')";
    assert!(format!("{:?}", texts(&mut session, sql).await).contains('7'));
    // Other patterns of one name are other calls.
    session.add_grok("CODE", "[a-z]").unwrap();
    let sql = "SELECT GROK('ship-x', '%{SHIP}')['code'], GROK('ship-XYZ', '%{SHIP}')['code']";
    assert_eq!(texts(&mut session, sql).await, [vec!["x".into(), Value::Null]]);
    for (sql, wanted) in [
        ("SET 'grok.pattern.A' = '%{NOSUCH:x}'", "there is no grok pattern 'NOSUCH'"),
        ("SET 'grok.pattern.A' = '('", "no regular expression"),
        ("SET 'grok.pattern.A' = '%{A}'", "leads to itself"),
        ("SET 'grok.pattern.A B' = 'x'", "no name of a grok pattern"),
        ("SELECT GROK('x', '%{ORDR:o}')", "did you mean %{ORDER}?"),
        ("RESET 'grok.pattern.ORDER'; SELECT GROK('x', '%{ORDER:o}')", "there is no grok pattern 'ORDER'"),
    ] {
        let said = refused(&mut session, sql);
        assert!(said.contains(wanted) && said.contains('^'), "{sql}: {said}");
    }
}
