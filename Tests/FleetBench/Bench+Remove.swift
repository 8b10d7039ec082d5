import FleetDomain
import FleetStorage
import FleetStorageTestKit
import Telemetry

extension Bench {
  /// Measures the time of batches while a vehicle with many records is removed, and the time of the removal.
  static func remove(_ storage: StoredFleet, millions: Int) async throws {
    let clock = ContinuousClock()
    for start in stride(from: 0, to: millions * 1_000_000, by: 4_000) {
      let batch = (0..<4_000).map { record(vehicle: 1, second: start + $0) }
      _ = try await storage.ingest(batch, from: .trusted, tenant: .standard, at: now)
    }
    try await printTimes("before", latencies(of: storage, from: 0) { $0 < 2_000 })
    let removal = try await clock.measure { _ = try await storage.removeVehicle("VAN-1", tenant: .standard) }
    print("removed after \(seconds(removal) * 1_000) ms; its records go:")
    async let rows = clock.measure { _ = try await storage.finishRemovals() }
    try await printTimes(
      "meanwhile", latencies(of: storage, from: 2_000) { _ in try await storage.counts().removals > 0 })
    print("\(millions) million records were gone after \(seconds(try await rows)) s")
  }

  /// Returns the times of batches of 100 records, one after another, as long as `goesOn` is true.
  private static func latencies(
    of storage: StoredFleet, from first: Int, while goesOn: (Int) async throws -> Bool
  ) async throws -> [Duration] {
    let clock = ContinuousClock()
    var times: [Duration] = []
    while try await goesOn(times.count) {
      let start = (first + times.count) * 100
      let batch = (0..<100).map { record(vehicle: 2, second: start + $0) }
      times.append(
        try await clock.measure {
          _ = try await storage.ingest(batch, from: .trusted, tenant: .standard, at: now)
        })
    }
    return times.sorted()
  }

  static func printTimes(_ what: String, _ times: [Duration]) {
    guard let longest = times.last else { return print("\(what): over too soon") }
    func at(_ share: Double) -> Double { seconds(times[Int(Double(times.count - 1) * share)]) * 1_000 }
    print(
      "\(what): \(times.count) batches of 100; median \(at(0.5)) ms, p99 \(at(0.99)) ms, longest",
      "\(seconds(longest) * 1_000) ms")
  }
}
