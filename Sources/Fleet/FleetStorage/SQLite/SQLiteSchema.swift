import FleetDomain

/// The steps from an empty file to the newest schema. A released step is never changed; each change of the schema is a
/// new step.
enum SQLiteSchema {
  /// The step at index n upgrades version n to version n + 1.
  static let steps = [
    version1, version2, version3, version4, version5, version6, version7, version8, version9, version10,
    version11, version12, version13, version14, version15, version16, version17, version18, version19,
    version20, version21, version22, version23, version24, version25, version26, version27, version28,
    version29, version30, version31, version32, version33, version34, version35, version36, version37,
    version38, version39, version40, version41, version42, version43, version44,
    version45, version46, version47,
  ]

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

  /// Adds a table of removed vehicles, so that their records can be deleted in several transactions. Drops the index of
  /// the feed's times, which is no longer needed to delete the oldest changes.
  private static let version2 = """
    CREATE TABLE removal (vehicle INTEGER PRIMARY KEY, tenant INTEGER NOT NULL) STRICT;
    DROP INDEX feed_at;
    """

  /// Drops an index, if it still exists. Both databases must have the same number of steps; in PostgreSQL, the step
  /// with this number has another purpose.
  private static let version3 = "DROP INDEX IF EXISTS feed_at;"

  /// Adds an indexed table that contains the vehicles for which each gateway may send records. Stores how many gateways
  /// and tokens each tenant has.
  private static let version4 = """
    CREATE TABLE gateway_vehicle (
      tenant INTEGER NOT NULL, gateway TEXT NOT NULL, vehicle TEXT NOT NULL, place INTEGER NOT NULL,
      active INTEGER NOT NULL, PRIMARY KEY (tenant, gateway, vehicle)
    ) STRICT, WITHOUT ROWID;
    WITH RECURSIVE line (tenant, gateway, active, place, vehicle, rest) AS (
      SELECT tenant, id, revoked IS NULL, -1, '', allowed || char(10) FROM gateway WHERE allowed <> ''
      UNION ALL
      SELECT tenant, gateway, active, place + 1, substr(rest, 1, instr(rest, char(10)) - 1),
        substr(rest, instr(rest, char(10)) + 1) FROM line WHERE rest <> ''
    )
    INSERT OR IGNORE INTO gateway_vehicle (tenant, gateway, vehicle, place, active)
    SELECT tenant, gateway, vehicle, place, active FROM line WHERE vehicle <> '';
    CREATE INDEX gateway_vehicle_name ON gateway_vehicle (tenant, vehicle) WHERE active = 1;
    ALTER TABLE gateway DROP COLUMN allowed;
    CREATE INDEX vehicle_gateway ON vehicle (tenant, registered_by) WHERE registered_by IS NOT NULL;

    ALTER TABLE tenant ADD COLUMN gateways INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE tenant ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0;
    UPDATE tenant SET gateways = (SELECT count(*) FROM gateway WHERE tenant = tenant.key),
      tokens = (SELECT count(*) FROM token WHERE tenant = tenant.key);
    CREATE TABLE revocation (number INTEGER PRIMARY KEY, tenant INTEGER NOT NULL, token BLOB NOT NULL) STRICT;
    """

  /// Adds `seq`, by which records with equal times are sorted; the time of reception; and the table of each vehicle's
  /// newest records. Times that are more than a day in the future are replaced with the time of this migration.
  private static let version5 =
    """
    CREATE TABLE record_5 (
      tenant INTEGER NOT NULL, vehicle INTEGER NOT NULL, class INTEGER NOT NULL, time INTEGER NOT NULL,
      seq INTEGER NOT NULL, id BLOB NOT NULL, quality INTEGER NOT NULL, received INTEGER, body BLOB NOT NULL,
      PRIMARY KEY (tenant, vehicle, class, time, seq, id)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO record_5 SELECT tenant, vehicle, class,
      CASE WHEN time > \(now) + \(Reception.tolerance) THEN \(now) ELSE time END,
      CASE WHEN json_valid(CAST(body AS TEXT)) THEN
        coalesce(CAST(json_extract(CAST(body AS TEXT), '$.seq') AS INTEGER), 0) ELSE 0 END,
      id, CASE WHEN time > \(now) + \(Reception.tolerance) THEN \(ahead) ELSE quality END, NULL, body
    FROM record ORDER BY tenant, vehicle, class, time, id;
    DROP TABLE record;
    ALTER TABLE record_5 RENAME TO record;
    CREATE UNIQUE INDEX record_id ON record (tenant, vehicle, class, id);
    CREATE INDEX record_time ON record (tenant, class, time, seq, id, vehicle) WHERE class <> 0;

    CREATE TABLE newest (
      vehicle INTEGER NOT NULL, class INTEGER NOT NULL, ecu TEXT NOT NULL, time INTEGER NOT NULL,
      seq INTEGER NOT NULL, id BLOB NOT NULL, PRIMARY KEY (vehicle, class, ecu)
    ) STRICT, WITHOUT ROWID;

    """ + RecordClass.allCases.map { $0.hasECUs ? newestOfECUs($0) : newest($0) }.joined()
      + """
      INSERT INTO newest SELECT v.key, -1, '', r.time, r.seq, r.id FROM vehicle AS v
        JOIN record AS r ON r.tenant = v.tenant AND r.vehicle = v.key AND r.class = 0 AND r.id = v.position_id
        WHERE r.quality <> \(ahead);
      INSERT INTO newest SELECT v.key, -1, '', r.time, r.seq, r.id FROM vehicle AS v
        JOIN record AS r ON r.tenant = v.tenant AND r.vehicle = v.key AND r.class = 0 AND r.id = (
          SELECT id FROM record WHERE tenant = v.tenant AND vehicle = v.key AND class = 0 AND quality <> \(ahead)
            AND time > \(undated) AND json_valid(CAST(body AS TEXT))
            AND json_type(CAST(body AS TEXT), '$.latitude') IN ('integer', 'real')
            AND json_type(CAST(body AS TEXT), '$.longitude') IN ('integer', 'real')
            AND abs(json_extract(CAST(body AS TEXT), '$.latitude')) <= 90
            AND abs(json_extract(CAST(body AS TEXT), '$.longitude')) <= 180
          ORDER BY time DESC, seq DESC, id DESC LIMIT 1)
        WHERE v.position_id IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM newest WHERE newest.vehicle = v.key AND newest.class = -1);
      UPDATE vehicle SET last_time = (SELECT max(time) FROM newest WHERE newest.vehicle = vehicle.key)
        WHERE last_time > \(now) + \(Reception.tolerance);
      ALTER TABLE vehicle DROP COLUMN position_time;
      ALTER TABLE vehicle DROP COLUMN position_id;
      """

