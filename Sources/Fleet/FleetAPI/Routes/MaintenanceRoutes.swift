import FleetAccess
import FleetDomain
import FleetFigures
import FleetWork
import HTTPTypes
import Telemetry

/// The routes of meter readings, types of service, service schedules, maintenance records, and defects.
struct MaintenanceRoutes {
  let storage: any FleetStorage

  var routes: [Route] {
    readings.routes + serviceTypes.routes + schedules.routes + scheduleCommands + [removeSchedule] + records.routes
      + recordCommands
      + defects.routes + defectCommands + [due]
  }

  // MARK: Meter readings

  var readings: ThingRoutes<MeterReading> {
    var routes = ThingRoutes<MeterReading>(
      ofVehicles: storage, area: .vehicles, order: [.init("at", isDescending: true)],
      check: { old, new, transaction, call throws(ThingError) in
        guard old != nil else {
          // Only the server itself may add readings with another source, because they count as evidence.
          guard new.source == .manual || new.source == .imported && !(call.reach?.isOnlyOwn ?? false) else {
            throw .invalid(FieldErrors([FieldError("source", "expected manual, or import if you import readings")]))
          }
          return try transaction.judge(&new)
        }
        // A driver may add meter readings of a vehicle, but must not change a reading afterwards.
        if let reach = call.reach, reach.isOnlyOwn { throw .forbidden(reason: reach.reason) }
      })
    routes.creating = .addReading
    routes.changing = .addReading
    routes.concealment = .ofReadings
    // A driver may also add a reading of the time of an earlier assignment, and may read it.
    routes.vehicleUse = { VehicleUse(time: $0.at == MeterReading().at ? nil : $0.at) }
    let relation = routes.relation
    routes.relation = { reading, identity, view throws(ThingError) in
      var found = try relation(reading, identity, view)
      if !found.isOwn { found.isOwn = try identity.isAssigned(reading.value.vehicle, at: reading.value.at, view) }
      return found
    }
    routes.afterChange = { reading, transaction throws(ThingError) in try transaction.follow(reading) }
    return routes
  }

  // MARK: Maintenance

  var serviceTypes: ThingRoutes<ServiceType> {
    ThingRoutes(
      storage: storage, area: .maintenance,
      // Types of service belong to the whole tenant, so only a caller with access to all vehicles may change them.
      relation: { _, _, _ in Relation(need: .everythingToChange) },
      restriction: { reach, _, _ in reach.isOnlyOwn ? nil : [] },
      check: { _, _, _, _ throws(ThingError) in }, order: [.init("code")])
  }

  var schedules: ThingRoutes<ServiceSchedule> {
    var routes = ThingRoutes<ServiceSchedule>(
      ofVehicles: storage, area: .maintenance, order: [.init("forecastDate")],
      check: { old, new, transaction, _ throws(ThingError) in try transaction.check(&new, old: old) })
    routes.afterChange = { schedule, transaction throws(ThingError) in try transaction.follow(schedule) }
    return routes
  }

  private var removeSchedule: Route {
    schedules.remove("Removes a schedule, and cancels its scheduled maintenance. Records of its services are kept.") {
      schedule, transaction throws(ThingError) in try transaction.closeWork(ofRemoved: schedule)
    }
  }

  private var scheduleCommands: [Route] {
    let schedules = schedules
    return [
      schedules.command(
        "complete",
        "Completes the service: its open maintenance record, or a new one. The next cycle begins. A command with an `id` is executed once.",
        body: "MaintenanceCompletion"
      ) { schedule, json, transaction, call throws(ThingError) in
        let completion = try MaintenanceCompletion.command(json)
        try schedules.requireReferences(of: completion, old: nil, transaction, call)
        return try transaction.complete(schedule, with: completion)
      },
      schedules.command(
        "snooze", "Reports a service that is due no longer until a date; by default for a week.", body: "ServiceSnooze"
      ) { schedule, json, transaction, call throws(ThingError) in
        let snooze = try ServiceSnooze.command(json)
        try schedules.requireReferences(of: snooze, old: nil, transaction, call)
        return try transaction.snooze(schedule, with: snooze)
      },
    ]
  }

  var records: ThingRoutes<MaintenanceRecord> {
    var routes = ThingRoutes<MaintenanceRecord>(
      ofVehicles: storage, area: .maintenance, order: [.init("scheduledDate", isDescending: true)],
      check: { old, new, transaction, _ throws(ThingError) in try transaction.check(&new, old: old) })
    routes.afterChange = { record, transaction throws(ThingError) in
      try transaction.link(record)
      if record.version == 1 {
        try transaction.close(record)
      } else {
        try transaction.correct(record)
      }
    }
    return routes
  }

