/// Schemas in `openapi.json` for answers that are computed from records.
enum FigureSchemas {
  /// The schema of an object that describes an odometer reading, for use in other schemas.
  private static let odometerReading = ##"""
    {
      "type": "object", "required": ["readingId", "at", "odometer"], "additionalProperties": false, "properties": {
        "readingId": { "type": "string", "format": "uuid" }, "at": { "$ref": "#/components/schemas/Time" }, "odometer": { "type": "number" }
      }
    }
    """##

  /// The schemas with their names, as members of a JSON object, without the braces of the object.
  static let text = ##"""
    "PositionCollection": {
      "description": "A FeatureCollection (RFC 7946).",
      "type": "object", "required": ["type", "features"], "additionalProperties": false,
      "properties": {
        "type": { "const": "FeatureCollection" },
        "features": { "type": "array", "items": { "$ref": "#/components/schemas/PositionFeature" } }
      }
    },
    "PositionFeature": {
      "type": "object", "required": ["type", "id", "geometry", "properties"], "additionalProperties": false,
      "properties": {
        "type": { "const": "Feature" },
        "id": { "$ref": "#/components/schemas/Name" },
        "geometry": {
          "type": "object", "required": ["type", "coordinates"], "additionalProperties": false,
          "properties": {
            "type": { "const": "Point" },
            "coordinates": { "description": "Longitude and latitude.", "type": "array", "minItems": 2, "maxItems": 2, "items": { "type": "number" } }
          }
        },
        "properties": {
          "type": "object", "required": ["vehicleId", "state", "timestamp"], "additionalProperties": false,
          "properties": {
            "vehicleId": { "$ref": "#/components/schemas/Name" },
            "name": { "type": "string" },
            "fleetId": { "type": "string", "format": "uuid" },
            "driverId": { "description": "The driver to whom the vehicle was assigned at that time.", "type": "string", "format": "uuid" },
            "driver": { "description": "The same as `driverId`.", "type": "string", "format": "uuid" },
            "state": {
              "description": "`moving`: at least 3 km/h. `idle`: slower, and the engine runs. `parked`: the engine does not run, the trip has ended, or nothing says that the engine runs. `silent`: the newest record is older than 15 minutes; of a parked vehicle, older than a day.",
              "enum": ["moving", "idle", "parked", "silent"]
            },
            "heading": { "description": "Course over ground, °.", "type": "number" },
            "speed": { "description": "km/h.", "type": "number" },
            "timestamp": { "description": "The time of the position.", "$ref": "#/components/schemas/Time" },
            "lastRecordAt": { "description": "The time of the newest record.", "$ref": "#/components/schemas/Time" }
          }
        }
      }
    },
    "DayList": {
      "type": "object", "required": ["data", "timeZone"], "additionalProperties": false,
      "properties": {
        "data": { "type": "array", "items": { "$ref": "#/components/schemas/DayFigures" } },
        "timeZone": { "description": "The time zone in which days begin.", "type": "string" },
        "pending": { "description": "Days whose figures lack new records; they are computed within minutes.", "type": "array", "items": { "type": "string", "format": "date" } }
      }
    },
    "DayFigures": {
      "type": "object",
      "required": ["date"],
      "additionalProperties": false,
      "properties": {
        "date": { "type": "string", "format": "date" },
        "hasPrivateTime": { "description": "`true` if another driver had the vehicle privately on the day. Then only `date` is present, and, after the day has ended, `distance` and `estimated`.", "type": "boolean" },
        "distance": { "description": "km.", "type": "number" },
        "engineOnSeconds": { "description": "Absent if not known, like `movingSeconds` and `idleSeconds`.", "type": "number" },
        "movingSeconds": { "type": "number" },
        "idleSeconds": { "description": "Time at rest with a running engine.", "type": "number" },
        "unknownSeconds": { "description": "Time between the first and the last record of which it is not known what the vehicle did. It is never counted as idle.", "type": "number" },
        "fuelUsed": { "description": "L.", "type": "number" },
        "trips": { "description": "Trips that began on the day.", "type": "integer" },
        "drivingEvents": { "type": "integer" },
        "estimated": { "description": "`true` if figures come from the last values of counters on this day and on the day before. `firstTime` is then the time of the value on the day before.", "type": "boolean" },
        "firstTime": { "$ref": "#/components/schemas/Time" },
        "lastTime": { "$ref": "#/components/schemas/Time" }
      }
    },
    "Costs": {
      "type": "object", "required": ["total", "perKilometer", "perEngineHour", "perDay", "byCategory", "to"], "additionalProperties": false,
      "properties": {
        "from": { "type": "string", "format": "date" },
        "to": { "type": "string", "format": "date" },
        "total": { "$ref": "#/components/schemas/Amounts" },
        "distance": {
          "description": "The distance of `perKilometer`. Odometer readings are used for days whose telemetry has no distance.",
          "type": "object", "required": ["kilometers", "basis", "telemetryDays", "odometerDays"], "additionalProperties": false,
          "properties": {
            "kilometers": { "type": "number" }, "basis": { "enum": ["telemetry", "odometer", "mixed"] },
            "telemetryDays": { "type": "integer" }, "odometerDays": { "type": "integer" }
          }
        },
        "pending": { "description": "Days whose figures lack new records; they are computed within minutes. Until then, `perKilometer` and `perEngineHour` are empty.", "type": "array", "items": { "type": "string", "format": "date" } },
        "hasPrivateTime": { "description": "`true` if another driver had the vehicle privately on some of the days. Then `perEngineHour` is empty; if one of them has not ended, `perKilometer` is empty, too, and `distance` is absent.", "type": "boolean" },
        "perKilometer": { "description": "Empty if the distance is not known.", "$ref": "#/components/schemas/Amounts" },
        "perEngineHour": { "description": "Empty if the time with a running engine is not known.", "$ref": "#/components/schemas/Amounts" },
        "perDay": { "$ref": "#/components/schemas/Amounts" },
        "byCategory": { "description": "Categories of expenses, `fuel` and `lossOfValue`.", "type": "object", "additionalProperties": { "$ref": "#/components/schemas/Amounts" } },
        "estimated": { "description": "`true` if the loss of value is only expected, because the vehicle is still owned.", "type": "boolean" },
        "withoutAmount": { "description": "The number of costs whose amount is not known. They are in no sum.", "type": "integer" }
      }
    },
    "Meters": {
      "type": "object", "required": ["readings", "drift", "possibleReplacements"], "additionalProperties": false,
      "properties": {
        "readings": {
          "description": "Each reading of the odometer, compared with the reading before it. The first reading has nothing to compare.",
          "type": "array", "items": {
            "type": "object", "required": ["readingId", "at", "odometer", "source", "increase", "previous"], "additionalProperties": false,
            "properties": {
              "readingId": { "type": "string", "format": "uuid" }, "at": { "$ref": "#/components/schemas/Time" },
              "odometer": { "description": "km.", "type": "number" },
              "entered": { "description": "The reading as a person entered it.", "type": "object", "required": ["value", "unit"], "properties": { "value": { "type": "number" }, "unit": { "type": "string" } } },
              "source": { "type": "string" },
              "flag": { "description": "Why the reading is not used.", "type": "string" },
              "previous": \##(odometerReading),
              "increase": { "description": "The reading minus the previous one, km.", "type": "number" },
              "telemetry": { "description": "The distance of the trips between the two readings, km. Absent if there is none.", "type": "number" },
              "difference": { "description": "`increase` minus `telemetry`, km.", "type": "number" }
            }
          }
        },
        "drift": {
          "description": "The sums over the readings with telemetry that do not go backward, km, and the difference in percent of the telemetry.",
          "type": "object", "required": ["odometer", "telemetry", "difference"], "additionalProperties": false,
          "properties": { "odometer": { "type": "number" }, "telemetry": { "type": "number" }, "difference": { "type": "number" }, "percent": { "type": "number" } }
        },
        "possibleReplacements": {
          "description": "Readings that are lower than the previous one, and from which later readings count on: the odometer may have been replaced.",
          "type": "array", "items": \##(odometerReading)
        }
      }
    },
    "DriverFigures": {
      "type": "object", "additionalProperties": false,
      "required": [
        "driverId", "from", "to", "drivingEvents", "formula", "days", "daysWithRecords", "journeys",
        "journeysInProgress", "journeysToReview", "journeySeconds", "journeyKilometers"
      ],
      "properties": {
        "driverId": { "type": "string", "format": "uuid" },
        "from": { "type": "string", "format": "date" }, "to": { "type": "string", "format": "date" },
        "distance": { "description": "Distance on days on which one driver drove the vehicle and did not drive privately, from telemetry, km.", "type": "number" },
        "drivingEvents": { "description": "Events for which the driver is responsible.", "type": "integer" },
        "idleShare": { "description": "Part of the time with a running engine in which the vehicle stood.", "type": "number" },
        "score": { "description": "From 0 to 100, by `formula`.", "type": "integer" },
        "note": { "description": "Why there is no score.", "type": "string" },
        "formula": { "type": "string" },
        "engineOnSeconds": { "description": "Absent if not known.", "type": "number" },
        "pending": { "description": "Days on which the figures of an assigned vehicle lack new records; they are computed within minutes.", "type": "array", "items": { "type": "string", "format": "date" } },
        "days": { "description": "The number of days before today on which a vehicle was assigned to the driver or the driver had a journey, and of other days with records.", "type": "integer" },
        "daysWithRecords": { "description": "The number of these days whose records the figures include.", "type": "integer" },
        "withoutRecords": { "description": "The days of `days` without records that count for the driver, except those in `pending`. The sums lack these days.", "type": "array", "items": { "type": "string", "format": "date" } },
        "journeys": { "description": "Journeys that began on the days and were neither cancelled nor private.", "type": "integer" },
        "journeysInProgress": { "type": "integer" },
        "journeysToReview": { "type": "integer" },
        "journeySeconds": { "description": "Time from the start to the end of the journeys that have ended.", "type": "number" },
        "journeyKilometers": { "description": "From the odometer readings of the journeys that have ended.", "type": "number" }
      }
    },
    "Amounts": {
      "description": "One amount for each currency.", "type": "array", "items": {
        "type": "object", "required": ["amount", "currency"], "additionalProperties": false,
        "properties": { "amount": { "type": "string" }, "currency": { "type": "string" } }
      }
    },
    "Track": {
      "description": "A LineString or MultiLineString (RFC 7946) with a time for each position.",
      "type": "object", "required": ["type", "coordinates", "times", "vehicleId"], "additionalProperties": false,
      "properties": {
        "type": { "enum": ["LineString", "MultiLineString"] },
        "coordinates": { "type": "array", "items": { "type": "array", "items": {} } },
        "times": { "description": "In the form of `coordinates`.", "type": "array", "items": {} },
        "vehicleId": { "$ref": "#/components/schemas/Name" },
        "continuesAt": { "description": "The `from` of the rest, if the track is too long for one answer. GPX has the header `Fleet-Continues-At`.", "$ref": "#/components/schemas/Time" }
      }
    }
    """##
}
