import FleetDomain
import FleetFigures
import FleetStorage
import FleetStorageTestKit
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

/// The state machines of maintenance: every command in every state, and random commands against a model.
@Suite struct MaintenanceModelTests {
  // MARK: Tables

  // MARK: Random commands

  /// What the rules say about one vehicle with one schedule, in plain values.
  private struct Model {
    var vehicle = Vehicle.Status.available
    var isAssigned = false
    /// Records by number.
    var records: [Int: MaintenanceRecord.Status] = [:]
    /// Records that belong to the schedule.
    var scheduled: Set<Int> = []
    var defects: [Int: Defect.Status] = [:]
    var unsafe: Set<Int> = []
    var odometer = 0.0
    var due = 1_000.0
    /// Whether a record was opened since the last service.
    var wasOpened = false

    mutating func updateVehicle() {
      guard vehicle != .inactive, vehicle != .retired else { return }
      vehicle = records.values.contains(.inProgress) ? .inService : isAssigned ? .assigned : .available
    }

    var isUnsafe: Bool { unsafe.contains { [.open, .acknowledged].contains(defects[$0]) } }
    var openOfSchedule: Int? { scheduled.first { [.scheduled, .inProgress].contains(records[$0]) } }
  }

  /// A step is one transaction with this many commands, because each commit waits for the disk.
  private static let perStep = 250

  /// The number of random commands on each database: `FLEET_COMMANDS=50000` for 100,000 in all.
  private static let commands = ProcessInfo.processInfo.environment["FLEET_COMMANDS"].flatMap { Int($0) } ?? 4_000

