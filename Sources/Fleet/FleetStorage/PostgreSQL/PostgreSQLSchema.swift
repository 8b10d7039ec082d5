import FleetDomain

/// The steps from an empty database to the newest schema. A released step is never changed; each change of the schema
/// is a new step.
enum PostgreSQLSchema {
  /// The step at index n upgrades version n to version n + 1.
  static let steps = [
    version1, version2, version3, version4, version5, version6, version7, version8, version9, version10,
    version11, version12, version13, version14, version15, version16, version17, version18, version19,
    version20, version21, version22, version23, version24, version25, version26, version27, version28,
    version29, version30, version31, version32, version33, version34, version35, version36, version37,
    version38, version39, version40, version41, version42, version43, version44,
    version45, version46, version47,
  ]

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

  /// Adds a table of removed vehicles, so that their records can be deleted in several transactions. Drops the index of
  /// the feed's times. Adds the partition `odd` to each class, for IDs whose month no correct clock can show at
  /// present.
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

  /// Stores for each partition the last cutoff before which its records were deleted, so that the partition is not read
  /// again for the same cutoff.
  private static let version3 =
    "ALTER TABLE part ADD COLUMN thinned bigint NOT NULL DEFAULT '\(Int64.min)'"

  /// Adds an indexed table that contains the vehicles for which each gateway may send records. Stores how many gateways
  /// and tokens each tenant has.
  private static let version4 = """
    CREATE TABLE gateway_vehicle (
      tenant integer NOT NULL, gateway text COLLATE "C" NOT NULL, vehicle text COLLATE "C" NOT NULL,
      place integer NOT NULL, active integer NOT NULL, PRIMARY KEY (tenant, gateway, vehicle)
    );
    INSERT INTO gateway_vehicle (tenant, gateway, vehicle, place, active)
      SELECT tenant, id, vehicle, place - 1, (revoked IS NULL)::integer
      FROM gateway CROSS JOIN LATERAL unnest(string_to_array(allowed, E'\n')) WITH ORDINALITY AS line (vehicle, place)
      WHERE vehicle <> '' ON CONFLICT DO NOTHING;
    CREATE INDEX gateway_vehicle_name ON gateway_vehicle (tenant, vehicle) WHERE active = 1;
    ALTER TABLE gateway DROP COLUMN allowed;
    CREATE INDEX vehicle_gateway ON vehicle (tenant, registered_by) WHERE registered_by IS NOT NULL;

    ALTER TABLE tenant ADD COLUMN gateways bigint NOT NULL DEFAULT 0, ADD COLUMN tokens bigint NOT NULL DEFAULT 0;
    UPDATE tenant SET gateways = (SELECT count(*) FROM gateway WHERE tenant = tenant.key),
      tokens = (SELECT count(*) FROM token WHERE tenant = tenant.key);
    CREATE TABLE revocation (number bigint PRIMARY KEY, tenant integer NOT NULL, token uuid NOT NULL);
    """

  /// Adds `seq`, by which records with equal times are sorted; the time of reception; and the table of each vehicle's
  /// newest records. Times that are more than a day in the future are replaced with the time of this migration.
  private static let version5 =
    """
    ALTER TABLE record ADD COLUMN seq bigint NOT NULL DEFAULT 0, ADD COLUMN received bigint;
    UPDATE record SET
      seq = coalesce(substring(convert_from(body, 'UTF8') FROM '"seq"[ \\t\\r\\n]*:[ \\t\\r\\n]*([0-9]{1,18})')::bigint, 0),
      time = CASE WHEN time > \(now) + \(Reception.tolerance) THEN \(now) ELSE time END,
      quality = CASE WHEN time > \(now) + \(Reception.tolerance) THEN \(ahead) ELSE quality END;
    UPDATE part SET min_time = least(min_time, \(now)), max_time = \(now) + \(Reception.tolerance)
      WHERE max_time > \(now) + \(Reception.tolerance);
    DROP INDEX record_time;
    CREATE INDEX record_time ON record (tenant, vehicle, time, seq, id);

    CREATE TABLE newest (
      vehicle integer NOT NULL, class smallint NOT NULL, ecu text COLLATE "C" NOT NULL, time bigint NOT NULL,
      seq bigint NOT NULL, id uuid NOT NULL, PRIMARY KEY (vehicle, class, ecu)
    ) WITH (fillfactor = 50);

    """ + RecordClass.allCases.map { lists($0) + ($0.hasECUs ? newestOfECUs($0) : newest($0)) }.joined()
      + """
      INSERT INTO newest SELECT v.key, -1, '', r.time, r.seq, r.id FROM vehicle AS v
        JOIN record AS r ON r.tenant = v.tenant AND r.vehicle = v.key AND r.class = 0 AND r.id = v.position_id
        WHERE r.quality <> \(ahead);
      INSERT INTO newest SELECT v.key, -1, '', r.time, r.seq, r.id FROM vehicle AS v CROSS JOIN LATERAL (
        SELECT time, seq, id FROM record WHERE tenant = v.tenant AND vehicle = v.key AND class = 0
          AND quality <> \(ahead) AND time > '\(Int64.min)'
          AND abs(substring(convert_from(body, 'UTF8') FROM '"latitude"[ ]*:[ ]*(-?[0-9]+[.]?[0-9]*)')::numeric) <= 90
          AND abs(substring(convert_from(body, 'UTF8') FROM '"longitude"[ ]*:[ ]*(-?[0-9]+[.]?[0-9]*)')::numeric) <= 180
        ORDER BY time DESC, seq DESC, id DESC LIMIT 1) AS r
        WHERE v.position_id IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM newest WHERE newest.vehicle = v.key AND newest.class = -1);
      UPDATE vehicle SET last_time = (SELECT max(time) FROM newest WHERE newest.vehicle = vehicle.key)
        WHERE last_time > \(now) + \(Reception.tolerance);
      ALTER TABLE vehicle DROP COLUMN position_time, DROP COLUMN position_id;
      """

  /// Adds a random identifier of the store.
  private static let version6 = "INSERT INTO setting VALUES ('store', uuid_send(gen_random_uuid()))"

  /// Adds runs, which store telemetry that arrives in batches of many records.
  private static let version7 = """
    CREATE TABLE telemetry_run (
      tenant integer NOT NULL, vehicle integer NOT NULL, last_id uuid NOT NULL, first_id uuid NOT NULL,
      last_time bigint NOT NULL, first_time bigint NOT NULL, month smallint NOT NULL, count smallint NOT NULL,
      entries bytea NOT NULL, bodies bytea NOT NULL, PRIMARY KEY (tenant, vehicle, last_id)
    );
    ALTER TABLE telemetry_run ALTER COLUMN entries SET STORAGE EXTERNAL, ALTER COLUMN bodies SET STORAGE EXTERNAL;
    CREATE UNIQUE INDEX telemetry_run_time ON telemetry_run (tenant, vehicle, last_time);
    CREATE INDEX telemetry_run_month ON telemetry_run (month, last_time);
    """

