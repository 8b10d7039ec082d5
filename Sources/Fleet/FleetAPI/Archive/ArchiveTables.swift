import FleetConnectors
import FleetDomain
import FleetWork

extension ArchiveTable {
  /// The tables of an archive, in the order in which they are imported.
  ///
  /// An archive does not contain sessions, tickets, second factors, push subscriptions, and queued mails and
  /// deliveries. The secrets of these things are useless or dangerous on another server. The archive contains people
  /// without their passwords: after an import, they set new passwords by recovery, or sign in with their provider. The
  /// archive also contains the hashes of gateways' keys and of tokens. These keys remain valid, so that vehicles
  /// continue to report.
  public static let all: [ArchiveTable] = [
    ArchiveTable(Person.self, without: ["passwordHash"]),
    ArchiveTable(LinkedIdentity.self),
    ArchiveTable(TenantSettings.self),
    ArchiveTable(Fleet.self),
    ArchiveTable(StoredFile.self),
    ArchiveTable(FileUse.self),
    ArchiveTable(FileSpace.self),
    ArchiveTable(Vehicle.self, adding: [Column("day_zone", .text)]),
    vehicleDay,
    ArchiveTable(Driver.self),
    ArchiveTable(Assignment.self),
    ArchiveTable(Expense.self),
    ArchiveTable(Report.self),
    ArchiveTable(FuelEntry.self),
    ArchiveTable(Journey.self),
    ArchiveTable(Inspection.self),
    ArchiveTable(Checklist.self),
    ArchiveTable(Document.self),
    ArchiveTable(NotificationRule.self),
    ArchiveTable(Notification.self),
    ArchiveTable(FleetEvent.self),
    ArchiveTable(EventCount.self),
    ArchiveTable(Webhook.self, without: ["secret"]),
    ArchiveTable(SilentVehicle.self),
    ArchiveTable(Reminder.self),
    ArchiveTable(MeterReading.self) { $0["source"] == .text(MeterReading.Source.gateway.rawValue) },
    ArchiveTable(ServiceType.self),
    ArchiveTable(ServiceSchedule.self),
    ArchiveTable(ServiceDue.self),
    ArchiveTable(MaintenanceRecord.self),
    ArchiveTable(ReportedCodes.self),
    ArchiveTable(Defect.self) { $0["source"] == .text(Defect.Source.dtc.rawValue) },
    // Secrets of connectors are encrypted with a key that another store does not have. They must be set
    // again after an import.
    ArchiveTable(Connector.self, without: ["secret", "webhookSecret"]),
    ArchiveTable(ConnectedAsset.self),
    ArchiveTable(ConnectedDriver.self),
    ArchiveTable(DutyPeriod.self),
    ArchiveTable(Forward.self, without: ["secret"]),
    ArchiveTable(Phone.self, without: ["messageKey"]),
    ArchiveTable(Attribution.self),
    ArchiveTable(
      "fences", key: [], [Column("version", .integer), Column("modified", .integer), Column("body", .bytes)]
    ) { row throws(FieldError) in
      try ArchivedValues.requireNumber(row, "version", in: 0...(.max))
      try ArchivedValues.requireTime(row, "modified")
      try ArchivedValues.requireText(row, "body", "a GeoJSON FeatureCollection") { text in
        Hexadecimal.bytes(text).map { (try? FencesDocument(geoJSON: $0)) != nil } ?? false
      }
    },
    ArchiveTable(
      "gateway", key: ["id"],
      [
        Column("id", .text), Column("added", .integer), Column("secret", .bytes), Column("secret_at", .integer),
        Column("revoked", .integer), Column("last_seen", .integer), Column("spool_depth", .integer),
        Column("version", .text),
      ]
    ) { row throws(FieldError) in
      try requireName(row, "id")
      for column in ["added", "secret_at"] { try ArchivedValues.requireTime(row, column) }
      for column in ["revoked", "last_seen"] { try ArchivedValues.requireTime(row, column, isOptional: true) }
      try requireHash(row, "secret")
      try ArchivedValues.requireNumber(row, "spool_depth", in: 0...(.max), isOptional: true)
      try ArchivedValues.requireText(
        row, "version", "visible characters", isOptional: true, NameRules.isVisible)
    },
    ArchiveTable(
      "gateway_vehicle", key: ["gateway", "vehicle"],
      [
        Column("gateway", .text), Column("vehicle", .text), Column("place", .integer), Column("active", .integer),
      ]
    ) { row throws(FieldError) in
      try requireName(row, "gateway")
      try requireName(row, "vehicle")
      try ArchivedValues.requireNumber(row, "place", in: 0...(.max), isOptional: true)
      try ArchivedValues.requireNumber(row, "active", in: 0...1)
    },
    ArchiveTable(
      "token", key: ["id"],
      [
        Column("id", .identifier), Column("label", .text), Column("role", .text), Column("secret", .bytes),
        Column("added", .integer), Column("revoked", .integer),
        Column("scope", .text, standard: .text("\"all\"")), Column("expires", .integer), Column("used", .integer),
      ]
    ) { row throws(FieldError) in
      let roles = Role.allCases.map(\.rawValue).joined(separator: ", ")
      try ArchivedValues.requireText(row, "role", "one of \(roles)") { Role(rawValue: $0) != nil }
      try ArchivedValues.requireText(row, "label", "visible characters", NameRules.isVisible)
      try ArchivedValues.requireText(row, "scope", "\"all\" or the ids of fleets") { text in
        (try? FleetScope(json: JSON(parsing: Array(text.utf8)))) != nil
      }
      try requireHash(row, "secret")
      try ArchivedValues.requireTime(row, "added")
      for column in ["revoked", "expires", "used"] { try ArchivedValues.requireTime(row, column, isOptional: true) }
    },
    ArchiveTable("personal_key", key: ["subject"], [Column("subject", .identifier), Column("secret", .bytes)]),
    ArchiveTable(
      "audit", key: ["number"],
      [
        Column("number", .integer), Column("time", .integer), Column("thing", .identifier),
        Column("subject", .identifier), Column("hash", .bytes), Column("content", .text),
      ]
    ) { row throws(FieldError) in
      try ArchivedValues.requireNumber(row, "number", in: 1...(.max))
      try ArchivedValues.requireTime(row, "time")
      try requireHash(row, "hash")
      try ArchivedValues.requireText(row, "content", "a JSON object") { text in
        if case .object? = try? JSON(parsing: Array(text.utf8)) { true } else { false }
      }
    },
    auditHead,
  ]

