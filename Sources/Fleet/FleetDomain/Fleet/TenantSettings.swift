import Telemetry

/// The settings of a tenant. Each tenant has exactly one settings object.
public struct TenantSettings: Kind {
  /// The IANA name of the time zone that determines when days begin; `nil` for UTC. It applies to all things that do
  /// not belong to a fleet with its own time zone.
  public var timeZone: String?
  /// Whether a trouble code that a vehicle reports opens a defect.
  public var opensCodeDefects = true
  /// The number of trips that must end without a trouble code before the repair of the code's defect counts as
  /// verified.
  public var tripsToVerify: Int64 = 3
  /// Whether an inspection report is required before and after each journey, even if the inspection finds no defect.
  public var requiresInspections = false

  public init() {}

  /// The id of the settings. It is the same in every tenant, so that no tenant can have two settings objects.
  public static let id = UUIDv7(milliseconds: 0, first: 0, rest: 1)
  public static let names = KindNames(one: "tenantSettings", many: "settings")
  public static let fields: [Field<TenantSettings>] = [
    Field("timeZone", \.timeZone, TextRules.timeZone),
    Field("opensCodeDefects", \.opensCodeDefects),
    Field("tripsToVerify", \.tripsToVerify) { count throws(FieldError) in
      guard (1...100).contains(count) else { throw FieldError("", "expected 1 to 100 trips") }
    }.schema(#"{"type":"integer","minimum":1,"maximum":100}"#),
    Field("requiresInspections", \.requiresInspections),
  ]
}

extension FleetView {
  /// Returns the settings of the tenant. If nobody has changed them yet, returns version 1 of the default settings.
  public func settings() throws(ThingError) -> Stored<TenantSettings> {
    if let stored = try find(TenantSettings.id, TenantSettings.self) { return stored }
    let start = Timestamp(nanoseconds: 0)
    return Stored(id: TenantSettings.id, version: 1, createdAt: start, updatedAt: start, value: TenantSettings())
  }

  /// Returns the rules of the time zone in which a vehicle's days begin.
  public func zone(of vehicle: Vehicle) throws(ThingError) -> ZoneRules { try zone(ofFleet: vehicle.fleetID) }

  /// Returns the rules of the time zone in which a vehicle's days begin. If the vehicle does not exist, returns the
  /// rules of the tenant's time zone.
  public func zone(ofVehicle name: String?) throws(ThingError) -> ZoneRules {
    let vehicle: Stored<Vehicle>? = if let name { try self.vehicle(named: name) } else { nil }
    return try zone(ofFleet: vehicle?.value.fleetID)
  }
}

extension FleetTransaction {
  /// Returns the settings of the tenant. If none are stored, first stores the default settings.
  public func storedSettings() throws(ThingError) -> Stored<TenantSettings> {
    if let stored = try find(TenantSettings.id, TenantSettings.self) { return stored }
    return try insert(TenantSettings(), id: TenantSettings.id, action: "create")
  }
}
