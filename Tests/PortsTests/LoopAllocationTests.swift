import TestKit
import Testing

/// The read loop allocates nothing while it runs.
@Suite struct LoopAllocationTests {
  @Test func ten_thousand_more_exchanges_allocate_nothing() throws {
    let probe = try Tool.probe("PortsProbe")
    let few = try MeasuredRun.of(probe, ["rounds", "100"])
    let many = try MeasuredRun.of(probe, ["rounds", "10100"])
    #expect(few.result.output == "100 replies\n", "\(few.result.errors)")
    #expect(many.result.output == "10100 replies\n")
    #expect(many.allocations - few.allocations < 10, "\(few.allocations) → \(many.allocations)")
  }

  /// After BlueZ has passed its sockets, notifications and writes are not D-Bus messages.
  @Test func ten_thousand_more_exchanges_over_bluetooth_le_allocate_nothing() async throws {
    try await runBlocking {
      let scene = Scene.adapter(Scene.ffe0, #""sockets": true, "quiet": true, "reply": "41 0C 1A F8 \r\r>""#)
      let bed = try BluetoothBed.start(scene)
      func run(_ count: Int) throws -> MeasuredRun {
        try MeasuredRun.of(
          try Tool.probe("PortsProbe"), ["exchange", "ble:\(Scene.address)", "010C1", "\(count)"],
          environment: ["DBUS_SYSTEM_BUS_ADDRESS": bed.bus])
      }
      // Signals of the device's connection arrive with some delay, during the exchanges or after them, and cause about
      // ten allocations. An allocation in each exchange would occur in each pair of runs, ten thousand times.
      var differences: [Int] = []
      repeat {
        let few = try run(5_000)
        let many = try run(15_000)
        #expect(few.result.output == "5000 replies\n", "\(few.result.output)\(few.result.errors)")
        #expect(many.result.output == "15000 replies\n", "\(many.result.output)\(many.result.errors)")
        differences.append(many.allocations - few.allocations)
      } while !differences.contains(where: { abs($0) < 10 }) && differences.count < 3
      #expect(differences.contains { abs($0) < 10 }, "\(differences)")
    }
  }
}