  /// Adds a random identifier of the store. With it, a server detects that its file was replaced with the file of
  /// another store.
  private static let version6 = "INSERT INTO setting VALUES ('store', randomblob(16));"

  /// Adds runs, which store telemetry that arrives in batches of many records.
  private static let version7 = """
    CREATE TABLE telemetry_run (
      tenant INTEGER NOT NULL, vehicle INTEGER NOT NULL, last_id BLOB NOT NULL, first_id BLOB NOT NULL,
      last_time INTEGER NOT NULL, first_time INTEGER NOT NULL, month INTEGER NOT NULL, count INTEGER NOT NULL,
      entries BLOB NOT NULL, bodies BLOB NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX telemetry_run_id ON telemetry_run (tenant, vehicle, last_id, first_id, last_time, first_time);
    CREATE UNIQUE INDEX telemetry_run_time ON telemetry_run (tenant, vehicle, last_time);
    CREATE INDEX telemetry_run_month ON telemetry_run (month, last_time);
    """

  /// Adds the current vehicle of each gateway: the vehicle of the gateway's newest record.
  private static let version8 = """
    ALTER TABLE gateway ADD COLUMN vehicle INTEGER;
    ALTER TABLE gateway ADD COLUMN vehicle_time INTEGER;
    """

  /// Adds people, their sessions and factors, the audit, and the keys that encrypt personal data in the audit. The
  /// columns `number`, `time` and `thing` of the audit repeat values of an entry's content, so that entries can be
  /// listed by them.
  private static let version9 = """
    CREATE TABLE person (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "email" TEXT, "first_name" TEXT NOT NULL, "last_name" TEXT NOT NULL,
      "roles" TEXT NOT NULL, "scope" TEXT NOT NULL, "is_active" INTEGER NOT NULL, "locale" TEXT, "time_zone" TEXT,
      "units" TEXT NOT NULL, "last_seen_at" INTEGER, "password_hash" TEXT, search TEXT NOT NULL,
      PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE session (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "person_id" BLOB NOT NULL, "transport" TEXT NOT NULL, "client" TEXT, "address" TEXT,
      "last_seen_at" INTEGER NOT NULL, "expires_at" INTEGER NOT NULL, "authenticated_at" INTEGER NOT NULL,
      "secret" TEXT NOT NULL, "secret_expires_at" INTEGER, "refresh_secret" TEXT, "revoked_at" INTEGER,
      PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE factor (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "person_id" BLOB NOT NULL, "kind" TEXT NOT NULL, "name" TEXT NOT NULL,
      "last_used_at" INTEGER, "is_confirmed" INTEGER NOT NULL, "secret" TEXT, "credential_id" TEXT,
      "counter" INTEGER, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE ticket (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "purpose" TEXT NOT NULL, "person_id" BLOB, "secret" TEXT NOT NULL,
      "expires_at" INTEGER NOT NULL, "attempts" INTEGER NOT NULL, "details" TEXT, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX person_email ON person (tenant, email);
    CREATE UNIQUE INDEX session_secret ON session (secret);
    CREATE INDEX session_person ON session (tenant, person_id);
    CREATE INDEX session_expiry ON session (expires_at);
    CREATE INDEX factor_person ON factor (tenant, person_id);
    CREATE UNIQUE INDEX factor_credential ON factor (tenant, credential_id);
    CREATE UNIQUE INDEX ticket_secret ON ticket (tenant, secret);
    CREATE INDEX ticket_expiry ON ticket (expires_at);
    CREATE TABLE audit (
      tenant INTEGER NOT NULL, number INTEGER NOT NULL, time INTEGER NOT NULL, thing BLOB, subject BLOB,
      hash BLOB NOT NULL, content TEXT NOT NULL, PRIMARY KEY (tenant, number)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX audit_thing ON audit (tenant, thing, number) WHERE thing IS NOT NULL;
    CREATE TABLE audit_head (tenant INTEGER PRIMARY KEY, number INTEGER NOT NULL, hash BLOB NOT NULL) STRICT;
    CREATE TABLE personal_key (
      tenant INTEGER NOT NULL, subject BLOB NOT NULL, secret BLOB, PRIMARY KEY (tenant, subject)
    ) STRICT, WITHOUT ROWID;
    """

  /// Turns vehicles into things, with ids, versions and more fields. Adds fleets.
  ///
  /// Existing vehicles get random IDs. Unlike other UUIDs of version 7, they do not contain the time of creation,
  /// because SQL cannot combine bytes above 127. An ID consists of 13 characters of 7 bits, the version in byte 6, and
  /// a character of two bytes whose second byte contains the variant.
  private static let version10 = """
    ALTER TABLE vehicle RENAME COLUMN last_time TO last_record_at;
    ALTER TABLE vehicle ADD COLUMN thing BLOB;
    ALTER TABLE vehicle ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE vehicle ADD COLUMN updated INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE vehicle ADD COLUMN search TEXT NOT NULL DEFAULT '';
    ALTER TABLE vehicle ADD COLUMN "status" TEXT NOT NULL DEFAULT 'available';
    ALTER TABLE vehicle ADD COLUMN "type" TEXT;
    ALTER TABLE vehicle ADD COLUMN "fuel_type" TEXT;
    ALTER TABLE vehicle ADD COLUMN "tank_capacity" REAL;
    ALTER TABLE vehicle ADD COLUMN "battery_capacity" REAL;
    ALTER TABLE vehicle ADD COLUMN "capacity" INTEGER;
    ALTER TABLE vehicle ADD COLUMN "payload" REAL;
    ALTER TABLE vehicle ADD COLUMN "engine_size" REAL;
    ALTER TABLE vehicle ADD COLUMN "transmission" TEXT;
    ALTER TABLE vehicle ADD COLUMN "notes" TEXT;
    ALTER TABLE vehicle ADD COLUMN "acquired_on" TEXT;
    ALTER TABLE vehicle ADD COLUMN "acquisition_cost" TEXT;
    ALTER TABLE vehicle ADD COLUMN "residual_value" TEXT;
    ALTER TABLE vehicle ADD COLUMN "disposed_on" TEXT;
    ALTER TABLE vehicle ADD COLUMN "fleet_id" BLOB;
    UPDATE vehicle SET updated = added, thing = CAST(char(
      \(randoms(6)), 112 + abs(random()) % 16, 1024 + abs(random()) % 128, \(randoms(7))) AS BLOB),
      search = lower(\(searched));
    CREATE UNIQUE INDEX vehicle_thing ON vehicle (tenant, thing);
    CREATE INDEX vehicle_fleet ON vehicle (tenant, fleet_id) WHERE fleet_id IS NOT NULL;
    CREATE TABLE fleet (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "name" TEXT NOT NULL, "time_zone" TEXT, "notes" TEXT, search TEXT NOT NULL,
      PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX fleet_name ON fleet (tenant, name);
    """

