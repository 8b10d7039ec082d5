import FleetDomain
import FleetFigures
import FleetStorage
import FleetStorageTestKit
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

/// Every command of a defect, a record and a vehicle in every state, compared with the tables of transitions.
@Suite struct MaintenanceTransitionTests {
  @Test(arguments: Database.allCases)
  func a_defect_obeys_its_table(_ database: Database) async throws {
    let table: [(from: Defect.Status, command: DefectCommand, to: Defect.Status)] = [
      (.open, .acknowledge, .acknowledged), (.acknowledged, .repair, .repaired), (.repaired, .verify, .verified),
      (.open, .dismiss, .dismissed), (.acknowledged, .dismiss, .dismissed),
    ]
    try await FollowedFleet.with(database) { fleet in
      for from in Defect.Status.allCases {
        for command in DefectCommand.allCases {
          let expected = table.first { $0.from == from && $0.command == command }?.to
          let result = try await Self.result(fleet) { transaction throws(ThingError) in
            var defect = Defect()
            (defect.vehicle, defect.text, defect.status) = ("VAN-1", "x", from)
            return try transaction.execute(command, try transaction.insert(defect), reason: "x").value.status
          }
          try Self.expect(result, expected, from, "\(from) \(command)")
        }
      }
    }
  }

  @Test(arguments: Database.allCases)
  func a_record_obeys_its_table(_ database: Database) async throws {
    let table: [(from: MaintenanceRecord.Status, command: String, to: MaintenanceRecord.Status)] = [
      (.scheduled, "start", .inProgress), (.inProgress, "complete", .completed), (.scheduled, "cancel", .cancelled),
      (.inProgress, "cancel", .cancelled),
    ]
    try await FollowedFleet.with(database) { fleet in
      for from in MaintenanceRecord.Status.allCases {
        for command in ["start", "complete", "cancel"] {
          let expected = table.first { $0.from == from && $0.command == command }?.to
          let result = try await Self.result(fleet) { transaction throws(ThingError) in
            var record = MaintenanceRecord()
            (record.vehicle, record.serviceType, record.status) = ("VAN-1", "repair", from)
            let stored = try transaction.insert(record)
            return switch command {
            case "start": try transaction.start(stored).value.status
            case "complete": try transaction.complete(stored, with: MaintenanceCompletion()).value.status
            default: try transaction.cancel(stored, reason: nil).value.status
            }
          }
          try Self.expect(result, expected, from, "\(from) \(command)")
        }
      }
    }
  }

  @Test(arguments: Database.allCases)
  func a_vehicle_obeys_its_table(_ database: Database) async throws {
    let table: [(from: Vehicle.Status, command: VehicleCommand, to: Vehicle.Status)] = [
      (.available, .retire, .retired), (.assigned, .retire, .retired), (.inService, .retire, .retired),
      (.inactive, .retire, .retired), (.retired, .reactivate, .available), (.available, .deactivate, .inactive),
      (.inactive, .activate, .available),
    ]
    try await FollowedFleet.with(database) { fleet in
      for from in Vehicle.Status.allCases {
        for command in VehicleCommand.allCases {
          let expected = table.first { $0.from == from && $0.command == command }?.to
          let result = try await Self.result(fleet) { transaction throws(ThingError) in
            var vehicle = Vehicle(id: "\(from.rawValue)-\(command.rawValue)")
            vehicle.status = from
            return try transaction.execute(command, try transaction.insert(vehicle)).value.status
          }
          try Self.expect(result, expected, from, "\(from) \(command)")
        }
      }
    }
  }

  /// A transaction ends only a part of the work of a vehicle, because other tenants wait for it.
  @Test(arguments: Database.allCases)
  func the_work_of_a_retired_vehicle_ends_in_parts(_ database: Database) async throws {
    try await FollowedFleet.with(database) { fleet in
      try await fleet.change { transaction throws(ThingError) in
        var driver = Driver()
        driver.name = "D"
        let id = try transaction.insert(driver).id
        for _ in 0..<20 {
          var journey = Journey()
          (journey.vehicle, journey.driverID) = ("VAN-1", id)
          try transaction.insert(journey)
        }
        for _ in 0..<3 {
          var record = MaintenanceRecord()
          (record.vehicle, record.serviceType) = ("VAN-1", "repair")
          try transaction.insert(record)
        }
      }
      func open() async throws -> Int {
        let journeys = try await fleet.things(
          ThingQuery<Journey>(.oneOf(key: "status", [Journey.Status.planned.json]), limit: 100))
        let records = try await fleet.things(
          ThingQuery<MaintenanceRecord>(.oneOf(key: "status", [MaintenanceRecord.Status.scheduled.json]), limit: 100))
        return journeys.count + records.count
      }
      for (left, isDone) in [(15, false), (7, false), (0, true)] {
        let result = try await fleet.change(at: 1) { transaction throws(ThingError) in
          try transaction.endWork(ofRetired: "VAN-1", atMost: 8)
        }
        #expect(try await open() == left)
        #expect(result == isDone)
      }
    }
  }

  private static func result<Status: Sendable>(
    _ fleet: FollowedFleet, _ work: @escaping @Sendable (any FleetTransaction) throws(ThingError) -> Status
  ) async throws -> Result<Status, ThingError> {
    do throws(ThingError) {
      return .success(
        try await fleet.storage.change(
          tenant: .standard, by: Actor(.command), at: FollowedFleet.time(1), work))
    } catch {
      return .failure(error)
    }
  }

  private static func expect<Status: FieldChoice>(
    _ result: Result<Status, ThingError>, _ expected: Status?, _ from: Status, _ comment: Comment
  ) throws {
    switch result {
    case .success(let status): #expect(status == expected, comment)
    case .failure(.invalidState(let state, let allowed)):
      #expect(expected == nil && state == from.rawValue && !allowed.contains(state), comment)
    case .failure(let error): throw error
    }
  }
}
