/// Reads an object and accepts no unknown keys.
///
/// Make one call for each key that the object may have, then call ``finish()``. ``finish()`` rejects any key for which
/// there was no call. Its message suggests the most similar accepted key. A call throws a ``JSONError`` with the
/// position if a required key is missing, or if the value has the wrong type or is out of range.
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

  /// Returns the value of an optional key; `nil` if the object does not have the key. A JSON `null` is returned as a
  /// value.
  public mutating func optional(_ key: String) -> JSONValue? {
    know(key)
    return object[key]
  }

  /// Returns the value of a required key.
  ///
  /// - Throws: ``JSONError/Kind/missingKey(_:)``.
  public mutating func required(_ key: String) throws(JSONError) -> JSONValue {
    guard let value = optional(key) else { throw object.error(.missingKey(key)) }
    return value
  }

  /// Rejects unknown keys as ``finish()`` does, then returns the value of a required key. Call this function after the
  /// calls for all other keys. If the required key is misspelled, the error then names the unknown key and suggests the
  /// correct one.
  ///
  /// - Throws: the errors of ``finish()``, or ``JSONError/Kind/missingKey(_:)``.
  public mutating func requiredLast(_ key: String) throws(JSONError) -> JSONValue {
    know(key)
    try finish()
    return try required(key)
  }

  /// Accepts keys whose values do not matter.
  public mutating func ignore(_ keys: String...) { for key in keys { know(key) } }

  /// Adds a key to those that the object may have, unless it was added already.
  private mutating func know(_ key: String) { if !known.contains(key) { known.append(key) } }

  /// Ends the reading of the object.
  ///
  /// - Throws: ``JSONError/Kind/unknownKey(_:known:)`` for the first key that was neither read nor ignored.
  public func finish() throws(JSONError) {
    for member in object.members where !known.contains(where: { member.hasKey($0) }) {
      throw member.keyValue.error(.unknownKey(member.key, known: known))
    }
  }

  /// Returns the string under a required key.
  public mutating func requiredString(_ key: String) throws(JSONError) -> String {
    try required(key).requireString()
  }
  /// Returns the string under an optional key; `nil` if the object does not have the key.
  public mutating func optionalString(_ key: String) throws(JSONError) -> String? {
    try optional(key)?.requireString()
  }
  /// Returns the string under a required key. The string must be one of `choices`.
  public mutating func requiredString(_ key: String, oneOf choices: [String]) throws(JSONError) -> String {
    try required(key).requireString(oneOf: choices)
  }
  /// Returns the string under an optional key; `nil` if the object does not have the key. The string must be one of
  /// `choices`.
  public mutating func optionalString(_ key: String, oneOf choices: [String]) throws(JSONError) -> String? {
    try optional(key)?.requireString(oneOf: choices)
  }
  /// Returns the boolean under a required key.
  public mutating func requiredBool(_ key: String) throws(JSONError) -> Bool { try required(key).requireBool() }
  /// Returns the boolean under an optional key; `nil` if the object does not have the key.
  public mutating func optionalBool(_ key: String) throws(JSONError) -> Bool? { try optional(key)?.requireBool() }
  /// Returns the integer under a required key. The integer must be within `range`.
  public mutating func requiredInt(
    _ key: String, in range: ClosedRange<Int> = .min ... .max
  ) throws(JSONError) -> Int { try required(key).requireInt(in: range) }
  /// Returns the integer under an optional key; `nil` if the object does not have the key. The integer must be within
  /// `range`.
  public mutating func optionalInt(
    _ key: String, in range: ClosedRange<Int> = .min ... .max
  ) throws(JSONError) -> Int? { try optional(key)?.requireInt(in: range) }
  /// Returns the number under a required key. The number must be within `range`.
  public mutating func requiredDouble(
    _ key: String, in range: ClosedRange<Double> = JSONValue.finite
  ) throws(JSONError) -> Double { try required(key).requireDouble(in: range) }
  /// Returns the number under an optional key; `nil` if the object does not have the key. The number must be within
  /// `range`.
  public mutating func optionalDouble(
    _ key: String, in range: ClosedRange<Double> = JSONValue.finite
  ) throws(JSONError) -> Double? { try optional(key)?.requireDouble(in: range) }
  /// Returns the elements of the array under a required key.
  public mutating func requiredArray(_ key: String) throws(JSONError) -> JSONElements {
    try required(key).requireArray()
  }
  /// Returns the elements of the array under an optional key; `nil` if the object does not have the key.
  public mutating func optionalArray(_ key: String) throws(JSONError) -> JSONElements? {
    try optional(key)?.requireArray()
  }
  /// Returns a reader for the object under a required key.
  public mutating func requiredObject(_ key: String) throws(JSONError) -> JSONObjectReader {
    try JSONObjectReader(required(key))
  }
  /// Returns a reader for the object under an optional key; `nil` if the object does not have the key.
  public mutating func optionalObject(_ key: String) throws(JSONError) -> JSONObjectReader? {
    guard let value = optional(key) else { return nil }
    return try JSONObjectReader(value)
  }
}
