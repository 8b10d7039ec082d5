import FleetDomain
import Telemetry
import Testing

@Suite struct IncomingRecordTests {
  @Test func the_head_is_read_and_the_body_is_kept_as_it_came() throws {
    let text = RecordText.record([:], #""rpm":1.50e2 , "latitude":47.5,"longitude":-9,"ecus":{"7E9":{"any":[1,true]}}"#)
    let record = try RecordText.parse("  \(text)\r\n")
    #expect(String(decoding: record.body, as: UTF8.self) == text)
    #expect(record.kind == .known(.telemetry))
    #expect(record.id == UUIDv7(Array(RecordText.id.utf8).span))
    #expect(
      record.time == Timestamp(year: 2024, month: 12, day: 18, hour: 7, minute: 41, second: 6, nanosecond: 250_000_000))
    #expect(record.quality == .gps)
    #expect([record.gatewayId, record.vehicleId] == ["gw-17", "VAN-001"])
    #expect(record.epoch == UUIDv7(Array(RecordText.epoch.utf8).span))
    #expect(record.sequence == 17)
    #expect(record.vin == nil)
    #expect(record.hasPosition)
  }

  @Test(arguments: RecordType.allCases)
  func every_known_type_has_its_class(_ type: RecordType) throws {
    let record = try RecordText.parse(RecordText.record(["type": "\"\(type.name)\""]))
    #expect(record.kind == .known(type))
    #expect(RecordClass(number: record.kind.recordClass.number) == .known(type))
  }