  /// Adds drivers, their assignments, expenses, and the used refresh tokens of sessions.
  private static let version11 = """
    ALTER TABLE session ADD COLUMN "used_refresh_secrets" TEXT;
    CREATE TABLE driver (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "person_id" BLOB, "fleet_id" BLOB, "name" TEXT NOT NULL, "phone" TEXT, "licence_number" TEXT,
      "licence_classes" TEXT NOT NULL, "licence_expiry" TEXT, "status" TEXT NOT NULL, search TEXT NOT NULL,
      PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE assignment (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "driver_id" BLOB, "vehicle_id" TEXT NOT NULL, "from" INTEGER NOT NULL, "to" INTEGER,
      "notes" TEXT, "status" TEXT NOT NULL, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE expense (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "vehicle_id" TEXT, "driver_id" BLOB, "at" INTEGER NOT NULL, "category" TEXT NOT NULL,
      "amount" TEXT, "vendor_name" TEXT, "notes" TEXT, "document_id" BLOB, search TEXT NOT NULL,
      PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX driver_person_id ON driver (tenant, person_id) WHERE person_id IS NOT NULL;
    CREATE INDEX assignment_vehicle ON assignment (tenant, vehicle_id, "from");
    CREATE INDEX assignment_driver ON assignment (tenant, driver_id, "from");
    CREATE INDEX expense_vehicle ON expense (tenant, vehicle_id, at);
    CREATE INDEX expense_driver ON expense (tenant, driver_id, at);
    """

  /// Adds the mails that wait to be sent.
  private static let version12 = """
    CREATE TABLE queued_mail (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "reason" TEXT NOT NULL, "person_id" BLOB NOT NULL, "recipient" TEXT,
      "priority" INTEGER NOT NULL, "details" TEXT, "attempts" INTEGER NOT NULL, "next_attempt_at" INTEGER,
      "expires_at" INTEGER NOT NULL, "last_error" TEXT, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX queued_mail_due ON queued_mail (tenant, next_attempt_at);
    CREATE INDEX queued_mail_reason ON queued_mail (tenant, reason, created);
    CREATE INDEX queued_mail_person ON queued_mail (tenant, person_id, created);
    CREATE INDEX queued_mail_recipient ON queued_mail (tenant, recipient, created);
    """

  /// Adds identities at OpenID providers, and the identity with which each session began.
  private static let version13 = """
    CREATE TABLE linked_identity (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "person_id" BLOB NOT NULL, "provider" TEXT NOT NULL, "issuer" TEXT NOT NULL,
      "subject" TEXT NOT NULL, "name" TEXT, "last_used_at" INTEGER, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX linked_identity_subject ON linked_identity (tenant, issuer, subject);
    CREATE INDEX linked_identity_person ON linked_identity (tenant, person_id);
    ALTER TABLE session ADD COLUMN "identity_id" BLOB;
    ALTER TABLE session ADD COLUMN "provider_session" TEXT;
    CREATE INDEX session_identity ON session (tenant, identity_id) WHERE identity_id IS NOT NULL;
    """

  /// Adds fuel entries: fills of tanks and charges of batteries.
  private static let version14 = """
    CREATE TABLE fuel_entry (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "vehicle_id" TEXT NOT NULL, "driver_id" BLOB, "at" INTEGER NOT NULL, "odometer" REAL,
      "energy" TEXT NOT NULL, "quantity" REAL NOT NULL, "unit" TEXT, "standard_quantity" REAL NOT NULL, "price" TEXT,
      "total" TEXT, "full" INTEGER NOT NULL, "missed_previous" INTEGER NOT NULL, "place" TEXT, "notes" TEXT,
      "document_id" BLOB, search TEXT NOT NULL, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX fuel_entry_vehicle ON fuel_entry (tenant, vehicle_id, at);
    CREATE INDEX fuel_entry_driver ON fuel_entry (tenant, driver_id, at);
    """

  /// Adds journeys.
  private static let version15 = """
    CREATE TABLE journey (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "driver_id" BLOB, "vehicle_id" TEXT NOT NULL, "purpose" TEXT NOT NULL,
      "planned_from" INTEGER, "start_time" INTEGER, "end_time" INTEGER, "start_odometer" REAL, "end_odometer" REAL,
      "notes" TEXT, "log" TEXT NOT NULL, "status" TEXT NOT NULL, "needs_review" INTEGER NOT NULL,
      search TEXT NOT NULL, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX journey_vehicle ON journey (tenant, vehicle_id, start_time);
    CREATE INDEX journey_driver ON journey (tenant, driver_id, status);
    """

  /// Adds columns for values from a vehicle's newest records. For vehicles that already have records, the columns are
  /// set later.
  private static let version16 = """
    ALTER TABLE vehicle ADD COLUMN place_time INTEGER;
    ALTER TABLE vehicle ADD COLUMN place BLOB;
    ALTER TABLE vehicle ADD COLUMN motion BLOB;
    ALTER TABLE vehicle ADD COLUMN last_trip BLOB;
    ALTER TABLE vehicle ADD COLUMN is_incomplete INTEGER NOT NULL DEFAULT 0;
    UPDATE vehicle SET is_incomplete = 1 WHERE last_record_at IS NOT NULL;
    CREATE INDEX vehicle_incomplete ON vehicle (key) WHERE is_incomplete = 1;
    """

  /// Adds inspection reports and documents.
  private static let version17 = """
    CREATE TABLE inspection (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "driver_id" BLOB, "vehicle_id" TEXT NOT NULL, "kind" TEXT NOT NULL,
      "at" INTEGER NOT NULL, "odometer" REAL, "place" TEXT, "items" TEXT NOT NULL, "notes" TEXT, "supersedes" BLOB,
      "status" TEXT NOT NULL, "signature" TEXT, "certification" TEXT, "review" TEXT, "superseded_by" BLOB,
      "content_hash" TEXT, "has_defects" INTEGER NOT NULL, search TEXT NOT NULL, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE document (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "of" TEXT NOT NULL, "vehicle_id" TEXT, "driver_id" BLOB, "kind" TEXT NOT NULL,
      "title" TEXT, "number" TEXT, "issued_on" TEXT, "expires_on" TEXT, "notes" TEXT, search TEXT NOT NULL,
      PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX inspection_vehicle ON inspection (tenant, vehicle_id, at);
    CREATE INDEX inspection_driver ON inspection (tenant, driver_id, at);
    CREATE INDEX document_vehicle ON document (tenant, vehicle_id);
    CREATE INDEX document_driver ON document (tenant, driver_id);
    CREATE INDEX document_expiry ON document (tenant, expires_on) WHERE expires_on IS NOT NULL;
    """