  private var recordCommands: [Route] {
    [
      records.command("start", "Starts the work. The vehicle is in service.") {
        record, transaction, _ throws(ThingError) in try transaction.start(record)
      },
      records.command(
        "complete",
        "Completes the work. The vehicle is given back, and the cycle of the schedule begins again. A command with an `id` is executed once.",
        body: "MaintenanceCompletion"
      ) { record, json, transaction, _ throws(ThingError) in
        let completion = try MaintenanceCompletion.command(json)
        guard completion.vehicle == nil || completion.vehicle == record.value.vehicle else {
          throw .invalid(FieldErrors([FieldError("vehicleId", "expected the vehicle of the record, or none")]))
        }
        return try transaction.complete(record, with: completion)
      },
      records.command("cancel", "Cancels a record that is not finished.", body: "CommandReason") {
        record, json, transaction, _ throws(ThingError) in
        try transaction.cancel(record, reason: try CommandReason.command(json).reason)
      },
    ]
  }

  private var due: Route {
    let operation = Operation(
      id: "getDueServices", summary: "What is due next for a vehicle, the most urgent first.",
      results: [.init(.ok, "Services.", .json("DueServices"))])
    return Route(
      .get, "/api/vehicles/{vehicleId}/due", .may(.read, .maintenance), operation, isFiltered: true
    ) { [storage] call in
      let now = WallClock.now
      let services = try await storage.view(tenant: try call.tenant) { view throws(ThingError) in
        let vehicle = try call.existingVehicle(view)
        return try view.services(of: vehicle, on: try view.zone(of: vehicle.value).day(of: now))
      }
      return Answer(json: Array(JSON.object(["data": .array(services.map(\.json))]).canonicalText.utf8))
    }
  }

  // MARK: Defects

  var defects: ThingRoutes<Defect> {
    var routes = ThingRoutes<Defect>(
      work: storage, area: .defects, order: [.init("createdAt", isDescending: true)],
      check: { old, new, transaction, call throws(ThingError) in
        if let old {
          let changed = Stored(
            id: old.id, version: old.version, createdAt: old.createdAt, updatedAt: old.updatedAt, value: new)
          try transaction.announce(changed, since: old.value)
        }
        if old == nil, new.source == Defect().source, new.driver != nil { new.source = .driver }
        if old == nil, [.dtc, .inspection].contains(new.source), call.reach?.isOnlyOwn ?? false {
          throw .forbidden(reason: "source: expected driver or other")
        }
      })
    routes.afterChange = { defect, transaction throws(ThingError) in
      if defect.version == 1 { try transaction.announce(defect, since: nil) }
    }
    // Drivers may also see all defects of the vehicles that are assigned to them.
    let (restriction, relation) = (routes.restriction, routes.relation)
    routes.restriction = { reach, identity, view throws(ThingError) in
      guard let own = try restriction(reach, identity, view) else { return nil }
      let vehicles = try identity.ownVehicles(at: WallClock.now, view).sorted().map { JSON.text($0) }
      return [.anyOf([own, [.oneOf(key: Defect.vehicleKey, vehicles)]])]
    }
    routes.relation = { defect, identity, view throws(ThingError) in
      var found = try relation(defect, identity, view)
      if !found.isOwn {
        found.isOwn = try identity.ownVehicles(at: WallClock.now, view).contains(defect.value.vehicle)
      }
      return found
    }
    routes.creating = .report
    routes.concealment = .ofDefects
    return routes
  }

  private var defectCommands: [Route] {
    let summaries: [DefectCommand: String] = [
      .acknowledge: "Confirms an open defect.", .repair: "Reports an acknowledged defect as repaired.",
      .verify:
        "Confirms the repair. If the trouble code was absent for fewer trips than the settings require, with a reason.",
      .dismiss: "Closes what is not a defect, with a reason.",
    ]
    let takesReason: Set<DefectCommand> = [.dismiss, .verify]
    return DefectCommand.allCases.map { command in
      defects.command(
        command.rawValue, summaries[command] ?? "", body: takesReason.contains(command) ? "CommandReason" : nil
      ) { defect, json, transaction, _ throws(ThingError) in
        let reason = takesReason.contains(command) ? try CommandReason.command(json).reason : nil
        return try transaction.execute(command, defect, reason: reason)
      }
    }
  }
}

/// The body of a request that executes a command and may state a reason.
struct CommandReason: NestedValue {
  var reason: String?

  static let fields: [Field<CommandReason>] = [Field("reason", \.reason, TextRules.long)]
}

extension NestedValue {
  /// Parses the body of a request that executes a command.
  ///
  /// - Throws: `invalid` with the errors of all fields.
  static func command(_ json: JSON) throws(ThingError) -> Self {
    do throws(FieldErrors) {
      return try parsed(client: json)
    } catch {
      throw .invalid(error)
    }
  }
}
