/// Reads one object strictly: keys that must be there, keys that may, and no others.
///
/// Call order: `init`, one call for each key that the object may have, then ``finish()``, which refuses what was not
/// asked for and names the nearest key that was.
///
///     var reader = try JSONObjectReader(value)
///     let path = try reader.requiredString("path")
///     let period = try reader.optionalDouble("period", in: 0.1...3600) ?? 1
///     try reader.finish()
public struct JSONObjectReader: Sendable {
  /// The object that is read.
  public let object: JSONValue
  private var known: [String] = []

  /// - Throws: ``JSONError/Kind/wrongType(expected:found:)`` where the value is no object.
  public init(_ object: JSONValue) throws(JSONError) {
    guard object.kind == .object else { throw object.wrongType("an object") }
    self.object = object
  }

  /// The value of a key that may be absent; a `null` is a value.
  public mutating func optional(_ key: String) -> JSONValue? {
    known.append(key)
    return object[key]
  }

  /// The value of a key that must be there.
  public mutating func required(_ key: String) throws(JSONError) -> JSONValue {
    guard let value = optional(key) else { throw object.error(.missingKey(key)) }
    return value
  }

  /// Keys that may be there and mean nothing to this reader.
  public mutating func ignore(_ keys: String...) { known += keys }

  /// Refuses the first key that nobody asked for.
  public func finish() throws(JSONError) {
    for member in object.members where !known.contains(where: { member.hasKey($0) }) {
      throw member.keyValue.error(.unknownKey(member.key, known: known))
    }
  }

  /// A string that must be there.
  public mutating func requiredString(_ key: String) throws(JSONError) -> String {
    try required(key).requireString()
  }
  /// A string that may be absent.
  public mutating func optionalString(_ key: String) throws(JSONError) -> String? {
    try optional(key)?.requireString()
  }
  /// A string that must be there and be one of `choices`.
  public mutating func requiredString(_ key: String, oneOf choices: [String]) throws(JSONError) -> String {
    try required(key).requireString(oneOf: choices)
  }
  /// A string that may be absent, else one of `choices`.
  public mutating func optionalString(_ key: String, oneOf choices: [String]) throws(JSONError) -> String? {
    try optional(key)?.requireString(oneOf: choices)
  }
  /// True or false; must be there.
  public mutating func requiredBool(_ key: String) throws(JSONError) -> Bool { try required(key).requireBool() }
  /// True or false; may be absent.
  public mutating func optionalBool(_ key: String) throws(JSONError) -> Bool? { try optional(key)?.requireBool() }
  /// A whole number within `range` that must be there.
  public mutating func requiredInt(
    _ key: String, in range: ClosedRange<Int> = .min ... .max
  ) throws(JSONError) -> Int { try required(key).requireInt(in: range) }
  /// A whole number within `range` that may be absent.
  public mutating func optionalInt(
    _ key: String, in range: ClosedRange<Int> = .min ... .max
  ) throws(JSONError) -> Int? { try optional(key)?.requireInt(in: range) }
  /// A number within `range` that must be there.
  public mutating func requiredDouble(
    _ key: String, in range: ClosedRange<Double> = JSONValue.finite
  ) throws(JSONError) -> Double { try required(key).requireDouble(in: range) }
  /// A number within `range` that may be absent.
  public mutating func optionalDouble(
    _ key: String, in range: ClosedRange<Double> = JSONValue.finite
  ) throws(JSONError) -> Double? { try optional(key)?.requireDouble(in: range) }
  /// The elements of an array that must be there.
  public mutating func requiredArray(_ key: String) throws(JSONError) -> JSONElements {
    try required(key).requireArray()
  }
  /// The elements of an array that may be absent.
  public mutating func optionalArray(_ key: String) throws(JSONError) -> JSONElements? {
    try optional(key)?.requireArray()
  }
  /// A reader for an object inside this one.
  public mutating func requiredObject(_ key: String) throws(JSONError) -> JSONObjectReader {
    try JSONObjectReader(required(key))
  }
  /// A reader for an object inside this one, where it is there.
  public mutating func optionalObject(_ key: String) throws(JSONError) -> JSONObjectReader? {
    guard let value = optional(key) else { return nil }
    return try JSONObjectReader(value)
  }
}
