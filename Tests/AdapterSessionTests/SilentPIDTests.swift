import OBDWire
import Testing

@testable import AdapterSession

/// PIDs that an ECU claims to support but never answers. They must not count as a loss of the vehicle.
@Suite struct SilentPIDTests {
  private static let noData = "NO DATA\r\r>"

  private func isLoss(_ event: SessionEvent) -> Bool { if case .lost = event { true } else { false } }

  private func values(_ bench: SessionBench, _ pid: UInt8, since count: Int = 0) -> Int {
    bench.recorder.values.dropFirst(count).count { $0.service == 1 && $0.identifier == UInt16(pid) }
  }

  /// A CAN car with silent PIDs: a request in which one of them is first, or alone, is not answered.
  private func canCar(silent: Set<UInt8>, takesSeveral: Bool) -> TinyAdapter {
    var ecu = Cars.engine()
    ecu.ignoresMulti = !takesSeveral
    let adapter = TinyAdapter([ecu])
    adapter.hook = { command, _ in
      guard command.hasPrefix("01"), let first = UInt8(command.dropFirst(2).prefix(2), radix: 16) else { return nil }
      return silent.contains(first) ? (Self.noData, 205 * SessionBench.millisecond) : nil
    }
    return adapter
  }

  /// A KWP car that claims 01…20 by its mask and answers only these; it answers `delay` after a request.
  private func kLineCar(
    mask: String = "BE3EB811", answering: Set<UInt8>, delay: Int64 = 30 * SessionBench.millisecond
  ) -> TinyAdapter {
    let adapter = TinyAdapter([])
    adapter.protocolNumber = "A5"
    var wait = 0x32
    func frame(_ bytes: [UInt8]) -> String {
      let whole = [0x80 | UInt8(bytes.count), 0xF1, 0x10] + bytes
      let all = whole + [whole.reduce(0, &+)]
      return all.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined() + "\r\r>"
    }
    adapter.hook = { command, _ in
      if command.hasPrefix("ATST") { wait = Int(command.dropFirst(4), radix: 16)! }
      if command.hasPrefix("AT") || command.hasPrefix("ST") { return nil }
      // 4.096 ms a step.
      let patience = Int64(wait) * 4_096_000
      guard command.count == 4, command.hasPrefix("01"), let pid = UInt8(command.dropFirst(2), radix: 16),
        delay <= patience || command == "0100" && wait == 0x32
      else { return (Self.noData, patience) }
      if pid == 0 {
        let bytes = stride(from: 0, to: 8, by: 2).map { UInt8(mask.dropFirst($0).prefix(2), radix: 16)! }
        return (frame([0x41, 0x00] + bytes), delay)
      }
      guard answering.contains(pid) else { return (Self.noData, patience) }
      let data = [UInt8](repeating: 0x40, count: ReplyObserver.dataLength(UInt16(pid), .currentData))
      return (frame([0x41, pid] + data), delay)
    }
    return adapter
  }

