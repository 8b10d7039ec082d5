import FleetDomain
import HTTPTypes
import JSONText
import Telemetry

/// `/api/vehicles`: the vehicles of the fleet.
struct VehicleRoutes {
  let storage: any FleetStorage

  private static let path = "/api/vehicles"
  /// Keys of a vehicle that only the server sets.
  private static let serversOwn = ["registeredBy", "addedAt", "lastRecordAt"]

  var routes: [Route] {
    let storage = storage
    return [
      Route(.get, Self.path, .may(.read, .vehicles), Self.list) { call in
        let page = try await storage.vehicles(
          cursor: try call.cursor(), limit: try call.integer("limit", in: 1...1_000) ?? 100, tenant: try call.tenant)
        var list = ListBody()
        for vehicle in page.items { list.append(JSONBody.object { vehicle.write(to: &$0) }) }
        return Answer(json: list.finish(next: page.next))
      },
      Route(.post, Self.path, .may(.write, .vehicles), Self.add) { call in
        let (id, details) = try await call.object { reader throws(JSONError) in
          (try Names.required(&reader, "id"), try VehicleDetails(&reader))
        }
        let vehicle = try await storage.addVehicle(id, details, tenant: try call.tenant, at: WallClock.now)
        var answer = Answer(status: .created, json: JSONBody.object { vehicle.write(to: &$0) })
        answer.headers[.location] = "\(Self.path)/\(PercentCoding.encode(id))"
        return answer
      },
      Route(.get, Self.path + "/{vehicleId}", .may(.read, .vehicles), Self.get) { call in
        let id = try call.name("vehicle")
        guard let vehicle = try await storage.vehicle(id, tenant: try call.tenant) else {
          throw APIError.notFound("no vehicle \(quoted(id))")
        }
        return Answer(json: JSONBody.object { vehicle.write(to: &$0) })
      },
      Route(.put, Self.path + "/{vehicleId}", .may(.write, .vehicles), Self.replace) { call in
        let id = try call.name("vehicle")
        let present = try await storage.vehicle(id, tenant: try call.tenant)
        let (details, removesVIN) = try await call.object { reader throws(JSONError) in
          try Names.passOver(&reader, id: present?.id, Self.serversOwn)
          let removesVIN = reader.optional("vin")?.isNull ?? false
          return (try VehicleDetails(&reader, mayBeNull: true), removesVIN)
        }
        // RFC 9110, 13.2.1: an invalid request is rejected as such, whatever its conditions.
        try await call.requireNoTag { present != nil }
        let vehicle = try await storage.updateVehicle(
          id, details, removesVIN: removesVIN, tenant: try call.tenant)
        return Answer(json: JSONBody.object { vehicle.write(to: &$0) })
      },
      Route(.delete, Self.path + "/{vehicleId}", .may(.write, .vehicles), Self.remove) { call in
        let id = try call.name("vehicle")
        try await call.requireNoTag { try await storage.vehicle(id, tenant: try call.tenant) != nil }
        guard try await storage.removeVehicle(id, tenant: try call.tenant) else {
          throw APIError.notFound("no vehicle \(quoted(id))")
        }
        return Answer(status: .noContent)
      },
    ]
  }

  private static let list = Operation(
    id: "listVehicles", summary: "Vehicles in the order of their ids.",
    parameters: [.cursor, .limit(100, most: 1_000)],
    results: [.init(.ok, "A page of vehicles.", .json("VehicleList"))])
  private static let add = Operation(
    id: "addVehicle", summary: "Adds a vehicle before its first record arrives.", body: .json("NewVehicle"),
    results: [.init(.created, "The vehicle.", .json("Vehicle"), headers: ["Location"])], errors: [.conflict])
  private static let get = Operation(
    id: "getVehicle", summary: "A vehicle, by its id or VIN.", results: [.init(.ok, "The vehicle.", .json("Vehicle"))])
  private static let replace = Operation(
    id: "replaceVehicle",
    summary:
      "Replaces the properties of a vehicle. Its records stay, and so does its VIN unless the request has another, or null.",
    parameters: Operation.Parameter.noTag, body: .json("VehicleDetails"),
    results: [.init(.ok, "The vehicle.", .json("Vehicle"))],
    errors: [.conflict, .preconditionFailed])
  private static let remove = Operation(
    id: "removeVehicle", summary: "Removes a vehicle with all its records.", parameters: Operation.Parameter.noTag,
    results: [.init(.noContent, "Removed.")],
    errors: [.preconditionFailed])
}

extension VehicleDetails {
  /// Reads the keys that operators may set.
  ///
  /// - Parameter mayBeNull: whether the VIN may be null.
  init(_ reader: inout JSONObjectReader, mayBeNull: Bool = false) throws(JSONError) {
    var vin: String?
    if let value = reader.optional("vin"), !(mayBeNull && value.isNull) {
      let text = try value.requireString()
      guard Self.isVIN(text) else { throw value.invalid(expected: "17 of A-H, J-N, P, R-Z and 0-9 (ISO 3779)") }
      vin = text
    }
    self.init(
      vin: vin, name: try Names.text(&reader, "name"), make: try Names.text(&reader, "make"),
      model: try Names.text(&reader, "model"), modelYear: try reader.optionalInt("modelYear", in: 1_900...2_100),
      licencePlate: try Names.text(&reader, "licencePlate", limit: 32))
  }

  private static func isVIN(_ text: String) -> Bool {
    text.utf8.count == 17
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "I"), UInt8(ascii: "O"), UInt8(ascii: "Q"): false
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
      }
  }
}

extension Vehicle {
  /// Writes its keys.
  func write(to line: inout JSONLineEncoder) {
    line.field("id", id)
    line.field("vin", details.vin)
    line.field("name", details.name)
    line.field("make", details.make)
    line.field("model", details.model)
    line.field("modelYear", details.modelYear)
    line.field("licencePlate", details.licencePlate)
    line.field("registeredBy", registeredBy)
    line.field("addedAt", addedAt)
    line.field("lastRecordAt", lastRecordAt)
  }
}
