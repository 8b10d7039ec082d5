extension JSONLineEncoder {
  /// The deepest nesting an encoder can hold.
  public static let maximumDepth = 64

  /// Writes the key of the next value.
  public mutating func key(_ name: StaticString) {
    let bytes = unsafe UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    unsafe writeKey(bytes)
  }

  /// Writes the key of the next value; the bytes are escaped as text is.
  public mutating func key(_ name: Span<UInt8>) {
    unsafe name.withUnsafeBufferPointer { bytes in unsafe writeKey(bytes) }
  }

  /// Writes the key of the next value.
  public mutating func key(_ name: String) { key(name.utf8.span) }

  private mutating func writeKey(_ name: UnsafeBufferPointer<UInt8>) {
    precondition(depth > 0 && !isInArray && pending == .none, "a key stands in an object, before its value")
    keyStart = count
    // Comma, two quotes, colon.
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

  /// Opens an object as the next value. False: it did not fit; nothing may be written into it.
  @discardableResult
  public mutating func beginObject() -> Bool { open(UInt8(ascii: "{"), isArray: false) }

  /// Opens an array as the next value. False: it did not fit; nothing may be written into it.
  @discardableResult
  public mutating func beginArray() -> Bool { open(UInt8(ascii: "["), isArray: true) }

  /// Opens an object under a key; see ``beginObject()``.
  @discardableResult
  public mutating func beginObject(_ name: StaticString) -> Bool {
    key(name)
    return beginObject()
  }

  /// Opens an array under a key; see ``beginArray()``.
  @discardableResult
  public mutating func beginArray(_ name: StaticString) -> Bool {
    key(name)
    return beginArray()
  }

  /// Closes the innermost object or array. Always fits.
  public mutating func end() {
    precondition(depth > 0 && pending == .none, "nothing is open, or a key has no value")
    let bracket = isInArray ? UInt8(ascii: "]") : UInt8(ascii: "}")
    depth -= 1
    kept -= 1
    put(bracket)
    needsComma = true
  }

  /// Whether the innermost open level is an array.
  var isInArray: Bool { depth > 0 && arrays >> UInt64(depth - 1) & 1 == 1 }

  @discardableResult
  mutating func open(_ bracket: UInt8, isArray: Bool) -> Bool {
    precondition(depth < Self.maximumDepth, "nested too deeply")
    // The bracket and, kept free for later, the one that closes it.
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

  /// Prepares the place of a value of at most `room` bytes. False: it does not fit, its key is taken back.
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

  /// Takes back the key of a value that does not fit.
  @inline(never)
  private mutating func dropValue() -> Bool {
    count = keyStart
    overflowed = true
    return false
  }

  /// Leaves out a value that is none, and its key.
  mutating func skipValue() {
    if pending == .key { count = keyStart }
    pending = .none
  }

  /// Appends one byte; the caller has made sure of its room.
  @inline(__always)
  mutating func put(_ byte: UInt8) {
    // Every caller has asked hasRoom, or writes into the room that `kept` holds free.
    unsafe base[count] = byte
    count &+= 1
  }
}