  @Test(arguments: [true, false])
  func four_silent_PIDs_on_CAN_lose_no_vehicle_and_all_others_are_read(takesSeveral: Bool) {
    let silent: Set<UInt8> = [0x04, 0x05, 0x0F, 0x11]
    let bench = SessionBench(canCar(silent: silent, takesSeveral: takesSeveral))
    bench.run(seconds: 60)
    #expect(!bench.events.contains(where: isLoss), "\(bench.events)")
    #expect(bench.events.count { $0 == .connected(protocolDigit: UInt8(ascii: "6")) } == 1)
    let before = bench.recorder.values.count
    let start = bench.now
    bench.run(seconds: 60)
    for pid in [0x0B, 0x0C, 0x0D, 0x42] as [UInt8] { #expect(values(bench, pid, since: before) >= 50, "\(pid)") }
    for pid in silent {
      let request = "01" + (pid < 16 ? "0" : "") + String(pid, radix: 16, uppercase: true)
      #expect(bench.commands(since: start).count { $0 == request } <= 3, "\(request)")
      // If several PIDs are supported in a request, silent PIDs after an answered one are detected.
      if !takesSeveral { #expect(bench.session.memory.silentPIDs.contains(pid)) }
    }
    #expect(bench.events.contains(.multiPIDRefused(ecus: 1)) == !takesSeveral)
  }

  @Test func six_silent_PIDs_on_a_K_line_lose_no_vehicle_and_make_no_ECU_slow() {
    let silent: Set<UInt8> = [0x06, 0x07, 0x0B, 0x0E, 0x0F, 0x10]
    let claimed = Set((1...32).map { UInt8($0) }.filter { 0xBE3E_B811 >> UInt32(32 - $0) & 1 == 1 })
    let bench = SessionBench(kLineCar(answering: claimed.subtracting(silent)))
    bench.run(seconds: 120)
    #expect(!bench.events.contains(where: isLoss), "\(bench.events)")
    #expect(!bench.events.contains(.quirk(.slowECU)))
    let before = bench.recorder.values.count
    bench.run(seconds: 60)
    for pid in [0x0C, 0x0D, 0x11] as [UInt8] { #expect(values(bench, pid, since: before) >= 30, "\(pid)") }
  }

  @Test func a_vehicle_that_answers_nothing_but_what_it_supports_stays_connected_and_is_missed_when_it_goes() {
    let adapter = kLineCar(answering: [])
    let bench = SessionBench(adapter)
    bench.run(seconds: 120)
    #expect(bench.isConnected)
    #expect(!bench.events.contains(where: isLoss), "\(bench.events)")
    adapter.hook = { command, _ in command.hasPrefix("AT") || command.hasPrefix("ST") ? nil : (Self.noData, 60_000_000)
    }
    bench.run(seconds: 60)
    #expect(bench.events.count { $0 == .lost(.noData) } == 1)
  }

  @Test func a_vehicle_with_silent_PIDs_that_goes_is_lost_within_5_seconds() {
    let adapter = canCar(silent: [0x04, 0x05, 0x0F, 0x11], takesSeveral: false)
    let bench = SessionBench(adapter)
    bench.run(seconds: 60)
    adapter.hook = nil
    adapter.ecus[0].isSilent = true
    let start = bench.now
    bench.run(seconds: 30) { $0.events.last == .lost(.noData) }
    #expect(bench.now - start <= 5 * SessionBench.second)
  }

  /// Any set of silent PIDs, on any kind of bus, with and without support of several PIDs in a request.
  @Test(arguments: 0..<24) func no_combination_of_silent_PIDs_loses_the_vehicle(seed: Int) {
    var state = UInt64(seed &+ 1) &* 0x9E37_79B9_7F4A_7C15
    func random() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
    let claimed = Array(Cars.basicPIDs.keys).sorted()
    let silent = Set(claimed.filter { _ in random() % 3 != 0 })
    let bench: SessionBench
    if seed % 3 == 0 {
      let heard = Set(claimed.filter { $0 <= 0x20 }).subtracting(silent)
      bench = SessionBench(kLineCar(mask: "981A8002", answering: heard))
    } else {
      bench = SessionBench(canCar(silent: silent, takesSeveral: seed % 3 == 1))
    }
    bench.run(seconds: 180)
    #expect(!bench.events.contains(where: isLoss), "\(silent) \(bench.events)")
    #expect(bench.isConnected)
    let before = bench.recorder.values.count
    bench.run(seconds: 30)
    for pid in [0x0C, 0x0D] as [UInt8] where !silent.contains(pid) {
      #expect(values(bench, pid, since: before) >= 20, "\(pid) of \(silent)")
    }
  }

  @Test func silent_PIDs_are_remembered_for_the_next_session_with_the_vehicle() {
    let silent: Set<UInt8> = [0x04, 0x05, 0x0F, 0x11]
    let first = SessionBench(canCar(silent: silent, takesSeveral: false))
    first.run(seconds: 60)
    let adapter = canCar(silent: silent, takesSeveral: false)
    let second = SessionBench(adapter, memory: first.session.memory)
    second.run(seconds: 1) { $0.isConnected }
    let start = second.now
    second.run(seconds: 4)
    #expect(
      !second.commands(since: start + SessionBench.second).contains {
        silent.contains(UInt8($0.dropFirst(2), radix: 16) ?? 0)
      }
    )
    // A PID that is answered again is read again.
    adapter.hook = nil
    second.run(seconds: 60)
    for pid in silent { #expect(values(second, pid) > 0, "\(pid)") }
    #expect(second.session.memory.silentPIDs.isEmpty)
  }

  @Test func another_vehicle_is_not_taken_to_be_silent() {
    let silent: Set<UInt8> = [0x04, 0x05, 0x0F, 0x11]
    let adapter = canCar(silent: silent, takesSeveral: false)
    let bench = SessionBench(adapter)
    bench.run(seconds: 60)
    #expect(!bench.session.memory.silentPIDs.isEmpty)
    bench.close()
    adapter.hook = nil
    adapter.ecus[0].information[0x02] = [1] + Array("WP0ZZZ99ZTS392124".utf8)
    bench.run(seconds: 10)
    #expect(bench.events.contains(.vehicleChanged))
    #expect(bench.session.memory.silentPIDs.isEmpty)
    for pid in silent { #expect(values(bench, pid) > 0, "\(pid)") }
  }

  @Test func the_search_slows_down_after_repeated_losses() {
    let adapter = TinyAdapter([Cars.engine()])
    var foundAt = Int64.max
    adapter.hook = { command, now in
      if command == "0100", foundAt == .max { foundAt = now }
      if command.hasPrefix("AT") || command.hasPrefix("ST") { return nil }
      // The ECU answers for two seconds, then not at all for three seconds.
      let phase = (now - 1000 * SessionBench.second) % (5 * SessionBench.second)
      return phase < 2 * SessionBench.second ? nil : (Self.noData, 100 * SessionBench.millisecond)
    }
    let bench = SessionBench(adapter, preferences: Cars.six)
    bench.run(seconds: 600)
    let losses = bench.events.count(where: isLoss)
    #expect(losses >= 5 && losses <= 40, "\(losses)")
    adapter.hook = nil
    let start = bench.now
    bench.run(seconds: 60) { $0.isConnected }
    #expect(bench.now - start <= 35 * SessionBench.second)
  }

  // MARK: Slow ECUs

  @Test func an_ECU_of_a_K_line_that_answers_late_is_waited_for() {
    let adapter = kLineCar(answering: [0x0C, 0x0D], delay: 120 * SessionBench.millisecond)
    let bench = SessionBench(adapter)
    bench.run(seconds: 30)
    #expect(bench.events.contains(.quirk(.slowECU)))
    #expect(!bench.events.contains(where: isLoss), "\(bench.events)")
    #expect(values(bench, 0x0C) >= 10)
  }

  @Test(arguments: [300, 600, 900] as [Int64]) func an_ECU_on_CAN_that_answers_late_is_waited_for(delay: Int64) {
    let adapter = TinyAdapter([Cars.engine()])
    var wait = 0x32
    // The adapter waits longer during a search.
    var isSearch = true
    adapter.latency = delay * SessionBench.millisecond
    adapter.hook = { command, _ in
      if command.hasPrefix("ATST") { wait = Int(command.dropFirst(4), radix: 16)! }
      if command == "ATDPN" { isSearch = false }
      let isHeard = delay * SessionBench.millisecond <= Int64(wait) * 4_096_000
      if command.hasPrefix("AT") || command.hasPrefix("ST") || isHeard || isSearch { return nil }
      return (Self.noData, Int64(wait) * 4_096_000)
    }
    let bench = SessionBench(adapter, preferences: Cars.six)
    bench.run(seconds: 30)
    #expect(bench.events.contains(.quirk(.slowECU)))
    #expect(!bench.events.contains(where: isLoss), "\(bench.events)")
    #expect(values(bench, 0x0C) >= 10)
  }

  @Test func an_ECU_that_was_slow_once_and_is_not_is_waited_for_no_longer() {
    var memory = SessionMemory()
    memory.quirks = .slowECU
    let bench = SessionBench(kLineCar(answering: [0x0C, 0x0D, 0x05]), memory: memory)
    bench.run(seconds: 30)
    #expect(bench.session.memory.quirks.isDisjoint(with: .slowECU))
    #expect(bench.commands.contains("ATST0E"))
  }
}
