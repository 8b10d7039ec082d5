import OBDWire
import Testing

@testable import AdapterSession

@Suite struct SearchTests {
  @Test func searching_may_take_12_seconds() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.hook = { command, _ in
      command == "0100" ? ("SEARCHING...\r7E8 06 41 00 BE 3F A8 13 \r\r>", 12 * SessionBench.second) : nil
    }
    let bench = SessionBench(adapter)
    bench.run(seconds: 20)
    #expect(bench.isConnected)
    #expect(bench.requests.first == "0100")
    #expect(bench.commands.filter { $0 == "ATI" }.count == 1, "nothing interrupts the search")
  }

  @Test(arguments: [
    ("UNABLE TO CONNECT\r\r>", LossReason.unableToConnect), ("BUS INIT: ERROR\r\r>", .busInit),
    ("BUS INIT: ...ERROR\r\r>", .busInit), ("CAN ERROR\r\r>", .canError), ("NO DATA\r\r>", .noData),
    ("BUS BUSY\r\r>", .busError),
  ])
  func no_vehicle_then_ignition_on_is_found_within_5_seconds(reply: String, reason: LossReason) {
    let adapter = TinyAdapter([Cars.engine()])
    var isOn = false
    adapter.hook = { command, _ in
      !isOn && !command.hasPrefix("AT") && !command.hasPrefix("ST") ? (reply, 300 * SessionBench.millisecond) : nil
    }
    let bench = SessionBench(adapter)
    bench.run(seconds: 60)
    #expect(!bench.isConnected)
    #expect(bench.events.filter { $0 == .lost(reason) }.count == 1)
    isOn = true
    let start = bench.now
    bench.run(seconds: 10) { $0.isConnected }
    #expect(bench.now - start <= 5 * SessionBench.second)
    bench.run(seconds: 0.01)
    #expect(bench.events.last == .connected(protocolDigit: UInt8(ascii: "6")))
  }

  @Test(arguments: [20, 1_400]) func frequent_voltage_readings_do_not_delay_the_search(delay: Int64) {
    let adapter = TinyAdapter([Cars.engine()])
    var isOn = false
    adapter.hook = { command, _ in
      if command == "ATRV" { return ("12.3V\r\r>", delay * SessionBench.millisecond) }
      return isOn || command.hasPrefix("AT") || command.hasPrefix("ST")
        ? nil : ("UNABLE TO CONNECT\r\r>", 300 * SessionBench.millisecond)
    }
    var configuration = SessionConfiguration()
    configuration.voltagePeriod = 0
    let bench = SessionBench(adapter, configuration)
    bench.run(seconds: 60)
    // At most one such command between two attempts, and none between a protocol and its request.
    let commands = bench.commands
    #expect(!zip(commands, commands.dropFirst()).contains { $0.hasPrefix("ATSP") && $0.count == 5 && $1 == "ATRV" })
    #expect(bench.requests.count >= 15)
    #expect(commands.count { $0 == "ATRV" } <= 61)
    isOn = true
    bench.run(seconds: 20) { $0.isConnected }
    #expect(bench.isConnected)
  }

  @Test func a_K_line_that_fails_three_initialisations_still_connects() {
    let adapter = TinyAdapter([])
    adapter.protocolNumber = "A5"
    var failures = 0
    adapter.hook = { command, _ in
      if command == "0100" {
        failures += 1
        return failures <= 3
          ? ("BUS INIT: ERROR\r\r>", 3 * SessionBench.second)
          : ("BUS INIT: OK\r86F1104100BE3EB8118D\r\r>", 400 * SessionBench.millisecond)
      }
      return command.hasPrefix("010C") ? ("84F110410C1AF8E4\r\r>", 60 * SessionBench.millisecond) : nil
    }
    let bench = SessionBench(adapter)
    bench.run(seconds: 60)
    #expect(bench.events.contains(.connected(protocolDigit: UInt8(ascii: "5"))))
    #expect(bench.recorder.values.contains { $0.identifier == 0x0C && $0.value == 1726 })
  }

  @Test func all_protocols_are_tried_by_hand_then_OBDonUDS() {
    let bench = SessionBench(TinyAdapter([]))
    bench.run(seconds: 60)
    let selections = bench.commands.filter { $0.hasPrefix("ATSP") }
    // In each round: CAN, a slow protocol, OBDonUDS.
    #expect(
      Array(selections.prefix(13)) == [
        "ATSP0", "ATSP6", "ATSP7", "ATSP8", "ATSP9", "ATSP5", "ATSP6",
        "ATSP6", "ATSP7", "ATSP8", "ATSP9", "ATSP4", "ATSP7",
      ])
    for digit in 1...9 { #expect(selections.contains("ATSP\(digit)")) }
    #expect(Array(bench.requests.prefix(7)) == Array(repeating: "0100", count: 6) + ["22F400"])
  }

  @Test func a_vehicle_of_OBDonUDS_is_read_by_data_identifiers() {
    var ecu = TinyAdapter.ECU(address: "7E8", pids: [:])
    ecu.identifiers = [
      0xF400: [0x00, 0x18, 0x00, 0x00], 0xF40C: [0x1A, 0xF8], 0xF40D: [0x32],
      0xF800: [0x40, 0, 0, 0], 0xF802: Array("1D4GP00R55B123456".utf8),
    ]
    let bench = SessionBench(TinyAdapter([ecu]))
    bench.run(seconds: 30)
    #expect(bench.isConnected && bench.session.car.isUDS)
    #expect(bench.requests.contains("22F40CF40D"))
    #expect(bench.recorder.values.contains { $0.identifier == 0xF40C && $0.value == 1726 })
    #expect(bench.recorder.vins == ["1D4GP00R55B123456"])
    #expect(!bench.requests.contains("03"))
    #expect(bench.requests.contains("194233081E"))
  }

  @Test func an_ECU_that_refuses_service_01_is_asked_by_OBDonUDS_and_told() {
    var ecu = Cars.engine("7EC")
    ecu.refusal = 0x7F
    let bench = SessionBench(TinyAdapter([ecu]))
    bench.run(seconds: 10)
    #expect(!bench.isConnected)
    #expect(bench.events.contains(.lost(.refused)))
    #expect(bench.requests.prefix(2) == ["0100", "22F400"])
    #expect(!bench.commands.contains("ATSP3"), "the bus is right: no other is tried")
  }

  @Test func j1939_is_reported_and_not_polled() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.protocolNumber = "AA"
    let bench = SessionBench(adapter)
    bench.run(seconds: 60)
    #expect(bench.events.contains(.notPolledJ1939))
    #expect(bench.requests == ["0100"])
    #expect(bench.commands.filter { $0 == "ATRV" }.count >= 5)
  }

  @Test func an_adapter_that_reports_protocol_0_is_believed_by_its_frames() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.protocolNumber = "A0"
    let bench = SessionBench(adapter)
    bench.run(seconds: 5)
    #expect(bench.events.contains(.quirk(.noProtocolNumber)))
    #expect(bench.session.vehicle.bus == .can11)
    #expect(bench.requests.contains { $0.count > 8 }, "several PIDs in a request, as on CAN")
  }

  @Test func a_storm_of_CAN_errors_is_one_loss_and_one_recovery() {
    let adapter = TinyAdapter([Cars.engine()])
    let bench = SessionBench(adapter, preferences: Cars.six)
    bench.run(seconds: 5)
    var isStorm = true
    adapter.hook = { command, _ in
      isStorm && !command.hasPrefix("AT") && !command.hasPrefix("ST")
        ? ("CAN ERROR\r\r>", 20 * SessionBench.millisecond) : nil
    }
    bench.run(seconds: 20)
    #expect(bench.events.filter { $0 == .lost(.canError) }.count == 1)
    isStorm = false
    let end = bench.now
    bench.run(seconds: 10) { $0.isConnected }
    #expect(bench.now - end <= 5 * SessionBench.second)
    bench.run(seconds: 0.01)
    #expect(bench.events.last == .recovered(protocolDigit: UInt8(ascii: "6")))
  }

  @Test func a_vehicle_is_found_again_after_10_minutes_without_ignition() {
    let adapter = TinyAdapter([Cars.engine()])
    let bench = SessionBench(adapter)
    bench.run(seconds: 5)
    adapter.ecus[0].isSilent = true
    bench.run(seconds: 600)
    #expect(bench.events.filter { $0 == .lost(.noData) }.count == 1)
    adapter.ecus[0].isSilent = false
    let start = bench.now
    bench.run(seconds: 20) { $0.isConnected }
    #expect(bench.now - start <= 5 * SessionBench.second)
  }

  @Test func an_ECU_that_wakes_late_is_asked_what_it_supports() {
    let adapter = TinyAdapter([Cars.engine(), Cars.gearbox()])
    adapter.ecus[1].isSilent = true
    adapter.ecus[1].pids[0x42] = [0x35, 0x10]
    adapter.ecus[1].pids[0xA6] = [0, 1, 0, 0]
    var preferences = Cars.six
    preferences.set(0xA6, period: SessionBench.second)
    let bench = SessionBench(adapter, preferences: preferences)
    bench.run(seconds: 5)
    #expect(bench.session.car.ecuCount == 1)
    adapter.ecus[1].isSilent = false
    bench.run(seconds: 90)
    #expect(bench.session.car.ecuCount == 2)
    #expect(bench.recorder.values.contains { $0.identifier == 0xA6 && $0.ecu == 0x7E9 })
    #expect(!bench.events.contains { if case .lost = $0 { true } else { false } })
  }

  @Test func an_ECU_that_never_says_what_it_supports_is_asked_three_times() {
    let adapter = TinyAdapter([Cars.engine(), Cars.gearbox()])
    adapter.ecus[1].isSilent = true
    let bench = SessionBench(adapter, preferences: Cars.six)
    bench.run(seconds: 5)
    let before = bench.requests.count { $0 == "0100" }
    adapter.hook = { [unowned adapter] command, _ in
      adapter.ecus[1].isSilent = command.hasPrefix("0100") || command.hasPrefix("09")
      return nil
    }
    bench.run(seconds: 300)
    #expect(bench.requests.count { $0 == "0100" } == before + 3)
    #expect(bench.isConnected)
  }

  @Test func a_damaged_answer_to_0100_is_asked_for_again() {
    let adapter = TinyAdapter([Cars.engine(), Cars.gearbox()])
    var isFirst = true
    adapter.hook = { command, _ in
      guard command == "0100", isFirst else { return nil }
      isFirst = false
      return ("7E8064100983B8013\r7E9064100 <RX ERROR\r\r>", 20 * SessionBench.millisecond)
    }
    let bench = SessionBench(adapter, preferences: Cars.six)
    bench.run(seconds: 4)
    #expect(bench.session.car.ecuCount == 2)
    #expect(bench.requests.prefix(3).contains("0100") && bench.requests.count { $0 == "0100" } == 2)
  }

  @Test func a_second_VIN_in_the_vehicle_does_not_make_it_another_whatever_the_order() {
    let adapter = TinyAdapter([Cars.engine(), Cars.gearbox()])
    adapter.ecus[1].information[0x02] = [1] + Array("WP0ZZZ99ZTS392124".utf8)
    let bench = SessionBench(adapter)
    bench.run(seconds: 6)
    bench.close()
    adapter.ecus.reverse()
    bench.run(seconds: 8)
    #expect(bench.recorder.vins.count == 4)
    #expect(!bench.events.contains(.vehicleChanged))
  }

  @Test func another_VIN_is_another_car() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.unknown = ["AT@1"]
    let bench = SessionBench(adapter)
    bench.run(seconds: 6)
    #expect(bench.events.contains(.vehicleIdentified))
    #expect(bench.session.memory.quirks == .noDescription)
    bench.session.memory.quirks.insert(.slowECU)
    bench.close()
    adapter.ecus[0].information[0x02] = [1] + Array("WP0ZZZ99ZTS392124".utf8)
    bench.run(seconds: 8)
    #expect(bench.events.contains(.lost(.portClosed)))
    #expect(bench.events.filter { $0 == .vehicleChanged }.count == 1)
    #expect(bench.recorder.vins == ["1D4GP00R55B123456", "WP0ZZZ99ZTS392124"])
    // Quirks of the car are discarded with it; quirks of the adapter remain.
    #expect(bench.session.memory.quirks == .noDescription)
  }

  /// The adapter stays powered and reports nothing, for example with a splitter or a bench supply.
  @Test(arguments: [false, true]) func a_swapped_vehicle_is_detected_without_a_connection_loss(doesJump: Bool) {
    let adapter = TinyAdapter([Cars.engine()])
    let bench = SessionBench(adapter)
    bench.run(seconds: 20)
    #expect(bench.isConnected)
    var other = Cars.engine()
    other.information[0x02] = [1] + Array("WP0ZZZ99ZTS392124".utf8)
    other.pids[0x05] = doesJump ? [0x30] : adapter.ecus[0].pids[0x05]
    other.pids[0x0B] = nil
    other.pids[0x33] = [0x60]
    adapter.ecus = [other]
    let start = bench.now
    bench.run(seconds: 120) { $0.events.contains(.vehicleChanged) }
    #expect(bench.now - start <= (doesJump ? 10 : 65) * SessionBench.second)
    bench.run(seconds: 10)
    #expect(bench.session.car.supported(by: 0).contains(0x33), "what it supports is asked again")
    #expect(!bench.session.car.supported(by: 0).contains(0x0B))
    #expect(bench.recorder.values.contains { $0.identifier == 0x33 })
    #expect(!bench.events.contains(where: isLoss))
  }

  @Test func the_VIN_is_read_again_after_the_engine_starts() {
    let adapter = TinyAdapter([Cars.engine()])
    adapter.ecus[0].pids[0x0C] = [0, 0]
    let bench = SessionBench(adapter)
    bench.run(seconds: 20)
    #expect(bench.recorder.vins.count == 1)
    adapter.ecus[0].pids[0x0C] = [0x0C, 0]
    bench.run(seconds: 5)
    #expect(bench.recorder.vins.count == 2)
  }

  @Test func the_return_of_an_adapter_and_the_missing_vehicle_are_both_reported() {
    let adapter = TinyAdapter([Cars.engine()])
    let bench = SessionBench(adapter)
    bench.run(seconds: 6)
    adapter.ecus[0].isSilent = true
    bench.close()
    bench.run(seconds: 60)
    let told = bench.events.filter { $0 == .found || isLoss($0) }
    #expect(told.starts(with: [.found, .lost(.portClosed), .found]))
    #expect(told.count == 4 && isLoss(told[3]), "\(told)")
  }

  private func isLoss(_ event: SessionEvent) -> Bool { if case .lost = event { true } else { false } }

  @Test func a_vehicle_without_a_VIN_does_not_inherit_the_previous_VIN() {
    let adapter = TinyAdapter([Cars.engine()])
    let bench = SessionBench(adapter)
    bench.run(seconds: 6)
    #expect(bench.session.car.vinCount == 17)
    bench.close()
    adapter.ecus[0].information = [:]
    bench.run(seconds: 8)
    #expect(bench.isConnected && bench.session.hasIdentified)
    #expect(bench.session.car.vinCount == 0)
  }

  @Test func an_ECU_that_was_missing_is_not_taken_for_another_when_the_vehicle_is_found_again() {
    let adapter = TinyAdapter([Cars.engine(), Cars.gearbox()])
    let bench = SessionBench(adapter)
    bench.run(seconds: 6)
    adapter.ecus[1].isSilent = true
    bench.run(seconds: 10)
    #expect(bench.events.contains(.ecuVanished(.can11(0x7E9))))
    bench.close()
    adapter.ecus[1].isSilent = false
    // The other ECU answers first.
    adapter.ecus.reverse()
    bench.run(seconds: 20)
    #expect(bench.session.car.ecuCount == 2)
    #expect(!bench.events.contains(.ecuReturned(.can11(0x7E8))), "it was never away")
    #expect(bench.session.plan.vanished == 0)
  }

  @Test func the_loss_of_a_vehicle_is_detected_even_if_nothing_is_polled() {
    let adapter = TinyAdapter([Cars.engine()])
    var preferences = PollPreferences()
    preferences.setOthersToNever()
    let bench = SessionBench(adapter, preferences: preferences)
    bench.run(seconds: 10)
    #expect(bench.isConnected)
    #expect(bench.recorder.values.allSatisfy { $0.service != 1 })
    adapter.ecus[0].isSilent = true
    bench.run(seconds: 60)
    #expect(bench.events.contains(.lost(.noData)))
  }
}
