import OBDWire
import Testing

@testable import AdapterSession

@Suite struct ResynchronisationTests {
  /// Returns the bench of a session that polls.
  private func polling(_ ecus: [TinyAdapter.ECU] = [Cars.engine()]) -> SessionBench {
    let bench = SessionBench(TinyAdapter(ecus), preferences: Cars.six)
    bench.run(seconds: 5)
    #expect(bench.isConnected)
    return bench
  }

  private func readings(_ bench: SessionBench) -> Int { bench.recorder.values.count { $0.identifier == 0x0C } }

  /// Expects that every reading of the engine speed is the value that the car has.
  private func expectTrueReadings(_ bench: SessionBench) {
    #expect(bench.recorder.values.allSatisfy { $0.service != 1 || $0.identifier != 0x0C || $0.value == 1726 })
    #expect(bench.recorder.values.allSatisfy { $0.service != 1 || $0.identifier != 0x0D || $0.value == 50 })
  }

  @Test func a_device_that_never_stops_talking_is_given_up() {
    let bench = polling()
    var isMad = false
    bench.adapter.hook = { command, _ in
      guard isMad || command.hasPrefix("010C") else { return nil }
      isMad = true
      return ("STOPPED\r\r>", 0)
    }
    bench.run(seconds: 5) { _ in isMad }
    bench.adapter.isDead = true
    // A few characters every 50 ms, for two minutes.
    for number in 0..<2_400 { bench.inject("41 0C 1", after: Int64(number) * 50 * SessionBench.millisecond) }
    bench.run(seconds: 60)
    #expect(bench.events.contains(.lost(.noAdapter)))
    bench.adapter.hook = nil
    bench.adapter.isDead = false
    bench.run(seconds: 90)
    #expect(bench.isConnected)
    expectTrueReadings(bench)
  }

  @Test func a_lost_prompt_is_found_again_by_ATI_and_polling_goes_on() {
    let bench = polling()
    var loses = true
    bench.adapter.hook = { command, _ in
      guard loses, command.hasPrefix("010C") || command.hasPrefix("01040D") || command.count > 8 else { return nil }
      loses = false
      return ("7E804410C1AF8\r\r", 20 * SessionBench.millisecond)
    }
    let before = readings(bench)
    let start = bench.now
    bench.run(seconds: 8)
    #expect(!loses)
    #expect(readings(bench) > before + 20)
    #expect(bench.commands(since: start).filter { $0 == "ATI" }.count == 1)
    #expect(!bench.commands(since: start).contains("ATZ"))
    #expect(bench.isConnected)
    expectTrueReadings(bench)
  }

  @Test func a_late_prompt_does_not_shift_the_answers() {
    let bench = polling()
    var delays = true
    bench.adapter.hook = { command, _ in
      guard delays, command.count > 8 else { return nil }
      delays = false
      // The answer and the prompt arrive after the time limit, while ATI is in progress.
      return ("7E804410C1AF8\r\r>", 2505 * SessionBench.millisecond)
    }
    bench.run(seconds: 10)
    #expect(!delays)
    #expect(bench.isConnected)
    expectTrueReadings(bench)
    #expect(!bench.recorder.failures.contains(.unexpected))
  }

  @Test func a_second_prompt_is_not_an_answer() {
    let adapter = TinyAdapter([Cars.engine()])
    let bench = SessionBench(adapter, preferences: Cars.six)
    bench.run(seconds: 3)
    let doubled = TinyAdapter([Cars.engine()])
    adapter.hook = { command, now in
      guard command.hasPrefix("01"), command.count > 8 else { return nil }
      let text = doubled.receive(Array(command.utf8) + [0x0D], at: now).flatMap(\.bytes)
      return (String(decoding: text, as: UTF8.self) + ">", 20 * SessionBench.millisecond)
    }
    for setting in ["ATE0", "ATS0", "ATH1"] { _ = doubled.receive(Array((setting + "\r").utf8), at: 0) }
    let before = readings(bench)
    let start = bench.now
    bench.run(seconds: 3)
    #expect(readings(bench) > before + 20)
    #expect(!bench.commands(since: start).contains("ATI"))
    #expect(bench.isConnected)
    expectTrueReadings(bench)
  }

  @Test func a_prompt_after_the_next_command_is_reported_as_a_quirk() {
    let bench = polling()
    // The previous prompt arrives a second time, just after the next request was sent.
    bench.run(seconds: 1) { $0.commands.last?.hasPrefix("01") == true && $0.now > $0.sent.last!.at }
    bench.inject(">")
    bench.run(seconds: 2)
    #expect(bench.events.contains(.quirk(.strayPrompts)))
    #expect(bench.isConnected)
    expectTrueReadings(bench)
  }

  @Test func a_banner_during_the_session_repeats_the_initialisation() {
    let bench = polling()
    let start = bench.now
    bench.adapter.restart()
    bench.inject("\r\rELM327 v1.5\r\r>")
    bench.run(seconds: 3)
    let commands = bench.commands(since: start)
    #expect(commands.contains("ATE0") && commands.contains("ATH1") && commands.contains { $0.hasPrefix("ATSP") })
    #expect(bench.events.contains(.lost(.adapterReset)))
    #expect(bench.events.last { $0 == .recovered(protocolDigit: UInt8(ascii: "6")) } != nil)
    expectTrueReadings(bench)
  }

  @Test func lost_settings_are_detected_by_the_echo() {
    let bench = polling()
    let start = bench.now
    bench.adapter.restart()
    bench.run(seconds: 3)
    #expect(bench.commands(since: start).contains("ATE0"))
    #expect(bench.events.contains(.lost(.adapterReset)))
    #expect(bench.isConnected)
    expectTrueReadings(bench)
  }

