import FleetDomain
import Telemetry
import Testing

/// Values of known keys are checked by type and range. Unknown keys may have any value.
@Suite struct RecordFieldTests {
  static let refused: [(type: String, key: String, value: String)] = [
    ("telemetry", "speed", "true"), ("telemetry", "speed", #""50""#), ("telemetry", "speed", "-1"),
    ("telemetry", "speed", "256"), ("telemetry", "speed", "[50]"), ("telemetry", "latitude", "999"),
    ("telemetry", "latitude", "90.0000001"), ("telemetry", "latitude", "-91"), ("telemetry", "latitude", #""47""#),
    ("telemetry", "longitude", "180.5"), ("telemetry", "longitude", "99999999999999999999999999"),
    ("telemetry", "rpm", "16384"), ("telemetry", "rpm", "1e5"), ("telemetry", "fuelLevel", "101"),
    ("telemetry", "coolantTemp", "-41"), ("telemetry", "heading", "361"), ("telemetry", "satellites", "7.5"),
    ("telemetry", "satellites", "1e1"), ("telemetry", "mil", "1"), ("telemetry", "mil", #""true""#),
    ("telemetry", "fuelType", "true"), ("telemetry", "fixType", "3"), ("telemetry", "dtcCodes", #""P0420""#),
    ("telemetry", "dtcCodes", "[420]"), ("telemetry", "dtcCodes", #"["P0420",["P0421"]]"#), ("telemetry", "ecus", "[]"),
    ("telemetry", "ecus.7E9.speed", "true"), ("telemetry", "egrTemperatureA", "true"), ("telemetry", "elapsed", "-1"),
    ("telemetry", "throttlePosition", "100.001"), ("telemetry", "vin", "17"),
    ("dtc", "pending", "[{}]"), ("dtc", "event", "1"), ("dtc", "freezeFrame", "[]"), ("dtc", "mil", "0"),
    ("monitors", "complete", #""misfire""#), ("vehicle", "ecus", "{}"), ("vehicle", "ecus", #"["7E8"]"#),
    ("vehicle", "vinValid", #""yes""#), ("vehicle", "modelYear", "1.5"), ("geofence", "latitude", "-90.5"),
    ("geofence", "fenceId", "7"), ("trip", "distance", "-1"), ("trip", "distance", "true"),
    ("trip", "startTime", #""yesterday""#), ("trip", "tripId", "7"), ("driving", "seconds", #""9""#),
    ("driving", "speed", "[]"), ("adapter", "count", "-1"), ("adapter", "device", "{}"), ("gap", "fromSeq", "0"),
    ("gap", "toSeq", "1.0"), ("gap", "lostEpoch", #""x""#),
  ]

  /// Returns a path such as `ecus.7E9.speed` with its value, as the text of an object's member.
  private static func member(_ path: String, _ value: String) -> String {
    let keys = path.split(separator: ".")
    return keys.dropFirst().reversed().reduce("\"\(keys[0])\":" + (keys.count == 1 ? value : "{#}")) { text, _ in text }
      .replacing("{#}", with: keys.dropFirst().reversed().reduce(value) { "{\"\($1)\":\($0)}" })
  }

  @Test(arguments: refused)
  func a_value_that_its_key_cannot_have_is_refused_with_key_place_and_what_is_right(
    _ type: String, _ key: String, _ value: String
  ) throws {
    let member = Self.member(key, value)
    // The fast parser reads the first record; the second one has an escape and is read by the general parser.
    for before in [#""x":1,"#, #""\u0078":1,"#] {
      let text = RecordText.record(["type": "\"\(type)\""], before + member)
      let refusal = try #require(throws: RecordRefusal.self) { try RecordText.parse(text) }
      #expect(refusal.kind == .invalidValue)
      #expect(refusal.key == key || refusal.key.hasPrefix(key))
      #expect(refusal.detail.hasPrefix("expected ") && refusal.detail.contains(", found "), "\(refusal)")
      let place = try #require(text.utf8.firstRange(of: Array(member.utf8)))
      let offset = text.utf8.distance(from: text.startIndex, to: place.upperBound)
      #expect(try #require(refusal.offset) < offset)
      // The same record is in a batch of lines, next to a valid record.
      let good = RecordText.record()
      let batch = IncomingBatch(parsing: Array("\(good)\n\(text)\n\(good)\n".utf8).span)
      #expect(batch.records.count == 2 && batch.refusals.map(\.index) == [1])
      #expect(batch.refusals.first?.refusal == refusal)
    }
  }

  @Test func the_message_names_the_range() throws {
    let refusal = #expect(throws: RecordRefusal.self) {
      try RecordText.parse(RecordText.record([:], #""latitude":999"#))
    }
    #expect(refusal?.description.hasSuffix("expected a number from -90 to 90, found 999") == true, "\(refusal as Any)")
    #expect(refusal?.description.hasPrefix("latitude: byte ") == true)
  }

  @Test(arguments: [
    ("rpm", "16384", "0 to 16383.75"), ("controlModuleVoltage", "66", "0 to 65.535"),
    ("fuelRate", "-1", "0 to 3276.75"),
  ])
  func the_range_of_a_signal_is_a_clean_decimal(_ key: String, _ value: String, _ range: String) throws {
    let text = RecordText.record([:], "\"\(key)\":\(value)")
    let refusal = try #require(throws: RecordRefusal.self) { try RecordText.parse(text) }
    #expect(refusal.detail == "expected a number from \(range), found \(value)")
  }

  @Test func no_range_has_more_than_six_decimals() {
    for field in RecordField.contract + RecordField.otherSignals {
      guard case .number(let range) = field.values else { continue }
      for bound in [range.lowerBound, range.upperBound] where bound.isFinite {
        let decimals = "\(bound)".split(separator: ".").last?.utf8.count ?? 0
        #expect(abs(bound) < 1e15 && decimals <= 6, "\(field.name): \(bound)")
      }
    }
  }

  @Test(arguments: [
    ("rpm", "16383.750000000002", true), ("rpm", "16383.76", false),
    ("controlModuleVoltage", "65.53500000000001", true), ("controlModuleVoltage", "65.536", false),
    ("fuelRate", "3276.7500000000005", true), ("latitude", "90.00000000001", false),
  ])
  func a_rounding_error_of_the_last_digit_is_accepted_at_a_bound_with_decimals(
    _ key: String, _ value: String, _ isGood: Bool
  ) throws {
    // The fast parser reads the first record; the second one has an escape and is read by the general parser.
    for before in [#""x":1,"#, #""\u0078":1,"#] {
      let text = RecordText.record([:], before + "\"\(key)\":\(value)")
      if isGood {
        #expect(try RecordText.parse(text).sequence == 17)
      } else {
        #expect(throws: RecordRefusal.self) { try RecordText.parse(text) }
      }
    }
  }

  @Test(arguments: ["1e400", "-1e400", "1e999999", "1" + String(repeating: "0", count: 310)])
  func a_number_that_is_not_finite_is_refused_wherever_it_stands(_ number: String) throws {
    for rest in ["\"speed\":\(number)", "\"unknown\":\(number)", "\"unknown\":{\"a\":[1,\(number)]}"] {
      for type in ["telemetry", "trip", "nobodyKnowsIt"] {
        let text = RecordText.record(["type": "\"\(type)\""], rest)
        let refusal = try #require(throws: RecordRefusal.self) { try RecordText.parse(text) }
        #expect(refusal.kind == .invalidValue && refusal.detail.contains("finite number"), "\(refusal)")
      }
    }
    #expect(try RecordText.parse(RecordText.record([:], #""unknown":1e-400"#)).sequence == 17)
  }

  @Test(arguments: [
    ("telemetry", #""speed":0,"rpm":16383.75,"fuelLevel":100.0,"coolantTemp":-40,"maf":655.35,"heading":360"#),
    ("telemetry", #""speed":2.55e2,"throttlePosition":1e-3,"batteryVoltage":12.60000000000000000001"#),
    ("telemetry", #""fuelType":"gasoline","mil":false,"dtcCodes":[ "P0420" , "U0100" ],"satellites":9,"fixType":"3d""#),
    ("telemetry", #""fuelType":27,"ecus":{"7E9":{"speed":50,"unknown":[true]}},"F150_ODO":"any","Any":{"a":1}"#),
    ("telemetry", #""elapsed":1.5,"vss":"6.0","Vehicle.Speed":-3,"truncated":true"#),
    (
      "dtc", #""ecu":"7E8","event":"newer","dtcCodes":[],"mil":true,"freezeFrame":{"frame":0,"readings":{"speed":"x"}}"#
    ),
    ("vehicle", #""vinValid":true,"ecus":[{"address":"7E8"}],"fuelType":"diesel","modelYear":2019"#),
    ("driving", #""event":"overspeed","speed":300.5,"limit":130,"seconds":4.5"#),
    ("trip", #""distance":12.5,"startTime":"2024-12-18T07:41:06Z","speed":true"#),
    ("nobodyKnowsIt", #""speed":"fast","event":7,"distance":-1"#),
  ])
  func valid_values_and_unknown_keys_are_accepted(_ type: String, _ rest: String) throws {
    #expect(try RecordText.parse(RecordText.record(["type": "\"\(type)\""], rest)).sequence == 17)
    #expect(try RecordText.parse(RecordText.record(["type": "\"\(type)\""], #""\u0078":1,"# + rest)).sequence == 17)
  }

  /// Both parsers accept and reject the same values.
  @Test func both_record_readers_agree_on_every_known_key() {
    let values = [
      "0", "-1", "1.5", "1e3", "100.0000000001", "9007199254740993", "123456789012345678", "true", "false", #""x""#,
      "[]",
      #"["a"]"#, "[1]", "[{}]", #"[{"a":[1]}, {}]"#, #"["a",1]"#, "{}", #"{"7E8":{"rpm":true}}"#, #"{"7E8":5}"#,
      #""2024-12-18T07:41:06Z""#, "\"\(RecordText.id)\"", "179.99999999999999999", "16383.7500001", "-0.0",
    ]
    for field in RecordField.contract + RecordField.otherSignals.prefix(100) {
      for type in RecordType.allCases {
        for value in values where field.name != "vin" {
          let rest = "\"\(field.name)\":\(value)"
          let head = ["type": "\"\(type.name)\""]
          let quick = Result { try RecordText.parse(RecordText.record(head, #""x":1,"# + rest)) }.map(\.hasPosition)
          let thorough = Result { try RecordText.parse(RecordText.record(head, #""\u0078":1,"# + rest)) }.map(
            \.hasPosition)
          switch (quick, thorough) {
          case (.success, .success): break
          case (.failure(let one as RecordRefusal), .failure(let other as RecordRefusal)):
            #expect(one.detail == other.detail)
          default: Issue.record("\(type.name) \(rest): \(quick) \(thorough)")
          }
        }
      }
    }
  }

  @Test func every_signal_of_the_standard_is_known_once() {
    let names = (RecordField.contract.filter { $0.types.contains(.telemetry) } + RecordField.otherSignals).map(\.name)
    #expect(names.count > 500)
    #expect(Set(names).count == names.count)
    #expect(RecordField.contract.contains { $0.name == "oxygenSensor" })
  }
}
