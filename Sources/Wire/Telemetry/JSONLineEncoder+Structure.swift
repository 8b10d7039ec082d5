extension JSONLineEncoder {
  /// The maximum number of objects and arrays that can be open at the same time.
  public static let maximumDepth = 64

  /// Writes the key of the next value in an object.
  public mutating func key(_ name: StaticString) {
    let bytes = unsafe UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    unsafe writeKey(bytes)
  }

  /// Writes the key of the next value in an object. Its bytes are escaped like text.
  public mutating func key(_ name: Span<UInt8>) {
    unsafe name.withUnsafeBufferPointer { bytes in unsafe writeKey(bytes) }
  }

  /// Writes the key of the next value.
  public mutating func key(_ name: String) { key(name.utf8.span) }

  private mutating func writeKey(_ name: UnsafeBufferPointer<UInt8>) {
    precondition(depth > 0 && !isInArray && pending == .none, "a key belongs in an object, before its value")
    keyStart = count
    // The additional bytes are a comma, two quotes and a colon.
    guard unsafe hasRoom(forText: name, more: 4) else {
      overflowed = true
      pending = .dropped
      return
    }
    if needsComma { put(UInt8(ascii: ",")) }
    unsafe putText(name)
    put(UInt8(ascii: ":"))
    pending = .key
  }

  /// Opens an object as the next value.
  ///
  /// - Returns: `false` if the object does not fit. Do not write into it then.
  @discardableResult
  public mutating func beginObject() -> Bool { open(UInt8(ascii: "{"), isArray: false) }

  /// Opens an array as the next value.
  ///
  /// - Returns: `false` if the array does not fit. Do not write into it then.
  @discardableResult
  public mutating func beginArray() -> Bool { open(UInt8(ascii: "["), isArray: true) }

  /// Writes a key and opens an object; see ``beginObject()``.
  @discardableResult
  public mutating func beginObject(_ name: StaticString) -> Bool {
    key(name)
    return beginObject()
  }

  /// Writes a key and opens an array; see ``beginArray()``.
  @discardableResult
  public mutating func beginArray(_ name: StaticString) -> Bool {
    key(name)
    return beginArray()
  }

  /// Closes the innermost object or array. There is always room for its bracket.
  public mutating func end() {
    precondition(depth > 0 && pending == .none, "nothing is open, or a key has no value")
    let bracket = isInArray ? UInt8(ascii: "]") : UInt8(ascii: "}")
    depth -= 1
    kept -= 1
    put(bracket)
    needsComma = true
  }

  /// Whether the innermost open level is an array, not an object.
  var isInArray: Bool {
    // At most 64 levels are open, one for each bit.
    @inline(__always) get { depth > 0 && arrays &>> UInt64(truncatingIfNeeded: depth &- 1) & 1 == 1 }
  }

  @discardableResult
  mutating func open(_ bracket: UInt8, isArray: Bool) -> Bool {
    precondition(depth < Self.maximumDepth, "nested too deeply")
    // Room is needed for the opening bracket, and for the closing bracket, whose room stays reserved.
    if depth > 0 {
      guard startValue(room: 2) else { return false }
    }
    put(bracket)
    depth += 1
    kept += 1
    let bit: UInt64 = 1 << UInt64(depth - 1)
    arrays = isArray ? arrays | bit : arrays & ~bit
    needsComma = false
    return true
  }

  /// Prepares for writing a value of at most `room` bytes.
  ///
  /// - Returns: `false` if the value does not fit. Its key is then removed.
  @inline(__always)
  mutating func startValue(room: Int) -> Bool {
    switch pending {
    case .key:
      pending = .none
      guard hasRoom(room) else { return dropValue() }
    case .dropped:
      pending = .none
      return false
    case .none:
      precondition(isInArray, "a value in an object needs a key")
      keyStart = count
      guard hasRoom(room + 1) else { return dropValue() }
      if needsComma { put(UInt8(ascii: ",")) }
    }
    needsComma = true
    return true
  }

  /// Removes the key of a value that does not fit, and returns `false`.
  @inline(never)
  private mutating func dropValue() -> Bool {
    count = keyStart
    overflowed = true
    return false
  }

  /// Omits a value that is not finite, together with its key.
  mutating func skipValue() {
    if pending == .key { count = keyStart }
    pending = .none
  }

  /// Appends one byte, for which the caller has reserved room.
  @inline(__always)
  mutating func put(_ byte: UInt8) {
    // Every caller has called `hasRoom`, or uses room that ``kept`` reserves.
    unsafe base[count] = byte
    count &+= 1
  }
}
