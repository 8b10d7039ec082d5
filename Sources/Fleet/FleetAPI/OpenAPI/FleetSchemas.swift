import FleetConnectors
import FleetDomain
import FleetFigures
import FleetWork

/// The schemas of the fleet's things in `openapi.json`.
enum FleetSchemas {
  /// The schemas with their names, as members of a JSON object, without the braces of the object.
  static let text = [
    ThingSchema.members(of: Vehicle.self, derived: VehicleRoutes.derived),
    ThingSchema.details(of: Vehicle.self, derived: VehicleRoutes.derived),
    ThingSchema.members(of: TenantSettings.self),
    ThingSchema.members(of: Fleet.self, derived: FleetGroupRoutes.derived),
    ThingSchema.members(of: Driver.self), ThingSchema.members(of: Assignment.self),
    ThingSchema.members(of: Expense.self), ThingSchema.members(of: Report.self, derived: [ReportRoutes.scope]),
    ThingSchema.members(of: FuelEntry.self, derived: FuelRoutes.derived),
    ThingSchema.members(of: Journey.self),
    ThingSchema.members(of: Inspection.self, derived: InspectionRoutes.derived), ThingSchema.members(of: Document.self),
    ThingSchema.members(of: Checklist.self),
    ThingSchema.members(of: StoredFile.self), "\"Receipt\":\(ReceiptRoutes.schema)",
    "\"PhotoOfVIN\":\(PhotoRoutes.vin),\"PhotoOfOdometer\":\(PhotoRoutes.odometer)",
    ThingSchema.members(of: NotificationRule.self), ThingSchema.members(of: Notification.self),
    commands, figures,
    ThingSchema.members(of: MeterReading.self), ThingSchema.members(of: ServiceType.self),
    ThingSchema.members(of: ServiceSchedule.self), ThingSchema.members(of: MaintenanceRecord.self),
    ThingSchema.members(of: Defect.self), "\"MaintenanceCompletion\":\(MaintenanceCompletion.schema)",
    "\"ServiceSnooze\":\(ServiceSnooze.schema)", "\"CommandReason\":\(CommandReason.schema)", dueServices,
    ThingSchema.members(of: Connector.self, derived: ConnectorRoutes.derived(nil, hasKeyFile: false)),
    ThingSchema.members(of: Forward.self, derived: ForwardRoutes.derived(nil, hasKeyFile: false)),
    ThingSchema.members(of: Webhook.self, derived: WebhookRoutes.derived(nil, hasKeyFile: false)),
    ThingSchema.members(of: Delivery.self), ThingSchema.members(of: PushSubscription.self), push,
    ThingSchema.members(of: ConnectedAsset.self), ThingSchema.members(of: ConnectedDriver.self),
    ThingSchema.members(of: DutyPeriod.self),
    ThingSchema.members(of: Phone.self, derived: PhoneRoutes.derived(nil, hasKeyFile: false)), connectors,
  ].joined(separator: ",")