  /// Adds the current vehicle of each gateway: the vehicle of the gateway's newest record.
  private static let version8 = "ALTER TABLE gateway ADD COLUMN vehicle integer, ADD COLUMN vehicle_time bigint"

  /// Adds people, their sessions and factors, the audit, and the keys that encrypt personal data in the audit. The
  /// columns `number`, `time` and `thing` of the audit repeat values of an entry's content, so that entries can be
  /// listed by them.
  private static let version9 = """
    CREATE TABLE person (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "email" text COLLATE "C", "first_name" text COLLATE "C" NOT NULL,
      "last_name" text COLLATE "C" NOT NULL, "roles" text COLLATE "C" NOT NULL, "scope" text COLLATE "C" NOT NULL,
      "is_active" bigint NOT NULL, "locale" text COLLATE "C", "time_zone" text COLLATE "C",
      "units" text COLLATE "C" NOT NULL, "last_seen_at" bigint, "password_hash" text COLLATE "C",
      search text COLLATE "C" NOT NULL, PRIMARY KEY (tenant, id)
    );
    CREATE TABLE session (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "person_id" uuid NOT NULL, "transport" text COLLATE "C" NOT NULL,
      "client" text COLLATE "C", "address" text COLLATE "C", "last_seen_at" bigint NOT NULL,
      "expires_at" bigint NOT NULL, "authenticated_at" bigint NOT NULL, "secret" text COLLATE "C" NOT NULL,
      "secret_expires_at" bigint, "refresh_secret" text COLLATE "C", "revoked_at" bigint, PRIMARY KEY (tenant, id)
    );
    CREATE TABLE factor (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "person_id" uuid NOT NULL, "kind" text COLLATE "C" NOT NULL,
      "name" text COLLATE "C" NOT NULL, "last_used_at" bigint, "is_confirmed" bigint NOT NULL,
      "secret" text COLLATE "C", "credential_id" text COLLATE "C", "counter" bigint, PRIMARY KEY (tenant, id)
    );
    CREATE TABLE ticket (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "purpose" text COLLATE "C" NOT NULL, "person_id" uuid,
      "secret" text COLLATE "C" NOT NULL, "expires_at" bigint NOT NULL, "attempts" bigint NOT NULL,
      "details" text COLLATE "C", PRIMARY KEY (tenant, id)
    );
    CREATE UNIQUE INDEX person_email ON person (tenant, email);
    CREATE UNIQUE INDEX session_secret ON session (secret);
    CREATE INDEX session_person ON session (tenant, person_id);
    CREATE INDEX session_expiry ON session (expires_at);
    CREATE INDEX factor_person ON factor (tenant, person_id);
    CREATE UNIQUE INDEX factor_credential ON factor (tenant, credential_id);
    CREATE UNIQUE INDEX ticket_secret ON ticket (tenant, secret);
    CREATE INDEX ticket_expiry ON ticket (expires_at);
    CREATE TABLE audit (
      tenant integer NOT NULL, number bigint NOT NULL, time bigint NOT NULL, thing uuid, subject uuid,
      hash bytea NOT NULL, content text COLLATE "C" NOT NULL, PRIMARY KEY (tenant, number)
    );
    CREATE INDEX audit_thing ON audit (tenant, thing, number) WHERE thing IS NOT NULL;
    CREATE TABLE audit_head (tenant integer PRIMARY KEY, number bigint NOT NULL, hash bytea NOT NULL);
    CREATE TABLE personal_key (
      tenant integer NOT NULL, subject uuid NOT NULL, secret bytea, PRIMARY KEY (tenant, subject)
    );
    """

  /// Turns vehicles into things, with ids, versions and more fields. Adds fleets. Existing vehicles get random IDs.
  private static let version10 = """
    ALTER TABLE vehicle RENAME COLUMN last_time TO last_record_at;
    ALTER TABLE vehicle ALTER COLUMN model_year TYPE bigint, ALTER COLUMN name TYPE text COLLATE "C",
      ALTER COLUMN make TYPE text COLLATE "C", ALTER COLUMN model TYPE text COLLATE "C",
      ALTER COLUMN licence_plate TYPE text COLLATE "C", ALTER COLUMN registered_by TYPE text COLLATE "C";
    ALTER TABLE vehicle ADD COLUMN thing uuid;
    ALTER TABLE vehicle ADD COLUMN version bigint NOT NULL DEFAULT 1;
    ALTER TABLE vehicle ADD COLUMN updated bigint NOT NULL DEFAULT 0;
    ALTER TABLE vehicle ADD COLUMN search text COLLATE "C" NOT NULL DEFAULT '';
    ALTER TABLE vehicle ADD COLUMN "status" text COLLATE "C" NOT NULL DEFAULT 'available';
    ALTER TABLE vehicle ADD COLUMN "type" text COLLATE "C";
    ALTER TABLE vehicle ADD COLUMN "fuel_type" text COLLATE "C";
    ALTER TABLE vehicle ADD COLUMN "tank_capacity" double precision;
    ALTER TABLE vehicle ADD COLUMN "battery_capacity" double precision;
    ALTER TABLE vehicle ADD COLUMN "capacity" bigint;
    ALTER TABLE vehicle ADD COLUMN "payload" double precision;
    ALTER TABLE vehicle ADD COLUMN "engine_size" double precision;
    ALTER TABLE vehicle ADD COLUMN "transmission" text COLLATE "C";
    ALTER TABLE vehicle ADD COLUMN "notes" text COLLATE "C";
    ALTER TABLE vehicle ADD COLUMN "acquired_on" text COLLATE "C";
    ALTER TABLE vehicle ADD COLUMN "acquisition_cost" text COLLATE "C";
    ALTER TABLE vehicle ADD COLUMN "residual_value" text COLLATE "C";
    ALTER TABLE vehicle ADD COLUMN "disposed_on" text COLLATE "C";
    ALTER TABLE vehicle ADD COLUMN "fleet_id" uuid;
    UPDATE vehicle SET updated = added,
      thing = overlay(gen_random_uuid()::text PLACING '7' FROM 15)::uuid,
      search = lower(\(SQLiteSchema.searched.replacing("char(10)", with: "chr(10)")));
    ALTER TABLE vehicle ALTER COLUMN thing SET NOT NULL;
    CREATE UNIQUE INDEX vehicle_thing ON vehicle (tenant, thing);
    CREATE INDEX vehicle_fleet ON vehicle (tenant, fleet_id) WHERE fleet_id IS NOT NULL;
    CREATE TABLE fleet (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "name" text COLLATE "C" NOT NULL, "time_zone" text COLLATE "C",
      "notes" text COLLATE "C", search text COLLATE "C" NOT NULL, PRIMARY KEY (tenant, id)
    );
    CREATE UNIQUE INDEX fleet_name ON fleet (tenant, name);
    """

