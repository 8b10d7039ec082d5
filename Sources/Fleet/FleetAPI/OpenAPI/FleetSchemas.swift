import FleetDomain

/// The schemas of the fleet's things in `openapi.json`.
enum FleetSchemas {
  /// Members of one JSON object, without its braces.
  static let text = [
    ThingSchema.members(of: Vehicle.self, derived: VehicleRoutes.derived),
    ThingSchema.details(of: Vehicle.self, derived: VehicleRoutes.derived),
    ThingSchema.members(of: Fleet.self, derived: FleetGroupRoutes.derived),
  ].joined(separator: ",")
}
