/// The SQL schema of the spool's file. ``Spool`` describes the tables.
enum SpoolSchema {
  /// The application ID in the header of the file, `obds` in ASCII.
  static let applicationId: Int64 = 0x6F62_6473
  /// Version of the schema. It is increased when the schema changes.
  static let version: Int64 = 2

  /// Settings that apply to every connection. The journal mode and the header are set only when the file is created.
  ///
  /// The page size applies only to new files. It is small because a commit of a few records writes every page that it
  /// changes. `secure_delete`, which Debian's SQLite turns on, is off: overwriting deleted data would cost additional
  /// writes, and flash memory would keep the old content anyway.
  static let settings = """
    PRAGMA busy_timeout = 2000;
    PRAGMA page_size = 1024;
    PRAGMA synchronous = FULL;
    PRAGMA cache_size = -768;
    PRAGMA mmap_size = 0;
    PRAGMA temp_store = MEMORY;
    PRAGMA secure_delete = OFF;
    PRAGMA wal_autocheckpoint = 2048;
    PRAGMA journal_size_limit = 4194304;
    PRAGMA cell_size_check = ON;
    PRAGMA trusted_schema = OFF;
    """

  /// SQL that upgrades a file of version 1, which did not compress lines.
  static let fromVersion1 = """
    BEGIN IMMEDIATE;
    ALTER TABLE event ADD COLUMN base INTEGER;
    ALTER TABLE telemetry ADD COLUMN base INTEGER;
    CREATE TABLE base (number INTEGER PRIMARY KEY, last INTEGER, sum INTEGER NOT NULL, line BLOB NOT NULL) STRICT;
    PRAGMA user_version = 2;
    COMMIT;
    """

  static let tables = """
    CREATE TABLE state (
      one INTEGER PRIMARY KEY CHECK (one = 1), epoch TEXT NOT NULL, last INTEGER NOT NULL, reserved INTEGER NOT NULL,
      clean INTEGER NOT NULL, events INTEGER NOT NULL, telemetry INTEGER NOT NULL) STRICT;
    CREATE TABLE event (
      seq INTEGER PRIMARY KEY, boot INTEGER NOT NULL, time INTEGER NOT NULL, type INTEGER NOT NULL,
      sum INTEGER NOT NULL, line BLOB NOT NULL, base INTEGER) STRICT;
    CREATE TABLE telemetry (
      seq INTEGER PRIMARY KEY, boot INTEGER NOT NULL, time INTEGER NOT NULL, type INTEGER NOT NULL,
      sum INTEGER NOT NULL, line BLOB NOT NULL, base INTEGER) STRICT;
    CREATE TABLE base (number INTEGER PRIMARY KEY, last INTEGER, sum INTEGER NOT NULL, line BLOB NOT NULL) STRICT;
    CREATE TABLE boot (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE) STRICT;
    CREATE TABLE clock (
      boot INTEGER NOT NULL, since INTEGER NOT NULL, quality INTEGER NOT NULL, wall INTEGER NOT NULL,
      PRIMARY KEY (boot, since)) STRICT, WITHOUT ROWID;
    CREATE TABLE sink (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
    CREATE TABLE acknowledged (
      sink INTEGER NOT NULL, lane INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
      PRIMARY KEY (sink, lane, first)) STRICT, WITHOUT ROWID;
    CREATE TABLE stamp (
      sink INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, quality INTEGER NOT NULL,
      wall INTEGER NOT NULL, PRIMARY KEY (sink, first)) STRICT, WITHOUT ROWID;
    CREATE TABLE loss (
      number INTEGER PRIMARY KEY, reason INTEGER NOT NULL, epoch TEXT, first INTEGER, last INTEGER, count INTEGER,
      types INTEGER NOT NULL, sink TEXT, told INTEGER) STRICT;
    CREATE TABLE note (name TEXT PRIMARY KEY, sum INTEGER NOT NULL, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
    """
}

