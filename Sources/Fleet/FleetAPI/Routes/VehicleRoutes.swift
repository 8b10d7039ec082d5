import FleetAccess
import FleetDomain
import FleetFigures
import FleetWork
import HTTPTypes
import Telemetry

/// `/api/vehicles`: the vehicles of the tenant. A path contains the id or the VIN of a vehicle.
struct VehicleRoutes {
  let storage: any FleetStorage

  var routes: [Route] { things.readingRoutes + [things.create, things.patch, put, remove] + commands }

  /// Keys in a vehicle's JSON that do not belong to a stored field.
  static let derived = [
    // The former name of `createdAt`, for older clients.
    DerivedField<Vehicle>(
      key: "addedAt", schema: ##"{"$ref":"#/components/schemas/Time"}"##,
      read: { vehicles, _ throws(ThingError) in vehicles.map(\.createdAt.json) }),
    reading(of: .odometer, NumberRange.odometer.schema), reading(of: .engineHours, NumberRange.odometer.schema),
  ]

  /// Creates the field with the value of a vehicle's meter. If a client sets another value, the server adds a meter
  /// reading, which it checks like all readings.
  private static func reading(of meter: Meter, _ schema: String) -> DerivedField<Vehicle> {
    DerivedField<Vehicle>(
      key: meter.rawValue, schema: schema,
      // The vehicle's own field already writes the value to the JSON.
      read: { vehicles, _ in vehicles.map { _ in .null } },
      write: { json, vehicle, _, transaction, call throws(ThingError) in
        let present = meter == .odometer ? vehicle.value.odometer : vehicle.value.engineHours
        guard json != .null, json != present.json else { return vehicle }
        var reading = MeterReading()
        reading.vehicle = vehicle.value.id
        do throws(FieldError) {
          let value = try Double(json: json)
          try NumberRange.odometer.check(value)
          if meter == .odometer { reading.odometer = value } else { reading.engineHours = value }
        } catch {
          throw .invalid(FieldErrors([error.inside(meter.rawValue)]))
        }
        try transaction.add(reading)
        return try transaction.existing(vehicle.id, Vehicle.self)
      })
  }

  private static func relation(
    of vehicle: Stored<Vehicle>, _ identity: Identity, _ view: any FleetView
  ) throws(ThingError) -> Relation {
    let own = try identity.ownVehicles(at: WallClock.now, view)
    return Relation(
      fleets: Set([vehicle.value.fleetID].compactMap { $0 }), isOwn: own.contains(vehicle.value.id))
  }

  /// The maximum number of journeys, assignments and maintenance records of a retired vehicle that one transaction
  /// ends.
  private static let endedTogether = 16

  private var commands: [Route] {
    let summaries: [VehicleCommand: String] = [
      .retire:
        "Takes a vehicle out of the fleet for good. Its assignments and journeys end, its open maintenance is cancelled, and no service is due.",
      .reactivate: "Takes a retired vehicle back into the fleet.",
      .deactivate: "Takes an available vehicle out of use for a time.", .activate: "Takes a vehicle into use again.",
    ]
    return VehicleCommand.allCases.map { command in
      things.command(
        command.rawValue, summaries[command] ?? "", body: command == .retire ? "VehicleRetirement" : nil,
        preparedBy: { vehicle, json, transaction, _ throws(ThingError) in
          guard command == .retire else { return true }
          try transaction.check(command, vehicle, with: try VehicleRetirement.command(json))
          return try transaction.endWork(ofRetired: vehicle.value.id, atMost: Self.endedTogether)
        }
      ) { vehicle, json, transaction, _ throws(ThingError) in
        let changed = try transaction.execute(command, vehicle, with: try VehicleRetirement.command(json))
        // The services of a retired vehicle end. They begin again when the vehicle is reactivated.
        try transaction.evaluateServices(of: changed)
        return try transaction.existing(changed.id, Vehicle.self)
      }
    }
  }

