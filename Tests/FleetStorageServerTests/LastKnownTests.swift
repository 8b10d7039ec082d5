import FleetDomain
import FleetStorageTestKit
import Telemetry
import TestKit
import Testing

@testable import FleetStorage

/// The stored positions of all vehicles agree with their newest records.
@Suite struct LastKnownTests {
  private static func positions(_ storage: StoredFleet) async throws -> [LastKnown] {
    try await storage.view(tenant: .standard) { view throws(ThingError) in
      try view.positions(fleets: nil, hidingPrivateExcept: nil)
    }
  }

  /// Returns the same value, computed from the newest records.
  private static func slowly(_ storage: StoredFleet, _ vehicle: String) async throws -> LastKnown? {
    guard let latest = try await storage.latest(vehicle: vehicle, within: .all, tenant: .standard),
      let place = latest.position,
      let time = place.time
    else { return nil }
    func number(_ record: StoredRecord, _ key: String) -> Double? {
      (try? JSON(parsing: record.body))?[key]?.numberValue
    }
    var known = LastKnown(vehicle: vehicle)
    known.lastRecordAt = latest.vehicle.value.lastRecordAt
    known.place = .init(
      time: time, latitude: number(place, "latitude") ?? 0, longitude: number(place, "longitude") ?? 0,
      heading: number(place, "heading"), speed: number(place, "speed") ?? number(place, "gpsSpeed"))
    if let telemetry = latest.telemetry, let time = telemetry.time {
      known.motion = .init(
        time: time, speed: number(telemetry, "speed") ?? number(telemetry, "gpsSpeed"), rpm: number(telemetry, "rpm"))
    }
    if let trip = latest.others.first(where: { $0.recordClass == .known(.trip) }), let time = trip.time {
      known.trip = .init(time: time, hasEnded: (try? JSON(parsing: trip.body))?["event"] == .text("end"))
    }
    return known
  }

  /// Random records in random order, with repetitions and better times, in batches that are stored as rows or as runs.
  @Test(arguments: Kind.allCases)
  func positions_agree_with_the_newest_records(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      var random = SplitMix(seed: 11)
      for _ in 0..<30 {
        var batch: [IncomingRecord] = []
        for _ in 0..<Int.random(in: 1...40, using: &random) {
          let number = Int.random(in: 0..<600, using: &random)
          // The vehicle and the type of a record never change; its time does.
          let type = number % 9 == 0 ? "trip" : number % 11 == 0 ? "driving" : "telemetry"
          let quality = ["system", "ntp", "gps"][Int.random(in: 0..<3, using: &random)]
          let shifts: [String: Double] = ["system": 400, "ntp": 3]
          let shift = shifts[quality] ?? 0
          var keys = type == "trip" ? #","event":"\#(number % 2 == 0 ? "end" : "start")""# : ""
          if number % 3 == 0 { keys += #","latitude":\#(Double(number) / 10),"longitude":-\#(number)e-1"# }
          if number % 4 == 0 { keys += #","heading":\#(number % 360)"# }
          if number % 5 == 0 {
            keys += #","speed":\#(number % 100).5"#
          } else {
            keys += #","gpsSpeed":\#(number % 90)"#
          }
          batch.append(
            Sample.record(
              number, type, at: Double(number) + shift, quality: quality, vehicle: "VAN-\(number % 3)",
              idAt: UInt64(Sample.day + Int64(number) * 1_000), keys: keys))
        }
        try await fleet.storage.store(batch)
        var expected: [LastKnown] = []
        for vehicle in 0..<3 {
          if let known = try await Self.slowly(fleet.storage, "VAN-\(vehicle)") { expected.append(known) }
        }
        #expect(try await Self.positions(fleet.storage) == expected)
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func vehicles_of_an_earlier_version_are_completed(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let records = (0..<40).flatMap { number in
        (0..<20).map { vehicle in
          Sample.record(
            number * 20 + vehicle, vehicle: "VAN-\(vehicle)", keys: #","latitude":47.5,"longitude":\#(vehicle)"#)
        }
      }
      try await fleet.storage.store(records)
      let before = try await Self.positions(fleet.storage)
      #expect(before.count == 20)
      _ = try await fleet.storage.engine.write { session throws(StoreFailure) in
        try session.run(
          "UPDATE vehicle SET place = NULL, motion = NULL, place_time = NULL, is_incomplete = 1", [])
      }
      #expect(try await Self.positions(fleet.storage).isEmpty)
      #expect(try await fleet.storage.finishUpgrade() == 20)
      #expect(try await fleet.storage.finishUpgrade() == 0)
      #expect(try await Self.positions(fleet.storage) == before)
    }
  }
}
