import OBDWire
import Testing

@testable import AdapterSession

@Suite struct ClearCodesTests {
  private func bench(speed: UInt8, engineSpeed: UInt8, pids: [UInt8]? = nil) -> SessionBench {
    var ecu = Cars.engine()
    ecu.codes = [0x0420, 0x0171]
    ecu.pids[0x0C] = [engineSpeed, 0]
    ecu.pids[0x0D] = [speed]
    let bench = SessionBench(TinyAdapter([ecu]), preferences: Cars.six)
    bench.run(seconds: 8)
    return bench
  }

  @Test func codes_and_freeze_frames_are_read_before_04_is_sent() throws {
    let bench = bench(speed: 0, engineSpeed: 0)
    bench.mayClear = true
    let start = bench.now
    bench.session.clearCodes(try #require(ClearPermission(confirmed: true)))
    bench.run(seconds: 3) { $0.requests.last == "04" }
    let requests = bench.commands(since: start).filter { !$0.hasPrefix("AT") }
    let expected = [
      "010C", "010D", "0101", "03", "07", "0A", "020200", "020000", "0204000500" + "0C00", "020D00", "010C", "010D",
      "04",
    ]
    #expect(Array(requests.suffix(expected.count)) == expected)
    bench.run(seconds: 2)
    #expect(bench.events.contains(.codesCleared))
    #expect(bench.requests.filter { $0 == "04" }.count == 1)
  }

  @Test(arguments: [(UInt8(50), UInt8(0), ClearRefusal.moving), (0, 0x1A, .engineRunning), (1, 0, .moving)])
  func codes_are_not_cleared_in_motion(speed: UInt8, engineSpeed: UInt8, reason: ClearRefusal) throws {
    let bench = bench(speed: speed, engineSpeed: engineSpeed)
    bench.session.clearCodes(try #require(ClearPermission(confirmed: true)))
    bench.run(seconds: 5)
    #expect(bench.events.contains(.clearRefused(reason)))
    #expect(!bench.requests.contains("04"))
  }

  @Test func codes_are_not_cleared_if_the_vehicle_starts_meanwhile() throws {
    let bench = bench(speed: 0, engineSpeed: 0)
    bench.session.clearCodes(try #require(ClearPermission(confirmed: true)))
    bench.run(seconds: 3) { $0.requests.last == "0A" }
    bench.adapter.ecus[0].pids[0x0C] = [0x0C, 0]
    bench.run(seconds: 5)
    #expect(bench.events.contains(.clearRefused(.engineRunning)))
    #expect(!bench.requests.contains("04"))
  }

  @Test func codes_are_not_cleared_without_an_answer_about_the_speed() throws {
    let bench = bench(speed: 0, engineSpeed: 0)
    bench.adapter.ecus[0].pids[0x0D] = nil
    bench.session.clearCodes(try #require(ClearPermission(confirmed: true)))
    bench.run(seconds: 5)
    #expect(bench.events.contains(.clearRefused(.notProven)))
    #expect(!bench.requests.contains("04"))
  }

  @Test func codes_that_could_not_be_saved_are_not_cleared() throws {
    let bench = bench(speed: 0, engineSpeed: 0)
    bench.adapter.hook = { command, _ in command == "03" ? ("7E8100A43\r7E822\r<DATA ERROR\r\r>", 0) : nil }
    bench.session.clearCodes(try #require(ClearPermission(confirmed: true)))
    bench.run(seconds: 5)
    #expect(bench.events.contains(.clearRefused(.notSaved)))
    #expect(!bench.requests.contains("04"))
  }

  @Test func codes_are_not_cleared_before_they_are_stored() throws {
    let bench = bench(speed: 0, engineSpeed: 0)
    bench.savesCodes = false
    bench.session.clearCodes(try #require(ClearPermission(confirmed: true)))
    bench.run(seconds: 70)
    #expect(bench.events.last == .codesRead)
    #expect(!bench.requests.contains("04"))
    bench.mayClear = true
    bench.session.codesAreSaved()
    bench.run(seconds: 5)
    #expect(bench.events.contains(.codesCleared))
    // The vehicle may have been started meanwhile.
    #expect(Array(bench.requests.prefix { $0 != "04" }.suffix(2)) == ["010C", "010D"])
  }

  /// Every ECU that reports a number of codes must also send them.
  @Test(arguments: [
    ("03", "NO DATA\r\r>"), ("03", "7E8037F0322\r\r>"), ("03", "7E9024300\r\r>"), ("07", "7E8037F0722\r\r>"),
    ("07", "7E8100A47\r7E822\r\r>"),
  ])
  func codes_that_were_not_reported_are_not_cleared(request: String, reply: String) throws {
    let bench = bench(speed: 0, engineSpeed: 0)
    bench.adapter.hook = { command, _ in
      command == request ? (reply, 0) : command == "0101" ? ("7E806410182000000\r\r>", 0) : nil
    }
    let start = bench.now
    bench.session.clearCodes(try #require(ClearPermission(confirmed: true)))
    bench.run(seconds: 20)
    #expect(bench.events.contains(.clearRefused(.notSaved)))
    #expect(bench.commands(since: start).filter { $0 == request }.count >= 3)
    #expect(!bench.requests.contains("04"))
  }

  /// Old vehicles do not support service 07 or 0A, and do not answer if there are no codes.
  @Test(arguments: [
    ("07", "NO DATA\r\r>"), ("07", "7E8037F0711\r\r>"), ("0A", "NO DATA\r\r>"), ("0A", "7E8037F0A11\r\r>"),
    ("03", "NO DATA\r\r>"),
  ])
  func an_unsupported_service_does_not_delay_clearing(request: String, reply: String) throws {
    let bench = bench(speed: 0, engineSpeed: 0)
    bench.mayClear = true
    bench.adapter.hook = { command, _ in
      command == request ? (reply, 0) : command == "0101" ? ("7E806410100000000\r\r>", 0) : nil
    }
    bench.session.clearCodes(try #require(ClearPermission(confirmed: true)))
    bench.run(seconds: 20)
    #expect(bench.events.contains(.codesCleared))
  }

  @Test func a_damaged_answer_before_clearing_is_requested_again() throws {
    let bench = bench(speed: 0, engineSpeed: 0)
    bench.mayClear = true
    var damaged = ["0101", "03", "07", "0A"]
    bench.adapter.hook = { command, _ in
      guard let index = damaged.firstIndex(of: command) else { return nil }
      damaged.remove(at: index)
      return ("7E8 10 0A 43\r\r>", 0)
    }
    bench.session.clearCodes(try #require(ClearPermission(confirmed: true)))
    bench.run(seconds: 20)
    #expect(bench.events.contains(.codesCleared) && damaged.isEmpty)
  }

  @Test(arguments: [
    ("7E80144\r7E9037F0422\r\r>", SessionEvent.clearRefused(.refusedByVehicle)),
    ("7E8037F0478\r7E80144\r\r>", .codesCleared), ("NO DATA\r\r>", .clearRefused(.notConnected)),
  ])
  func clearing_succeeds_only_if_no_ECU_rejects_it(reply: String, event: SessionEvent) throws {
    let bench = bench(speed: 0, engineSpeed: 0)
    bench.mayClear = true
    bench.adapter.hook = { command, _ in command == "04" ? (reply, 0) : nil }
    bench.session.clearCodes(try #require(ClearPermission(confirmed: true)))
    bench.run(seconds: 5)
    #expect(bench.events.contains(event))
    #expect(bench.events.contains(.codesCleared) == (event == .codesCleared))
  }

  @Test func codes_are_not_cleared_without_a_persons_confirmation() {
    #expect(ClearPermission(confirmed: false) == nil)
  }

  @Test func codes_of_an_OBDonUDS_vehicle_are_not_cleared_because_they_were_not_saved() throws {
    var ecu = TinyAdapter.ECU(address: "7E8", pids: [:])
    ecu.identifiers = [0xF400: [0x00, 0x18, 0x00, 0x00], 0xF40C: [0, 0], 0xF40D: [0]]
    let bench = SessionBench(TinyAdapter([ecu]))
    bench.run(seconds: 30) { $0.session.car.isUDS && $0.isConnected }
    bench.run(seconds: 5)
    bench.session.clearCodes(try #require(ClearPermission(confirmed: true)))
    bench.run(seconds: 5)
    #expect(bench.events.contains(.clearRefused(.notSaved)))
    #expect(!bench.requests.contains { $0.hasPrefix("04") || $0.hasPrefix("14") })
  }

  @Test func clearing_without_a_vehicle_is_rejected() throws {
    let bench = SessionBench(TinyAdapter([]))
    bench.session.clearCodes(try #require(ClearPermission(confirmed: true)))
    bench.run(seconds: 2)
    #expect(bench.events.contains(.clearRefused(.notConnected)))
  }
}