  /// Adds drivers, their assignments, expenses, and the used refresh tokens of sessions.
  private static let version11 = """
    ALTER TABLE session ADD COLUMN "used_refresh_secrets" text COLLATE "C";
    CREATE TABLE driver (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "person_id" uuid, "fleet_id" uuid, "name" text COLLATE "C" NOT NULL, "phone" text COLLATE "C",
      "licence_number" text COLLATE "C", "licence_classes" text COLLATE "C" NOT NULL,
      "licence_expiry" text COLLATE "C", "status" text COLLATE "C" NOT NULL, search text COLLATE "C" NOT NULL,
      PRIMARY KEY (tenant, id)
    );
    CREATE TABLE assignment (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "driver_id" uuid, "vehicle_id" text COLLATE "C" NOT NULL, "from" bigint NOT NULL,
      "to" bigint, "notes" text COLLATE "C", "status" text COLLATE "C" NOT NULL, PRIMARY KEY (tenant, id)
    );
    CREATE TABLE expense (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "vehicle_id" text COLLATE "C", "driver_id" uuid, "at" bigint NOT NULL,
      "category" text COLLATE "C" NOT NULL, "amount" text COLLATE "C", "vendor_name" text COLLATE "C",
      "notes" text COLLATE "C", "document_id" uuid, search text COLLATE "C" NOT NULL, PRIMARY KEY (tenant, id)
    );
    CREATE UNIQUE INDEX driver_person_id ON driver (tenant, person_id) WHERE person_id IS NOT NULL;
    CREATE INDEX assignment_vehicle ON assignment (tenant, vehicle_id, "from");
    CREATE INDEX assignment_driver ON assignment (tenant, driver_id, "from");
    CREATE INDEX expense_vehicle ON expense (tenant, vehicle_id, at);
    CREATE INDEX expense_driver ON expense (tenant, driver_id, at);
    """

  /// Adds the mails that wait to be sent.
  private static let version12 = """
    CREATE TABLE queued_mail (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "reason" text COLLATE "C" NOT NULL, "person_id" uuid NOT NULL,
      "recipient" text COLLATE "C", "priority" bigint NOT NULL, "details" text COLLATE "C", "attempts" bigint NOT NULL,
      "next_attempt_at" bigint, "expires_at" bigint NOT NULL, "last_error" text COLLATE "C", PRIMARY KEY (tenant, id)
    );
    CREATE INDEX queued_mail_due ON queued_mail (tenant, next_attempt_at);
    CREATE INDEX queued_mail_reason ON queued_mail (tenant, reason, created);
    CREATE INDEX queued_mail_person ON queued_mail (tenant, person_id, created);
    CREATE INDEX queued_mail_recipient ON queued_mail (tenant, recipient, created);
    """

  /// Adds identities at OpenID providers, and the identity with which each session began.
  private static let version13 = """
    CREATE TABLE linked_identity (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "person_id" uuid NOT NULL, "provider" text COLLATE "C" NOT NULL,
      "issuer" text COLLATE "C" NOT NULL, "subject" text COLLATE "C" NOT NULL, "name" text COLLATE "C",
      "last_used_at" bigint, PRIMARY KEY (tenant, id)
    );
    CREATE UNIQUE INDEX linked_identity_subject ON linked_identity (tenant, issuer, subject);
    CREATE INDEX linked_identity_person ON linked_identity (tenant, person_id);
    ALTER TABLE session ADD COLUMN "identity_id" uuid, ADD COLUMN "provider_session" text COLLATE "C";
    CREATE INDEX session_identity ON session (tenant, identity_id) WHERE identity_id IS NOT NULL;
    """

  /// Adds fuel entries: fills of tanks and charges of batteries.
  private static let version14 = """
    CREATE TABLE fuel_entry (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "vehicle_id" text COLLATE "C" NOT NULL, "driver_id" uuid, "at" bigint NOT NULL,
      "odometer" double precision, "energy" text COLLATE "C" NOT NULL, "quantity" double precision NOT NULL,
      "unit" text COLLATE "C", "standard_quantity" double precision NOT NULL, "price" text COLLATE "C",
      "total" text COLLATE "C", "full" bigint NOT NULL, "missed_previous" bigint NOT NULL, "place" text COLLATE "C",
      "notes" text COLLATE "C", "document_id" uuid, search text COLLATE "C" NOT NULL, PRIMARY KEY (tenant, id)
    );
    CREATE INDEX fuel_entry_vehicle ON fuel_entry (tenant, vehicle_id, at);
    CREATE INDEX fuel_entry_driver ON fuel_entry (tenant, driver_id, at);
    """

  /// Adds journeys.
  private static let version15 = """
    CREATE TABLE journey (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "driver_id" uuid, "vehicle_id" text COLLATE "C" NOT NULL,
      "purpose" text COLLATE "C" NOT NULL, "planned_from" bigint, "start_time" bigint, "end_time" bigint,
      "start_odometer" double precision, "end_odometer" double precision, "notes" text COLLATE "C",
      "log" text COLLATE "C" NOT NULL, "status" text COLLATE "C" NOT NULL, "needs_review" bigint NOT NULL,
      search text COLLATE "C" NOT NULL, PRIMARY KEY (tenant, id)
    );
    CREATE INDEX journey_vehicle ON journey (tenant, vehicle_id, start_time);
    CREATE INDEX journey_driver ON journey (tenant, driver_id, status);
    """

  /// Adds columns for values from a vehicle's newest records. For vehicles that already have records, the columns are
  /// set later.
  private static let version16 = """
    ALTER TABLE vehicle ADD COLUMN place_time bigint, ADD COLUMN place bytea, ADD COLUMN motion bytea,
      ADD COLUMN last_trip bytea, ADD COLUMN is_incomplete smallint NOT NULL DEFAULT 0;
    UPDATE vehicle SET is_incomplete = 1 WHERE last_record_at IS NOT NULL;
    CREATE INDEX vehicle_incomplete ON vehicle (key) WHERE is_incomplete = 1;
    """

  /// Adds inspection reports and documents.
  private static let version17 = """
    CREATE TABLE inspection (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "driver_id" uuid, "vehicle_id" text COLLATE "C" NOT NULL,
      "kind" text COLLATE "C" NOT NULL, "at" bigint NOT NULL, "odometer" double precision, "place" text COLLATE "C",
      "items" text COLLATE "C" NOT NULL, "notes" text COLLATE "C", "supersedes" uuid,
      "status" text COLLATE "C" NOT NULL, "signature" text COLLATE "C", "certification" text COLLATE "C",
      "review" text COLLATE "C", "superseded_by" uuid, "content_hash" text COLLATE "C", "has_defects" bigint NOT NULL,
      search text COLLATE "C" NOT NULL, PRIMARY KEY (tenant, id)
    );
    CREATE TABLE document (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "of" text COLLATE "C" NOT NULL, "vehicle_id" text COLLATE "C", "driver_id" uuid,
      "kind" text COLLATE "C" NOT NULL, "title" text COLLATE "C", "number" text COLLATE "C",
      "issued_on" text COLLATE "C", "expires_on" text COLLATE "C", "notes" text COLLATE "C",
      search text COLLATE "C" NOT NULL, PRIMARY KEY (tenant, id)
    );
    CREATE INDEX inspection_vehicle ON inspection (tenant, vehicle_id, at);
    CREATE INDEX inspection_driver ON inspection (tenant, driver_id, at);
    CREATE INDEX document_vehicle ON document (tenant, vehicle_id);
    CREATE INDEX document_driver ON document (tenant, driver_id);
    CREATE INDEX document_expiry ON document (tenant, expires_on) WHERE expires_on IS NOT NULL;
    """