  /// Random commands by two clients at once. After each command the answer and the status of the vehicle, and after each
  /// step all things, are those of the model.
  @Test(arguments: Database.allCases)
  func random_commands_have_the_effects_of_the_model(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      try await withThrowingTaskGroup { group in
        for client in 0..<2 {
          group.addTask {
            var random = SplitMix(seed: UInt64(16 + client))
            for step in 0..<Self.commands / Self.perStep / 2 {
              let seed = random.next()
              let failures = try await fleet.change(at: Double(step)) { transaction throws(ThingError) in
                try Self.run(seed: seed, vehicle: "CAR-\(client)-\(step)", transaction)
              }
              #expect(failures.isEmpty, "seed \(seed): \(failures.prefix(3))")
              guard failures.isEmpty else { return }
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  private static func run(
    seed: UInt64, vehicle id: String, _ transaction: any FleetTransaction
  ) throws(ThingError) -> [String] {
    var random = SplitMix(seed: seed)
    var (model, failures) = (Model(), [String]())
    var recordIDs: [UUIDv7] = []
    var defectIDs: [UUIDv7] = []
    var assignmentID: UUIDv7?
    try transaction.insert(Vehicle(id: id))
    var driver = Driver()
    driver.name = "D"
    let driverID = try transaction.insert(driver).id
    var schedule = ServiceSchedule()
    (schedule.vehicle, schedule.serviceType) = (id, "oilChange")
    schedule.every.kilometers = 1_000
    var service = ServiceSchedule.Service()
    service.odometer = 0
    schedule.lastService = service
    let scheduleID = try transaction.insert(schedule).id
    try transaction.follow(try transaction.existing(scheduleID, ServiceSchedule.self))
    var first = MeterReading()
    (first.vehicle, first.odometer) = (id, 0)
    try transaction.add(first)

    /// Runs a command, and compares whether it was allowed.
    func attempt(_ name: String, _ isAllowed: Bool, _ work: () throws(ThingError) -> Void) throws(ThingError) {
      do throws(ThingError) {
        try work()
        if !isAllowed { failures.append("\(name) was allowed in \(model)") }
      } catch {
        switch error {
        case .invalidState, .rule: if isAllowed { failures.append("\(name) was refused: \(error) in \(model)") }
        default: throw error
        }
      }
    }
    /// The record that the server has opened.
    func findOpened() throws(ThingError) {
      guard let open = try transaction.openRecord(of: scheduleID, vehicle: id), !recordIDs.contains(open.id) else {
        return failures.append("no record was opened")
      }
      model.records[recordIDs.count] = .scheduled
      model.scheduled.insert(recordIDs.count)
      recordIDs.append(open.id)
    }
    func openIfOverdue() throws(ThingError) {
      guard model.odometer >= model.due, !model.wasOpened, model.vehicle != .retired else { return }
      let hadOpen = model.openOfSchedule != nil
      model.wasOpened = true
      if !hadOpen { try findOpened() }
    }
    func finish(_ number: Int) throws(ThingError) {
      model.records[number] = .completed
      guard model.scheduled.contains(number) else { return }
      model.due = model.odometer + 1_000
      model.wasOpened = false
      try openIfOverdue()
    }

    for _ in 0..<perStep {
      let record = recordIDs.indices.randomElement(using: &random)
      let defect = defectIDs.indices.randomElement(using: &random)
      switch Int.random(in: 0..<14, using: &random) {
      case 0:
        var new = MaintenanceRecord()
        (new.vehicle, new.serviceType) = (id, "repair")
        let isScheduled = Bool.random(using: &random)
        if isScheduled { new.scheduleID = scheduleID }
        try attempt("add a record", !isScheduled || model.openOfSchedule == nil) { () throws(ThingError) in
          try transaction.check(&new, old: nil)
          model.records[recordIDs.count] = .scheduled
          if isScheduled { model.scheduled.insert(recordIDs.count) }
          recordIDs.append(try transaction.insert(new).id)
        }
      case 1, 2:
        guard let record else { continue }
        let isAllowed = model.records[record] == .scheduled && ![.inactive, .retired].contains(model.vehicle)
        try attempt("start", isAllowed) { () throws(ThingError) in
          _ = try transaction.start(try transaction.existing(recordIDs[record], MaintenanceRecord.self))
          model.records[record] = .inProgress
        }
      case 3, 4:
        guard let record else { continue }
        try attempt("complete", model.records[record] == .inProgress) { () throws(ThingError) in
          _ = try transaction.complete(
            try transaction.existing(recordIDs[record], MaintenanceRecord.self), with: MaintenanceCompletion())
          try finish(record)
        }
      case 5:
        guard let record else { continue }
        let isOpen = [.scheduled, .inProgress].contains(model.records[record])
        try attempt("cancel", isOpen) { () throws(ThingError) in
          _ = try transaction.cancel(
            try transaction.existing(recordIDs[record], MaintenanceRecord.self), reason: nil)
          model.records[record] = .cancelled
        }
      case 6:
        var new = Defect()
        (new.vehicle, new.text) = (id, "x")
        if Bool.random(using: &random) {
          new.severity = .unsafe
          model.unsafe.insert(defectIDs.count)
        }
        model.defects[defectIDs.count] = .open
        defectIDs.append(try transaction.insert(new).id)
      case 7, 8:
        guard let defect, let command = DefectCommand.allCases.randomElement(using: &random),
          let status = model.defects[defect]
        else { continue }
        let next: Defect.Status? =
          switch (status, command) {
          case (.open, .acknowledge): .acknowledged
          case (.acknowledged, .repair): .repaired
          case (.repaired, .verify): .verified
          case (.open, .dismiss), (.acknowledged, .dismiss): .dismissed
          default: nil
          }
        try attempt("\(command)", next != nil) { () throws(ThingError) in
          _ = try transaction.execute(
            command, try transaction.existing(defectIDs[defect], Defect.self), reason: "r")
          model.defects[defect] = next
        }
      case 9:
        guard let command = VehicleCommand.allCases.randomElement(using: &random),
          let stored = try transaction.vehicle(named: id)
        else { continue }
        let isAllowed =
          switch command {
          case .retire: model.vehicle != .retired
          case .reactivate: model.vehicle == .retired
          case .deactivate: model.vehicle == .available
          case .activate: model.vehicle == .inactive
          }
        try attempt("\(command)", isAllowed) { () throws(ThingError) in
          try transaction.evaluateServices(of: try transaction.execute(command, stored))
          switch command {
          case .retire:
            model.vehicle = .retired
            model.isAssigned = false
            assignmentID = nil
            for (number, status) in model.records where [.scheduled, .inProgress].contains(status) {
              model.records[number] = .cancelled
            }
          case .deactivate: model.vehicle = .inactive
          case .activate: model.vehicle = .available
          case .reactivate:
            model.vehicle = .available
            // The record was cancelled when the vehicle was retired. An overdue service gets another one.
            model.wasOpened = false
            try openIfOverdue()
          }
        }
      case 10:
        var new = Assignment()
        (new.driver, new.vehicle) = (driverID, id)
        let isAllowed = model.vehicle == .available && !model.isUnsafe
        try attempt("assign", isAllowed) { () throws(ThingError) in
          try transaction.check(&new, old: nil)
          let stored = try transaction.insert(new)
          try transaction.updateStatus(ofVehicle: id)
          assignmentID = stored.id
          model.isAssigned = true
        }
      case 11:
        guard let assignment = assignmentID else { continue }
        _ = try transaction.cancel(try transaction.existing(assignment, Assignment.self))
        assignmentID = nil
        model.isAssigned = false
      case 12:
        // All readings are of the same day.
        let next = model.odometer + Double(Int.random(in: 1...300, using: &random))
        guard next <= 2_000 else { continue }
        model.odometer = next
        var reading = MeterReading()
        (reading.vehicle, reading.odometer) = (id, model.odometer)
        try transaction.add(reading)
        try openIfOverdue()
      default:
        let open = model.openOfSchedule
        _ = try transaction.complete(
          try transaction.existing(scheduleID, ServiceSchedule.self), with: MaintenanceCompletion())
        if let open {
          try finish(open)
        } else {
          let records = try transaction.list(
            ThingQuery<MaintenanceRecord>(
              .oneOf(key: "scheduleId", [scheduleID.json]), .oneOf(key: "status", [.text("completed")]), limit: 1_000)
          ).items
          guard let made = records.first(where: { !recordIDs.contains($0.id) }) else {
            failures.append("completing the schedule made no record")
            continue
          }
          model.scheduled.insert(recordIDs.count)
          recordIDs.append(made.id)
          try finish(recordIDs.count - 1)
        }
      }
      model.updateVehicle()
      if !failures.isEmpty { return failures }
      guard try transaction.vehicle(named: id)?.value.status == model.vehicle else {
        return ["the vehicle is not \(model.vehicle) in \(model)"]
      }
    }

    // Everything once more, from the database.
    for (number, id) in recordIDs.enumerated() {
      let status = try transaction.existing(id, MaintenanceRecord.self).value.status
      if status != model.records[number] { failures.append("record \(number) is \(status) in \(model)") }
    }
    for (number, id) in defectIDs.enumerated() {
      let status = try transaction.existing(id, Defect.self).value.status
      if status != model.defects[number] { failures.append("defect \(number) is \(status) in \(model)") }
    }
    let records = try transaction.list(
      ThingQuery<MaintenanceRecord>(.oneOf(key: "vehicleId", [.text(id)]), limit: 1_000)
    ).items
    if records.count != recordIDs.count { failures.append("\(records.count) records, expected \(recordIDs.count)") }
    let open = records.filter { $0.value.scheduleID != nil && MaintenanceRecord.Status.open.contains($0.value.status) }
    if open.count > 1 { failures.append("\(open.count) open records of one schedule") }
    let shown = try transaction.existing(scheduleID, ServiceSchedule.self).value.next?.dueOdometer
    // No service of a retired vehicle is due.
    let due = model.vehicle == .retired ? nil : model.due
    if model.odometer > 0, shown != due { failures.append("due at \(shown ?? 0), expected \(due ?? 0)") }
    return failures
  }

  // MARK: Many vehicles

  @Test func a_burst_of_readings_reaches_all_due_dates() async throws {
    let (vehicles, schedules) = (100, 5)
    try await FollowedFleet.with(.sqlite) { fleet in
      for start in stride(from: 0, to: vehicles, by: 100) {
        try await fleet.change { transaction throws(ThingError) in
          for number in start..<start + 100 {
            try transaction.insert(Vehicle(id: "CAR-\(number)"))
            for kind in 0..<schedules {
              var schedule = ServiceSchedule()
              (schedule.vehicle, schedule.serviceType) = ("CAR-\(number)", "oilChange")
              schedule.every.kilometers = Double(1_000 * (kind + 1))
              var service = ServiceSchedule.Service()
              service.odometer = 0
              schedule.lastService = service
              try transaction.follow(try transaction.insert(schedule))
            }
          }
        }
      }
      try await fleet.change(at: 1) { transaction throws(ThingError) in
        for number in 0..<vehicles {
          var reading = MeterReading()
          (reading.vehicle, reading.odometer) = ("CAR-\(number)", 1_500)
          try transaction.add(reading)
        }
      }
      let overdue = try await fleet.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.values(["state"], ThingQuery<ServiceSchedule>(.oneOf(key: "state", [.text("overdue")])))
      }
      #expect(overdue.count == vehicles)
      #expect(try await fleet.things(ThingQuery<MaintenanceRecord>(limit: 1_000)).count == vehicles)
    }
  }
}