  @Test(arguments: ["LV RESET\r\r>", "7E8\rLV RESET\r\rELM327 v1.5\r\r>"])
  func a_brown_out_while_polling_repeats_the_initialisation(reply: String) {
    let bench = polling()
    var isOnce = true
    bench.adapter.hook = { [adapter = bench.adapter] command, _ in
      guard isOnce, command.count > 8 else { return nil }
      isOnce = false
      adapter.restart()
      return (reply, 5 * SessionBench.millisecond)
    }
    bench.run(seconds: 4)
    #expect(bench.events.contains(.lost(.lowVoltage)))
    #expect(bench.isConnected)
    expectTrueReadings(bench)
  }

  @Test func err94_resets_the_adapter() {
    let bench = polling()
    let start = bench.now
    var isOnce = true
    bench.adapter.hook = { command, _ in
      guard isOnce, command.count > 8 else { return nil }
      isOnce = false
      return ("ERR94\r\r>", 5 * SessionBench.millisecond)
    }
    bench.run(seconds: 5)
    #expect(bench.commands(since: start).contains("ATZ"))
    #expect(bench.events.contains(.lost(.adapterError)))
    #expect(bench.isConnected)
  }

  @Test func stopped_is_followed_by_quiet_and_the_next_request() {
    let bench = polling()
    var count = 0
    bench.adapter.hook = { command, _ in
      guard count < 2, command.count > 8 else { return nil }
      count += 1
      return ("STOPPED\r\r>", 5 * SessionBench.millisecond)
    }
    let before = readings(bench)
    bench.run(seconds: 2)
    #expect(readings(bench) > before + 10)
    #expect(!bench.events.contains { if case .lost = $0 { true } else { false } })
  }

  @Test func the_session_reports_and_survives_ACT_ALERT_and_LP_ALERT() {
    let bench = polling()
    var isOnce = true
    bench.adapter.hook = { command, _ in
      guard isOnce, command.count > 8 else { return nil }
      isOnce = false
      return ("LP ALERT\r\r>", 5 * SessionBench.millisecond)
    }
    bench.run(seconds: 8)
    #expect(bench.events.contains(.lost(.lowPower)))
    #expect(bench.isConnected)
  }

  @Test func the_session_survives_a_hang_of_30_seconds() {
    let bench = polling()
    bench.adapter.isDead = true
    bench.run(seconds: 30)
    #expect(bench.events.contains(.lost(.silent)))
    bench.adapter.isDead = false
    bench.adapter.restart()
    let end = bench.now
    bench.run(seconds: 20) { $0.isConnected }
    #expect(bench.now - end < 12 * SessionBench.second)
    expectTrueReadings(bench)
  }

  @Test func garbage_and_a_trickle_give_no_reading() {
    let bench = polling()
    let before = bench.recorder.values
    bench.adapter.isDead = true
    var state: UInt32 = 7
    for i in 0..<2000 {
      var text = ""
      for _ in 0..<50 {
        state = state &* 1_664_525 &+ 1_013_904_223
        text.unicodeScalars.append(Unicode.Scalar(UInt8(state >> 24 & 0x7F)))
      }
      bench.inject(text, after: Int64(i) * SessionBench.millisecond)
    }
    bench.run(seconds: 10)
    bench.adapter.isDead = false
    bench.adapter.restart()
    bench.run(seconds: 25)
    #expect(bench.isConnected)
    #expect(bench.recorder.values.count > before.count)
    expectTrueReadings(bench)
  }

  @Test func the_session_continues_after_8_hours_of_suspend() {
    let bench = polling()
    bench.now += 8 * 3600 * SessionBench.second
    let start = bench.now
    let before = readings(bench)
    bench.run(seconds: 5)
    #expect(readings(bench) > before + 10)
    #expect(bench.now - start <= 5 * SessionBench.second)
    expectTrueReadings(bench)
  }

  @Test func a_reply_split_at_every_byte_is_the_same_reply() {
    let whole = polling()
    let adapter = TinyAdapter([Cars.engine()])
    adapter.splitsBytes = true
    let split = SessionBench(adapter, preferences: Cars.six)
    split.run(seconds: 5)
    #expect(split.isConnected)
    #expect(Array(split.recorder.values.prefix(60)) == Array(whole.recorder.values.prefix(60)))
  }

  @Test func nothing_is_sent_while_the_adapter_is_busy() {
    let bench = polling([Cars.engine(), Cars.gearbox()])
    bench.run(seconds: 20)
    #expect(bench.adapter.interruptions == 0)
  }

  @Test func an_answer_that_lost_its_header_gives_no_reading() {
    let bench = polling()
    var count = 0
    bench.adapter.hook = { command, _ in
      guard count < 3, command.count > 8 else { return nil }
      count += 1
      return ("410C0000\r\r>", 20 * SessionBench.millisecond)
    }
    bench.run(seconds: 3)
    #expect(count == 3)
    #expect(bench.recorder.failures.contains(.malformed))
    #expect(bench.isConnected)
    expectTrueReadings(bench)
  }

  @Test func an_adapter_that_returns_with_the_ignition_off_is_reported_once() {
    let adapter = TinyAdapter([Cars.engine()])
    let bench = SessionBench(adapter)
    bench.run(seconds: 5)
    adapter.ecus[0].isSilent = true
    bench.close()
    bench.run(seconds: 0.1)
    let before = bench.events.count
    bench.run(seconds: 120)
    #expect(!bench.isConnected)
    #expect(bench.events[before - 1] == .lost(.portClosed))
    #expect(bench.events.dropFirst(before).count { $0 == .found } == 1)
  }
}