  /// Adds events, rules and notifications.
  private static let version18 = """
    CREATE TABLE fleet_event (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "event" TEXT NOT NULL, "kind" TEXT NOT NULL, "thing" BLOB NOT NULL, "vehicle_id" TEXT,
      "driver_id" BLOB, "item" TEXT, "day" TEXT, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE reminder (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "thing" BLOB NOT NULL, "day" TEXT, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE rule (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "name" TEXT NOT NULL, "is_active" INTEGER NOT NULL, "events" TEXT NOT NULL,
      "fleet_ids" TEXT NOT NULL, "roles" TEXT NOT NULL, "person_ids" TEXT NOT NULL,
      "notifies_driver" INTEGER NOT NULL, "channels" TEXT NOT NULL, "digest" TEXT NOT NULL, "quiet_hours" TEXT,
      search TEXT NOT NULL, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE notification (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "person_id" BLOB NOT NULL, "rule_id" BLOB, "event" TEXT NOT NULL,
      "kind" TEXT NOT NULL, "thing" BLOB NOT NULL, "vehicle_id" TEXT, "text" TEXT NOT NULL, "at" INTEGER NOT NULL,
      "read_at" INTEGER, "deliveries" TEXT NOT NULL, "mail_at" INTEGER, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX fleet_event_created ON fleet_event (tenant, created);
    CREATE INDEX driver_licence ON driver (tenant, licence_expiry) WHERE licence_expiry IS NOT NULL;
    CREATE INDEX notification_person ON notification (tenant, person_id, at);
    CREATE INDEX notification_mail ON notification (tenant, mail_at) WHERE mail_at IS NOT NULL;
    """

  /// Adds the scope, the expiry and the time of last use to tokens. Adds indexes of the times at which assignments
  /// begin and end.
  private static let version19 = """
    ALTER TABLE token ADD COLUMN scope TEXT NOT NULL DEFAULT '"all"';
    ALTER TABLE token ADD COLUMN expires INTEGER;
    ALTER TABLE token ADD COLUMN used INTEGER;
    CREATE INDEX assignment_begin ON assignment (tenant, status, "from");
    CREATE INDEX assignment_end ON assignment (tenant, status, "to");
    """

  /// Adds an index that finds journeys with a given state.
  private static let version20 = """
    CREATE INDEX journey_status ON journey (tenant, status);
    """

  /// Adds the network addresses from which people have signed in.
  private static let version21 = "ALTER TABLE person ADD COLUMN \"known_addresses\" TEXT;"

  /// Adds meter readings, maintenance schedules, maintenance records, and defects.
  private static let version22 = """
    CREATE TABLE meter_reading (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL, updated
      INTEGER NOT NULL, "vehicle_id" TEXT NOT NULL, "at" INTEGER NOT NULL, "odometer" REAL, "engine_hours" REAL,
      "source" TEXT NOT NULL, "replaced" INTEGER NOT NULL, "void" INTEGER NOT NULL, "notes" TEXT, "origin_id"
      BLOB, "flag" TEXT, "lifetime" REAL, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE service_type (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL, updated
      INTEGER NOT NULL, "code" TEXT NOT NULL, "name" TEXT NOT NULL, "built_in" INTEGER NOT NULL, "notes" TEXT,
      search TEXT NOT NULL, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE service_schedule (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL, updated
      INTEGER NOT NULL, "vehicle_id" TEXT, "fleet_id" BLOB, "service_type" TEXT NOT NULL, "name" TEXT, "every"
      TEXT NOT NULL, "basis" TEXT NOT NULL, "due_soon" TEXT NOT NULL, "last_service" TEXT, "notes" TEXT, "next"
      TEXT, "state" TEXT NOT NULL, "forecast_date" TEXT, search TEXT NOT NULL, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE service_due (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL, updated
      INTEGER NOT NULL, "schedule_id" BLOB NOT NULL, "vehicle_id" TEXT NOT NULL, "plan" TEXT NOT NULL, "cycle"
      INTEGER NOT NULL, "last_date" TEXT, "last_kilometers" REAL, "last_engine_hours" REAL, "due_date" TEXT,
      "due_kilometers" REAL, "due_engine_hours" REAL, "state" TEXT NOT NULL, "snoozed_until" TEXT,
      "opened_cycle" INTEGER, "check_date" TEXT, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE maintenance_record (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL, updated
      INTEGER NOT NULL, "vehicle_id" TEXT NOT NULL, "service_type" TEXT NOT NULL, "scheduled_date" TEXT,
      "completed_date" TEXT, "lines" TEXT NOT NULL, "cost" TEXT, "vendor_name" TEXT, "notes" TEXT,
      "performed_by" TEXT, "odometer" REAL, "engine_hours" REAL, "schedule_id" BLOB, "cycle" INTEGER,
      "defect_ids" TEXT NOT NULL, "status" TEXT NOT NULL, "started_at" INTEGER, "cancel_reason" TEXT, search
      TEXT NOT NULL, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE defect (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL, updated
      INTEGER NOT NULL, "vehicle_id" TEXT NOT NULL, "driver_id" BLOB, "source" TEXT NOT NULL, "severity" TEXT
      NOT NULL, "text" TEXT NOT NULL, "dtcs" TEXT NOT NULL, "freeze_frame" TEXT, "photos" TEXT NOT NULL,
      "record_id" BLOB, "status" TEXT NOT NULL, "dismiss_reason" TEXT, "reports" TEXT NOT NULL, "trips_without"
      INTEGER NOT NULL, "counted_until" INTEGER, search TEXT NOT NULL, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE followed_feed (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL, updated
      INTEGER NOT NULL, "name" TEXT NOT NULL, "position" INTEGER NOT NULL, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    ALTER TABLE vehicle ADD COLUMN "odometer" REAL;
    ALTER TABLE vehicle ADD COLUMN "odometer_at" INTEGER;
    ALTER TABLE vehicle ADD COLUMN "odometer_estimated" INTEGER;
    ALTER TABLE vehicle ADD COLUMN "lifetime_kilometers" REAL;
    ALTER TABLE vehicle ADD COLUMN "daily_kilometers" REAL;
    ALTER TABLE vehicle ADD COLUMN "engine_hours" REAL;
    ALTER TABLE vehicle ADD COLUMN "engine_hours_at" INTEGER;
    ALTER TABLE vehicle ADD COLUMN "engine_hours_estimated" INTEGER;
    ALTER TABLE vehicle ADD COLUMN "lifetime_engine_hours" REAL;
    ALTER TABLE vehicle ADD COLUMN "daily_engine_hours" REAL;
    CREATE INDEX meter_reading_vehicle ON meter_reading (tenant, vehicle_id, at);
    CREATE INDEX meter_reading_origin ON meter_reading (tenant, origin_id) WHERE origin_id IS NOT NULL;
    CREATE UNIQUE INDEX service_type_code ON service_type (tenant, code);
    CREATE INDEX service_schedule_vehicle ON service_schedule (tenant, vehicle_id) WHERE vehicle_id IS NOT NULL;
    CREATE INDEX service_schedule_fleet ON service_schedule (tenant, fleet_id) WHERE fleet_id IS NOT NULL;
    CREATE UNIQUE INDEX service_due_vehicle_id ON service_due (tenant, vehicle_id, schedule_id);
    CREATE INDEX service_due_state ON service_due (tenant, schedule_id, state);
    CREATE INDEX service_due_check ON service_due (tenant, check_date) WHERE check_date IS NOT NULL;
    CREATE INDEX maintenance_record_vehicle ON maintenance_record (tenant, vehicle_id, status);
    CREATE UNIQUE INDEX maintenance_record_schedule_id ON maintenance_record (tenant, schedule_id, vehicle_id)
      WHERE schedule_id IS NOT NULL AND status IN ('scheduled', 'inProgress');
    CREATE INDEX defect_vehicle ON defect (tenant, vehicle_id, status);
    CREATE UNIQUE INDEX followed_feed_name ON followed_feed (tenant, name);
    """

