import Foundation
import JSONText
import Testing

/// Comparison with Foundation's JSONSerialization.
struct JSONPropertyTests {
  /// A small generator of random numbers. A failure names its seed, which repeats the failure.
  private struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  @Test(arguments: 0..<600)
  func generated_value_is_read_as_foundation_reads_it(_ seed: Int) throws {
    var generator = Generator(state: UInt64(seed))
    let text = Self.text(depth: 0, &generator)
    let expected = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    try Self.compare(read(text), expected, text)
  }

  @Test(arguments: 0..<400)
  func damaged_text_that_foundation_refuses_is_refused_and_never_traps(_ seed: Int) throws {
    var generator = Generator(state: UInt64(seed) &+ 1 << 32)
    var bytes = Array(Self.text(depth: 0, &generator).utf8)
    for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: bytes.remove(at: place)
      case 1: bytes[place] = UInt8.random(in: 0...255, using: &generator)
      case 2: bytes.removeSubrange(place...)
      default: bytes.insert(Array("{}[]\",:\\0e-".utf8).randomElement(using: &generator) ?? 0, at: place)
      }
    }
    let refused = refusal(bytes)
    if let refused {
      #expect(refused.offset <= bytes.count && refused.line >= 1 && refused.column >= 1)
    } else {
      // Foundation accepts every text that is accepted here. Sometimes it accepts more, never less.
      _ = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
    }
  }

  private static func compare(_ value: JSONValue, _ expected: Any, _ text: String) throws {
    switch expected {
    case let members as [String: Any]:
      #expect(value.kind == .object && value.count == members.count)
      for (key, inner) in members {
        try compare(#require(value[key], "\(key.unicodeScalars.map(\.value)) in \(text)"), inner, text)
      }
    case let elements as [Any]:
      #expect(value.kind == .array && value.count == elements.count)
      for (own, inner) in zip(value.elements, elements) { try compare(own, inner, text) }
    case let string as String: #expect(value.string == string, "\(text)")
    case is NSNull: #expect(value.isNull)
    case let number as NSNumber:
      if let bool = value.bool {
        #expect(number.boolValue == bool)
      } else {
        // Foundation on Linux has errors of some units in the last place. JSONNumberTests compares exactly.
        let (own, other) = try (#require(value.double), number.doubleValue)
        #expect(abs(own - other) <= 1e-13 * abs(other), "\(text)")
      }
    default: Issue.record("unforeseen \(expected)")
    }
  }

  private static func text(depth: Int, _ generator: inout Generator) -> String {
    switch Int.random(in: depth > 5 ? 2...6 : 0...6, using: &generator) {
    case 0:
      var keys: [String] = []
      for _ in 0..<Int.random(in: 0...20, using: &generator) {
        let key = string(&generator)
        if !keys.contains(key) { keys.append(key) }
      }
      let members = keys.map { "\(quoted($0, &generator)) : \(text(depth: depth + 1, &generator))" }
      return "{ " + members.joined(separator: ",\n") + "}"
    case 1:
      let elements = (0..<Int.random(in: 0...6, using: &generator)).map { _ in text(depth: depth + 1, &generator) }
      return "[" + elements.joined(separator: " , ") + " ]"
    case 2: return quoted(string(&generator), &generator)
    case 3: return "\(Double.random(in: -1e6...1e6, using: &generator))"
    case 4:
      return "\(Int32.random(in: .min ... .max, using: &generator))e\(Int.random(in: -40...40, using: &generator))"
    case 5: return Bool.random(using: &generator) ? "true" : "false"
    default: return "null"
    }
  }

  private static func string(_ generator: inout Generator) -> String {
    var out = ""
    for _ in 0..<Int.random(in: 0...14, using: &generator) {
      let top: UInt32 = [0x7F, 0x7FF, 0xFFFF, 0x10FFFF].randomElement(using: &generator) ?? 0x7F
      if let scalar = Unicode.Scalar(UInt32.random(in: 0...top, using: &generator)) {
        out.unicodeScalars.append(scalar)
      }
    }
    // Foundation drops a byte order mark at the start of a string.
    out.unicodeScalars.removeAll { $0 == "\u{FEFF}" }
    // Two spellings of one character are one key for Swift's dictionaries and two for JSON.
    return out.precomposedStringWithCanonicalMapping
  }

  private static func quoted(_ string: String, _ generator: inout Generator) -> String {
    var out = "\""
    for unit in string.unicodeScalars {
      let mustEscape = unit.value < 0x20 || unit == "\"" || unit == "\\"
      if mustEscape || Int.random(in: 0..<8, using: &generator) == 0 {
        for half in UTF16.encode(unit).map(Array.init) ?? [] {
          let digits = String(half, radix: 16, uppercase: Bool.random(using: &generator))
          out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      } else {
        out.unicodeScalars.append(unit)
      }
    }
    return out + "\""
  }
}
