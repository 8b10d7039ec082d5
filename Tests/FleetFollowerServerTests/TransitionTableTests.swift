import FleetDomain
import FleetFigures
import FleetStorage
import FleetWork
import Telemetry
import Testing

/// Every command in every state, for the state machines of assignments, inspections and service schedules. Those of
/// vehicles, maintenance records and defects are in ``MaintenanceModelTests``, that of journeys in `JourneyTests`.
@Suite struct TransitionTableTests {
  private static func result<State: Sendable>(
    _ fleet: FollowedFleet, _ work: @escaping @Sendable (any FleetTransaction) throws(ThingError) -> State
  ) async throws -> Result<State, ThingError> {
    do throws(ThingError) {
      return .success(
        try await fleet.storage.change(
          tenant: .standard, by: Actor(.command), at: FollowedFleet.time(100), work))
    } catch {
      return .failure(error)
    }
  }

  /// Expects the state of the table, or that the command is refused and its error names the state.
  private static func expect<State: FieldChoice>(
    _ result: Result<State, ThingError>, _ expected: State?, from state: State, _ comment: Comment
  ) throws {
    switch result {
    case .success(let found): #expect(found == expected, comment)
    case .failure(.invalidState(let named, let allowed)):
      #expect(expected == nil && named == state.rawValue && !allowed.contains(named), comment)
    case .failure(let error): throw error
    }
  }

  @Test(arguments: Database.allCases)
  func an_assignment_obeys_its_table(_ database: Database) async throws {
    let table: [(from: Assignment.Status, command: String, to: Assignment.Status)] = [
      (.active, "end", .completed), (.active, "cancel", .cancelled), (.active, "change", .active),
    ]
    try await FollowedFleet.with(database) { fleet in
      for from in Assignment.Status.allCases {
        for command in ["end", "cancel", "change"] {
          let expected = table.first { $0.from == from && $0.command == command }?.to
          let result = try await Self.result(fleet) { transaction throws(ThingError) in
            let id = "\(from.rawValue)-\(command)"
            try transaction.insert(Vehicle(id: id))
            var driver = Driver()
            driver.name = "D"
            var assignment = Assignment()
            (assignment.vehicle, assignment.driver) = (id, try transaction.insert(driver).id)
            (assignment.from, assignment.status) = (FollowedFleet.time(1), from)
            let stored = try transaction.insert(assignment)
            switch command {
            case "end": return try transaction.end(stored, at: nil).value.status
            case "cancel": return try transaction.cancel(stored).value.status
            default:
              var changed = stored.value
              changed.to = FollowedFleet.time(200)
              try transaction.check(&changed, old: stored)
              return try transaction.update(stored, to: changed, action: "change").value.status
            }
          }
          try Self.expect(result, expected, from: from, "\(from) \(command)")
        }
      }
    }
  }

  @Test(arguments: Database.allCases)
  func an_inspection_obeys_its_table(_ database: Database) async throws {
    typealias Row = (from: Inspection.Status, command: String, to: Inspection.Status)
    // 49 CFR 396.11: defects are certified before the next driver reviews the report.
    let withDefect: [Row] = [
      (.draft, "change", .draft), (.draft, "sign", .signed), (.signed, "certify", .certified),
      (.certified, "review", .reviewed),
    ]
    let without: [Row] = [(.draft, "change", .draft), (.draft, "sign", .signed), (.signed, "review", .reviewed)]
    try await FollowedFleet.with(database) { fleet in
      let driver = try await fleet.change { transaction throws(ThingError) in
        var driver = Driver()
        driver.name = "D"
        return try transaction.insert(driver).id
      }
      for (hasDefect, table) in [(true, withDefect), (false, without)] {
        for from in Inspection.Status.allCases {
          for command in ["change", "sign", "certify", "review"] {
            let expected = table.first { $0.from == from && $0.command == command }?.to
            let result = try await Self.result(fleet) { transaction throws(ThingError) in
              var report = Inspection()
              (report.vehicle, report.driverID, report.status) = ("VAN-1", driver, from)
              (report.hasDefects, report.at) = (hasDefect, FollowedFleet.time(1))
              var item = Inspection.Item()
              (item.item, item.result) = ("horn", hasDefect ? .defect : .ok)
              report.items = [item]
              let stored = try transaction.insert(report)
              switch command {
              case "sign": return try transaction.sign(stored, "D", by: nil).value.status
              case "certify": return try transaction.certify(stored, .repaired, notes: nil, by: nil).value.status
              case "review": return try transaction.review(stored, by: nil).value.status
              default:
                var changed = stored.value
                changed.notes = "x"
                try transaction.check(&changed, old: stored)
                return try transaction.update(stored, to: changed, action: "change").value.status
              }
            }
            if case .failure(.rule(let code, _)) = result {
              // A report without a defect needs no certification.
              #expect(code == "noDefect" && command == "certify" && from == .signed && !hasDefect)
              continue
            }
            try Self.expect(result, expected, from: from, "\(from) \(command) \(hasDefect)")
          }
        }
      }
    }
  }

  @Test(arguments: Database.allCases)
  func a_service_schedule_obeys_its_table(_ database: Database) async throws {
    // The odometer at which the service is due after 1,000 km is in each of the states.
    let states: [(state: ServiceSchedule.State, odometer: Double)] = [
      (.ok, 100), (.dueSoon, 700), (.overdue, 1_100), (.snoozed, 1_100),
    ]
    #expect(states.map(\.state) == ServiceSchedule.State.allCases)
    let table: [(from: ServiceSchedule.State, command: String, to: ServiceSchedule.State)] = [
      (.dueSoon, "snooze", .snoozed), (.overdue, "snooze", .snoozed), (.snoozed, "snooze", .snoozed),
      (.ok, "complete", .ok), (.dueSoon, "complete", .ok), (.overdue, "complete", .ok), (.snoozed, "complete", .ok),
    ]
    try await FollowedFleet.with(database) { fleet in
      for (from, odometer) in states {
        for command in ["snooze", "complete"] {
          let expected = table.first { $0.from == from && $0.command == command }?.to
          let result = try await Self.result(fleet) { transaction throws(ThingError) in
            let id = "\(from.rawValue)-\(command)"
            try transaction.insert(Vehicle(id: id))
            var schedule = ServiceSchedule()
            (schedule.vehicle, schedule.serviceType) = (id, "oilChange")
            schedule.every.kilometers = 1_000
            var service = ServiceSchedule.Service()
            service.odometer = 0
            schedule.lastService = service
            let stored = try transaction.insert(schedule)
            try transaction.follow(stored)
            var reading = MeterReading()
            (reading.vehicle, reading.odometer) = (id, odometer)
            try transaction.add(reading)
            if from == .snoozed {
              _ = try transaction.snooze(
                try transaction.existing(stored.id, ServiceSchedule.self), with: ServiceSnooze())
            }
            let present = try transaction.existing(stored.id, ServiceSchedule.self)
            guard present.value.state == from else { return present.value.state }
            return command == "snooze"
              ? try transaction.snooze(present, with: ServiceSnooze()).value.state
              : try transaction.complete(present, with: MaintenanceCompletion()).value.state
          }
          try Self.expect(result, expected, from: from, "\(from) \(command)")
        }
      }
    }
  }
}