  /// Adds the figures of vehicles' days. For vehicles that already have records, the figures are computed later.
  private static let version23 = """
    CREATE TABLE vehicle_day (
      vehicle INTEGER NOT NULL, day INTEGER NOT NULL, distance REAL, engine_on INTEGER NOT NULL, moving INTEGER NOT NULL,
      idle INTEGER NOT NULL, unknown INTEGER NOT NULL, fuel_used REAL, trips INTEGER NOT NULL,
      driving_events INTEGER NOT NULL, first_time INTEGER NOT NULL, last_time INTEGER NOT NULL,
      PRIMARY KEY (vehicle, day)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE stale_hour (
      vehicle INTEGER NOT NULL, hour INTEGER NOT NULL, since INTEGER NOT NULL, PRIMARY KEY (vehicle, hour)
    ) STRICT, WITHOUT ROWID;
    ALTER TABLE vehicle ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE vehicle ADD COLUMN day_zone TEXT;
    UPDATE vehicle SET is_incomplete = 1 WHERE last_record_at IS NOT NULL;
    """

  /// Adds reports.
  private static let version24 = """
    CREATE TABLE report (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "kind" TEXT NOT NULL, "from" TEXT NOT NULL, "to" TEXT NOT NULL,
      "group_by" TEXT NOT NULL, "fleet_id" BLOB, "requested_by" BLOB, "rows" TEXT, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    """

  /// Adds the account identifiers that an OpenID provider uses only for this client (`clientSubject`).
  private static let version25 = """
    ALTER TABLE linked_identity ADD COLUMN "client_subject" TEXT;
    CREATE INDEX linked_identity_client ON linked_identity (tenant, issuer, client_subject);
    """

  /// Adds connectors, which read records from other programs, and phones.
  private static let version26 = """
    CREATE TABLE connector (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "name" TEXT NOT NULL, "service" TEXT NOT NULL, "is_active" INTEGER NOT NULL,
      "address" TEXT, "period" INTEGER, "sign_in" TEXT, "token_address" TEXT, "client_id" TEXT, "user_name" TEXT,
      "scope" TEXT, "key_header" TEXT, "secret" TEXT, "webhook_secret" TEXT, "state" TEXT NOT NULL,
      "last_pull_at" INTEGER, "last_success_at" INTEGER, "assets" INTEGER NOT NULL, "stored" INTEGER NOT NULL,
      "ignored" TEXT NOT NULL, "failures" TEXT NOT NULL, search TEXT NOT NULL, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE connector_progress (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "cursors" TEXT NOT NULL, "tokens" TEXT, "lease_holder" BLOB, "lease_until" INTEGER,
      "next_pull_at" INTEGER, "failures" INTEGER NOT NULL, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE connected_asset (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "connector_id" BLOB NOT NULL, "asset_id" TEXT NOT NULL, "vehicle_id" TEXT NOT NULL,
      "vin" TEXT, "serial" TEXT, "name" TEXT, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE phone (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "driver_id" BLOB, "name" TEXT NOT NULL, "shares_position" INTEGER NOT NULL,
      "key_hash" TEXT, "last_seen_at" INTEGER, "stored" INTEGER NOT NULL, "ignored" TEXT NOT NULL,
      search TEXT NOT NULL, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX connector_progress_due ON connector_progress (next_pull_at, tenant);
    CREATE UNIQUE INDEX connected_asset_source ON connected_asset (tenant, connector_id, asset_id);
    CREATE INDEX connected_asset_vehicle ON connected_asset (tenant, vehicle_id);
    CREATE INDEX connected_asset_serial ON connected_asset (tenant, connector_id, serial);
    CREATE UNIQUE INDEX phone_key ON phone (tenant, key_hash);
    CREATE INDEX phone_driver ON phone (tenant, driver_id);
    """

  /// Adds a flag for sessions that may only add a second factor. Adds an index of notifications by their creation.
  private static let version27 = """
    ALTER TABLE session ADD COLUMN "needs_factor" INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX notification_created ON notification (created);
    """

  /// Separates gateways' own records (``GatewayRows``) from vehicles' records. Adds attributions, which assign
  /// gateways' own records to vehicles. Adds checklists. Adds the column `part` to meter readings; adds the item and
  /// the inspections to defects.
  private static let version28 = """
    ALTER TABLE vehicle ADD COLUMN is_gateway INTEGER NOT NULL DEFAULT 0;
    \(GatewayRows.classify);
    CREATE INDEX vehicle_is_gateway ON vehicle (tenant, id) WHERE is_gateway = 1;
    CREATE TABLE attribution (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "gateway_id" TEXT NOT NULL, "vehicle_id" TEXT NOT NULL, "trip_id" BLOB NOT NULL,
      "from" INTEGER NOT NULL, "to" INTEGER NOT NULL, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX attribution_vehicle ON attribution (tenant, vehicle_id, "from");
    CREATE INDEX attribution_gateway ON attribution (tenant, gateway_id, "from");
    CREATE UNIQUE INDEX attribution_trip_id ON attribution (tenant, trip_id);
    ALTER TABLE meter_reading ADD COLUMN "part" TEXT;
    ALTER TABLE defect ADD COLUMN "item" TEXT;
    ALTER TABLE defect ADD COLUMN "inspection_ids" TEXT NOT NULL DEFAULT '[]';
    CREATE TABLE checklist (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL,
      "name" TEXT NOT NULL, "text" TEXT NOT NULL, "vehicle_types" TEXT NOT NULL, "items" TEXT NOT NULL,
      "is_active" INTEGER NOT NULL, search TEXT NOT NULL, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX checklist_name ON checklist (tenant, name);
    CREATE INDEX journey_private ON journey (tenant, vehicle_id, start_time) WHERE purpose = 'private';
    """