  private static let push = ##"""
    "PushRequest": \##(PushRoutes.SubscriptionBody.schema),
    "PushPublicKey": {
      "type": "object", "required": ["key"], "additionalProperties": false, "properties": {
        "key": { "description": "The `applicationServerKey`, in Base64URL.", "type": "string" }
      }
    }
    """##

  private static let connectors = ##"""
    "ConnectorCheck": {
      "type": "object", "required": ["working", "message"], "additionalProperties": false, "properties": {
        "working": { "type": "boolean" }, "message": { "type": "string" }
      }
    },
    "PhoneKey": {
      "type": "object", "required": ["key"], "additionalProperties": false, "properties": {
        "key": { "description": "The key, which is never shown again.", "type": "string" }
      }
    }
    """##

  private static let dueServices = ##"""
    "DueServices": {
      "type": "object", "required": ["data"], "additionalProperties": false, "properties": {
        "data": { "type": "array", "items": {
          "type": "object", "required": ["scheduleId", "serviceType", "state"], "additionalProperties": false,
          "properties": {
            "scheduleId": { "type": "string", "format": "uuid" }, "serviceType": { "type": "string" },
            "name": { "type": "string" }, "state": { "enum": ["ok", "dueSoon", "overdue", "snoozed"] },
            "dueDate": { "type": "string", "format": "date" }, "dueOdometer": { "type": "number" },
            "dueEngineHours": { "type": "number" }, "remainingKilometers": { "type": "number" },
            "remainingEngineHours": { "type": "number" },
            "forecastDate": { "description": "When it is expected to be due, from the recent use of the vehicle.",
              "type": "string", "format": "date" }
          }
        } }
      }
    }
    """##

  /// The schemas of the bodies of requests that execute a command on a thing.
  private static let commands = ##"""
    "AssignmentEnd": \##(AssignmentEnd.schema),
    "VehicleRetirement": \##(VehicleRetirement.schema),
    "JourneyCommand": \##(JourneyCommand.schema),
    "InspectionSignature": \##(InspectionRoutes.SignatureBody.schema),
    "InspectionCertification": \##(InspectionRoutes.CertificationBody.schema),
    "UsedChecklists": {
      "type": "object", "required": ["data"], "properties": {
        "data": { "type": "array", "items": {
          "type": "object", "required": ["name", "text", "vehicleTypes", "items", "isActive"], "properties": {
            "id": { "description": "Absent for a built-in list.", "type": "string", "format": "uuid" },
            "name": { "type": "string" }, "text": { "type": "string" },
            "vehicleTypes": { "type": "array", "items": { "type": "string" } },
            "isActive": { "description": "Whether the list is used.", "type": "boolean" },
            "items": { "type": "array", "items": {
              "type": "object", "required": ["item", "text"],
              "properties": { "item": { "type": "string" }, "text": { "type": "string" } }
            } }
          }
        } }
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
    "TankRise": \##(FuelEntry.Check.schema),
    "ImportResult": {
      "type": "object", "additionalProperties": false,
      "required": ["format", "kind", "dryRun", "created", "changed", "unchanged", "rows", "skipped", "warnings", "notImported", "errors"],
      "properties": {
        "format": { "description": "The program that wrote the file.", "type": "string" },
        "kind": { "type": "string" }, "dryRun": { "type": "boolean" },
        "created": { "type": "integer" }, "changed": { "type": "integer" }, "unchanged": { "type": "integer" },
        "rows": { "type": "array", "items": {
          "type": "object", "required": ["line", "action", "id"], "properties": {
            "line": { "type": "integer" }, "action": { "enum": ["create", "change", "unchanged"] },
            "id": { "type": "string" }
          }
        } },
        "skipped": {
          "description": "Rows that describe something else, and rows that differ from the thing that was imported from them before.",
          "type": "array", "items": { "$ref": "#/components/schemas/ImportMessage" }
        },
        "warnings": {
          "description": "Times that are not certain because clocks were set, each with the time that was taken.",
          "type": "array", "items": { "$ref": "#/components/schemas/ImportMessage" }
        },
        "notImported": {
          "description": "Sections and columns with values that are not imported, each with the reason.",
          "type": "array", "items": { "$ref": "#/components/schemas/ImportRest" }
        },
        "errors": { "type": "array", "items": { "$ref": "#/components/schemas/ImportMessage" } }
      }
    },
    "ImportRest": {
      "type": "object", "required": ["line", "message"], "properties": {
        "line": { "description": "The line with the names of the columns.", "type": "integer", "minimum": 1 },
        "rows": { "description": "The number of rows; absent if only columns are left out.", "type": "integer", "minimum": 1 },
        "columns": { "description": "The columns that are left out.", "type": "array", "items": { "type": "string" } },
        "message": { "type": "string" }
      }
    },
    "ImportMessage": {
      "type": "object", "required": ["line", "message"], "properties": {
        "line": { "type": "integer", "minimum": 1 },
        "column": { "description": "The cell in its row; absent for the whole row.", "type": "integer", "minimum": 1 },
        "message": { "type": "string" }
      }
    },
    "DriverOfVehicle": {
      "type": "object", "required": ["evidence"], "additionalProperties": false, "properties": {
        "driverId": { "description": "Absent if nothing shows who drove.", "type": "string", "format": "uuid" },
        "evidence": { "type": "array", "items": {
          "type": "object", "required": ["kind", "id"], "properties": {
            "kind": { "enum": ["assignment", "journey", "trip"] },
            "id": { "type": "string", "format": "uuid" },
            "from": { "$ref": "#/components/schemas/Time" }, "to": { "$ref": "#/components/schemas/Time" },
            "driverId": { "type": "string", "format": "uuid" }
          }
        } }
      }
    },
    "Reconciliation": {
      "type": "object", "additionalProperties": false,
      "required": [
        "matched", "unclaimedTrips", "unclaimedKilometers", "journeysWithoutTrip", "odometerGaps", "overlaps"
      ],
      "properties": {
        "matched": {
          "description": "Journeys with the trips that they cover by half or more.",
          "type": "array", "items": { "allOf": [
            { "$ref": "#/components/schemas/DeclaredJourney" },
            { "type": "object", "required": ["trips"], "properties": {
              "trips": { "type": "array", "items": { "$ref": "#/components/schemas/RecordedTrip" } },
              "tripsHidden": { "description": "`true` if trips are left out because the journey is private.", "type": "boolean" }
            } }
          ] }
        },
        "unclaimedTrips": { "type": "array", "items": { "$ref": "#/components/schemas/RecordedTrip" } },
        "unclaimedKilometers": { "type": "number", "minimum": 0 },
        "journeysWithoutTrip": { "type": "array", "items": { "$ref": "#/components/schemas/DeclaredJourney" } },
        "odometerGaps": {
          "description": "Differences between the last reading of a journey and the first one of the next.",
          "type": "array", "items": {
            "type": "object", "required": ["after", "before", "kilometers"], "properties": {
              "after": { "type": "string", "format": "uuid" }, "before": { "type": "string", "format": "uuid" },
              "kilometers": { "type": "number" }
            }
          }
        },
        "overlaps": {
          "description": "Pairs of journeys at the same time.",
          "type": "array", "items": { "type": "array", "items": { "type": "string", "format": "uuid" } }
        }
      }
    },
    "DeclaredJourney": {
      "type": "object", "required": ["journeyId", "from"], "properties": {
        "journeyId": { "type": "string", "format": "uuid" },
        "from": { "$ref": "#/components/schemas/Time" }, "to": { "$ref": "#/components/schemas/Time" }
      }
    },
    "RecordedTrip": {
      "type": "object", "required": ["id", "from", "to"], "properties": {
        "id": { "description": "Of the record of its end.", "type": "string", "format": "uuid" },
        "from": { "$ref": "#/components/schemas/Time" }, "to": { "$ref": "#/components/schemas/Time" },
        "distance": { "description": "km", "type": "number", "minimum": 0 }
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