  /// Adds events, rules and notifications.
  private static let version18 = """
    CREATE TABLE fleet_event (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "event" text COLLATE "C" NOT NULL, "kind" text COLLATE "C" NOT NULL,
      "thing" uuid NOT NULL, "vehicle_id" text COLLATE "C", "driver_id" uuid, "item" text COLLATE "C",
      "day" text COLLATE "C", PRIMARY KEY (tenant, id)
    );
    CREATE TABLE reminder (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "thing" uuid NOT NULL, "day" text COLLATE "C", PRIMARY KEY (tenant, id)
    );
    CREATE TABLE rule (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "name" text COLLATE "C" NOT NULL, "is_active" bigint NOT NULL,
      "events" text COLLATE "C" NOT NULL, "fleet_ids" text COLLATE "C" NOT NULL, "roles" text COLLATE "C" NOT NULL,
      "person_ids" text COLLATE "C" NOT NULL, "notifies_driver" bigint NOT NULL, "channels" text COLLATE "C" NOT NULL,
      "digest" text COLLATE "C" NOT NULL, "quiet_hours" text COLLATE "C", search text COLLATE "C" NOT NULL,
      PRIMARY KEY (tenant, id)
    );
    CREATE TABLE notification (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "person_id" uuid NOT NULL, "rule_id" uuid, "event" text COLLATE "C" NOT NULL,
      "kind" text COLLATE "C" NOT NULL, "thing" uuid NOT NULL, "vehicle_id" text COLLATE "C",
      "text" text COLLATE "C" NOT NULL, "at" bigint NOT NULL, "read_at" bigint,
      "deliveries" text COLLATE "C" NOT NULL, "mail_at" bigint, PRIMARY KEY (tenant, id)
    );
    CREATE INDEX fleet_event_created ON fleet_event (tenant, created);
    CREATE INDEX driver_licence ON driver (tenant, licence_expiry) WHERE licence_expiry IS NOT NULL;
    CREATE INDEX notification_person ON notification (tenant, person_id, at);
    CREATE INDEX notification_mail ON notification (tenant, mail_at) WHERE mail_at IS NOT NULL;
    """

  /// Adds the scope, the expiry and the time of last use to tokens. Adds indexes of the times at which assignments
  /// begin and end.
  private static let version19 = """
    ALTER TABLE token ADD COLUMN scope text COLLATE "C" NOT NULL DEFAULT '"all"';
    ALTER TABLE token ADD COLUMN expires bigint;
    ALTER TABLE token ADD COLUMN used bigint;
    CREATE INDEX assignment_begin ON assignment (tenant, status, "from");
    CREATE INDEX assignment_end ON assignment (tenant, status, "to");
    """

  /// Adds an index that finds journeys with a given state.
  private static let version20 = """
    CREATE INDEX journey_status ON journey (tenant, status);
    """

  /// Adds the network addresses from which people have signed in.
  private static let version21 = "ALTER TABLE person ADD COLUMN \"known_addresses\" text COLLATE \"C\";"

  /// Adds meter readings, maintenance schedules, maintenance records, and defects.
  private static let version22 = """
    CREATE TABLE meter_reading (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL, updated
      bigint NOT NULL, "vehicle_id" text COLLATE "C" NOT NULL, "at" bigint NOT NULL, "odometer" double
      precision, "engine_hours" double precision, "source" text COLLATE "C" NOT NULL, "replaced" bigint NOT
      NULL, "void" bigint NOT NULL, "notes" text COLLATE "C", "origin_id" uuid, "flag" text COLLATE "C",
      "lifetime" double precision, PRIMARY KEY (tenant, id)
    );
    CREATE TABLE service_type (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL, updated
      bigint NOT NULL, "code" text COLLATE "C" NOT NULL, "name" text COLLATE "C" NOT NULL, "built_in" bigint NOT
      NULL, "notes" text COLLATE "C", search text COLLATE "C" NOT NULL, PRIMARY KEY (tenant, id)
    );
    CREATE TABLE service_schedule (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL, updated
      bigint NOT NULL, "vehicle_id" text COLLATE "C", "fleet_id" uuid, "service_type" text COLLATE "C" NOT NULL,
      "name" text COLLATE "C", "every" text COLLATE "C" NOT NULL, "basis" text COLLATE "C" NOT NULL, "due_soon"
      text COLLATE "C" NOT NULL, "last_service" text COLLATE "C", "notes" text COLLATE "C", "next" text COLLATE
      "C", "state" text COLLATE "C" NOT NULL, "forecast_date" text COLLATE "C", search text COLLATE "C" NOT
      NULL, PRIMARY KEY (tenant, id)
    );
    CREATE TABLE service_due (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL, updated
      bigint NOT NULL, "schedule_id" uuid NOT NULL, "vehicle_id" text COLLATE "C" NOT NULL, "plan" text COLLATE
      "C" NOT NULL, "cycle" bigint NOT NULL, "last_date" text COLLATE "C", "last_kilometers" double precision,
      "last_engine_hours" double precision, "due_date" text COLLATE "C", "due_kilometers" double precision,
      "due_engine_hours" double precision, "state" text COLLATE "C" NOT NULL, "snoozed_until" text COLLATE "C",
      "opened_cycle" bigint, "check_date" text COLLATE "C", PRIMARY KEY (tenant, id)
    );
    CREATE TABLE maintenance_record (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL, updated
      bigint NOT NULL, "vehicle_id" text COLLATE "C" NOT NULL, "service_type" text COLLATE "C" NOT NULL,
      "scheduled_date" text COLLATE "C", "completed_date" text COLLATE "C", "lines" text COLLATE "C" NOT NULL,
      "cost" text COLLATE "C", "vendor_name" text COLLATE "C", "notes" text COLLATE "C", "performed_by" text
      COLLATE "C", "odometer" double precision, "engine_hours" double precision, "schedule_id" uuid, "cycle"
      bigint, "defect_ids" text COLLATE "C" NOT NULL, "status" text COLLATE "C" NOT NULL, "started_at" bigint,
      "cancel_reason" text COLLATE "C", search text COLLATE "C" NOT NULL, PRIMARY KEY (tenant, id)
    );
    CREATE TABLE defect (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL, updated
      bigint NOT NULL, "vehicle_id" text COLLATE "C" NOT NULL, "driver_id" uuid, "source" text COLLATE "C" NOT
      NULL, "severity" text COLLATE "C" NOT NULL, "text" text COLLATE "C" NOT NULL, "dtcs" text COLLATE "C" NOT
      NULL, "freeze_frame" text COLLATE "C", "photos" text COLLATE "C" NOT NULL, "record_id" uuid, "status" text
      COLLATE "C" NOT NULL, "dismiss_reason" text COLLATE "C", "reports" text COLLATE "C" NOT NULL,
      "trips_without" bigint NOT NULL, "counted_until" bigint, search text COLLATE "C" NOT NULL, PRIMARY KEY
      (tenant, id)
    );
    CREATE TABLE followed_feed (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL, updated
      bigint NOT NULL, "name" text COLLATE "C" NOT NULL, "position" bigint NOT NULL, PRIMARY KEY (tenant, id)
    );
    ALTER TABLE vehicle
      ADD COLUMN "odometer" double precision, ADD COLUMN "odometer_at" bigint, ADD COLUMN "odometer_estimated"
      bigint, ADD COLUMN "lifetime_kilometers" double precision, ADD COLUMN "daily_kilometers" double precision,
      ADD COLUMN "engine_hours" double precision, ADD COLUMN "engine_hours_at" bigint, ADD COLUMN
      "engine_hours_estimated" bigint, ADD COLUMN "lifetime_engine_hours" double precision, ADD COLUMN
      "daily_engine_hours" double precision;
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
      vehicle integer NOT NULL, day integer NOT NULL, distance double precision, engine_on bigint NOT NULL,
      moving bigint NOT NULL, idle bigint NOT NULL, unknown bigint NOT NULL, fuel_used double precision,
      trips integer NOT NULL, driving_events integer NOT NULL, first_time bigint NOT NULL, last_time bigint NOT NULL,
      PRIMARY KEY (vehicle, day)
    );
    CREATE TABLE stale_hour (
      vehicle integer NOT NULL, hour bigint NOT NULL, since bigint NOT NULL, PRIMARY KEY (vehicle, hour)
    );
    ALTER TABLE vehicle ADD COLUMN changes bigint NOT NULL DEFAULT 0, ADD COLUMN day_zone text COLLATE "C";
    UPDATE vehicle SET is_incomplete = 1 WHERE last_record_at IS NOT NULL;
    """

