import JSONText
import Telemetry

extension RecordDocument {
  /// Checks that all numbers are finite, and that known keys have valid values.
  ///
  /// - Parameter kind: the record's type. If it is unknown, only the numbers are checked.
  /// - Throws: an error that describes the first invalid value.
  func checkValues(of kind: RecordKind) throws(RecordRefusal) {
    try Self.checkNumbers(in: root)
    guard case .known(let type) = kind else { return }
    try Self.check(root, RecordTypes(type))
  }

  private static func checkNumbers(in value: JSONValue) throws(RecordRefusal) {
    if value.kind == .number, value.double == nil {
      throw RecordRefusal(
        .invalidValue, key: value.path, offset: value.offset, "expected a finite number, found \(value.summary)")
    }
    for element in value.elements { try checkNumbers(in: element) }
    for member in value.members { try checkNumbers(in: member.value) }
  }

  private static func check(_ object: JSONValue, _ types: RecordTypes) throws(RecordRefusal) {
    for member in object.members {
      guard let entry = member.keyValue.withUTF8({ name in RecordFieldTable.shared.find(name) }) ?? nil else {
        continue
      }
      for index in entry.rules {
        let rule = RecordFieldTable.shared.rules[index]
        guard rule.types.contains(types) else { continue }
        guard isOne(of: rule.values, member.value) else {
          throw RecordRefusal(
            .invalidValue, key: member.value.path, offset: member.value.offset,
            "expected \(rule.values), found \(member.value.summary)")
        }
        if case .telemetryByECU = rule.values {
          for ecu in member.value.members where ecu.value.kind == .object { try check(ecu.value, .telemetry) }
        }
      }
    }
  }

  private static func isOne(of values: RecordField.Values, _ value: JSONValue) -> Bool {
    switch values {
    case .number(let limits): value.double.map { RecordField.Values.isWithin(limits, $0) } ?? false
    case .integer(let limits): isWhole(value) && (value.double.map { RecordField.Values.isWithin(limits, $0) } ?? false)
    case .flag: value.kind == .bool
    case .text: value.kind == .string
    case .code: value.kind == .string || value.kind == .number
    case .time: value.withUTF8 { RecordScanner.isTime($0) } == true && value.kind == .string
    case .identifier: value.withUTF8 { UUIDv7($0) != nil } == true && value.kind == .string
    case .texts: value.kind == .array && value.elements.allSatisfy { $0.kind == .string }
    case .objects: value.kind == .array && value.elements.allSatisfy { $0.kind == .object }
    case .object, .telemetryByECU: value.kind == .object
    }
  }

  private static func isWhole(_ value: JSONValue) -> Bool {
    value.kind == .number
      && value.withUTF8 { digits in
        for index in 0..<digits.count where digits[index] &- UInt8(ascii: "0") >= 10 {
          if index > 0 || digits[index] != UInt8(ascii: "-") { return false }
        }
        return true
      } == true
  }
}
