import Fusion
import NMEAWire
import OBDWire
import Telemetry
import Testing

@Suite struct FusionTelemetryTests {
  @Test func a_record_each_period_holds_the_newest_values_of_its_interval() throws {
    var session = Session()
    session.read("rpm", 800, at: 10)
    session.read("rpm", 900, at: 10.5)
    session.read("speed", 40, at: 10.6)
    session.read("rpm", 1_000, at: 11.2)
    let records = try session.finish(at: 11.3)
    #expect(records.map(\.body) == ["\"rpm\":900,\"speed\":40", "\"rpm\":1000"])
    #expect(records.map(\.elapsed) == [11, 11.2])
    #expect(records.map(\.sequence) == [1, 2])
  }

  @Test func a_reading_of_a_records_very_time_is_in_it() throws {
    var session = Session()
    session.read("rpm", 800, at: 0)
    session.read("speed", 40, at: 1)
    session.read("rpm", 900, at: 1.001)
    session.read("rpm", 1_000, at: 3)
    let records = try session.finish(at: 3)
    #expect(records.map(\.body) == ["\"rpm\":800,\"speed\":40", "\"rpm\":900", "\"rpm\":1000"])
    #expect(records.map(\.elapsed) == [1, 2, 3])
  }

  @Test func a_silent_interval_gives_no_record() throws {
    var session = Session()
    session.read("rpm", 800, at: 0.25)
    session.read("rpm", 900, at: 7.5)
    let records = try session.finish(at: 60)
    #expect(records.map(\.elapsed) == [1.25, 8.25])
  }

  @Test func a_due_record_is_written_without_new_readings() throws {
    var session = Session()
    session.read("rpm", 800, at: 0)
    session.advance(to: 0.9)
    #expect(try session.records().isEmpty)
    session.advance(to: 1)
    #expect(try session.records().count == 1)
    session.advance(to: 5)
    #expect(try session.records().count == 1)
  }

  @Test func time_that_goes_back_counts_as_now() throws {
    var session = Session()
    session.read("rpm", 800, at: 5)
    session.read("speed", 50, at: 3)
    let records = try session.finish(at: 1)
    #expect(records.map(\.body) == ["\"rpm\":800,\"speed\":50"])
    #expect(records.map(\.elapsed) == [5])
  }

  @Test func columns_keep_the_order_of_their_first_appearance() throws {
    var session = Session()
    for (name, time) in [("speed", 0), ("rpm", 0.1), ("coolantTemp", 0.2)] { session.read(name, 1, at: time) }
    for (name, time) in [("coolantTemp", 1.1), ("maf", 1.2), ("rpm", 1.3), ("speed", 1.4)] {
      session.read(name, 2, at: time)
    }
    let records = try session.finish(at: 2)
    #expect(records.last?.body == #""speed":2,"rpm":2,"coolantTemp":2,"maf":2"#)
  }