  /// Adds reports.
  private static let version24 = """
    CREATE TABLE report (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "kind" text COLLATE "C" NOT NULL, "from" text COLLATE "C" NOT NULL,
      "to" text COLLATE "C" NOT NULL, "group_by" text COLLATE "C" NOT NULL, "fleet_id" uuid, "requested_by" uuid,
      "rows" text COLLATE "C", PRIMARY KEY (tenant, id)
    );
    """

  /// Adds the account identifiers that an OpenID provider uses only for this client (`clientSubject`).
  private static let version25 = """
    ALTER TABLE linked_identity ADD COLUMN "client_subject" text COLLATE "C";
    CREATE INDEX linked_identity_client ON linked_identity (tenant, issuer, client_subject);
    """

  /// Adds connectors, which read records from other programs, and phones.
  private static let version26 = """
    CREATE TABLE connector (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "name" text COLLATE "C" NOT NULL, "service" text COLLATE "C" NOT NULL,
      "is_active" bigint NOT NULL, "address" text COLLATE "C", "period" bigint, "sign_in" text COLLATE "C",
      "token_address" text COLLATE "C", "client_id" text COLLATE "C", "user_name" text COLLATE "C",
      "scope" text COLLATE "C", "key_header" text COLLATE "C", "secret" text COLLATE "C",
      "webhook_secret" text COLLATE "C", "state" text COLLATE "C" NOT NULL, "last_pull_at" bigint,
      "last_success_at" bigint, "assets" bigint NOT NULL, "stored" bigint NOT NULL,
      "ignored" text COLLATE "C" NOT NULL, "failures" text COLLATE "C" NOT NULL, search text COLLATE "C" NOT NULL,
      PRIMARY KEY (tenant, id)
    );
    CREATE TABLE connector_progress (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "cursors" text COLLATE "C" NOT NULL, "tokens" text COLLATE "C", "lease_holder" uuid,
      "lease_until" bigint, "next_pull_at" bigint, "failures" bigint NOT NULL, PRIMARY KEY (tenant, id)
    );
    CREATE TABLE connected_asset (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "connector_id" uuid NOT NULL, "asset_id" text COLLATE "C" NOT NULL,
      "vehicle_id" text COLLATE "C" NOT NULL, "vin" text COLLATE "C", "serial" text COLLATE "C",
      "name" text COLLATE "C", PRIMARY KEY (tenant, id)
    );
    CREATE TABLE phone (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "driver_id" uuid, "name" text COLLATE "C" NOT NULL,
      "shares_position" bigint NOT NULL, "key_hash" text COLLATE "C", "last_seen_at" bigint,
      "stored" bigint NOT NULL, "ignored" text COLLATE "C" NOT NULL, search text COLLATE "C" NOT NULL,
      PRIMARY KEY (tenant, id)
    );
    CREATE INDEX connector_progress_due ON connector_progress (next_pull_at, tenant);
    CREATE UNIQUE INDEX connected_asset_source ON connected_asset (tenant, connector_id, asset_id);
    CREATE INDEX connected_asset_vehicle ON connected_asset (tenant, vehicle_id);
    CREATE INDEX connected_asset_serial ON connected_asset (tenant, connector_id, serial);
    CREATE UNIQUE INDEX phone_key ON phone (tenant, key_hash);
    CREATE INDEX phone_driver ON phone (tenant, driver_id);
    """

  /// Adds a flag for sessions that may only add a second factor. Adds an index of notifications by their creation.
  private static let version27 = """
    ALTER TABLE session ADD COLUMN "needs_factor" bigint NOT NULL DEFAULT 0;
    CREATE INDEX notification_created ON notification (created);
    """

  /// Separates gateways' own records (``GatewayRows``) from vehicles' records. Adds attributions, which assign
  /// gateways' own records to vehicles. Adds checklists. Adds the column `part` to meter readings; adds the item and
  /// the inspections to defects.
  private static let version28 = """
    ALTER TABLE vehicle ADD COLUMN is_gateway smallint NOT NULL DEFAULT 0;
    \(GatewayRows.classify);
    CREATE INDEX vehicle_is_gateway ON vehicle (tenant, id) WHERE is_gateway = 1;
    CREATE TABLE attribution (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "gateway_id" text COLLATE "C" NOT NULL, "vehicle_id" text COLLATE "C" NOT NULL, "trip_id" uuid NOT NULL,
      "from" bigint NOT NULL, "to" bigint NOT NULL, PRIMARY KEY (tenant, id)
    );
    CREATE INDEX attribution_vehicle ON attribution (tenant, vehicle_id, "from");
    CREATE INDEX attribution_gateway ON attribution (tenant, gateway_id, "from");
    CREATE UNIQUE INDEX attribution_trip_id ON attribution (tenant, trip_id);
    ALTER TABLE meter_reading ADD COLUMN "part" text COLLATE "C";
    ALTER TABLE defect ADD COLUMN "item" text COLLATE "C";
    ALTER TABLE defect ADD COLUMN "inspection_ids" text COLLATE "C" NOT NULL DEFAULT '[]';
    CREATE TABLE checklist (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL, updated bigint NOT NULL,
      "name" text COLLATE "C" NOT NULL, "text" text COLLATE "C" NOT NULL, "vehicle_types" text COLLATE "C" NOT NULL, "items" text COLLATE "C" NOT NULL,
      "is_active" bigint NOT NULL, search text COLLATE "C" NOT NULL, PRIMARY KEY (tenant, id)
    );
    CREATE UNIQUE INDEX checklist_name ON checklist (tenant, name);
    CREATE INDEX journey_private ON journey (tenant, vehicle_id, start_time) WHERE purpose = 'private';
    """