  /// The figures of each vehicle and day. An import computes the figures of a day again if the day has records. It
  /// keeps the figures of a day whose records were removed by retention.
  private static let vehicleDay = ArchiveTable(
    "vehicle_day", key: ["vehicle", "day"], isOfVehicles: true,
    [
      Column("vehicle", .text), Column("day", .integer), Column("distance", .real), Column("engine_on", .integer),
      Column("moving", .integer), Column("idle", .integer), Column("unknown", .integer), Column("fuel_used", .real),
      Column("trips", .integer), Column("driving_events", .integer), Column("first_time", .integer),
      Column("last_time", .integer), Column("driver_events", .integer),
    ]
  ) { row throws(FieldError) in
    try requireName(row, "vehicle")
    // The range of days that a ``Telemetry/Timestamp`` can represent.
    try ArchivedValues.requireNumber(row, "day", in: -106_752...106_752)
    for column in ["engine_on", "moving", "idle", "unknown", "trips", "driving_events"] {
      try ArchivedValues.requireNumber(row, column, in: 0...1_000_000_000)
    }
    try ArchivedValues.requireNumber(row, "driver_events", in: 0...1_000_000_000, isOptional: true)
    for column in ["first_time", "last_time"] { try ArchivedValues.requireTime(row, column) }
  }

  @Sendable private static func requireName(_ row: [String: JSON], _ column: String) throws(FieldError) {
    try ArchivedValues.requireText(row, column, "1 to \(NameRules.maximumNameCount) bytes of a name", NameRules.isName)
  }

  @Sendable private static func requireHash(_ row: [String: JSON], _ column: String) throws(FieldError) {
    try ArchivedValues.requireText(row, column, "32 bytes as hexadecimal digits") { text in
      Hexadecimal.bytes(text).map { SecretHash($0) != nil } ?? false
    }
  }

  /// The number and the hash of the audit's last entry. An import writes this table last.
  public static let auditHead = ArchiveTable(
    "audit_head", key: [], [Column("number", .integer), Column("hash", .bytes)])
}
