import OBDWire
import Testing

@testable import AdapterSession

@Suite struct PollingTests {
  private func values(_ bench: SessionBench, _ pid: UInt16, ecu: UInt32 = 0x7E8) -> Int {
    bench.recorder.values.count { $0.identifier == pid && $0.ecu == ecu }
  }

  private func isLoss(_ event: SessionEvent) -> Bool { if case .lost = event { true } else { false } }

  @Test func the_count_is_learned_from_three_whole_answers_and_holds() {
    let bench = SessionBench(TinyAdapter([Cars.engine(), Cars.gearbox()]), preferences: Cars.six)
    bench.run(seconds: 20)
    let polls = bench.requests.filter { $0.hasPrefix("010C0D") && $0.count >= 14 }
    // 41 0C.. 0D.. 04.. 05.. 0F.. 11.. are 14 bytes, three frames; 7E9's are 6, one frame.
    #expect(polls.dropFirst().prefix(3).allSatisfy { $0.count == 14 })
    #expect(polls.contains { $0.count == 15 && $0.hasSuffix("4") })
    let counted = polls.filter { $0.count == 15 }.count
    #expect(Double(counted) / Double(polls.count) > 0.95)
    #expect(values(bench, 0x0C, ecu: 0x7E9) > 200)
  }

  @Test func a_refused_count_is_a_quirk_and_costs_no_value() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.hook = { command, _ in
      !command.hasPrefix("AT") && !command.hasPrefix("ST") && command.count % 2 == 1 ? ("?\r\r>", 0) : nil
    }
    let bench = SessionBench(adapter, preferences: Cars.six)
    bench.run(seconds: 20)
    #expect(bench.events.contains(.quirk(.noCountSuffix)))
    #expect(bench.requests.filter { $0.count % 2 == 1 }.count == 2)
    #expect(!bench.events.contains(where: isLoss))
    #expect(values(bench, 0x0C) > 200)
  }

  @Test func a_count_that_cuts_an_answer_is_dropped() {
    let adapter = TinyAdapter([Cars.engine()])
    let bench = SessionBench(adapter, preferences: Cars.six)
    bench.run(seconds: 6)
    #expect(bench.requests.last!.count == 15)
    // A second ECU wakes up. Its frames come first, and the count truncates the engine's frames.
    adapter.ecus.insert(Cars.gearbox("7E9"), at: 0)
    let start = bench.now
    bench.run(seconds: 3)
    let polls = bench.commands(since: start).filter { $0.hasPrefix("010C") }
    #expect(polls.contains { $0.count == 14 })
    #expect(bench.recorder.values.allSatisfy { $0.identifier != 0x0C || $0.value == 1726 || $0.value == 1724 })
  }

  @Test(arguments: [("A5", "86F1104100BE3EB8118D\r"), ("A1", "416B104100B87B30109E\r")])
  func k_lines_and_pwm_never_get_a_count(number: String, support: String) {
    let adapter = TinyAdapter([])
    adapter.protocolNumber = number
    adapter.hook = { command, _ in
      if command.hasPrefix("AT") || command.hasPrefix("ST") { return nil }
      let delay = 70 * SessionBench.millisecond
      if command == "0100" { return (support + "\r>", delay) }
      return (number == "A5" && command.hasPrefix("010C") ? "84F110410C1AF8E4\r\r>" : "NO DATA\r\r>", delay)
    }
    let bench = SessionBench(adapter)
    bench.run(seconds: 20)
    #expect(bench.requests.allSatisfy { $0.count % 2 == 0 })
    #expect(bench.requests.filter { $0.hasPrefix("01") }.allSatisfy { $0.count == 4 })
  }

  @Test func a_K_line_rests_for_P3min_between_answer_and_question() {
    let adapter = TinyAdapter([])
    adapter.protocolNumber = "A5"
    var answeredAt: Int64 = 0
    var least = Int64.max
    adapter.hook = { command, now in
      if command.hasPrefix("AT") || command.hasPrefix("ST") { return nil }
      if answeredAt > 0 { least = min(least, now - answeredAt) }
      answeredAt = now + 30 * SessionBench.millisecond
      if command == "0100" { return ("86F1104100BE3EB8118D\r\r>", 30 * SessionBench.millisecond) }
      return ("84F110410C1AF8E4\r\r>", 30 * SessionBench.millisecond)
    }
    let bench = SessionBench(adapter)
    bench.run(seconds: 20)
    #expect(bench.requests.count > 20)
    #expect(least >= 55 * SessionBench.millisecond)
    #expect(bench.commands.contains("ATST0E"))
  }

  @Test func the_second_of_two_PIDs_without_data_is_polled_separately() {
    let adapter = TinyAdapter([Cars.engine()])
    var preferences = PollPreferences()
    preferences.setOthersToNever()
    for pid in [0x0C, 0x0D] as [UInt8] { preferences.set(pid, period: 0) }
    let bench = SessionBench(adapter, preferences: preferences)
    bench.run(seconds: 5)
    let data = adapter.ecus[0].pids[0x0D]!
    adapter.hook = { [adapter] command, _ in
      // The bit that reports support stays; only the data are missing.
      adapter.ecus[0].pids[0x0D] = command == "0100" ? data : nil
      return nil
    }
    let others = values(bench, 0x0C)
    bench.run(seconds: 10)
    #expect(values(bench, 0x0C) > others + 50)
    #expect(!bench.events.contains(.multiPIDRefused(ecus: 1)))
    adapter.hook = nil
    adapter.ecus[0].pids[0x0D] = data
    let before = values(bench, 0x0D)
    bench.run(seconds: 60)
    #expect(values(bench, 0x0D) > before + 50)
  }

  @Test func one_PID_of_six_without_data_is_set_aside_and_comes_back() {
    let adapter = TinyAdapter([Cars.engine()])
    let bench = SessionBench(adapter, preferences: Cars.six)
    bench.run(seconds: 5)
    let data = adapter.ecus[0].pids[0x0F]!
    adapter.hook = { [adapter] command, _ in
      // The bit that reports support stays; only the data are missing.
      adapter.ecus[0].pids[0x0F] = command == "0100" ? data : nil
      return nil
    }
    let start = bench.now
    bench.run(seconds: 5)
    let before = values(bench, 0x0F)
    #expect(bench.commands(since: start).suffix(20).allSatisfy { !$0.contains("0F") || $0 == "010F" })
    let others = values(bench, 0x0C)
    bench.run(seconds: 5)
    #expect(values(bench, 0x0F) == before)
    #expect(values(bench, 0x0C) > others + 50)
    #expect(!bench.events.contains(where: isLoss))
    adapter.hook = nil
    adapter.ecus[0].pids[0x0F] = data
    bench.run(seconds: 60)
    #expect(values(bench, 0x0F) > before + 50)
  }

  @Test func an_ECU_that_answers_the_first_PID_only_is_asked_one_by_one() {
    var ecu = Cars.engine()
    ecu.refusesMulti = true
    let bench = SessionBench(TinyAdapter([ecu]), preferences: Cars.six)
    bench.run(seconds: 10)
    #expect(bench.events.contains(.multiPIDRefused(ecus: 1)))
    for pid in [0x04, 0x05, 0x0C, 0x0D, 0x0F, 0x11] as [UInt16] { #expect(values(bench, pid) > 30) }
    #expect(!bench.events.contains(where: isLoss))
  }

  @Test func an_ECU_that_ignores_multi_PID_requests_is_not_taken_as_lost() {
    var ecu = Cars.engine()
    ecu.ignoresMulti = true
    let bench = SessionBench(TinyAdapter([ecu]), preferences: Cars.six)
    bench.run(seconds: 10)
    #expect(bench.events.contains(.multiPIDRefused(ecus: 1)))
    for pid in [0x04, 0x05, 0x0C, 0x0D, 0x0F, 0x11] as [UInt16] { #expect(values(bench, pid) > 30) }
    #expect(!bench.events.contains(where: isLoss))
  }

  @Test func an_adapter_that_refuses_several_PIDs_is_a_quirk() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.hook = { command, _ in command.hasPrefix("01") && command.count > 5 ? ("?\r\r>", 0) : nil }
    let bench = SessionBench(adapter, preferences: Cars.six)
    bench.run(seconds: 10)
    #expect(bench.events.contains(.quirk(.noMultiPID)))
    #expect(values(bench, 0x11) > 30)
    #expect(!bench.events.contains(where: isLoss))
  }

  @Test func the_loss_and_return_of_one_of_two_ECUs_is_handled() {
    let adapter = TinyAdapter([Cars.engine(), Cars.gearbox()])
    let bench = SessionBench(adapter, preferences: Cars.six)
    bench.run(seconds: 6)
    adapter.ecus[1].isSilent = true
    bench.run(seconds: 6)
    #expect(bench.events.contains(.ecuVanished(.can11(0x7E9))))
    let engine = values(bench, 0x0C)
    bench.run(seconds: 5)
    #expect(values(bench, 0x0C) > engine + 50)
    adapter.ecus[1].isSilent = false
    let gearbox = values(bench, 0x0C, ecu: 0x7E9)
    bench.run(seconds: 15)
    #expect(bench.events.contains(.ecuReturned(.can11(0x7E9))))
    #expect(values(bench, 0x0C, ecu: 0x7E9) > gearbox + 50)
    #expect(!bench.events.contains(where: isLoss))
  }

  @Test func busy_is_asked_again_and_pending_is_waited_for() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.ecus[0].information[0x06] = [1, 0x12, 0x34, 0x56, 0x78]
    var verifications = 0
    var polls = 0
    adapter.hook = { command, _ in
      if command == "0906" {
        verifications += 1
        return verifications < 3 ? ("7E8037F0978\r\r>", 1100 * SessionBench.millisecond) : nil
      }
      if command.hasPrefix("010C"), command.count >= 14 {
        polls += 1
        return polls % 5 == 2 ? ("7E8037F0121\r\r>", 20 * SessionBench.millisecond) : nil
      }
      return nil
    }
    let bench = SessionBench(adapter, preferences: Cars.six)
    bench.run(seconds: 20)
    #expect(verifications == 3)
    let steps = bench.commands.filter { $0 == "0906" || $0.hasPrefix("ATST") }
    #expect(steps.contains("ATSTFF") && steps.last == "ATST32")
    #expect(values(bench, 0x0C) > 100)
    #expect(!bench.events.contains(where: isLoss))
  }

  @Test func a_reply_of_nine_senders_does_not_end_the_session() {
    let ecus = (0..<9).map { Cars.gearbox("7" + String(0xE8 + $0, radix: 16, uppercase: true)) }
    let bench = SessionBench(TinyAdapter(ecus), preferences: Cars.six)
    bench.run(seconds: 20)
    #expect(bench.isConnected)
    #expect(bench.session.car.ecuCount == 8)
    #expect(!bench.events.contains(where: isLoss))
    #expect(values(bench, 0x0C, ecu: 0x7E8) > 10)
    #expect(values(bench, 0x0C, ecu: 0x7F0) == 0, "no ECU has this address")
  }

  @Test func four_ECUs_interleaved_are_counted_together() {
    let ecus = (0..<4).map { Cars.engine("7E" + String(8 + $0, radix: 16, uppercase: true)) }
    let bench = SessionBench(TinyAdapter(ecus), preferences: Cars.six)
    bench.run(seconds: 10)
    #expect(bench.requests.last { $0.count == 15 }?.hasSuffix("C") == true)
    for address in [0x7E8, 0x7E9, 0x7EA, 0x7EB] as [UInt32] { #expect(values(bench, 0x0C, ecu: address) > 30) }
  }

  @Test func buffer_full_makes_requests_smaller() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.hook = { command, _ in
      command.hasPrefix("01") && command.count > 9
        ? ("7E8100E410C1AF80D\r7E821BUFFER FULL\r\r>", 20 * SessionBench.millisecond) : nil
    }
    let bench = SessionBench(adapter, preferences: Cars.six)
    bench.run(seconds: 10)
    #expect(bench.events.contains(.quirk(.smallBuffer)))
    #expect(bench.requests.suffix(10).allSatisfy { $0.count <= 9 })
    #expect(values(bench, 0x11) > 50)
    #expect(bench.recorder.values.allSatisfy { $0.identifier != 0x0D || $0.value == 50 })
  }

  @Test func a_code_that_appears_brings_its_freeze_frame() {
    let adapter = TinyAdapter([Cars.engine()])
    var configuration = SessionConfiguration()
    configuration.codesPeriod = 5 * SessionBench.second
    let bench = SessionBench(adapter, configuration, preferences: Cars.six)
    bench.run(seconds: 8)
    #expect(!bench.requests.contains("020200"))
    #expect(bench.requests.filter { $0 == "03" }.count >= 2)
    adapter.ecus[0].codes = [0x0420]
    bench.run(seconds: 8)
    #expect(bench.requests.contains("020200"))
    #expect(bench.requests.contains("020000"))
    #expect(bench.requests.contains("0204000500" + "0C00"))
    #expect(bench.recorder.values.contains { $0.service == 2 && $0.identifier == 0x0C && $0.value == 1726 })
    #expect(bench.requests.filter { $0 == "020200" }.count == 1)
  }

  @Test func a_pending_code_brings_its_freeze_frame() {
    let adapter = TinyAdapter([Cars.engine()])
    var configuration = SessionConfiguration()
    configuration.codesPeriod = 5 * SessionBench.second
    let bench = SessionBench(adapter, configuration, preferences: Cars.six)
    bench.run(seconds: 8)
    #expect(!bench.requests.contains("020200"))
    adapter.hook = { command, _ in command == "07" ? ("7E80447010420\r\r>", 20 * SessionBench.millisecond) : nil }
    bench.run(seconds: 8)
    #expect(bench.requests.filter { $0 == "020200" }.count == 1)
  }

  @Test func the_voltage_alone_is_read_while_the_vehicle_is_not_polled() {
    let bench = SessionBench(TinyAdapter([Cars.engine()]), preferences: Cars.six)
    bench.run(seconds: 5)
    bench.session.pollsVehicle = false
    bench.run(seconds: 0.2)
    let start = bench.now
    bench.run(seconds: 60)
    #expect(Set(bench.commands(since: start)) == ["ATRV"])
    bench.session.pollsVehicle = true
    let before = values(bench, 0x0C)
    bench.run(seconds: 3)
    #expect(values(bench, 0x0C) > before + 20)
  }

  @Test func an_adapter_without_voltage_is_not_queried_for_it() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.unknown = ["ATRV"]
    var configuration = SessionConfiguration()
    configuration.voltagePeriod = 0
    configuration.codesPeriod = 600 * SessionBench.second
    var preferences = PollPreferences()
    preferences.defaultPeriod = 100 * SessionBench.second
    let bench = SessionBench(adapter, configuration, preferences: preferences)
    bench.run(seconds: 30)
    let (waits, requests) = (bench.waits, bench.requests.count)
    bench.run(seconds: 200)
    #expect(bench.isConnected)
    #expect(bench.events.contains(.quirk(.noVoltage)))
    #expect(bench.requests.count > requests)
    // Two calls for each request and its reply, and a few more.
    #expect(bench.waits - waits <= 5 * (bench.requests.count - requests) + 10)
  }
}