  /// Adds forwards, which send records to other programs.
  private static let version29 = """
    CREATE TABLE forward (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "name" text COLLATE "C" NOT NULL, "format" text COLLATE "C" NOT NULL,
      "is_active" bigint NOT NULL, "address" text COLLATE "C" NOT NULL, "key_header" text COLLATE "C",
      "secret" text COLLATE "C", "state" text COLLATE "C" NOT NULL, "last_sent_at" bigint, "sent" bigint NOT NULL,
      "ignored" text COLLATE "C" NOT NULL, "failures" text COLLATE "C" NOT NULL, search text COLLATE "C" NOT NULL,
      PRIMARY KEY (tenant, id)
    );
    CREATE TABLE forward_progress (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "position" bigint, "lease_holder" uuid, "lease_until" bigint, "next_at" bigint,
      "failures" bigint NOT NULL, PRIMARY KEY (tenant, id)
    );
    CREATE INDEX forward_progress_due ON forward_progress (next_at, tenant);
    """

  /// Adds a table of vehicles with changes that a reader of the feed has not processed yet
  /// (``FleetDomain/FollowedVehicle``).
  private static let version30 = """
    CREATE TABLE followed_vehicle (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "vehicle_id" text COLLATE "C" NOT NULL, "after" bigint NOT NULL,
      "through" bigint NOT NULL, "served_at" bigint NOT NULL, PRIMARY KEY (tenant, id)
    );
    CREATE UNIQUE INDEX followed_vehicle_vehicle_id ON followed_vehicle (tenant, vehicle_id);
    CREATE INDEX followed_vehicle_turn ON followed_vehicle (tenant, served_at, id);
    """

  /// Marks the journeys that a person with more rights than a driver has declared or reviewed.
  private static let version31 = """
    ALTER TABLE journey ADD COLUMN "confirmed" bigint NOT NULL DEFAULT 0;
    UPDATE journey SET confirmed = 1 WHERE log LIKE '%"event":"started"%'
      AND (log NOT LIKE '%"assigned":%' OR log LIKE '%"reviewed":true%');
    """

  /// Adds files, and rows that show which things refer to which files.
  private static let version32 = """
    CREATE TABLE file (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL,
      "name" text COLLATE "C" NOT NULL, "size" bigint NOT NULL, "sha256" text COLLATE "C", "keep_position" bigint NOT NULL,
      "status" text COLLATE "C" NOT NULL, "media_type" text COLLATE "C", "versions" text COLLATE "C" NOT NULL,
      "capture" text COLLATE "C", "problem" text COLLATE "C", "uploaded_by" uuid, PRIMARY KEY (tenant, id)
    );
    CREATE INDEX file_status ON file (status, tenant) WHERE status <> 'stored';
    CREATE INDEX file_uploader ON file (tenant, uploaded_by);
    CREATE TABLE file_use (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL,
      "file_id" uuid NOT NULL, "kind" text COLLATE "C" NOT NULL, "thing_id" uuid NOT NULL, PRIMARY KEY (tenant, id)
    );
    CREATE UNIQUE INDEX file_use_file_id ON file_use (tenant, file_id, thing_id);
    CREATE TABLE file_space (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL,
      "holder" text COLLATE "C" NOT NULL, "bytes" bigint NOT NULL, PRIMARY KEY (tenant, id)
    );
    CREATE UNIQUE INDEX file_space_holder ON file_space (tenant, holder);
    ALTER TABLE document ADD COLUMN "file_ids" text COLLATE "C";
    ALTER TABLE expense ADD COLUMN "file_ids" text COLLATE "C";
    ALTER TABLE fuel_entry ADD COLUMN "file_ids" text COLLATE "C";
    ALTER TABLE maintenance_record ADD COLUMN "file_ids" text COLLATE "C";
    """

  /// Adds tenants' settings, the number of a day's driving events for which drivers are responsible, the completion
  /// time of maintenance, and report schedules. All figures of days are computed again, because they lack that number.
  private static let version33 = """
    CREATE TABLE tenant_settings (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "time_zone" text COLLATE "C", PRIMARY KEY (tenant, id)
    );
    ALTER TABLE vehicle_day ADD COLUMN driver_events integer;
    UPDATE vehicle SET is_incomplete = 1 WHERE last_record_at IS NOT NULL;
    ALTER TABLE maintenance_record ADD COLUMN "completed_at" bigint;
    ALTER TABLE report ADD COLUMN "schedule" text COLLATE "C";
    ALTER TABLE report ADD COLUMN "next_at" bigint;
    ALTER TABLE report ADD COLUMN "schedule_id" uuid;
    CREATE INDEX report_next ON report (next_at) WHERE next_at IS NOT NULL;
    """

  /// Adds the maintenance record of the last service, and the date and readings at which that service was due.
  private static let version34 = """
    ALTER TABLE service_due ADD COLUMN "last_record_id" uuid;
    ALTER TABLE service_due ADD COLUMN "previous_due_date" text COLLATE "C";
    ALTER TABLE service_due ADD COLUMN "previous_due_kilometers" double precision;
    ALTER TABLE service_due ADD COLUMN "previous_due_engine_hours" double precision;
    """

  /// Allows fuel entries and expenses to be void. Adds to due services the day of the month on which they are due. Adds
  /// to reports the number of days whose figures are missing.
  private static let version35 = """
    ALTER TABLE fuel_entry ADD COLUMN "void" bigint NOT NULL DEFAULT 0;
    ALTER TABLE expense ADD COLUMN "void" bigint NOT NULL DEFAULT 0;
    ALTER TABLE service_due ADD COLUMN "due_month_day" bigint;
    ALTER TABLE report ADD COLUMN "pending" text COLLATE "C";
    ALTER TABLE service_due ADD COLUMN "previous_due_month_day" bigint;
    """