/// The prepared statements that commits and batches use.
struct SpoolStatements: ~Copyable {
  var events: LaneStatements
  var telemetry: LaneStatements
  var begin: SQLiteStatement
  var commit: SQLiteStatement
  var rollback: SQLiteStatement
  var pages: SQLiteStatement
  var freePages: SQLiteStatement
  var setState: SQLiteStatement
  var clearAcknowledged: SQLiteStatement
  var addAcknowledged: SQLiteStatement
  var clearStamps: SQLiteStatement
  var addStamp: SQLiteStatement

  init(_ connection: borrowing SQLiteConnection) throws(SQLiteError) {
    let events = try LaneStatements(connection, "event")
    let telemetry = try LaneStatements(connection, "telemetry")
    let begin = try SQLiteStatement(connection, "BEGIN IMMEDIATE", "begin a commit")
    let commit = try SQLiteStatement(connection, "COMMIT", "commit")
    let rollback = try SQLiteStatement(connection, "ROLLBACK", "roll back")
    let pages = try SQLiteStatement(connection, "PRAGMA page_count", "count pages")
    let freePages = try SQLiteStatement(connection, "PRAGMA freelist_count", "count free pages")
    let setState = try SQLiteStatement(
      connection, "UPDATE state SET last = ?1, reserved = ?2, clean = ?3, events = ?4, telemetry = ?5",
      "store the state"
    )
    let clearAcknowledged = try SQLiteStatement(
      connection, "DELETE FROM acknowledged WHERE sink = ?1", "store acknowledgements")
    let addAcknowledged = try SQLiteStatement(
      connection, "INSERT INTO acknowledged VALUES (?1, ?2, ?3, ?4)", "store acknowledgements")
    let clearStamps = try SQLiteStatement(connection, "DELETE FROM stamp WHERE sink = ?1", "store stamps")
    let addStamp = try SQLiteStatement(connection, "INSERT INTO stamp VALUES (?1, ?2, ?3, ?4, ?5)", "store stamps")
    // Assign all properties at once, so that no error can occur between the assignments.
    self.events = events
    self.telemetry = telemetry
    self.begin = begin
    self.commit = commit
    self.rollback = rollback
    self.pages = pages
    self.freePages = freePages
    self.setState = setState
    self.clearAcknowledged = clearAcknowledged
    self.addAcknowledged = addAcknowledged
    self.clearStamps = clearStamps
    self.addStamp = addStamp
  }
}

/// The prepared statements for the table of one lane.
struct LaneStatements: ~Copyable {
  /// Inserts a row with seq, boot, time, type, sum, line and base.
  var insert: SQLiteStatement
  /// Selects seq, boot, time, type, sum, line and base of the rows after a sequence number, in ascending order.
  var read: SQLiteStatement
  /// Selects seq, type, boot and time of the rows after a sequence number, in ascending order. It does not read the
  /// lines.
  var scan: SQLiteStatement
  /// Selects the highest seq that is below a sequence number.
  var before: SQLiteStatement
  var remove: SQLiteStatement

  init(_ connection: borrowing SQLiteConnection, _ table: String) throws(SQLiteError) {
    let insert = try SQLiteStatement(
      connection, "INSERT INTO \(table) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", "store a record")
    let read = try SQLiteStatement(
      connection, "SELECT seq, boot, time, type, sum, line, base FROM \(table) WHERE seq > ?1 ORDER BY seq",
      "read records")
    let scan = try SQLiteStatement(
      connection, "SELECT seq, type, boot, time FROM \(table) WHERE seq > ?1 ORDER BY seq LIMIT ?2",
      "look through records")
    let before = try SQLiteStatement(
      connection, "SELECT seq FROM \(table) WHERE seq < ?1 ORDER BY seq DESC LIMIT 1", "find the newest record")
    let remove = try SQLiteStatement(connection, "DELETE FROM \(table) WHERE seq BETWEEN ?1 AND ?2", "remove records")
    // Assign all properties at once, so that no error can occur between the assignments.
    self.insert = insert
    self.read = read
    self.scan = scan
    self.before = before
    self.remove = remove
  }
}
