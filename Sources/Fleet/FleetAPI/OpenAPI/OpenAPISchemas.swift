/// The schemas in `openapi.json` that no other type generates.
enum OpenAPISchemas {
  /// A JSON object. Its keys are the names of the schemas; its values are JSON Schemas (2020-12).
  static let text = #"""
    {
      "Error": {
        "type": "object", "required": ["error"], "additionalProperties": false,
        "properties": {
          "error": { "$ref": "#/components/schemas/ErrorDetail" }
        }
      },
      "ErrorDetail": {
        "type": "object", "required": ["code", "message"], "additionalProperties": false,
        "properties": {
          "code": { "description": "A code for programs, which never changes.", "type": "string" },
          "message": { "description": "A message for people in one line.", "type": "string" },
          "fields": {
            "description": "The errors of the body, by field.",
            "type": "array", "items": {
              "type": "object", "required": ["path", "message"],
              "properties": { "path": { "type": "string" }, "message": { "type": "string" } }
            }
          },
          "conflicts": {
            "description": "Fields that another client changed to another value.",
            "type": "array", "items": {
              "type": "object", "required": ["field"], "properties": { "field": { "type": "string" } }
            }
          },
          "allowedFrom": { "description": "The states from which the command is allowed.", "type": "array", "items": { "type": "string" } }
        }
      },
      "Name": { "type": "string", "minLength": 1, "maxLength": 128, "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]*$" },
      "Time": { "type": "string", "format": "date-time" },
      "Record": {
        "description": "A record of any type, including types that this version does not know; the known types are TelemetryRecord, VehicleRecord and so on.",
        "type": "object", "required": ["type", "id", "timeQuality", "gatewayId", "vehicleId", "epoch", "seq"],
        "properties": {
          "type": { "type": "string", "minLength": 1, "maxLength": 128 },
          "id": { "type": "string", "format": "uuid" },
          "timestamp": { "$ref": "#/components/schemas/Time" },
          "timeQuality": { "enum": ["gps", "ntp", "system", "unset"] },
          "gatewayId": { "$ref": "#/components/schemas/Name" },
          "vehicleId": { "$ref": "#/components/schemas/Name" },
          "epoch": { "type": "string", "format": "uuid" },
          "seq": { "type": "integer", "minimum": 1, "maximum": 9223372036854775807 }
        }
      },
      "RecordBatch": {
        "description": "A JSON array of records of at most 16384 bytes each; a single record is accepted as well. As `application/x-ndjson` or `application/jsonl` (JSON lines) a body has one on each line. A record that is not as its schema says is refused in the answer, and the others are stored.",
        "type": "array", "minItems": 1, "items": { "$ref": "#/components/schemas/Record" }
      },
      "TelemetryList": {
        "type": "object", "required": ["data"], "additionalProperties": false,
        "properties": {
          "data": { "type": "array", "items": { "$ref": "#/components/schemas/TelemetryRecord" } },
          "next": { "type": "string" }
        }
      },
      "TripList": {
        "type": "object", "required": ["data"], "additionalProperties": false,
        "properties": {
          "data": { "type": "array", "items": { "$ref": "#/components/schemas/TripRecord" } },
          "next": { "type": "string" }
        }
      },
      "DTCList": {
        "type": "object", "required": ["data"], "additionalProperties": false,
        "properties": {
          "data": { "type": "array", "items": { "$ref": "#/components/schemas/DTCRecord" } },
          "next": { "type": "string" }
        }
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
            "description": "One result for each record, in the same order.",
            "type": "array",
            "items": {
              "type": "object", "required": ["index", "outcome"], "additionalProperties": false,
              "properties": {
                "index": { "type": "integer", "minimum": 0 },
                "outcome": { "enum": ["stored", "duplicate", "refused"] },
                "improved": { "description": "`true` if the better time of this copy was stored.", "type": "boolean" },
                "kind": {
                  "description": "The kind of refusal.",
                  "enum": [
                    "malformed", "tooLarge", "missingKey", "invalidValue", "nullValue", "duplicateKey", "foreignGateway",
                    "foreignVehicle"
                  ]
                },
                "reason": { "description": "The reason of the refusal: key, position, expected value.", "type": "string" }
              }
            }
          }
        }
      },
      "VIN": { "type": "string", "pattern": "^[A-HJ-NPR-Z0-9]{17}$" },
      "Text": { "type": "string", "minLength": 1, "maxLength": 256, "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]*$" },
      "LicencePlate": { "type": "string", "minLength": 1, "maxLength": 32, "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]*$" },
      "ServersOwn": { "description": "Set only by the server. Clients may send it back; it is ignored." },
      "Latest": {
        "description": "The vehicle, and the newest record of each type under the type's name; `position` is the newest telemetry with a position, `dtc` and `monitors` are the newest of each ECU.",
        "type": "object", "required": ["vehicle"],
        "properties": {
          "vehicle": { "$ref": "#/components/schemas/Vehicle" },
          "telemetry": { "$ref": "#/components/schemas/Record" }, "position": { "$ref": "#/components/schemas/Record" },
          "dtc": { "type": "array", "items": { "$ref": "#/components/schemas/Record" } },
          "monitors": { "type": "array", "items": { "$ref": "#/components/schemas/Record" } }
        },
        "additionalProperties": { "$ref": "#/components/schemas/Record" }
      },
      "Fences": {
        "description": "A GeoJSON FeatureCollection (RFC 7946). Rings are closed and do not intersect themselves; ids are unique.",
        "type": "object", "required": ["type", "features"],
        "properties": {
          "type": { "const": "FeatureCollection" },
          "features": { "type": "array", "items": { "$ref": "#/components/schemas/Fence" } }
        }
      },
      "Fence": {
        "type": "object", "required": ["type", "geometry", "properties"],
        "properties": {
          "type": { "const": "Feature" },
          "id": { "description": "The fence's id, if its properties have none.", "type": ["string", "number"] },
          "geometry": { "$ref": "#/components/schemas/FenceGeometry" },
          "properties": { "$ref": "#/components/schemas/FenceProperties" }
        }
      },
      "FenceGeometry": {
        "description": "A Polygon or MultiPolygon, or a Point or LineString with a radius.",
        "type": "object", "required": ["type", "coordinates"],
        "properties": {
          "type": { "enum": ["Polygon", "MultiPolygon", "Point", "LineString"] },
          "coordinates": { "description": "Longitude and latitude, nested as the type requires.", "type": "array", "items": {} }
        }
      },
      "FenceProperties": {
        "type": "object",
        "properties": {
          "id": { "type": ["string", "number"] },
          "name": { "type": "string", "minLength": 1, "maxLength": 1024 },
          "notifyOnEntry": { "type": "boolean", "default": true },
          "notifyOnExit": { "type": "boolean", "default": true },
          "dwellSeconds": { "type": "number", "minimum": 0, "maximum": 31536000 },
          "speedLimit": { "description": "km/h", "type": "number", "exclusiveMinimum": 0, "maximum": 1000 },
          "radius": { "description": "m; only of a Point or LineString", "type": "number", "exclusiveMinimum": 0 }
        }
      },
      "GatewayDetails": {
        "type": "object", "required": ["vehicles"], "additionalProperties": false,
        "properties": {
          "id": {
            "description": "The id of the gateway; it cannot be changed.", "$ref": "#/components/schemas/Name"
          },
          "addedAt": { "$ref": "#/components/schemas/ServersOwn" },
          "keyAt": { "$ref": "#/components/schemas/ServersOwn" },
          "revokedAt": { "$ref": "#/components/schemas/ServersOwn" },
          "lastSeen": { "$ref": "#/components/schemas/ServersOwn" },
          "spoolDepth": { "$ref": "#/components/schemas/ServersOwn" },
          "version": { "$ref": "#/components/schemas/ServersOwn" },
          "currentVehicle": { "$ref": "#/components/schemas/ServersOwn" },
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
          "spoolDepth": { "type": "integer", "minimum": 0 }, "version": { "type": "string" },
          "currentVehicle": {
            "description": "Id of the vehicle of its newest record, except gap records.", "type": "string"
          }
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
        "properties": {
          "role": { "$ref": "#/components/schemas/TokenRole" }, "label": { "$ref": "#/components/schemas/Text" },
          "scope": { "$ref": "#/components/schemas/TokenScope" }, "expiresAt": { "$ref": "#/components/schemas/Time" }
        }
      },
      "TokenRole": { "enum": ["admin", "readOnly", "maintenance", "viewer"] },
      "TokenScope": {
        "description": "`all`, or the ids of the fleets for which the role holds.",
        "oneOf": [
          { "const": "all" },
          { "type": "array", "items": { "type": "string", "format": "uuid" }, "minItems": 1, "maxItems": 1000 }
        ]
      },
      "Token": {
        "type": "object", "required": ["id", "label", "role", "scope", "addedAt"], "additionalProperties": false,
        "properties": {
          "id": { "type": "string", "format": "uuid" }, "label": { "type": "string" },
          "role": { "$ref": "#/components/schemas/TokenRole" }, "scope": { "$ref": "#/components/schemas/TokenScope" },
          "addedAt": { "$ref": "#/components/schemas/Time" }, "expiresAt": { "$ref": "#/components/schemas/Time" },
          "revokedAt": { "$ref": "#/components/schemas/Time" }, "lastUsedAt": { "$ref": "#/components/schemas/Time" }
        }
      },
      "TokenList": {
        "type": "object", "required": ["data"], "additionalProperties": false,
        "properties": {
          "data": { "type": "array", "items": { "$ref": "#/components/schemas/Token" } },
          "next": { "type": "string" }
        }
      },
      "TokenSecret": {
        "type": "object", "required": ["token", "secret"], "additionalProperties": false,
        "properties": { "token": { "$ref": "#/components/schemas/Token" }, "secret": { "type": "string" } }
      },
      "Health": {
        "type": "object", "required": ["status", "version", "schema"], "additionalProperties": false,
        "properties": { "status": { "const": "ok" }, "version": { "type": "string" }, "schema": { "type": "integer" } }
      },
      "LiveCommand": {
        "description": "A message of a WebSocket client.",
        "oneOf": [
          {
            "title": "LiveAuthenticate", "description": "The first message, unless the handshake had an Authorization header.",
            "type": "object", "required": ["action", "token"], "additionalProperties": false,
            "properties": { "action": { "const": "authenticate" }, "token": { "type": "string" } }
          },
          {
            "title": "LiveSubscribe", "type": "object", "required": ["action", "channel"], "additionalProperties": false,
            "properties": {
              "action": { "const": "subscribe" }, "channel": { "$ref": "#/components/schemas/LiveChannel" },
              "after": {
                "description": "`id` of the last received message. Records stored after it are sent first.",
                "type": "integer", "minimum": 0, "maximum": 9223372036854775807
              },
              "changes": { "description": "Whether LiveChange is sent, too.", "type": "boolean", "default": false },
              "records": {
                "description": "`false`: only LiveChange is sent, and `changes` must be true.", "type": "boolean",
                "default": true
              }
            }
          },
          {
            "title": "LiveUnsubscribe", "type": "object", "required": ["action", "channel"], "additionalProperties": false,
            "properties": {
              "action": { "const": "unsubscribe" }, "channel": { "$ref": "#/components/schemas/LiveChannel" }
            }
          },
          {
            "title": "LivePing", "type": "object", "required": ["action"], "additionalProperties": false,
            "properties": { "action": { "const": "ping" } }
          }
        ]
      },
      "LiveChannel": {
        "description": "`fleet`: all vehicles that the client may see; `fleet:` and a fleet's id; `vehicle:` and a vehicle's id or VIN; `me`: the vehicles that are assigned to the person.", "type": "string",
        "pattern": "^(me|fleet(:.+)?|vehicle:.+)$"
      },
      "ChangedThing": {
        "type": "object", "required": ["kind", "id", "action", "version"],
        "properties": {
          "kind": { "description": "As in the audit: `vehicle`, `defect`, …", "type": "string" },
          "id": { "description": "The thing's id in paths.", "type": "string" },
          "vehicleId": { "description": "The vehicle that the thing is about.", "type": "string" },
          "action": { "type": "string", "enum": ["created", "updated", "deleted"] },
          "version": { "description": "The version after the change.", "type": "integer", "minimum": 1 }
        }
      },
      "LiveEvent": {
        "description": "A message of the server. `id` increases within a tenant; pass the last one as `after`.",
        "oneOf": [
          {
            "title": "LiveRecord", "type": "object", "required": ["event", "channel", "id", "record"],
            "properties": {
              "event": { "const": "record" }, "channel": { "$ref": "#/components/schemas/LiveChannel" },
              "id": { "type": "integer", "minimum": 1 }, "record": { "$ref": "#/components/schemas/Record" }
            }
          },
          {
            "title": "LiveNotification", "description": "On the channel `me`. A notification may come more than once; its `id` is the same.",
            "type": "object", "required": ["event", "channel", "notification"],
            "properties": {
              "event": { "const": "notification" }, "channel": { "const": "me" },
              "notification": { "$ref": "#/components/schemas/Notification" }
            }
          },
          {
            "title": "LiveChange", "description": "To clients that subscribed with `changes`: a thing that they may read was changed. Without `change`, more was changed; read the lists again. A change may come more than once.",
            "type": "object", "required": ["event", "channel"],
            "properties": {
              "event": { "const": "change" }, "channel": { "$ref": "#/components/schemas/LiveChannel" },
              "change": { "$ref": "#/components/schemas/ChangedThing" }
            }
          },
          {
            "title": "LiveSubscribed", "type": "object", "required": ["event", "channel", "id"],
            "properties": {
              "event": { "const": "subscribed" }, "channel": { "$ref": "#/components/schemas/LiveChannel" },
              "id": { "description": "More messages follow this one.", "type": "integer", "minimum": 0 }
            }
          },
          {
            "title": "LiveUnsubscribed", "type": "object", "required": ["event", "channel"],
            "properties": {
              "event": { "const": "unsubscribed" }, "channel": { "$ref": "#/components/schemas/LiveChannel" }
            }
          },
          {
            "title": "LiveAnswer", "type": "object", "required": ["event"],
            "properties": { "event": { "enum": ["authenticated", "pong"] } }
          },
          {
            "title": "LiveError", "description": "`positionGone`: records after `after` are no longer available; read the lists again and subscribe without `after`.",
            "type": "object", "required": ["event", "error"],
            "properties": {
              "event": { "const": "error" }, "channel": { "type": "string" },
              "error": { "$ref": "#/components/schemas/ErrorDetail" }
            }
          }
        ]
      },
      "Description": { "type": "object", "required": ["openapi", "paths"] }
    }
    """#
}
