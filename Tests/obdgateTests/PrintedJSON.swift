import Foundation

/// A JSON value, as tests write and compare it. A boolean is not a number, and 14 equals 14.0.
enum PrintedJSON: Equatable, Sendable {
  case null
  case flag(Bool)
  case number(Double)
  case text(String)
  case list([PrintedJSON])
  case object([String: PrintedJSON])

  struct Invalid: Error, CustomStringConvertible {
    let line: String
    var description: String { "no JSON: \(line)" }
  }

  /// Reads one line.
  init(_ line: some StringProtocol) throws {
    do { self = try JSONDecoder().decode(PrintedJSON.self, from: Data(line.utf8)) } catch {
      throw Invalid(line: String(line))
    }
  }

  /// Reads the lines of an output.
  static func lines(_ output: String) throws -> [PrintedJSON] {
    try output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map { try PrintedJSON($0) }
  }

  subscript(key: String) -> PrintedJSON? {
    guard case .object(let members) = self else { return nil }
    return members[key]
  }

  subscript(index: Int) -> PrintedJSON? {
    guard case .list(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  var text: String? { if case .text(let text) = self { text } else { nil } }
  var number: Double? { if case .number(let number) = self { number } else { nil } }
  var flag: Bool? { if case .flag(let flag) = self { flag } else { nil } }
  var elements: [PrintedJSON] { if case .list(let elements) = self { elements } else { [] } }
  var members: [String: PrintedJSON] { if case .object(let members) = self { members } else { [:] } }

  /// Whether no value is null: records omit unknown values.
  var holdsNoNull: Bool {
    switch self {
    case .null: false
    case .list(let elements): elements.allSatisfy(\.holdsNoNull)
    case .object(let members): members.values.allSatisfy(\.holdsNoNull)
    default: true
    }
  }

  /// Returns the object with only these keys.
  func only(_ keys: String...) -> PrintedJSON { .object(members.filter { keys.contains($0.key) }) }

  /// Returns the object without these keys.
  func without(_ keys: Set<String>) -> PrintedJSON { .object(members.filter { !keys.contains($0.key) }) }

  /// Whether two values are equal; numbers may differ by one part in a million.
  func isClose(to other: PrintedJSON) -> Bool {
    switch (self, other) {
    case (.number(let left), .number(let right)):
      abs(left - right) <= 1e-6 * max(abs(left), abs(right))
    case (.list(let left), .list(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.isClose(to: $1) }
    case (.object(let left), .object(let right)):
      left.count == right.count && left.allSatisfy { key, value in right[key].map { value.isClose(to: $0) } ?? false }
    default: self == other
    }
  }
}

extension PrintedJSON: Decodable {
  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let flag = try? value.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let elements = try? value.decode([PrintedJSON].self) {
      self = .list(elements)
    } else {
      self = .object(try value.decode([String: PrintedJSON].self))
    }
  }
}

extension PrintedJSON: ExpressibleByStringLiteral, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  init(stringLiteral text: String) { self = .text(text) }
  init(floatLiteral number: Double) { self = .number(number) }
  init(integerLiteral number: Int) { self = .number(Double(number)) }
  init(booleanLiteral flag: Bool) { self = .flag(flag) }
  init(arrayLiteral elements: PrintedJSON...) { self = .list(elements) }
  init(dictionaryLiteral members: (String, PrintedJSON)...) {
    self = .object(Dictionary(members, uniquingKeysWith: { first, _ in first }))
  }
}

extension PrintedJSON: CustomStringConvertible {
  var description: String {
    switch self {
    case .null: "null"
    case .flag(let flag): "\(flag)"
    case .number(let number): "\(number)"
    case .text(let text): "\"\(text)\""
    case .list(let elements): "[\(elements.map(\.description).joined(separator: ","))]"
    case .object(let members):
      "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }
  }
}