  /// Adds forwards, which send records to other programs.
  private static let version29 = """
    CREATE TABLE forward (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "name" TEXT NOT NULL, "format" TEXT NOT NULL, "is_active" INTEGER NOT NULL,
      "address" TEXT NOT NULL, "key_header" TEXT, "secret" TEXT, "state" TEXT NOT NULL, "last_sent_at" INTEGER,
      "sent" INTEGER NOT NULL, "ignored" TEXT NOT NULL, "failures" TEXT NOT NULL, search TEXT NOT NULL,
      PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE forward_progress (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "position" INTEGER, "lease_holder" BLOB, "lease_until" INTEGER, "next_at" INTEGER,
      "failures" INTEGER NOT NULL, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX forward_progress_due ON forward_progress (next_at, tenant);
    """

  /// Adds a table of vehicles with changes that a reader of the feed has not processed yet
  /// (``FleetDomain/FollowedVehicle``).
  private static let version30 = """
    CREATE TABLE followed_vehicle (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "vehicle_id" TEXT NOT NULL, "after" INTEGER NOT NULL, "through" INTEGER NOT NULL,
      "served_at" INTEGER NOT NULL, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX followed_vehicle_vehicle_id ON followed_vehicle (tenant, vehicle_id);
    CREATE INDEX followed_vehicle_turn ON followed_vehicle (tenant, served_at, id);
    """

  /// Marks the journeys that a person with more rights than a driver has declared or reviewed.
  private static let version31 = """
    ALTER TABLE journey ADD COLUMN "confirmed" INTEGER NOT NULL DEFAULT 0;
    UPDATE journey SET confirmed = 1 WHERE log LIKE '%"event":"started"%'
      AND (log NOT LIKE '%"assigned":%' OR log LIKE '%"reviewed":true%');
    """

  /// Adds files, and rows that show which things refer to which files.
  private static let version32 = """
    CREATE TABLE file (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL,
      "name" TEXT NOT NULL, "size" INTEGER NOT NULL, "sha256" TEXT, "keep_position" INTEGER NOT NULL,
      "status" TEXT NOT NULL, "media_type" TEXT, "versions" TEXT NOT NULL,
      "capture" TEXT, "problem" TEXT, "uploaded_by" BLOB, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX file_status ON file (status, tenant) WHERE status <> 'stored';
    CREATE INDEX file_uploader ON file (tenant, uploaded_by);
    CREATE TABLE file_use (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL,
      "file_id" BLOB NOT NULL, "kind" TEXT NOT NULL, "thing_id" BLOB NOT NULL, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX file_use_file_id ON file_use (tenant, file_id, thing_id);
    CREATE TABLE file_space (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL,
      "holder" TEXT NOT NULL, "bytes" INTEGER NOT NULL, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX file_space_holder ON file_space (tenant, holder);
    ALTER TABLE document ADD COLUMN "file_ids" TEXT;
    ALTER TABLE expense ADD COLUMN "file_ids" TEXT;
    ALTER TABLE fuel_entry ADD COLUMN "file_ids" TEXT;
    ALTER TABLE maintenance_record ADD COLUMN "file_ids" TEXT;
    """

  /// Adds tenants' settings, the number of a day's driving events for which drivers are responsible, the completion
  /// time of maintenance, and report schedules. All figures of days are computed again, because they lack that number.
  private static let version33 = """
    CREATE TABLE tenant_settings (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "time_zone" TEXT, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    ALTER TABLE vehicle_day ADD COLUMN driver_events INTEGER;
    UPDATE vehicle SET is_incomplete = 1 WHERE last_record_at IS NOT NULL;
    ALTER TABLE maintenance_record ADD COLUMN "completed_at" INTEGER;
    ALTER TABLE report ADD COLUMN "schedule" TEXT;
    ALTER TABLE report ADD COLUMN "next_at" INTEGER;
    ALTER TABLE report ADD COLUMN "schedule_id" BLOB;
    CREATE INDEX report_next ON report (next_at) WHERE next_at IS NOT NULL;
    """

  /// Adds the maintenance record of the last service, and the date and readings at which that service was due.
  private static let version34 = """
    ALTER TABLE service_due ADD COLUMN "last_record_id" BLOB;
    ALTER TABLE service_due ADD COLUMN "previous_due_date" TEXT;
    ALTER TABLE service_due ADD COLUMN "previous_due_kilometers" REAL;
    ALTER TABLE service_due ADD COLUMN "previous_due_engine_hours" REAL;
    """

  /// Allows fuel entries and expenses to be void. Adds to due services the day of the month on which they are due. Adds
  /// to reports the number of days whose figures are missing.
  private static let version35 = """
    ALTER TABLE fuel_entry ADD COLUMN "void" INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE expense ADD COLUMN "void" INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE service_due ADD COLUMN "due_month_day" INTEGER;
    ALTER TABLE report ADD COLUMN "pending" TEXT;
    ALTER TABLE service_due ADD COLUMN "previous_due_month_day" INTEGER;
    """

  /// Adds columns for: the text search of assignments and meter readings, the dates by which service schedules are
  /// sorted, photos of vehicles, files of documents, metrics of reports, more settings of tenants, and working hours of
  /// fleets.
  private static let version36 = """
    ALTER TABLE assignment ADD COLUMN search TEXT NOT NULL DEFAULT '';
    UPDATE assignment SET search = lower(coalesce(notes, ''));
    ALTER TABLE meter_reading ADD COLUMN search TEXT NOT NULL DEFAULT '';
    UPDATE meter_reading SET search = lower(notes) WHERE notes IS NOT NULL;
    ALTER TABLE service_schedule ADD COLUMN "due_date" TEXT;
    UPDATE service_schedule SET due_date = json_extract(next, '$.dueDate') WHERE next IS NOT NULL;
    ALTER TABLE vehicle ADD COLUMN "photo_id" BLOB;
    ALTER TABLE document ADD COLUMN "file_id" BLOB;
    ALTER TABLE report ADD COLUMN "metrics" TEXT;
    ALTER TABLE report ADD COLUMN "generated_at" INTEGER;
    UPDATE report SET generated_at = created;
    ALTER TABLE tenant_settings ADD COLUMN "opens_code_defects" INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE tenant_settings ADD COLUMN "trips_to_verify" INTEGER NOT NULL DEFAULT 3;
    ALTER TABLE tenant_settings ADD COLUMN "requires_inspections" INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE defect ADD COLUMN "verify_reason" TEXT;
    ALTER TABLE fleet ADD COLUMN "working_hours" TEXT;
    ALTER TABLE vehicle ADD COLUMN "planned_disposal_on" TEXT;
    """

