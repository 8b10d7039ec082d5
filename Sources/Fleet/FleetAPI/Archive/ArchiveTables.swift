import FleetConnectors
import FleetDomain
import FleetWork

extension ArchiveTable {
  /// The tables of an archive, in the order in which they are imported.
  ///
  /// Sessions, tickets, second factors and queued mails are not in an archive, because their secrets are worthless or
  /// dangerous elsewhere. People are in it without their passwords: after an import they set new ones by recovery, or
  /// sign in with their provider. The keys of gateways and tokens are digests; they remain valid, so that vehicles
  /// continue to report.
  public static let all: [ArchiveTable] = [
    ArchiveTable(Person.self, without: ["passwordHash"]),
    ArchiveTable(LinkedIdentity.self),
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
    ArchiveTable(Reminder.self),
    ArchiveTable(MeterReading.self),
    ArchiveTable(ServiceType.self),
    ArchiveTable(ServiceSchedule.self),
    ArchiveTable(ServiceDue.self),
    ArchiveTable(MaintenanceRecord.self),
    ArchiveTable(Defect.self),
    // Secrets of connectors are encrypted with a key that another store does not have. They must be set
    // again after an import.
    ArchiveTable(Connector.self, without: ["secret", "webhookSecret"]),
    ArchiveTable(ConnectedAsset.self),
    ArchiveTable(Forward.self, without: ["secret"]),
    ArchiveTable(Phone.self),
    ArchiveTable(Attribution.self),
    ArchiveTable(
      "fences", key: [], [Column("version", .integer), Column("modified", .integer), Column("body", .bytes)]),
    ArchiveTable(
      "gateway", key: ["id"],
      [
        Column("id", .text), Column("added", .integer), Column("secret", .bytes), Column("secret_at", .integer),
        Column("revoked", .integer), Column("last_seen", .integer), Column("spool_depth", .integer),
        Column("version", .text),
      ]),
    ArchiveTable(
      "gateway_vehicle", key: ["gateway", "vehicle"],
      [
        Column("gateway", .text), Column("vehicle", .text), Column("place", .integer), Column("active", .integer),
      ]),
    ArchiveTable(
      "token", key: ["id"],
      [
        Column("id", .identifier), Column("label", .text), Column("role", .text), Column("secret", .bytes),
        Column("added", .integer), Column("revoked", .integer),
        Column("scope", .text, standard: .text("\"all\"")), Column("expires", .integer), Column("used", .integer),
      ]),
    ArchiveTable("personal_key", key: ["subject"], [Column("subject", .identifier), Column("secret", .bytes)]),
    ArchiveTable(
      "audit", key: ["number"],
      [
        Column("number", .integer), Column("time", .integer), Column("thing", .identifier),
        Column("subject", .identifier), Column("hash", .bytes), Column("content", .text),
      ]),
    auditHead,
  ]

  /// The figures of days. After an import, those of days with records are computed again; those of days whose records
  /// retention has removed stay.
  private static let vehicleDay = ArchiveTable(
    "vehicle_day", key: ["vehicle", "day"], isOfVehicles: true,
    [
      Column("vehicle", .text), Column("day", .integer), Column("distance", .real), Column("engine_on", .integer),
      Column("moving", .integer), Column("idle", .integer), Column("unknown", .integer), Column("fuel_used", .real),
      Column("trips", .integer), Column("driving_events", .integer), Column("first_time", .integer),
      Column("last_time", .integer),
    ])

  /// The number and the hash of the audit's last entry. An import writes this table last.
  public static let auditHead = ArchiveTable(
    "audit_head", key: [], [Column("number", .integer), Column("hash", .bytes)])
}
