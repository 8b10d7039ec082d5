import Telemetry

/// The settings of a tenant. A tenant has one of them.
public struct TenantSettings: Kind {
  /// The time zone in which days begin for everything that belongs to no fleet with a time zone, by its IANA name; `nil`
  /// for UTC.
  public var timeZone: String?

  public init() {}

  /// The id is the same in all tenants, so that no tenant can have two of them.
  public static let id = UUIDv7(milliseconds: 0, first: 0, rest: 1)
  public static let names = KindNames(one: "tenantSettings", many: "settings")
  public static let fields: [Field<TenantSettings>] = [Field("timeZone", \.timeZone, TextRules.timeZone)]
}

extension FleetView {
  /// The settings of the tenant; version 1 of the standard settings if nobody has changed them yet.
  public func settings() throws(ThingError) -> Stored<TenantSettings> {
    if let stored = try find(TenantSettings.id, TenantSettings.self) { return stored }
    let start = Timestamp(nanoseconds: 0)
    return Stored(id: TenantSettings.id, version: 1, createdAt: start, updatedAt: start, value: TenantSettings())
  }

  /// The rules of the time zone in which a vehicle's days begin.
  public func zone(of vehicle: Vehicle) throws(ThingError) -> ZoneRules { try zone(ofFleet: vehicle.fleetID) }

  /// The rules of the time zone in which the days of a vehicle begin; those of the tenant if there is no such vehicle.
  public func zone(ofVehicle name: String?) throws(ThingError) -> ZoneRules {
    let vehicle: Stored<Vehicle>? = if let name { try self.vehicle(named: name) } else { nil }
    return try zone(ofFleet: vehicle?.value.fleetID)
  }
}

extension FleetTransaction {
  /// The settings of the tenant, which are stored if they are not yet.
  public func storedSettings() throws(ThingError) -> Stored<TenantSettings> {
    if let stored = try find(TenantSettings.id, TenantSettings.self) { return stored }
    return try insert(TenantSettings(), id: TenantSettings.id, action: "create")
  }
}
