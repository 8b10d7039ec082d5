/// The schemas of `openapi.json`.
enum OpenAPISchemas {
  /// One JSON object: names and JSON Schemas (2020-12).
  static let text = #"""
    {
      "Error": {
        "type": "object", "required": ["error"], "additionalProperties": false,
        "properties": {
          "error": {
            "type": "object", "required": ["code", "message"], "additionalProperties": false,
            "properties": { "code": { "type": "string" }, "message": { "type": "string" } }
          }
        }
      },
      "Name": { "type": "string", "minLength": 1, "maxLength": 128, "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]*$" },
      "Time": { "type": "string", "format": "date-time" },
      "Record": {
        "type": "object", "required": ["id"],
        "properties": {
          "type": { "type": "string" },
          "id": { "type": "string", "format": "uuid" },
          "timestamp": { "$ref": "#/components/schemas/Time" },
          "timeQuality": { "enum": ["gps", "ntp", "system", "unset"] },
          "gatewayId": { "$ref": "#/components/schemas/Name" },
          "vehicleId": { "$ref": "#/components/schemas/Name" },
          "epoch": { "type": "string", "format": "uuid" },
          "seq": { "type": "integer", "minimum": 1 }
        }
      },
      "RecordBatch": {
        "description": "A JSON array of records, one record on each line, or (not as JSON lines) one record; at most 16384 bytes each.",
        "type": "array", "items": { "$ref": "#/components/schemas/Record" }
      },
      "RecordList": {
        "type": "object", "required": ["data"], "additionalProperties": false,
        "properties": {
          "data": { "type": "array", "items": { "$ref": "#/components/schemas/Record" } },
          "next": { "type": "string" }
        }
      },
      "IngestAnswer": {
        "description": "stored, duplicates and refused add up to the records; improved are duplicates whose time was better.",
        "type": "object", "required": ["stored", "duplicates", "improved", "refused", "results"],
        "additionalProperties": false,
        "properties": {
          "stored": { "type": "integer", "minimum": 0 }, "duplicates": { "type": "integer", "minimum": 0 },
          "improved": { "type": "integer", "minimum": 0 }, "refused": { "type": "integer", "minimum": 0 },
          "results": {
            "description": "One for each record, in their order.",
            "type": "array",
            "items": {
              "type": "object", "required": ["index", "outcome"], "additionalProperties": false,
              "properties": {
                "index": { "type": "integer", "minimum": 0 },
                "outcome": { "enum": ["stored", "duplicate", "refused"] },
                "improved": { "const": true },
                "kind": { "type": "string" }, "reason": { "type": "string" }
              }
            }
          }
        }
      },
      "VIN": { "type": "string", "pattern": "^[A-HJ-NPR-Z0-9]{17}$" },
      "Text": { "type": "string", "minLength": 1, "maxLength": 256, "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]*$" },
      "ServersOwn": { "description": "Set by the server alone: may come back as it was, and changes nothing." },
      "VehicleDetails": {
        "type": "object", "additionalProperties": false,
        "properties": {
          "id": {
            "description": "The vehicle's own: it cannot be changed.", "$ref": "#/components/schemas/Name"
          },
          "registeredBy": { "$ref": "#/components/schemas/ServersOwn" },
          "addedAt": { "$ref": "#/components/schemas/ServersOwn" },
          "lastRecordAt": { "$ref": "#/components/schemas/ServersOwn" },
          "vin": {
            "description": "Absent: the one that is known stays; null: it goes.",
            "oneOf": [{ "$ref": "#/components/schemas/VIN" }, { "type": "null" }]
          },
          "name": { "$ref": "#/components/schemas/Text" },
          "make": { "$ref": "#/components/schemas/Text" }, "model": { "$ref": "#/components/schemas/Text" },
          "modelYear": { "type": "integer", "minimum": 1900, "maximum": 2100 },
          "licencePlate": { "type": "string", "minLength": 1, "maxLength": 32 }
        }
      },
      "NewVehicle": {
        "type": "object", "required": ["id"], "additionalProperties": false,
        "properties": {
          "id": { "$ref": "#/components/schemas/Name" },
          "vin": { "$ref": "#/components/schemas/VIN" }, "name": { "$ref": "#/components/schemas/Text" },
          "make": { "$ref": "#/components/schemas/Text" }, "model": { "$ref": "#/components/schemas/Text" },
          "modelYear": { "type": "integer", "minimum": 1900, "maximum": 2100 },
          "licencePlate": { "type": "string", "minLength": 1, "maxLength": 32 }
        }
      },
      "Vehicle": {
        "type": "object", "required": ["id", "addedAt"], "additionalProperties": false,
        "properties": {
          "id": { "$ref": "#/components/schemas/Name" },
          "vin": { "type": "string" }, "name": { "type": "string" }, "make": { "type": "string" },
          "model": { "type": "string" }, "modelYear": { "type": "integer" }, "licencePlate": { "type": "string" },
          "registeredBy": { "type": "string" },
          "addedAt": { "$ref": "#/components/schemas/Time" }, "lastRecordAt": { "$ref": "#/components/schemas/Time" }
        }
      },
      "VehicleList": {
        "type": "object", "required": ["data"], "additionalProperties": false,
        "properties": {
          "data": { "type": "array", "items": { "$ref": "#/components/schemas/Vehicle" } },
          "next": { "type": "string" }
        }
      },
      "Latest": {
        "description": "The vehicle, and under the name of each type the newest record of it; `position` is the newest telemetry with a position.",
        "type": "object", "required": ["vehicle"],
        "properties": {
          "vehicle": { "$ref": "#/components/schemas/Vehicle" },
          "telemetry": { "$ref": "#/components/schemas/Record" }, "position": { "$ref": "#/components/schemas/Record" }
        },
        "additionalProperties": { "$ref": "#/components/schemas/Record" }
      },
      "Fences": {
        "description": "A GeoJSON FeatureCollection (RFC 7946): Polygon, MultiPolygon, Point with radius, LineString with radius.",
        "type": "object", "required": ["type", "features"],
        "properties": {
          "type": { "const": "FeatureCollection" },
          "features": { "type": "array", "items": { "type": "object" } }
        }
      },
      "GatewayDetails": {
        "type": "object", "required": ["vehicles"], "additionalProperties": false,
        "properties": {
          "id": {
            "description": "The gateway's own: it cannot be changed.", "$ref": "#/components/schemas/Name"
          },
          "addedAt": { "$ref": "#/components/schemas/ServersOwn" },
          "keyAt": { "$ref": "#/components/schemas/ServersOwn" },
          "revokedAt": { "$ref": "#/components/schemas/ServersOwn" },
          "lastSeen": { "$ref": "#/components/schemas/ServersOwn" },
          "spoolDepth": { "$ref": "#/components/schemas/ServersOwn" },
          "version": { "$ref": "#/components/schemas/ServersOwn" },
          "vehicles": {
            "type": "array", "maxItems": 1000, "uniqueItems": true, "items": { "$ref": "#/components/schemas/Name" }
          }
        }
      },
      "NewGateway": {
        "type": "object", "required": ["id"], "additionalProperties": false,
        "properties": {
          "id": { "$ref": "#/components/schemas/Name" },
          "vehicles": {
            "type": "array", "maxItems": 1000, "uniqueItems": true, "items": { "$ref": "#/components/schemas/Name" }
          }
        }
      },
      "Gateway": {
        "type": "object", "required": ["id", "vehicles", "addedAt", "keyAt"], "additionalProperties": false,
        "properties": {
          "id": { "$ref": "#/components/schemas/Name" },
          "vehicles": { "type": "array", "items": { "type": "string" } },
          "addedAt": { "$ref": "#/components/schemas/Time" }, "keyAt": { "$ref": "#/components/schemas/Time" },
          "revokedAt": { "$ref": "#/components/schemas/Time" }, "lastSeen": { "$ref": "#/components/schemas/Time" },
          "spoolDepth": { "type": "integer", "minimum": 0 }, "version": { "type": "string" }
        }
      },
      "GatewayList": {
        "type": "object", "required": ["data"], "additionalProperties": false,
        "properties": {
          "data": { "type": "array", "items": { "$ref": "#/components/schemas/Gateway" } },
          "next": { "type": "string" }
        }
      },
      "GatewayKey": {
        "type": "object", "required": ["gateway", "key"], "additionalProperties": false,
        "properties": { "gateway": { "$ref": "#/components/schemas/Gateway" }, "key": { "type": "string" } }
      },
      "NewToken": {
        "type": "object", "required": ["role"], "additionalProperties": false,
        "properties": { "role": { "enum": ["admin", "readOnly"] }, "label": { "$ref": "#/components/schemas/Text" } }
      },
      "Token": {
        "type": "object", "required": ["id", "label", "role", "addedAt"], "additionalProperties": false,
        "properties": {
          "id": { "type": "string", "format": "uuid" }, "label": { "type": "string" },
          "role": { "enum": ["admin", "readOnly"] },
          "addedAt": { "$ref": "#/components/schemas/Time" }, "revokedAt": { "$ref": "#/components/schemas/Time" }
        }
      },
      "TokenList": {
        "type": "object", "required": ["data"], "additionalProperties": false,
        "properties": { "data": { "type": "array", "items": { "$ref": "#/components/schemas/Token" } } }
      },
      "TokenSecret": {
        "type": "object", "required": ["token", "secret"], "additionalProperties": false,
        "properties": { "token": { "$ref": "#/components/schemas/Token" }, "secret": { "type": "string" } }
      },
      "Health": {
        "type": "object", "required": ["status", "version", "schema"], "additionalProperties": false,
        "properties": { "status": { "const": "ok" }, "version": { "type": "string" }, "schema": { "type": "integer" } }
      },
      "Description": { "type": "object", "required": ["openapi", "paths"] }
    }
    """#
}