  var things: ThingRoutes<Vehicle> {
    var routes = ThingRoutes<Vehicle>(
      storage: storage, area: .vehicles,
      relation: { vehicle, identity, view throws(ThingError) in try Self.relation(of: vehicle, identity, view) },
      restriction: { reach, identity, view throws(ThingError) in
        let own = ThingQuery<Vehicle>.Condition.oneOf(
          key: "id", try identity.ownVehicles(at: WallClock.now, view).sorted().map { .text($0) })
        guard !reach.isOnlyOwn, let fleets = reach.fleets else { return [own] }
        return [.anyOf([[own], [.oneOf(key: "fleetId", fleets.sorted { $0.string < $1.string }.map(\.json))]])]
      },
      check: { old, new, transaction, call throws(ThingError) in try Self.check(old, new, transaction, call) },
      derived: Self.derived, order: [.init("id")],
      find: { name, view throws(ThingError) in
        guard NameRules.isName(name) else { return nil }
        return try view.vehicle(named: name)
      },
      name: { $0.value.id })
    // A person who may only add meter readings may change only the odometer and the engine hours.
    routes.changing = .addReading
    routes.concealment = .ofVehicles
    routes.changingKeys = Set([Meter.odometer, .engineHours].map(\.rawValue))
    routes.afterChange = { vehicle, transaction throws(ThingError) in
      try transaction.continueMeters(of: vehicle)
      // The change may have moved the vehicle to another fleet with other schedules.
      try transaction.evaluateServices(of: try transaction.existing(vehicle.id, Vehicle.self))
    }
    return routes
  }

  private static func check(
    _ old: Stored<Vehicle>?, _ new: Vehicle, _ transaction: any FleetTransaction, _ call: Call
  ) throws(ThingError) {
    guard old != nil || NameRules.isNewName(new.id) else {
      throw .invalid(FieldErrors([FieldError("id", "expected \(NameRules.expectedNewName)")]))
    }
    // Check this first. Otherwise, people with limited rights would learn from the error which ids other fleets use.
    let isUnassigned = new.fleetID == nil && (old == nil || old?.value.fleetID != nil)
    if isUnassigned, let reach = call.reach, !reach.isEverything {
      throw .forbidden(reason: "fleetId: expected one of the account's own fleets")
    }
    if old?.value.id != new.id || old?.value.vin != new.vin {
      try transaction.requireUniqueNames(of: new, except: old?.id)
    }
    guard old?.value.fleetID != new.fleetID else { return }
    if let fleet = new.fleetID, let found = try transaction.find(fleet, Fleet.self) {
      try transaction.recordMoves(added: [new.id], removed: [], of: found)
    }
    if let fleet = old?.value.fleetID, let found = try transaction.find(fleet, Fleet.self) {
      try transaction.recordMoves(added: [], removed: [new.id], of: found)
    }
  }

  /// The route that creates a vehicle, or replaces the fields of an existing vehicle.
  private var put: Route {
    let operation = Operation(
      id: "putVehicle",
      summary:
        "With `If-None-Match: *`: makes a vehicle with this id; the same request again answers as the first time. Otherwise: replaces the properties of a vehicle. Its records stay, and so does its VIN unless the request has another, or null.",
      parameters: [
        .header("If-None-Match", "`*`: makes a vehicle."),
        .header("If-Match", "The ETag of the version that the change was made from."),
      ],
      body: .json("VehicleDetails"),
      results: [
        .init(.ok, "The vehicle.", .json("Vehicle"), headers: ["ETag"]),
        .init(.created, "The new vehicle.", .json("Vehicle"), headers: ["ETag", "Location"]),
      ],
      errors: [.conflict, .preconditionFailed])
    let things = things
    return Route(
      .put, things.path + "/{vehicleId}", .may(.write, .vehicles), operation, isFiltered: true
    ) { call in
      let name = try call.name("vehicle")
      let conditions = try Preconditions(call.request.headers)
      try call.requireType(["application/json"])
      let (json, parts) = things.separate(try await call.json())
      if conditions.noneOf?.isAny ?? false, conditions.oneOf == nil {
        let vehicle = try Self.new(named: name, json)
        return things.created(
          try await things.change(call) { transaction throws(ThingError) in
            guard let stored = try transaction.vehicle(named: name) else {
              return try things.insert(vehicle, id: nil, parts, transaction, call)
            }
            guard try things.mayRead(stored.id, call.identity, transaction) else {
              // The vehicle exists, but the caller may not read it. A caller who may not create this vehicle receives
              // the same error as for an id that no vehicle has. Only a caller who may create it receives an error that
              // shows that the id is in use. `POST` answers in the same way.
              var new = vehicle
              try things.approve(nil, &new, transaction, call)
              throw .duplicate(field: "id")
            }
            let present = try things.existing(call, transaction)
            guard stored.value.id == name else { throw .duplicate(field: "id") }
            try transaction.requireFirst(vehicle, of: present)
            return try things.shown(present, call, transaction)
          })
      }
      let seen = try ThingRoutes<Vehicle>.seenVersion(call)
      let thing = try await things.change(call) { transaction throws(ThingError) in
        let old = try things.existing(call, transaction)
        var new: Vehicle
        do throws(FieldErrors) {
          new = try old.value.replaced(with: json)
        } catch {
          throw .invalid(error)
        }
        // Check the conditions only now. An invalid request is rejected as invalid, even if its conditions also fail
        // (RFC 9110, section 13.2.1).
        try Self.require(seen, conditions, of: old)
        // If the request has no VIN, keep the stored VIN. Otherwise, new records with this VIN would belong to another
        // vehicle.
        if json["vin"] == nil { new.vin = old.value.vin }
        // Clients of earlier versions send no fleet. Therefore a request without a fleet does not remove the vehicle
        // from its fleet.
        if json["fleetId"] == nil { new.fleetID = old.value.fleetID }
        try things.approve(old, &new, transaction, call)
        let changed = try transaction.update(old, to: new, action: "change")
        try things.afterChange(changed, transaction)
        try things.requireStill(call, changed, transaction)
        return try things.shown(changed, call, transaction)
      }
      return thing.answer()
    }
  }

