import FleetDomain
import FleetWork

/// The schemas of the fleet's things in `openapi.json`.
enum FleetSchemas {
  /// Names and JSON Schemas, as members of one JSON object, without its braces.
  static let text = [
    ThingSchema.members(of: Vehicle.self, derived: VehicleRoutes.derived),
    ThingSchema.details(of: Vehicle.self, derived: VehicleRoutes.derived),
    ThingSchema.members(of: Fleet.self, derived: FleetGroupRoutes.derived),
    ThingSchema.members(of: Driver.self), ThingSchema.members(of: Assignment.self),
    ThingSchema.members(of: Expense.self), ThingSchema.members(of: FuelEntry.self), commands, figures,
  ].joined(separator: ",")

  /// The schemas of the bodies of commands.
  private static let commands = ##"""
    "AssignmentEnd": {
      "type": "object", "properties": {
        "at": { "description": "The end; absent: now.", "$ref": "#/components/schemas/Time" }
      }
    }
    """##

  /// The schemas of answers that are computed from several things.
  private static let figures = ##"""
    "FuelEconomy": {
      "type": "object", "required": ["intervals", "average"], "additionalProperties": false, "properties": {
        "intervals": { "type": "array", "items": { "allOf": [
          { "$ref": "#/components/schemas/FuelFigures" },
          { "type": "object", "required": ["from", "to", "energy"], "properties": {
            "from": { "description": "The full tank before.", "$ref": "#/components/schemas/Time" },
            "to": { "description": "The next full tank.", "$ref": "#/components/schemas/Time" },
            "energy": \##(FuelEntry.Energy.schema)
          } }
        ] } },
        "average": {
          "description": "By energy: the sum of all quantities divided by the sum of all distances.",
          "type": "object", "additionalProperties": { "$ref": "#/components/schemas/FuelFigures" }
        }
      }
    },
    "FuelFigures": {
      "type": "object", "required": ["distance", "quantity", "unit"], "properties": {
        "distance": { "description": "km", "type": "number", "exclusiveMinimum": 0 },
        "quantity": { "description": "In `unit`.", "type": "number" },
        "unit": \##(FuelEntry.Unit.schema),
        "litresPer100km": { "type": "number" },
        "kWhPer100km": { "type": "number" },
        "kilogramsPer100km": { "type": "number" }
      }
    }
    """##
}
