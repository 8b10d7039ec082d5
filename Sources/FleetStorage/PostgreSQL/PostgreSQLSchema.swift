import FleetDomain

/// The steps from an empty database to the newest schema. A step that was released is never changed: what is new is a
/// further step.
enum PostgreSQLSchema {
  /// Step n makes version n of version n - 1.
  static let steps = [version1, version2, version3]

  private static let version1 =
    """
    CREATE TABLE setting (name text NOT NULL PRIMARY KEY, value bytea NOT NULL);

    CREATE TABLE tenant (
      key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE, added bigint NOT NULL,
      position bigint NOT NULL DEFAULT 0, forgotten bigint NOT NULL DEFAULT 0
    ) WITH (fillfactor = 20);

    CREATE TABLE vehicle (
      key integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, tenant integer NOT NULL, id text COLLATE "C" NOT NULL,
      vin text COLLATE "C", name text, make text, model text, model_year integer, licence_plate text,
      registered_by text, added bigint NOT NULL, last_time bigint, position_time bigint, position_id uuid
    ) WITH (fillfactor = 50);
    CREATE UNIQUE INDEX vehicle_id ON vehicle (tenant, id);
    CREATE UNIQUE INDEX vehicle_vin ON vehicle (tenant, vin) WHERE vin IS NOT NULL;

    CREATE TABLE record (
      tenant integer NOT NULL, vehicle integer NOT NULL, time bigint NOT NULL, id uuid NOT NULL,
      class smallint NOT NULL, quality smallint NOT NULL, body bytea NOT NULL,
      PRIMARY KEY (tenant, vehicle, id, class)
    ) PARTITION BY LIST (class);
    CREATE INDEX record_time ON record (tenant, vehicle, time, id);

    CREATE TABLE part (
      class smallint NOT NULL, month smallint NOT NULL, min_time bigint NOT NULL, max_time bigint NOT NULL,
      PRIMARY KEY (class, month)
    );

    CREATE TABLE feed (
      tenant integer NOT NULL, position bigint NOT NULL, at bigint NOT NULL, keys bytea NOT NULL,
      PRIMARY KEY (tenant, position)
    );
    ALTER TABLE feed ALTER COLUMN keys SET STORAGE EXTERNAL;
    CREATE INDEX feed_at ON feed (at);

    CREATE TABLE fences (
      tenant integer PRIMARY KEY, version bigint NOT NULL, modified bigint NOT NULL, body bytea NOT NULL
    );

    CREATE TABLE gateway (
      tenant integer NOT NULL, id text COLLATE "C" NOT NULL, allowed text NOT NULL, added bigint NOT NULL,
      secret bytea NOT NULL UNIQUE, secret_at bigint NOT NULL, revoked bigint, last_seen bigint, spool_depth bigint,
      version text, PRIMARY KEY (tenant, id)
    ) WITH (fillfactor = 50);

    CREATE TABLE token (
      tenant integer NOT NULL, id uuid NOT NULL, label text NOT NULL, role text NOT NULL,
      secret bytea NOT NULL UNIQUE, added bigint NOT NULL, revoked bigint, PRIMARY KEY (tenant, id)
    );

    INSERT INTO setting VALUES (
      'cursorKey', substring(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) FROM 9 FOR 16));

    """ + classes

  /// Vehicles are removed in pieces; the feed is trimmed from its beginning, without an index of its times; ids of months
  /// that no right clock gives have a partition of each class.
  private static let version2 =
    """
    CREATE TABLE removal (vehicle integer PRIMARY KEY, tenant integer NOT NULL);
    DROP INDEX feed_at;

    """
    + RecordClass.allCases.map { recordClass in
      let odd = PostgreSQLPartitions.Name(recordClass: recordClass, month: nil)
      return """
        CREATE TABLE \(odd.table) PARTITION OF \(PostgreSQLPartitions.table(recordClass)) DEFAULT;
        INSERT INTO part VALUES (\(recordClass.number), \(odd.number), \(Int64.max), '\(Int64.min)');

        """
    }.joined()

  /// A partition of which only a part is removed is not read anew each time.
  private static let version3 =
    "ALTER TABLE part ADD COLUMN thinned bigint NOT NULL DEFAULT '\(Int64.min)'"

  /// A table for each class of records; of all but telemetry there are lists over all vehicles.
  private static let classes: String = RecordClass.allCases.map { recordClass -> String in
    let table = PostgreSQLPartitions.table(recordClass)
    let lists =
      recordClass == .known(.telemetry)
      ? "" : "CREATE INDEX \(table)_list ON \(table) (tenant, time, id, vehicle);\n"
    return """
      CREATE TABLE \(table) PARTITION OF record FOR VALUES IN (\(recordClass.number)) PARTITION BY RANGE (id);
      \(lists)
      """
  }.joined()
}