  /// Adds columns for: the text search of assignments and meter readings, the dates by which service schedules are
  /// sorted, photos of vehicles, files of documents, metrics of reports, more settings of tenants, and working hours of
  /// fleets.
  private static let version36 = """
    ALTER TABLE assignment ADD COLUMN search text COLLATE "C" NOT NULL DEFAULT '';
    UPDATE assignment SET search = lower(coalesce(notes, ''));
    ALTER TABLE meter_reading ADD COLUMN search text COLLATE "C" NOT NULL DEFAULT '';
    UPDATE meter_reading SET search = lower(notes) WHERE notes IS NOT NULL;
    ALTER TABLE service_schedule ADD COLUMN "due_date" text COLLATE "C";
    UPDATE service_schedule SET due_date = next::json->>'dueDate' WHERE next IS NOT NULL;
    ALTER TABLE vehicle ADD COLUMN "photo_id" uuid;
    ALTER TABLE document ADD COLUMN "file_id" uuid;
    ALTER TABLE report ADD COLUMN "metrics" text COLLATE "C";
    ALTER TABLE report ADD COLUMN "generated_at" bigint;
    UPDATE report SET generated_at = created;
    ALTER TABLE tenant_settings ADD COLUMN "opens_code_defects" bigint NOT NULL DEFAULT 1;
    ALTER TABLE tenant_settings ADD COLUMN "trips_to_verify" bigint NOT NULL DEFAULT 3;
    ALTER TABLE tenant_settings ADD COLUMN "requires_inspections" bigint NOT NULL DEFAULT 0;
    ALTER TABLE defect ADD COLUMN "verify_reason" text COLLATE "C";
    ALTER TABLE fleet ADD COLUMN "working_hours" text COLLATE "C";
    ALTER TABLE vehicle ADD COLUMN "planned_disposal_on" text COLLATE "C";
    """

  /// Adds the permission to read costs, which a person can have in addition to the roles.
  private static let version37 = "ALTER TABLE person ADD COLUMN \"may_read_costs\" bigint NOT NULL DEFAULT 0;"

  /// Adds webhooks, push subscriptions, and the deliveries to them. Adds numbers to events, which determine their
  /// order. Adds a table of the vehicles that are silent.
  private static let version38 = """
    ALTER TABLE fleet_event ADD COLUMN "at" bigint;
    ALTER TABLE fleet_event ADD COLUMN "number" bigint NOT NULL DEFAULT 0;
    CREATE INDEX fleet_event_number ON fleet_event (tenant, number, created);
    ALTER TABLE rule ADD COLUMN "webhook_ids" text COLLATE "C" NOT NULL DEFAULT '[]';
    ALTER TABLE notification ADD COLUMN "push_at" bigint;
    CREATE INDEX notification_push ON notification (tenant, push_at) WHERE push_at IS NOT NULL;
    CREATE TABLE event_count (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "last" bigint NOT NULL, "hour" bigint NOT NULL,
      "frequent" bigint NOT NULL, "dropped" bigint NOT NULL, PRIMARY KEY (tenant, id)
    );
    CREATE TABLE webhook (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "url" text COLLATE "C" NOT NULL, "description" text COLLATE "C", "events" text COLLATE "C",
      "fleet_ids" text COLLATE "C" NOT NULL, "is_active" bigint NOT NULL, "secret" text COLLATE "C", "previous_secret_until" bigint,
      "state" text COLLATE "C" NOT NULL, "last_delivered_at" bigint, "delivered" bigint NOT NULL, "dropped" bigint NOT NULL,
      "failures" text COLLATE "C" NOT NULL, search text COLLATE "C" NOT NULL, PRIMARY KEY (tenant, id)
    );
    CREATE TABLE delivery (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "receiver_id" uuid NOT NULL, "channel" text COLLATE "C" NOT NULL,
      "event_id" uuid NOT NULL, "event" text COLLATE "C" NOT NULL, "thing" uuid NOT NULL, "body" text COLLATE "C" NOT NULL,
      "number" bigint NOT NULL, "attempts" bigint NOT NULL, "next_attempt_at" bigint, "expires_at" bigint NOT NULL,
      "state" text COLLATE "C" NOT NULL, "attempted_at" bigint, "status" bigint, "duration" bigint, "error" text COLLATE "C",
      PRIMARY KEY (tenant, id)
    );
    CREATE INDEX delivery_due ON delivery (tenant, receiver_id, next_attempt_at, number)
      WHERE next_attempt_at IS NOT NULL;
    CREATE INDEX delivery_thing ON delivery (tenant, receiver_id, thing, number);
    CREATE INDEX delivery_number ON delivery (tenant, receiver_id, number);
    CREATE INDEX delivery_created ON delivery (tenant, created);
    CREATE TABLE delivery_progress (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "channel" text COLLATE "C" NOT NULL, "next_at" bigint, "lease_holder" uuid,
      "lease_until" bigint, "failures" bigint NOT NULL, "failing_since" bigint, "paused_until" bigint,
      "waiting" bigint NOT NULL, "last_number" bigint NOT NULL, PRIMARY KEY (tenant, id)
    );
    CREATE INDEX delivery_progress_due ON delivery_progress (next_at, tenant);
    CREATE TABLE push_subscription (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "person_id" uuid NOT NULL, "session_id" uuid NOT NULL,
      "endpoint" text COLLATE "C" NOT NULL, "key" text COLLATE "C" NOT NULL, "auth" text COLLATE "C" NOT NULL, "client" text COLLATE "C", "last_sent_at" bigint,
      PRIMARY KEY (tenant, id)
    );
    CREATE INDEX push_subscription_person ON push_subscription (tenant, person_id);
    CREATE INDEX push_subscription_session ON push_subscription (tenant, session_id);
    CREATE INDEX push_subscription_endpoint ON push_subscription (tenant, endpoint);
    CREATE TABLE push_key (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "secret" text COLLATE "C", PRIMARY KEY (tenant, id)
    );
    CREATE TABLE silent_vehicle (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "vehicle_id" text COLLATE "C" NOT NULL, "since" bigint NOT NULL,
      PRIMARY KEY (tenant, id)
    );
    """

  /// Adds the properties of 3D models to files.
  private static let version39 = """
    ALTER TABLE file ADD COLUMN "model" text COLLATE "C";
    """

  /// Adds tables for the drivers and duty periods that connectors report. Adds columns for a vehicle's charge in
  /// progress, for the setting that faults of machines are read, and for the keys with which phones encrypt messages.
  private static let version40 = """
    ALTER TABLE connector ADD COLUMN "reads_faults" bigint NOT NULL DEFAULT 0;
    ALTER TABLE connected_asset ADD COLUMN "charge" text COLLATE "C";
    ALTER TABLE phone ADD COLUMN "message_key" text COLLATE "C";
    CREATE TABLE connected_driver (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "connector_id" uuid NOT NULL, "source_id" text COLLATE "C" NOT NULL,
      "driver_id" uuid NOT NULL, PRIMARY KEY (tenant, id)
    );
    CREATE UNIQUE INDEX connected_driver_source ON connected_driver (tenant, connector_id, source_id);
    CREATE INDEX connected_driver_driver_id ON connected_driver (tenant, driver_id);
    CREATE TABLE duty_period (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "connector_id" uuid NOT NULL, "driver_id" uuid NOT NULL,
      "status" text COLLATE "C" NOT NULL, "from" bigint NOT NULL, "to" bigint, "vehicle_id" text COLLATE "C", PRIMARY KEY (tenant, id)
    );
    CREATE INDEX duty_period_driver ON duty_period (tenant, driver_id, "from");
    CREATE INDEX duty_period_connector ON duty_period (tenant, connector_id);
    """

