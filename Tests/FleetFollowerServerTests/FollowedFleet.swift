import FleetDomain
import FleetFigures
import FleetStorage
import FleetStorageTestKit
import FleetWork
import FleetstoreTestKit
import Logging
import StoredFleetTestKit
import Telemetry
import TestKit
import Testing

@testable import FleetFollower

typealias Database = FleetstoreTestKit.Database

/// A storage with the vehicle VAN-1, and the follower of its records.
final class FollowedFleet: Sendable {
  /// Midnight, ms.
  static let day: Int64 = 1_795_219_200_000

  let storage: StoredFleet
  private let folder: ScratchFolder
  let follower: RecordFollower

  init(_ database: Database) async throws {
    folder = try ScratchFolder()
    storage = try await database.emptyStore(in: folder)
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    follower = RecordFollower(storage: storage, logger: logger) { FollowedFleet.time(1_000) }
    try await storage.addVehicle("VAN-1", tenant: .standard, at: Self.time(0))
  }

  static func with(_ database: Database, _ body: (FollowedFleet) async throws -> Void) async throws {
    let fleet = try await FollowedFleet(database)
    do {
      try await body(fleet)
    } catch {
      await fleet.storage.close()
      throw error
    }
    await fleet.storage.close()
  }

  static func time(_ hours: Double) -> Timestamp {
    Timestamp(nanoseconds: (day + Int64(hours * 3_600_000)) * 1_000_000)
  }

  /// - Parameter keys: the members of the record after its head.
  static func record(
    _ number: UInt64, _ type: String, at hours: Double, vehicle: String = "VAN-1", _ keys: String
  ) throws -> IncomingRecord {
    let time = time(hours)
    let id = UUIDv7(milliseconds: UInt64(time.milliseconds), first: number >> 32, rest: number)
    let line = """
      {"type":"\(type)","id":"\(id.string)","timestamp":"\(time.string)","timeQuality":"gps","gatewayId":"gw-1",\
      "vehicleId":"\(vehicle)","epoch":"\(UUIDv7(milliseconds: 9, first: 9, rest: 9).string)","seq":\(number + 1)\(keys)}
      """
    return try IncomingRecord(parsing: Array(line.utf8).span)
  }

  static func trip(
    _ number: UInt64, from: Double, to: Double, _ keys: String, vehicle: String = "VAN-1"
  ) throws -> IncomingRecord {
    let times = #""startTime":"\#(time(from).string)","endTime":"\#(time(to).string)""#
    return try record(
      number, "trip", at: to, vehicle: vehicle, #","tripId":"t\#(number)","event":"end",\#(times)\#(keys)"#)
  }

  static func codes(
    _ number: UInt64, at hours: Double, _ stored: [String], pending: [String] = [], ecu: String = "7E8",
    _ keys: String = ""
  ) throws -> IncomingRecord {
    func array(_ codes: [String]) -> String { JSON.array(codes.map { .text($0) }).canonicalText }
    return try record(
      number, "dtc", at: hours,
      #","ecu":"\#(ecu)","event":"snapshot","dtcCodes":\#(array(stored)),"pending":\#(array(pending)),"permanent":[]\#(keys)"#
    )
  }

  func store(_ records: [IncomingRecord]) async throws {
    _ = try await storage.ingest(records, from: .trusted, tenant: .standard, at: Self.time(1_000))
  }

  /// Lets the follower read everything.
  func follow() async throws {
    while try await follower.follow(tenant: .standard) {}
  }

  func followDate() async throws { try await follower.followDate(tenant: .standard) }

  /// Lets another server of the same storage check the dates.
  ///
  /// - Parameter hours: the time of its clock.
  func followDate(at hours: Double) async throws {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let other = RecordFollower(storage: storage, logger: logger) { FollowedFleet.time(hours) }
    try await other.followDate(tenant: .standard)
  }

  func vehicle() async throws -> Vehicle {
    try #require(try await storage.vehicle("VAN-1", tenant: .standard)).value
  }

  func things<Value: Kind>(_ query: ThingQuery<Value>) async throws -> [Stored<Value>] {
    try await storage.view(tenant: .standard) { view throws(ThingError) in try view.list(query).items }
  }

  func change<Value: Sendable>(
    at hours: Double = 0, _ work: @escaping @Sendable (any FleetTransaction) throws(ThingError) -> Value
  ) async throws -> Value {
    try await storage.change(tenant: .standard, by: Actor(.command), at: Self.time(hours), work)
  }
}
