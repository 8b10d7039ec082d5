import Foundation
import Telemetry
import Testing

@Suite struct JSONLineEncoderTests {
  @Test func a_line_is_one_object_and_a_line_feed() {
    let line = text { line in
      line.field("type", "telemetry")
      line.field("rpm", 1726.0)
      line.field("mil", false)
      line.field("seq", UInt64.max)
      line.field("below", -5)
    }
    #expect(line == "{\"type\":\"telemetry\",\"rpm\":1726,\"mil\":false,\"seq\":18446744073709551615,\"below\":-5}\n")
  }

  @Test func an_object_without_keys_is_empty() {
    #expect(text { _ in } == "{}\n")
  }

  @Test func objects_and_arrays_nest() {
    let line = text { line in
      line.beginObject("ecus")
      line.beginObject("7E9")
      line.field("speed", 12.5)
      line.end()
      line.end()
      line.beginArray("codes")
      line.value("P0420")
      line.value("U0100")
      line.beginArray()
      line.end()
      line.beginObject()
      line.end()
      line.end()
      line.field("last", 1)
    }
    #expect(line == #"{"ecus":{"7E9":{"speed":12.5}},"codes":["P0420","U0100",[],{}],"last":1}"# + "\n")
  }

  @Test func finish_closes_what_is_open() {
    let line = text { line in
      line.beginObject("a")
      line.beginArray("b")
      line.value(1)
    }
    #expect(line == #"{"a":{"b":[1]}}"# + "\n")
  }

  @Test func a_key_given_as_bytes_is_escaped() {
    let line = text { line in
      let key = Array("odd\"\n\u{1F697}".utf8)
      line.key(key.span)
      line.value(1)
    }
    #expect(line == #"{"odd\"\n"# + "\u{1F697}" + #"":1}"# + "\n")
  }

  @Test func hexadecimal_is_upper_case_text() {
    let line = text { line in
      let bytes: [UInt8] = [0x41, 0x0C, 0xFA]
      line.key("payload")
      line.value(hex: bytes.span)
    }
    #expect(line == #"{"payload":"410CFA"}"# + "\n")
  }

  @Test func a_non_finite_number_is_omitted_with_its_key() {
    let line = text { line in
      line.field("a", Double.nan)
      line.field("b", 1)
      line.field("c", Double.infinity)
      line.field("d", -Double.infinity, decimals: 3)
      line.beginArray("e")
      line.value(Double.nan)
      line.value(2)
      line.end()
    }
    #expect(line == #"{"b":1,"e":[2]}"# + "\n")
  }

  @Test func a_member_that_does_not_fit_is_omitted_completely_and_reported() throws {
    var line = JSONLineEncoder(capacity: 48)
    line.begin()
    let fits1 = line.field("a", "0123456789")
    #expect(fits1)
    let fits2 = line.field("b", "012345678901234567890123456789")
    #expect(!fits2)
    let overflowed6 = line.overflowed
    #expect(overflowed6)
    let fits3 = line.field("c", 7)
    #expect(fits3)
    line.finish()
    let found14 = text(of: line)
    #expect(found14 == #"{"a":"0123456789","c":7}"# + "\n")
  }

  @Test func a_rollback_undoes_an_overflow() {
    var line = JSONLineEncoder(capacity: 40)
    line.begin()
    line.field("a", 1)
    let mark = line.mark
    line.beginObject("group")
    line.field("text", "longer than what is left of it")
    let overflowed7 = line.overflowed
    #expect(overflowed7)
    line.rollback(to: mark)
    let overflowed8 = line.overflowed
    #expect(!overflowed8)
    line.field("b", 2)
    line.finish()
    let found15 = text(of: line)
    #expect(found15 == #"{"a":1,"b":2}"# + "\n")
  }