  /// Adds the size of each tenant's records (``RecordBytes``), in total and by class and month of the ids, and computes
  /// it from the stored records.
  private static let version41 = """
    ALTER TABLE tenant ADD COLUMN record_bytes bigint NOT NULL DEFAULT 0;
    CREATE TABLE part_bytes (
      class smallint NOT NULL, month smallint NOT NULL, tenant integer NOT NULL, bytes bigint NOT NULL,
      PRIMARY KEY (class, month, tenant)
    );
    INSERT INTO part_bytes (class, month, tenant, bytes)
      SELECT class, month, tenant, sum(bytes) FROM (
        SELECT class, tenant, bytes, CASE WHEN day < '2020-01-01' THEN 0 WHEN day >= '2100-01-01' THEN 961
          ELSE (extract(year FROM day)::integer - 2020) * 12 + extract(month FROM day)::integer END AS month
        FROM (
          SELECT class, tenant, length(body) + 100 AS bytes, date '1970-01-01'
            + (('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint / 86400000)::integer AS day
          FROM record) AS dated) AS monthly
      GROUP BY class, month, tenant;
    UPDATE tenant SET record_bytes =
      (SELECT coalesce(sum(bytes), 0) FROM part_bytes WHERE part_bytes.tenant = tenant.key)
      + (SELECT coalesce(sum(length(entries) + length(bodies) + 100), 0) FROM telemetry_run
        WHERE telemetry_run.tenant = tenant.key);
    """

  /// Adds to fuel entries the comparison with the values that the vehicle reported. Adds to meter readings the
  /// comparison with the previous reading. Adds to several kinds the amounts in the units in which people entered them.
  /// Adds to reports the number of missed reports. Adds a table of the newest reports of trouble codes.
  private static let version42 = """
    ALTER TABLE fuel_entry ADD COLUMN "check" text COLLATE "C";
    ALTER TABLE fuel_entry ADD COLUMN "check_at" bigint;
    ALTER TABLE fuel_entry ADD COLUMN "entered" text COLLATE "C";
    CREATE INDEX fuel_entry_check_at ON fuel_entry (tenant, check_at) WHERE check_at IS NOT NULL;
    ALTER TABLE meter_reading ADD COLUMN "comparison" text COLLATE "C";
    ALTER TABLE meter_reading ADD COLUMN "entered" text COLLATE "C";
    ALTER TABLE inspection ADD COLUMN "entered" text COLLATE "C";
    ALTER TABLE maintenance_record ADD COLUMN "entered" text COLLATE "C";
    ALTER TABLE journey ADD COLUMN "entered" text COLLATE "C";
    ALTER TABLE vehicle ADD COLUMN "entered" text COLLATE "C";
    ALTER TABLE report ADD COLUMN "missed" bigint;
    CREATE TABLE reported_codes (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "vehicle_id" text COLLATE "C" NOT NULL, "newest" text COLLATE "C" NOT NULL,
      PRIMARY KEY (tenant, id)
    );
    CREATE INDEX reported_codes_vehicle_id ON reported_codes (tenant, vehicle_id);
    """

  private static let version43 = """
    ALTER TABLE maintenance_record ADD COLUMN "completion_id" uuid;
    CREATE UNIQUE INDEX maintenance_record_completion_id ON maintenance_record (tenant, completion_id)
      WHERE completion_id IS NOT NULL;
    """

  /// Adds a table of the entities for which forwards have published messages, with one row for each vehicle. Adds to
  /// forwards the time at which a server stops trying to clear the messages of an ended forward.
  private static let version44 = """
    ALTER TABLE forward ADD COLUMN "remove_by" bigint;
    ALTER TABLE forward_progress ADD COLUMN "checked_at" bigint;
    CREATE TABLE published_device (
      tenant integer NOT NULL, id uuid NOT NULL, version bigint NOT NULL, created bigint NOT NULL,
      updated bigint NOT NULL, "forward_id" uuid NOT NULL, "vehicle_id" text COLLATE "C" NOT NULL, "entities" text COLLATE "C" NOT NULL,
      PRIMARY KEY (tenant, id)
    );
    CREATE UNIQUE INDEX published_device_vehicle_id ON published_device (tenant, forward_id, vehicle_id);
    """

  /// Allows completed assignments to be void.
  private static let version45 = "ALTER TABLE assignment ADD COLUMN \"void\" bigint NOT NULL DEFAULT 0;"

  /// Adds `judgedFrom` to meter readings: if the replacement of a meter is entered late, the time from which the
  /// replacement counts. Adds one index for each order in which readings are read: all readings by their creation, used
  /// readings by their creation, and used readings by their times.
  private static let version46 = """
    ALTER TABLE meter_reading ADD COLUMN "judged_from" bigint;
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

  /// SQL expression for the time of the migration, ms since 1970. It has the same value in all statements of the
  /// migration.
  private static let now = "(extract(epoch FROM now()) * 1000)::bigint"
  private static let ahead = StoredQuality.ahead.rawValue

  private static func lists(_ recordClass: RecordClass) -> String {
    let table = PostgreSQLPartitions.table(recordClass)
    return recordClass == .known(.telemetry)
      ? ""
      : "DROP INDEX \(table)_list; CREATE INDEX \(table)_list ON \(table) (tenant, time, seq, id, vehicle);\n"
  }

  private static func newest(_ recordClass: RecordClass) -> String {
    """
    INSERT INTO newest SELECT v.key, \(recordClass.number), '', r.time, r.seq, r.id
      FROM vehicle AS v CROSS JOIN LATERAL (
        SELECT time, seq, id FROM \(PostgreSQLPartitions.table(recordClass))
        WHERE tenant = v.tenant AND vehicle = v.key AND quality <> \(ahead)
        ORDER BY time DESC, seq DESC, id DESC LIMIT 1) AS r;

    """
  }

  private static func newestOfECUs(_ recordClass: RecordClass) -> String {
    """
    INSERT INTO newest SELECT DISTINCT ON (vehicle, ecu) vehicle, \(recordClass.number), ecu, time, seq, id FROM (
      SELECT r.vehicle, r.time, r.seq, r.id,
        coalesce(substring(convert_from(body, 'UTF8') FROM '"ecu"[ ]*:[ ]*"([^"\\\\]{1,32})"'), '') AS ecu
      FROM vehicle AS v JOIN \(PostgreSQLPartitions.table(recordClass)) AS r
        ON r.tenant = v.tenant AND r.vehicle = v.key AND r.quality <> \(ahead)) AS found
      ORDER BY vehicle, ecu, time DESC, seq DESC, id DESC;

    """
  }

  /// SQL that creates one table for each class of records. Except for telemetry, each table gets an index for lists of
  /// the records of all vehicles.
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