  /// Adds the permission to read costs, which a person can have in addition to the roles.
  private static let version37 = "ALTER TABLE person ADD COLUMN \"may_read_costs\" INTEGER NOT NULL DEFAULT 0;"

  /// Adds webhooks, push subscriptions, and the deliveries to them. Adds numbers to events, which determine their
  /// order. Adds a table of the vehicles that are silent.
  private static let version38 = """
    ALTER TABLE fleet_event ADD COLUMN "at" INTEGER;
    ALTER TABLE fleet_event ADD COLUMN "number" INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX fleet_event_number ON fleet_event (tenant, number, created);
    ALTER TABLE rule ADD COLUMN "webhook_ids" TEXT NOT NULL DEFAULT '[]';
    ALTER TABLE notification ADD COLUMN "push_at" INTEGER;
    CREATE INDEX notification_push ON notification (tenant, push_at) WHERE push_at IS NOT NULL;
    CREATE TABLE event_count (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "last" INTEGER NOT NULL, "hour" INTEGER NOT NULL,
      "frequent" INTEGER NOT NULL, "dropped" INTEGER NOT NULL, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE webhook (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "url" TEXT NOT NULL, "description" TEXT, "events" TEXT,
      "fleet_ids" TEXT NOT NULL, "is_active" INTEGER NOT NULL, "secret" TEXT, "previous_secret_until" INTEGER,
      "state" TEXT NOT NULL, "last_delivered_at" INTEGER, "delivered" INTEGER NOT NULL, "dropped" INTEGER NOT NULL,
      "failures" TEXT NOT NULL, search TEXT NOT NULL, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE delivery (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "receiver_id" BLOB NOT NULL, "channel" TEXT NOT NULL,
      "event_id" BLOB NOT NULL, "event" TEXT NOT NULL, "thing" BLOB NOT NULL, "body" TEXT NOT NULL,
      "number" INTEGER NOT NULL, "attempts" INTEGER NOT NULL, "next_attempt_at" INTEGER, "expires_at" INTEGER NOT NULL,
      "state" TEXT NOT NULL, "attempted_at" INTEGER, "status" INTEGER, "duration" INTEGER, "error" TEXT,
      PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX delivery_due ON delivery (tenant, receiver_id, next_attempt_at, number)
      WHERE next_attempt_at IS NOT NULL;
    CREATE INDEX delivery_thing ON delivery (tenant, receiver_id, thing, number);
    CREATE INDEX delivery_number ON delivery (tenant, receiver_id, number);
    CREATE INDEX delivery_created ON delivery (tenant, created);
    CREATE TABLE delivery_progress (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "channel" TEXT NOT NULL, "next_at" INTEGER, "lease_holder" BLOB,
      "lease_until" INTEGER, "failures" INTEGER NOT NULL, "failing_since" INTEGER, "paused_until" INTEGER,
      "waiting" INTEGER NOT NULL, "last_number" INTEGER NOT NULL, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX delivery_progress_due ON delivery_progress (next_at, tenant);
    CREATE TABLE push_subscription (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "person_id" BLOB NOT NULL, "session_id" BLOB NOT NULL,
      "endpoint" TEXT NOT NULL, "key" TEXT NOT NULL, "auth" TEXT NOT NULL, "client" TEXT, "last_sent_at" INTEGER,
      PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX push_subscription_person ON push_subscription (tenant, person_id);
    CREATE INDEX push_subscription_session ON push_subscription (tenant, session_id);
    CREATE INDEX push_subscription_endpoint ON push_subscription (tenant, endpoint);
    CREATE TABLE push_key (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "secret" TEXT, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE silent_vehicle (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "vehicle_id" TEXT NOT NULL, "since" INTEGER NOT NULL,
      PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    """

  /// Adds the properties of 3D models to files.
  private static let version39 = """
    ALTER TABLE file ADD COLUMN "model" TEXT;
    """

  /// Adds tables for the drivers and duty periods that connectors report. Adds columns for a vehicle's charge in
  /// progress, for the setting that faults of machines are read, and for the keys with which phones encrypt messages.
  private static let version40 = """
    ALTER TABLE connector ADD COLUMN "reads_faults" INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE connected_asset ADD COLUMN "charge" TEXT;
    ALTER TABLE phone ADD COLUMN "message_key" TEXT;
    CREATE TABLE connected_driver (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "connector_id" BLOB NOT NULL, "source_id" TEXT NOT NULL, "driver_id" BLOB NOT NULL,
      PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX connected_driver_source ON connected_driver (tenant, connector_id, source_id);
    CREATE INDEX connected_driver_driver_id ON connected_driver (tenant, driver_id);
    CREATE TABLE duty_period (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "connector_id" BLOB NOT NULL, "driver_id" BLOB NOT NULL, "status" TEXT NOT NULL,
      "from" INTEGER NOT NULL, "to" INTEGER, "vehicle_id" TEXT, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX duty_period_driver ON duty_period (tenant, driver_id, "from");
    CREATE INDEX duty_period_connector ON duty_period (tenant, connector_id);
    """

  /// Adds the size of each tenant's records (``RecordBytes``), and computes it from the stored records.
  private static let version41 = """
    ALTER TABLE tenant ADD COLUMN record_bytes INTEGER NOT NULL DEFAULT 0;
    UPDATE tenant SET record_bytes =
      (SELECT coalesce(sum(length(body) + 100), 0) FROM record WHERE record.tenant = tenant.key)
      + (SELECT coalesce(sum(length(entries) + length(bodies) + 100), 0) FROM telemetry_run
        WHERE telemetry_run.tenant = tenant.key);
    """

