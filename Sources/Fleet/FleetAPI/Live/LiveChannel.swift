import FleetDomain

/// What can be subscribed to: one vehicle of a tenant, or its whole fleet.
///
/// The vehicle need not be there yet: nothing comes until it is.
struct LiveChannel: Hashable, Sendable {
  let tenant: TenantID
  /// Id or VIN; nil: the whole fleet.
  let vehicle: String?

  /// As clients name it: `fleet`, `vehicle:VAN-001`.
  var name: String { vehicle.map { Self.prefix + $0 } ?? Self.fleet }

  private static let fleet = "fleet"
  private static let prefix = "vehicle:"

  init(tenant: TenantID, vehicle: String?) {
    self.tenant = tenant
    self.vehicle = vehicle
  }

  /// - Parameter name: as clients write it; nil unless it is a channel's name.
  init?(tenant: TenantID, name: String) {
    if name == Self.fleet {
      self.init(tenant: tenant, vehicle: nil)
    } else if name.hasPrefix(Self.prefix), PlainText.isName(String(name.dropFirst(Self.prefix.count))) {
      self.init(tenant: tenant, vehicle: String(name.dropFirst(Self.prefix.count)))
    } else {
      return nil
    }
  }
}
