import FleetDomain
import FleetWork

/// The schemas of the fleet's things in `openapi.json`.
enum FleetSchemas {
  /// Members of one JSON object, without its braces.
  static let text = [
    ThingSchema.members(of: Vehicle.self, derived: VehicleRoutes.derived),
    ThingSchema.details(of: Vehicle.self, derived: VehicleRoutes.derived),
    ThingSchema.members(of: Fleet.self, derived: FleetGroupRoutes.derived),
    ThingSchema.members(of: Driver.self), ThingSchema.members(of: Assignment.self),
    ThingSchema.members(of: Expense.self), commands,
  ].joined(separator: ",")

  /// The bodies of commands.
  private static let commands = ##"""
    "AssignmentEnd": {
      "type": "object", "properties": {
        "at": { "description": "The end; absent: now.", "$ref": "#/components/schemas/Time" }
      }
    }
    """##
}
