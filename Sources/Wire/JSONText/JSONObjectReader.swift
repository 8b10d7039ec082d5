/// Reads an object strictly: required keys, optional keys and no others.
///
/// Call order: `init`, one call for each key that the object may have, then ``finish()``. It rejects keys that were not
/// read and suggests the most similar key that was. Every call throws a ``JSONError`` with the position if the key is
/// missing, has the wrong type or is out of range.
///
///     var reader = try JSONObjectReader(value)
///     let path = try reader.requiredString("path")
///     let period = try reader.optionalDouble("period", in: 0.1...3600) ?? 1
///     try reader.finish()
public struct JSONObjectReader: Sendable {
  /// The object to read.
  public let object: JSONValue
  private var known: [String] = []

  /// Creates a reader that has read no key.
  ///
  /// - Throws: ``JSONError/Kind/wrongType(expected:found:)`` if the value is not an object.
  public init(_ object: JSONValue) throws(JSONError) {
    guard object.kind == .object else { throw object.wrongType("an object") }
    self.object = object
  }

  /// Returns the value of an optional key; `nil` if missing. `null` is a value.
  public mutating func optional(_ key: String) -> JSONValue? {
    know(key)
    return object[key]
  }

  /// Returns the value of a required key.
  ///
  /// - Throws: ``JSONError/Kind/missingKey(_:)``
  public mutating func required(_ key: String) throws(JSONError) -> JSONValue {
    guard let value = optional(key) else { throw object.error(.missingKey(key)) }
    return value
  }

  /// Returns the value of a required key after ``finish()``. Nothing can be read without this value, so that the faults
  /// of all other keys are found before.
  ///
  /// - Throws: also ``JSONError/Kind/missingKey(_:)``.
  public mutating func requiredLast(_ key: String) throws(JSONError) -> JSONValue {
    know(key)
    try finish()
    return try required(key)
  }

  /// Accepts keys without reading them.
  public mutating func ignore(_ keys: String...) { for key in keys { know(key) } }

  /// Notes a key that the object may have, once.
  private mutating func know(_ key: String) { if !known.contains(key) { known.append(key) } }

  /// Ends reading.
  ///
  /// - Throws: ``JSONError/Kind/unknownKey(_:known:)`` for the first key that was not read.
  public func finish() throws(JSONError) {
    for member in object.members where !known.contains(where: { member.hasKey($0) }) {
      throw member.keyValue.error(.unknownKey(member.key, known: known))
    }
  }

  /// Returns a required string.
  public mutating func requiredString(_ key: String) throws(JSONError) -> String {
    try required(key).requireString()
  }
  /// Returns an optional string; `nil` if missing.
  public mutating func optionalString(_ key: String) throws(JSONError) -> String? {
    try optional(key)?.requireString()
  }
  /// Returns a required string that must be one of `choices`.
  public mutating func requiredString(_ key: String, oneOf choices: [String]) throws(JSONError) -> String {
    try required(key).requireString(oneOf: choices)
  }
  /// Returns an optional string that must be one of `choices`; `nil` if missing.
  public mutating func optionalString(_ key: String, oneOf choices: [String]) throws(JSONError) -> String? {
    try optional(key)?.requireString(oneOf: choices)
  }
  /// Returns a required `true` or `false`.
  public mutating func requiredBool(_ key: String) throws(JSONError) -> Bool { try required(key).requireBool() }
  /// Returns an optional `true` or `false`; `nil` if missing.
  public mutating func optionalBool(_ key: String) throws(JSONError) -> Bool? { try optional(key)?.requireBool() }
  /// Returns a required integer within `range`.
  public mutating func requiredInt(
    _ key: String, in range: ClosedRange<Int> = .min ... .max
  ) throws(JSONError) -> Int { try required(key).requireInt(in: range) }
  /// Returns an optional integer within `range`; `nil` if missing.
  public mutating func optionalInt(
    _ key: String, in range: ClosedRange<Int> = .min ... .max
  ) throws(JSONError) -> Int? { try optional(key)?.requireInt(in: range) }
  /// Returns a required number within `range`.
  public mutating func requiredDouble(
    _ key: String, in range: ClosedRange<Double> = JSONValue.finite
  ) throws(JSONError) -> Double { try required(key).requireDouble(in: range) }
  /// Returns an optional number within `range`; `nil` if missing.
  public mutating func optionalDouble(
    _ key: String, in range: ClosedRange<Double> = JSONValue.finite
  ) throws(JSONError) -> Double? { try optional(key)?.requireDouble(in: range) }
  /// Returns the elements of a required array.
  public mutating func requiredArray(_ key: String) throws(JSONError) -> JSONElements {
    try required(key).requireArray()
  }
  /// Returns the elements of an optional array; `nil` if missing.
  public mutating func optionalArray(_ key: String) throws(JSONError) -> JSONElements? {
    try optional(key)?.requireArray()
  }
  /// Returns a reader for a required object.
  public mutating func requiredObject(_ key: String) throws(JSONError) -> JSONObjectReader {
    try JSONObjectReader(required(key))
  }
  /// Returns a reader for an optional object; `nil` if missing.
  public mutating func optionalObject(_ key: String) throws(JSONError) -> JSONObjectReader? {
    guard let value = optional(key) else { return nil }
    return try JSONObjectReader(value)
  }
}