  private var remove: Route {
    let operation = Operation(
      id: "removeVehicle",
      summary:
        "Removes a vehicle with all its records and schedules. Its defects are dismissed, and scheduled maintenance is cancelled. Its fills, expenses, meter readings, documents and closed work stay; a vehicle that is made again with its id continues them. 409 `vehicleInUse` during an assignment, a journey or maintenance.",
      parameters: [.header("If-Match", "The ETag of the version that is removed.")],
      results: [.init(.noContent, "Removed.")], errors: [.conflict, .preconditionFailed])
    let things = things
    return Route(
      .delete, things.path + "/{vehicleId}", .may(.write, .vehicles), operation, isFiltered: true
    ) { call in
      _ = try call.name("vehicle")
      let conditions = try Preconditions(call.request.headers)
      var expected = try ThingRoutes<Vehicle>.seenVersion(call)
      var isRemoved = false
      // Use several transactions. A vehicle may have many schedules or defects, and other tenants must not wait long.
      while !isRemoved {
        let seen = expected
        expected = try await things.change(call) { transaction throws(ThingError) in
          let vehicle = try things.existing(call, transaction)
          try Self.require(seen, conditions, of: vehicle)
          guard try transaction.closeWork(ofRemoved: vehicle) else {
            return try things.existing(call, transaction).version
          }
          if let fleet = vehicle.value.fleetID, let found = try transaction.find(fleet, Fleet.self) {
            try transaction.recordMoves(added: [], removed: [vehicle.value.id], of: found)
          }
          try transaction.removeVehicle(try things.existing(call, transaction))
          return nil
        }
        isRemoved = expected == nil
      }
      return Answer(status: .noContent)
    }
  }

  /// Checks the conditions of a request to change a vehicle.
  ///
  /// - Throws: `changedMeanwhile` if the vehicle's version is not the version in `If-Match`, or if the request requires
  ///   that the vehicle does not exist.
  private static func require(
    _ seen: Int64?, _ conditions: Preconditions, of vehicle: Stored<Vehicle>
  ) throws(ThingError) {
    guard seen ?? vehicle.version == vehicle.version, !(conditions.noneOf?.isAny ?? false) else {
      throw .changedMeanwhile
    }
  }

  /// Creates a vehicle from the body of a PUT request. The vehicle's id is in the path.
  private static func new(named name: String, _ json: JSON) throws(ThingError) -> Vehicle {
    guard case .object(var members) = json else {
      throw .invalid(FieldErrors([FieldError("", "expected an object, found \(json.summary)")]))
    }
    guard members["id"] ?? .text(name) == .text(name) else {
      throw .invalid(FieldErrors([FieldError("id", "expected the id in the path, or none")]))
    }
    members["id"] = .text(name)
    do throws(FieldErrors) {
      return try Vehicle(client: .object(members))
    } catch {
      throw .invalid(error)
    }
  }
}

extension Identity {
  /// Returns the ids of the vehicles that are assigned to the caller at a time.
  func ownVehicles(at time: Timestamp, _ view: any FleetView) throws(ThingError) -> Set<String> {
    guard let person = signedIn?.person else { return [] }
    return Set(try view.vehicleWindows(of: person).filter { $0.contains(time) }.map(\.vehicle))
  }
}
