/// The steps from an empty file to the newest schema. A step that was released is never changed: what is new is a
/// further step.
enum SQLiteSchema {
  /// Step n makes version n of version n - 1.
  static let steps = [version1, version2, version3]

  private static let version1 = """
    CREATE TABLE setting (name TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;

    CREATE TABLE tenant (
      key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, added INTEGER NOT NULL,
      position INTEGER NOT NULL DEFAULT 0, forgotten INTEGER NOT NULL DEFAULT 0
    ) STRICT;

    CREATE TABLE vehicle (
      key INTEGER PRIMARY KEY AUTOINCREMENT, tenant INTEGER NOT NULL, id TEXT NOT NULL, vin TEXT, name TEXT, make TEXT,
      model TEXT, model_year INTEGER, licence_plate TEXT, registered_by TEXT, added INTEGER NOT NULL,
      last_time INTEGER, position_time INTEGER, position_id BLOB
    ) STRICT;
    CREATE UNIQUE INDEX vehicle_id ON vehicle (tenant, id);
    CREATE UNIQUE INDEX vehicle_vin ON vehicle (tenant, vin) WHERE vin IS NOT NULL;

    CREATE TABLE record (
      tenant INTEGER NOT NULL, vehicle INTEGER NOT NULL, class INTEGER NOT NULL, time INTEGER NOT NULL,
      id BLOB NOT NULL, quality INTEGER NOT NULL, body BLOB NOT NULL,
      PRIMARY KEY (tenant, vehicle, class, time, id)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX record_id ON record (tenant, vehicle, class, id);
    CREATE INDEX record_time ON record (tenant, class, time, id, vehicle) WHERE class <> 0;

    CREATE TABLE feed (
      tenant INTEGER NOT NULL, position INTEGER NOT NULL, at INTEGER NOT NULL, keys BLOB NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX feed_position ON feed (tenant, position);
    CREATE INDEX feed_at ON feed (at);

    CREATE TABLE fences (
      tenant INTEGER PRIMARY KEY, version INTEGER NOT NULL, modified INTEGER NOT NULL, body BLOB NOT NULL
    ) STRICT;

    CREATE TABLE gateway (
      tenant INTEGER NOT NULL, id TEXT NOT NULL, allowed TEXT NOT NULL, added INTEGER NOT NULL,
      secret BLOB NOT NULL UNIQUE, secret_at INTEGER NOT NULL, revoked INTEGER, last_seen INTEGER,
      spool_depth INTEGER, version TEXT, PRIMARY KEY (tenant, id)
    ) STRICT;

    CREATE TABLE token (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, label TEXT NOT NULL, role TEXT NOT NULL,
      secret BLOB NOT NULL UNIQUE, added INTEGER NOT NULL, revoked INTEGER, PRIMARY KEY (tenant, id)
    ) STRICT;

    INSERT INTO setting VALUES ('cursorKey', randomblob(16));
    """

  /// Vehicles are removed in pieces; the feed is trimmed from its beginning, without an index of its times.
  private static let version2 = """
    CREATE TABLE removal (vehicle INTEGER PRIMARY KEY, tenant INTEGER NOT NULL) STRICT;
    DROP INDEX feed_at;
    """

  /// What is new is new in PostgreSQL alone: both have the same version.
  private static let version3 = "DROP INDEX IF EXISTS feed_at;"
}
