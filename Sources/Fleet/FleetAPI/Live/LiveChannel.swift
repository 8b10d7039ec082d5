import FleetDomain

/// A channel to which clients can subscribe: one vehicle of a tenant, or the whole fleet.
///
/// The vehicle need not exist yet.
struct LiveChannel: Hashable, Sendable {
  let tenant: TenantID
  /// ID or VIN of the vehicle; `nil` for the whole fleet.
  let vehicle: String?

  /// The name that clients use: `fleet`, `vehicle:VAN-001`.
  var name: String { vehicle.map { Self.prefix + $0 } ?? Self.fleet }

  private static let fleet = "fleet"
  private static let prefix = "vehicle:"

  init(tenant: TenantID, vehicle: String?) {
    self.tenant = tenant
    self.vehicle = vehicle
  }

  /// Returns `nil` if the name is not a channel's name.
  init?(tenant: TenantID, name: String) {
    if name == Self.fleet {
      self.init(tenant: tenant, vehicle: nil)
    } else if name.hasPrefix(Self.prefix), NameRules.isName(String(name.dropFirst(Self.prefix.count))) {
      self.init(tenant: tenant, vehicle: String(name.dropFirst(Self.prefix.count)))
    } else {
      return nil
    }
  }
}