  @Test func a_polling_cycle_is_one_record() throws {
    var session = Session(.cycle)
    for turn in 0..<3 {
      session.read("rpm", Double(800 + turn), at: Double(turn) * 0.3)
      session.read("speed", Double(turn), at: Double(turn) * 0.3 + 0.1)
    }
    let records = try session.finish(at: 5)
    #expect(
      records.map(\.body) == [
        "\"rpm\":800,\"speed\":0", "\"rpm\":801,\"speed\":1", "\"rpm\":802,\"speed\":2",
      ])
    #expect(records.map(\.elapsed) == [0.1, 0.4, 0.7])
  }

  @Test func an_answer_of_another_ecu_does_not_end_a_polling_cycle() throws {
    var session = Session(.cycle)
    session.read("speed", 50, from: .can11(0x7E8), at: 0)
    session.read("speed", 51, from: .can11(0x7E9), at: 0.01)
    session.read("speed", 52, from: .can11(0x7E8), at: 0.5)
    #expect(try session.finish(at: 1).count == 2)
  }

  @Test func flags_are_booleans_and_codes_are_text() throws {
    var session = Session()
    session.read("mil", 1, at: 0)
    session.read("fuelType", 4, at: 0)
    let known = SAEEnumerations.text(enumeration: SAEEnumeration.fuelType.rawValue, code: 4)
    let record = try #require(try session.finish(at: 1).of("telemetry").first)
    #expect(record.flag("mil") == true)
    #expect(record.text("fuelType") == known?.description)
    #expect(record.line.contains("\"mil\":true"))
  }

  @Test func a_code_without_a_text_stays_a_number() throws {
    var session = Session()
    session.read("fuelType", 250, at: 0)
    #expect(try session.finish(at: 1).first?.number("fuelType") == 250)
  }

  @Test func the_adapters_own_voltage_has_no_ecu() throws {
    var session = Session()
    session.read("rpm", 800, at: 0)
    session.read("batteryVoltage", 13.9, from: .unknown, at: 0.1)
    let record = try #require(try session.finish(at: 1).first)
    #expect(record.body == "\"rpm\":800,\"batteryVoltage\":13.9")
  }

  @Test func the_same_value_by_service_22_has_the_same_key() throws {
    var session = Session()
    session.read("rpm", 800, at: 0, service: 0x22)
    #expect(try session.finish(at: 1).first?.body == "\"rpm\":800")
  }

  @Test func counters_of_service_09_are_no_telemetry() throws {
    var session = Session()
    let row = saeSignals.span.indices.first { saeSignals.span[$0].definition.service == 9 }
    let name = try #require(row.map { saeSignals.span[$0].name.description })
    session.read(name, 5, at: 0)
    #expect(try session.finish(at: 1).isEmpty)
  }

  @Test func a_signal_name_in_two_layouts_has_one_key() throws {
    var session = Session()
    let rows = SAESignals.rows(service: 1, identifier: 0x14).filter {
      saeSignals.span[$0].name.description == "oxygenSensor"
    }
    #expect(rows.count == 3)
    for (index, row) in rows.enumerated() {
      let reading = Reading(
        origin: Origin(ecu: .can11(0x7E8), line: 0, position: 0), signal: SignalID(rawValue: UInt16(row)), service: 1,
        identifier: 0x14, value: Double(index) / 10)
      session.fusion.reading(reading, at: Int64(index), into: &session.sink)
    }
    #expect(try session.finish(at: 1).map(\.body) == ["\"oxygenSensor\":0.2"])
  }

  @Test func an_unknown_signal_is_not_recorded() throws {
    var session = Session()
    session.readLoaded(3, 7, at: 0)
    #expect(try session.finish(at: 1).isEmpty)
  }

  @Test func loaded_signals_have_their_own_names_and_texts() throws {
    var session = Session { options in
      options.loadedSignals = [
        LoadedSignal(name: "F150_ODO", kind: .number),
        LoadedSignal(name: "F150_GEAR \"x\"", kind: .enumeration, texts: [.init(code: 2, text: "SECOND")]),
        LoadedSignal(name: "F150_4WD", kind: .flag),
      ]
    }
    session.readLoaded(0, 123_456.7, at: 0)
    session.readLoaded(1, 2, at: 0)
    session.readLoaded(2, 0, at: 0)
    session.readLoaded(1, 9, at: 1.1)
    let records = try session.finish(at: 2)
    #expect(
      records.map(\.body) == [
        #""F150_ODO":123456.7,"F150_GEAR \"x\"":"SECOND","F150_4WD":false"#, #""F150_GEAR \"x\"":9"#,
      ])
  }

  @Test func no_two_meanings_share_a_key() throws {
    var session = Session { options in
      options.loadedSignals = [
        LoadedSignal(name: "seq", kind: .number), LoadedSignal(name: "rpm", kind: .number),
        LoadedSignal(name: "X_Y", kind: .number), LoadedSignal(name: "X_Y", kind: .flag),
        LoadedSignal(name: "X_Y", kind: .number),
      ]
    }
    session.read("rpm", 800, at: 0)
    for index in 0..<5 { session.readLoaded(UInt16(index), Double(index), at: 0.1) }
    let record = try #require(try session.finish(at: 1).first)
    #expect(record.body == #""rpm":800,"seq_2":0,"rpm_2":1,"X_Y":4,"X_Y_2":true"#)
  }

  @Test func more_values_than_a_line_holds_go_on_in_a_second_record_of_the_same_time() throws {
    var session = Session { options in
      options.loadedSignals = (0..<2_048).map { LoadedSignal(name: "VEHICLE_SIGNAL_\($0)", kind: .number) }
    }
    session.fix(48.1, 11.5, at: 0)
    for index in 0..<2_048 {
      session.readLoaded(UInt16(index), Double(index) + 0.123456, at: 0.5, from: .can11(0x728))
      session.readLoaded(UInt16(index), -Double(index), at: 0.5, from: .can11(0x729))
    }
    let records = try session.finish(at: 1)
    #expect(records.count > 2)
    #expect(Set(records.map(\.elapsed)).count == 1)
    #expect(records.map(\.sequence) == Array(1...records.count))
    var plain: [String: Double] = [:]
    var others: [String: Double] = [:]
    for record in records {
      for (key, value) in record.object where key.hasPrefix("VEHICLE") { plain[key] = value as? Double }
      for (key, value) in record.child("ecus")?["729"] as? [String: Double] ?? [:] { others[key] = value }
      #expect(record.child("ecus")?.isEmpty != true)
    }
    #expect(plain.count == 2_048)
    #expect(others.count == 2_048)
    #expect(plain["VEHICLE_SIGNAL_2047"] == 2_047.123456)
    #expect(others["VEHICLE_SIGNAL_77"] == -77)
    #expect(records.filter { $0.number("latitude") != nil }.count == 1)
  }

  @Test func vss_names_are_paths_and_the_record_says_so() throws {
    var session = Session { $0.naming = .vss }
    session.read("batteryVoltage", 12.5, from: .unknown, at: 0)
    session.read("mil", 0, at: 0)
    session.fix(48.5, 11.25, at: 0.2)
    let record = try #require(try session.finish(at: 1).first)
    #expect(record.text("vss") == "6.0")
    #expect(record.number("Vehicle.LowVoltageBattery.CurrentVoltage") == 12.5)
    #expect(record.flag("mil") == false)
    #expect(record.number("Vehicle.CurrentLocation.Latitude") == 48.5)
  }

  @Test func no_path_of_the_specification_stands_twice_in_a_record() throws {
    var session = Session { $0.naming = .vss }
    for row in saeSignals.span.indices where saeSignals.span[row].definition.service < 2 {
      session.read(saeSignals.span[row].name.description, 1, at: 0)
    }
    let records = try session.finish(at: 1).of("telemetry")
    let keys = records.flatMap { record in
      record.body.split(separator: ",").compactMap { $0.split(separator: ":").first }
    }
    // Without position and head, every key is that of a signal.
    #expect(keys.count == Set(keys).count + (records.count - 1))
    #expect(keys.contains { $0.hasPrefix("\"Vehicle.") })
  }

  @Test func a_ninth_ecu_is_counted_and_not_recorded() throws {
    var session = Session()
    for ecu in 0..<9 { session.read("rpm", 800, from: .can29(0x18DA_F110 + UInt32(ecu)), at: 0) }
    let dropped = session.fusion.droppedReadings
    #expect(dropped == 1)
    let record = try #require(try session.finish(at: 1).first)
    #expect(record.child("ecus")?.count == 7)
    #expect(!record.line.contains("18DAF118"))
  }

  @Test func the_same_events_give_the_same_bytes() throws {
    func run() throws -> [String] {
      var session = Session()
      for step in 0..<200 {
        session.read("rpm", Double(step), at: Double(step) * 0.07)
        session.read("speed", Double(step) / 3, from: .can11(0x7E9), at: Double(step) * 0.07)
      }
      return try session.finish(at: 20).map(\.line)
    }
    #expect(try run() == run())
  }

  @Test func ids_carry_the_records_time_and_never_repeat() throws {
    var session = Session()
    for step in 0..<100 { session.read("rpm", 1, at: Double(step) * 1.01) }
    let records = try session.finish(at: 100)
    var seen: Set<String> = []
    for record in records {
      let text = try #require(record.text("id"))
      let bytes = Array(text.utf8)
      let read = UUIDv7(bytes.span)
      let id = try #require(read)
      #expect(Double(id.milliseconds) / 1_000 == record.elapsed)
      seen.insert(text)
    }
    #expect(seen.count == 100)
  }
}