  @Test(arguments: 16...90) func every_capacity_gives_a_valid_line_within_it(capacity: Int) throws {
    var line = JSONLineEncoder(capacity: capacity)
    line.begin()
    line.field("n", 12.5)
    if line.beginObject("o") {
      if line.beginArray("a") {
        line.value("\u{1}\u{1}")
        line.value(1)
        if line.beginObject() {
          line.field("k", true)
          line.end()
        }
        line.end()
      }
      line.end()
    }
    line.field("z", "end")
    line.finish()
    let count11 = line.count
    #expect(count11 <= capacity)
    _ = try object(in: line)
  }

  @Test func a_line_can_fill_its_buffer_to_the_last_byte() {
    var line = JSONLineEncoder(capacity: 16)
    line.begin()
    let fits4 = line.field("a", "1234567")
    #expect(fits4)
    line.finish()
    let found16 = text(of: line)
    #expect(found16 == #"{"a":"1234567"}"# + "\n")
    let count12 = line.count
    #expect(count12 == 16)
  }

  @Test func a_growable_line_has_no_end() throws {
    var line = JSONLineEncoder(capacity: 16, growable: true)
    line.begin()
    line.beginArray("values")
    for number in 0..<10_000 { line.value(number) }
    line.end()
    line.finish()
    let overflowed9 = line.overflowed
    #expect(!overflowed9)
    let values = try object(in: line)["values"] as? [Int]
    #expect(values == Array(0..<10_000))
  }

  @Test func reserved_space_is_available_at_the_end() {
    var line = JSONLineEncoder(capacity: 64)
    line.begin()
    line.holdBack(17)
    line.beginArray("list")
    while line.value("entry") {}
    line.end()
    line.holdBack(-17)
    let fits5 = line.field("truncated", true)
    #expect(fits5)
    line.finish()
    let found17 = text(of: line)
    #expect(found17.hasSuffix(#""entry"],"truncated":true}"# + "\n"))
  }

  @Test func a_new_line_forgets_the_one_before() {
    var line = JSONLineEncoder(capacity: 32)
    line.begin()
    line.field("a", "0123456789012345678901234567890123456789")
    line.finish()
    line.begin()
    line.field("b", 1)
    line.finish()
    let overflowed10 = line.overflowed
    #expect(!overflowed10)
    let found18 = text(of: line)
    #expect(found18 == #"{"b":1}"# + "\n")
  }

  /// Any input produces a line of valid JSON within its capacity, which reads back as the input.
  @Test func random_lines_are_valid_json() throws {
    var random = Reproducible(seed: 17)
    var line = JSONLineEncoder(capacity: 600)
    for _ in 0..<2_000 {
      line.begin()
      var expected: [String: NSObject] = [:]
      for number in 0..<Int.random(in: 0...40, using: &random) {
        let key = "k\(number)" + randomText(&random, upTo: 5)
        line.key(key)
        switch Int.random(in: 0...3, using: &random) {
        case 0:
          let value = Int(truncatingIfNeeded: random.next() >> 12)
          if line.value(value) { expected[key] = value as NSNumber }
        case 1:
          let value = randomText(&random, upTo: 40)
          if line.value(value) { expected[key] = value as NSString }
        case 2:
          let value = Bool.random(using: &random)
          if line.value(value) { expected[key] = value as NSNumber }
        default:
          // Bytes of any kind: only the validity counts.
          let bytes = (0..<Int.random(in: 0...20, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
          }
          line.value(bytes.span)
        }
      }
      line.finish()
      let count13 = line.count
      #expect(count13 <= 600)
      let found = try object(in: line)
      for (key, value) in expected { #expect(found[key] as? NSObject == value) }
    }
  }

  private func randomText(_ random: inout Reproducible, upTo length: Int) -> String {
    var text = ""
    for _ in 0..<Int.random(in: 0...length, using: &random) {
      let range: ClosedRange<UInt32> = Bool.random(using: &random) ? 0...0x7F : 0x80...0xFFFF
      guard let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) else { continue }
      text.unicodeScalars.append(scalar)
    }
    return text
  }
}