  @Test func unknown_types_and_keys_are_accepted() throws {
    let record = try RecordText.parse(
      RecordText.record(["type": #""tyrePressure""#], #""x":{"y":[]},"":0,"vin":"WVW""#))
    #expect(record.kind == .other("tyrePressure"))
    #expect(record.kind.recordClass == .other)
    #expect(record.vin == "WVW")
  }

  @Test func keys_may_stand_in_any_order_and_with_escapes() throws {
    let text =
      #"{"\u0073eq":1,"vehicleId":"Z\u00fcrich \"1\"","rpm":1,"gatewayId":"Gerät","#
      + RecordText.record(["seq": "", "vehicleId": "", "gatewayId": ""], "").dropFirst()
    let record = try RecordText.parse(text)
    #expect(record.vehicleId == #"Zürich "1""#)
    #expect(record.gatewayId == "Gerät")
    #expect(record.sequence == 1)
    #expect(String(decoding: record.body, as: UTF8.self) == text)
  }

  @Test func a_time_may_be_absent_only_while_it_is_not_known() throws {
    let unset = try RecordText.parse(
      RecordText.record(["timestamp": "", "timeQuality": #""unset""#], #""elapsed":1.5"#))
    #expect(unset.time == nil)
    let refusal = #expect(throws: RecordRefusal.self) { try RecordText.parse(RecordText.record(["timestamp": ""])) }
    #expect(refusal?.kind == .missingKey)
    #expect(refusal?.key == "timestamp")
  }

  @Test(arguments: RecordText.head.map(\.0))
  func a_key_of_the_head_that_is_missing_is_named(_ key: String) {
    let refusal = #expect(throws: RecordRefusal.self) { try RecordText.parse(RecordText.record([key: ""])) }
    #expect(refusal?.kind == .missingKey)
    #expect(refusal?.description == "\(key): expected this key; every record has it")
  }

  @Test(arguments: [
    ("type", "17"), ("type", #""""#), ("id", #""x""#), ("id", #""0193e0f2-7c11-4a5e-8f3b-2d1c0b9a8877""#),
    ("timestamp", #""2024-12-18T07:41:06""#), ("timestamp", #""2024-13-18T07:41:06Z""#), ("timestamp", "1734507666"),
    ("timeQuality", #""GPS""#), ("gatewayId", #""""#), ("vehicleId", "[]"), ("vehicleId", #""a\nb""#),
    ("vehicleId", #""a\u0085b""#), ("gatewayId", "\"\u{9F}\""), ("vehicleId", #""\u007f""#),
    ("epoch", #""""#), ("seq", "0"), ("seq", "-1"), ("seq", "1.0"), ("seq", #""1""#), ("seq", "9223372036854775808"),
    ("seq", "99999999999999999999"), ("vin", "17"), ("latitude", #""47""#),
  ])
  func an_impossible_value_is_rejected_with_its_key_and_position(_ key: String, _ value: String) throws {
    let isOfHead = RecordText.head.contains { $0.0 == key }
    let text = isOfHead ? RecordText.record([key: value]) : RecordText.record([:], "\"\(key)\":\(value)")
    let refusal = try #require(throws: RecordRefusal.self) { try RecordText.parse(text) }
    #expect(refusal.kind == .invalidValue)
    #expect(refusal.key == key)
    let place = try #require(text.utf8.firstRange(of: Array("\"\(key)\":\(value)".utf8)))
    #expect(refusal.offset == text.utf8.distance(from: text.startIndex, to: place.lowerBound) + key.utf8.count + 3)
    #expect(refusal.detail.contains("expected ") && refusal.detail.contains("found "))
  }

  @Test(arguments: [("47.5", "-180"), ("90", "180.0"), ("-90.000", "1.8e2"), ("0", "-0")])
  func a_place_on_earth_is_a_position(_ latitude: String, _ longitude: String) throws {
    #expect(
      try RecordText.parse(RecordText.record([:], "\"latitude\":\(latitude),\"longitude\":\(longitude)")).hasPosition)
    #expect(try !RecordText.parse(RecordText.record([:], "\"latitude\":\(latitude)")).hasPosition)
  }

  @Test func letters_beyond_ascii_are_no_control_characters() throws {
    #expect(try RecordText.parse(RecordText.record(["vehicleId": "\"\u{A0}Ä¿ 車\""])).vehicleId == "\u{A0}Ä¿ 車")
  }

  /// A database compares bytes, and Swift compares characters. Therefore, of two ways to write a name, only one is
  /// accepted.
  @Test(arguments: ["CAFE\u{301}", "\u{212B}", "\u{1100}\u{1161}"])
  func names_are_composed(_ name: String) throws {
    let refused = #expect(throws: RecordRefusal.self) {
      try RecordText.parse(RecordText.record(["vehicleId": "\"\(name)\""]))
    }
    #expect(refused?.description.contains("NFC") == true)
    #expect(NameRules.isName("CAFÉ 車 가"))
    #expect(throws: RecordRefusal.self) { try RecordText.parse(RecordText.record(["gatewayId": "\"\(name)\""])) }
  }

  @Test func names_have_at_most_128_bytes() throws {
    #expect(
      try RecordText.parse(RecordText.record(["vehicleId": "\"\(String(repeating: "x", count: 128))\""])).vehicleId
        .count == 128)
    let long = RecordText.record(["vehicleId": "\"\(String(repeating: "x", count: 129))\""])
    #expect(throws: RecordRefusal.self) { try RecordText.parse(long) }
  }

  @Test(arguments: [
    ("null", RecordRefusal.Kind.malformed), ("[]", .malformed), ("", .malformed), (#"{"a":1"#, .malformed),
    (RecordText.record() + "x", .malformed), (RecordText.record([:], #""a":01"#), .malformed),
    (RecordText.record([:], #""a":1.e2"#), .malformed), (RecordText.record([:], #""a":"\#u{1}""#), .malformed),
    (RecordText.record([:], #""a":tru"#), .malformed), (RecordText.record([:], #""a":[1,]"#), .malformed),
    (RecordText.record([:], #""a":1,"#), .malformed), (RecordText.record([:], #""a":"\x""#), .malformed),
    (RecordText.record([:], #""a":null"#), .nullValue), (RecordText.record([:], #""a":{"b":[1,null]}"#), .nullValue),
    (RecordText.record([:], #""rpm":1,"rpm":1"#), .duplicateKey), (RecordText.record([:], #""seq":18"#), .duplicateKey),
    (RecordText.record([:], #""a":{"b":1,"\u0062":1}"#), .duplicateKey),
    (
      RecordText.record([:], "\"a\":" + String(repeating: "[", count: 100) + String(repeating: "]", count: 100)),
      .malformed
    ),
  ])
  func a_malformed_record_is_rejected(_ text: String, _ kind: RecordRefusal.Kind) {
    let refusal = #expect(throws: RecordRefusal.self) { try RecordText.parse(text) }
    #expect(refusal?.kind == kind, "\(text)")
  }

  @Test func bytes_that_are_not_utf_8_are_refused() {
    let bytes = Array(RecordText.record([:], #""a":"~""#).utf8).map { $0 == UInt8(ascii: "~") ? 0xFF : $0 }
    let refusal = #expect(throws: RecordRefusal.self) { try IncomingRecord(parsing: bytes.span) }
    #expect(refusal?.kind == .malformed)
  }

  @Test func a_null_is_named_by_its_path() {
    let refusal = #expect(throws: RecordRefusal.self) {
      try RecordText.parse(RecordText.record([:], #""a":{"b":[1,null]}"#))
    }
    #expect(refusal?.key == "a.b[1]")
  }

  @Test func a_record_has_at_most_16_kibibytes() throws {
    let empty = RecordText.record([:], #""a":"""#).utf8.count
    let room = IncomingRecord.maximumCount - empty
    let full = RecordText.record([:], #""a":"\#(String(repeating: "x", count: room))""#)
    #expect(try RecordText.parse(full).body.count == 16_384)
    let over = RecordText.record([:], #""a":"\#(String(repeating: "x", count: room + 1))""#)
    let refusal = #expect(throws: RecordRefusal.self) { try RecordText.parse(over) }
    #expect(refusal?.kind == .tooLarge)
    #expect(refusal?.detail == "expected at most 16384 bytes, found 16385: make it several records")
  }

  @Test func a_record_with_many_keys_is_accepted() throws {
    let keys = (0..<500).map { "\"key\($0)\":\($0)" }.joined(separator: ",")
    #expect(try RecordText.parse(RecordText.record([:], keys)).sequence == 17)
    let refusal = #expect(throws: RecordRefusal.self) {
      try RecordText.parse(RecordText.record([:], keys + #","key77":0"#))
    }
    #expect(refusal?.kind == .duplicateKey)
  }

  /// The fast and the general parser must never disagree, whatever byte of a record is changed.
  @Test func a_record_with_one_byte_changed_is_taken_or_refused_alike_by_both_readers() throws {
    let original = Array(RecordText.record([:], #""a":[1,{"b":true}],"c":-1.5e3"#).utf8)
    for place in original.indices {
      for byte in Array("\"\\{}[],:0 ex".utf8) + [0x0A, 0x00, 0xC3] {
        var changed = original
        changed[place] = byte
        // A key with an escape is parsed by the general parser. The result must be the same.
        var escaped = changed
        escaped.replaceSubrange(1..<1, with: Array(#""\u007a":0,"#.utf8))
        let quick = Result { try IncomingRecord(parsing: changed.span) }
        let thorough = Result { try IncomingRecord(parsing: escaped.span) }
        switch (quick, thorough) {
        case (.success(let one), .success(let other)):
          #expect(one.id == other.id && one.time == other.time && one.vehicleId == other.vehicleId)
        case (.failure(let one as RecordRefusal), .failure(let other as RecordRefusal)):
          #expect(one.kind == other.kind || place == 0)
        default: #expect(place == 0, "\(String(decoding: changed, as: UTF8.self))")
        }
      }
    }
  }
}