  /// Adds to fuel entries the comparison with the values that the vehicle reported. Adds to meter readings the
  /// comparison with the previous reading. Adds to several kinds the amounts in the units in which people entered them.
  /// Adds to reports the number of missed reports. Adds a table of the newest reports of trouble codes.
  private static let version42 = """
    ALTER TABLE fuel_entry ADD COLUMN "check" TEXT;
    ALTER TABLE fuel_entry ADD COLUMN "check_at" INTEGER;
    ALTER TABLE fuel_entry ADD COLUMN "entered" TEXT;
    CREATE INDEX fuel_entry_check_at ON fuel_entry (tenant, check_at) WHERE check_at IS NOT NULL;
    ALTER TABLE meter_reading ADD COLUMN "comparison" TEXT;
    ALTER TABLE meter_reading ADD COLUMN "entered" TEXT;
    ALTER TABLE inspection ADD COLUMN "entered" TEXT;
    ALTER TABLE maintenance_record ADD COLUMN "entered" TEXT;
    ALTER TABLE journey ADD COLUMN "entered" TEXT;
    ALTER TABLE vehicle ADD COLUMN "entered" TEXT;
    ALTER TABLE report ADD COLUMN "missed" INTEGER;
    CREATE TABLE reported_codes (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "vehicle_id" TEXT NOT NULL, "newest" TEXT NOT NULL, PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX reported_codes_vehicle_id ON reported_codes (tenant, vehicle_id);
    """

  private static let version43 = """
    ALTER TABLE maintenance_record ADD COLUMN "completion_id" BLOB;
    CREATE UNIQUE INDEX maintenance_record_completion_id ON maintenance_record (tenant, completion_id)
      WHERE completion_id IS NOT NULL;
    """

  /// Adds a table of the entities for which forwards have published messages, with one row for each vehicle. Adds to
  /// forwards the time at which a server stops trying to clear the messages of an ended forward.
  private static let version44 = """
    ALTER TABLE forward ADD COLUMN "remove_by" INTEGER;
    ALTER TABLE forward_progress ADD COLUMN "checked_at" INTEGER;
    CREATE TABLE published_device (
      tenant INTEGER NOT NULL, id BLOB NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL,
      updated INTEGER NOT NULL, "forward_id" BLOB NOT NULL, "vehicle_id" TEXT NOT NULL, "entities" TEXT NOT NULL,
      PRIMARY KEY (tenant, id)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX published_device_vehicle_id ON published_device (tenant, forward_id, vehicle_id);
    """

  /// Allows completed assignments to be void.
  private static let version45 = "ALTER TABLE assignment ADD COLUMN \"void\" INTEGER NOT NULL DEFAULT 0;"

  /// Adds `judgedFrom` to meter readings: if the replacement of a meter is entered late, the time from which the
  /// replacement counts. Adds one index for each order in which readings are read: all readings by their creation, used
  /// readings by their creation, and used readings by their times.
  private static let version46 = """
    ALTER TABLE meter_reading ADD COLUMN "judged_from" INTEGER;
    CREATE INDEX meter_reading_judged_from ON meter_reading (tenant, vehicle_id, judged_from)
      WHERE judged_from IS NOT NULL;
    CREATE INDEX meter_reading_odometer_created ON meter_reading (tenant, vehicle_id, created, at)
      WHERE odometer IS NOT NULL;
    CREATE INDEX meter_reading_odometer_used ON meter_reading (tenant, vehicle_id, at, lifetime)
      WHERE odometer IS NOT NULL AND lifetime IS NOT NULL;
    CREATE INDEX meter_reading_odometer_used_created ON meter_reading (tenant, vehicle_id, created, at)
      WHERE odometer IS NOT NULL AND lifetime IS NOT NULL;
    CREATE INDEX meter_reading_engine_hours_created ON meter_reading (tenant, vehicle_id, created, at)
      WHERE engine_hours IS NOT NULL;
    CREATE INDEX meter_reading_engine_hours_used ON meter_reading (tenant, vehicle_id, at, lifetime)
      WHERE engine_hours IS NOT NULL AND lifetime IS NOT NULL;
    CREATE INDEX meter_reading_engine_hours_used_created ON meter_reading (tenant, vehicle_id, created, at)
      WHERE engine_hours IS NOT NULL AND lifetime IS NOT NULL;
    """

  /// Adds indexes for finding private journeys by their end times: those of one vehicle, and those of all vehicles.
  private static let version47 = """
    DROP INDEX journey_private;
    CREATE INDEX journey_private ON journey (tenant, vehicle_id, end_time) WHERE purpose = 'private';
    CREATE INDEX journey_private_end ON journey (tenant, end_time) WHERE purpose = 'private';
    """

  private static func randoms(_ count: Int) -> String {
    Array(repeating: "1 + abs(random()) % 127", count: count).joined(separator: ", ")
  }

  /// SQL expression that joins the text-searched fields of a vehicle.
  static let searched = ["vin", "name", "make", "model", "licence_plate"].reduce("id") {
    "\($0) || coalesce(char(10) || \($1), '')"
  }

  /// SQL expression for the time of the migration, ms since 1970.
  private static let now = "CAST(strftime('%s', 'now') AS INTEGER) * 1000"
  private static let ahead = StoredQuality.ahead.rawValue
  /// SQL expression for the lowest integer. SQL has no literal for it, because the minus sign is an operator.
  private static let undated = "(-9223372036854775807 - 1)"

  private static func newest(_ recordClass: RecordClass) -> String {
    """
    INSERT INTO newest SELECT v.key, r.class, '', r.time, r.seq, r.id FROM vehicle AS v
      JOIN record AS r ON r.tenant = v.tenant AND r.vehicle = v.key AND r.class = \(recordClass.number) AND r.id = (
        SELECT id FROM record
        WHERE tenant = v.tenant AND vehicle = v.key AND class = \(recordClass.number) AND quality <> \(ahead)
        ORDER BY time DESC, seq DESC, id DESC LIMIT 1);

    """
  }

  private static func newestOfECUs(_ recordClass: RecordClass) -> String {
    """
    INSERT INTO newest SELECT vehicle, class, ecu, time, seq, id FROM (
      SELECT *, row_number() OVER (PARTITION BY vehicle, ecu ORDER BY time DESC, seq DESC, id DESC) AS place FROM (
        SELECT r.vehicle, r.class, r.time, r.seq, r.id,
          CASE WHEN json_valid(CAST(body AS TEXT)) AND json_type(CAST(body AS TEXT), '$.ecu') = 'text'
            AND length(CAST(json_extract(CAST(body AS TEXT), '$.ecu') AS BLOB)) BETWEEN 1 AND 32
            THEN json_extract(CAST(body AS TEXT), '$.ecu') ELSE '' END AS ecu
        FROM vehicle AS v JOIN record AS r
          ON r.tenant = v.tenant AND r.vehicle = v.key AND r.class = \(recordClass.number) AND r.quality <> \(ahead)))
      WHERE place = 1;

    """
  }
}
