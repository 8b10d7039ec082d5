/// A CBOR data item (RFC 8949) in the form that authenticators send: CTAP2 canonical CBOR.
///
/// Only the items that WebAuthn uses are supported: integers, byte and text strings, arrays, maps, booleans and null.
/// All items must have a definite length and the shortest form, with at most ``maximumDepth`` levels. Map keys must be
/// unique integers or texts. Everything else is an error, so that each item has exactly one encoding.
indirect enum CBOR: Equatable, Sendable {
  /// Zero or a positive integer.
  case unsigned(UInt64)
  /// The integer −1 − n, where n is the associated value.
  case negative(UInt64)
  case bytes([UInt8])
  case text(String)
  case array([CBOR])
  case map([Key: CBOR])
  case bool(Bool)
  case null

  /// A key of a map.
  enum Key: Hashable, Sendable {
    case integer(Int64)
    case text(String)
  }

  /// Maximum number of levels of arrays and maps (CTAP 2.1, section 8: at most four).
  static let maximumDepth = 4

  /// The value of a key; `nil` if this is not a map or has no such key.
  subscript(key key: Key) -> CBOR? {
    if case .map(let members) = self { members[key] } else { nil }
  }

  /// The number; `nil` if this is not an integer, or `Int64` cannot represent it.
  var integer: Int64? {
    switch self {
    case .unsigned(let value): Int64(exactly: value)
    case .negative(let value): Int64(exactly: value).map { -1 - $0 }
    default: nil
    }
  }

  /// The bytes; `nil` if this is not a byte string.
  var byteString: [UInt8]? {
    if case .bytes(let bytes) = self { bytes } else { nil }
  }

  /// The text; `nil` if this is not a text string.
  var textString: String? {
    if case .text(let text) = self { text } else { nil }
  }
}

/// An error in CBOR bytes, with its offset.
struct CBORError: Error, Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    /// The bytes end inside an item.
    case truncated
    /// A length or number is not in its shortest form.
    case notShortest
    /// A type that WebAuthn does not use: a tag, a float, an undefined or simple value, an indefinite length.
    case unsupported(UInt8)
    /// A text string that is not UTF-8.
    case invalidUTF8
    /// More than ``CBOR/maximumDepth`` levels.
    case tooDeep
    /// A map key that is neither an integer nor a text.
    case invalidKey
    /// A map has the same key twice.
    case duplicateKey
    /// Bytes follow the item.
    case trailingBytes
  }

  let kind: Kind
  /// Offset of the item's first byte.
  let offset: Int
}

/// Reads CBOR items from the beginning of a byte sequence.
struct CBORReader {
  private let bytes: ArraySlice<UInt8>
  private(set) var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// Reads bytes that contain exactly one item.
  static func item(_ bytes: [UInt8]) throws(CBORError) -> CBOR {
    var reader = CBORReader(bytes[...])
    let item = try reader.next()
    guard reader.position == bytes.count else { throw CBORError(kind: .trailingBytes, offset: reader.position) }
    return item
  }

  /// Reads the next item. The next call continues after it.
  mutating func next() throws(CBORError) -> CBOR { try next(depth: 1) }

  private mutating func next(depth: Int) throws(CBORError) -> CBOR {
    let start = position
    guard position < bytes.endIndex else { throw CBORError(kind: .truncated, offset: start) }
    let initial = bytes[position]
    let major = initial >> 5
    if major == 7 {
      position += 1
      switch initial {
      case 0xF4: return .bool(false)
      case 0xF5: return .bool(true)
      case 0xF6: return .null
      default: throw CBORError(kind: .unsupported(initial), offset: start)
      }
    }
    guard major != 6 else { throw CBORError(kind: .unsupported(initial), offset: start) }
    let argument = try argument()
    switch major {
    case 0: return .unsigned(argument)
    case 1: return .negative(argument)
    case 2: return .bytes(Array(try string(argument, from: start)))
    case 3:
      guard let text = String(validating: try string(argument, from: start), as: UTF8.self) else {
        throw CBORError(kind: .invalidUTF8, offset: start)
      }
      return .text(text)
    case 4: return try array(argument, from: start, depth: depth)
    default: return try map(argument, from: start, depth: depth)
    }
  }

  /// Reads the argument of the item's head (RFC 8949, section 3).
  private mutating func argument() throws(CBORError) -> UInt64 {
    let start = position
    let initial = bytes[position]
    position += 1
    let width: Int
    switch initial & 31 {
    case let value where value < 24: return UInt64(value)
    case 24: width = 1
    case 25: width = 2
    case 26: width = 4
    case 27: width = 8
    default: throw CBORError(kind: .unsupported(initial), offset: start)
    }
    guard bytes.endIndex - position >= width else { throw CBORError(kind: .truncated, offset: start) }
    let value = bytes[position..<position + width].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    position += width
    let least: UInt64 = width == 1 ? 24 : 1 << (UInt64(width) * 4)
    guard value >= least else { throw CBORError(kind: .notShortest, offset: start) }
    return value
  }

  private mutating func string(_ count: UInt64, from start: Int) throws(CBORError) -> ArraySlice<UInt8> {
    guard count <= UInt64(bytes.endIndex - position) else { throw CBORError(kind: .truncated, offset: start) }
    defer { position += Int(count) }
    return bytes[position..<position + Int(count)]
  }

  private mutating func array(_ count: UInt64, from start: Int, depth: Int) throws(CBORError) -> CBOR {
    try enter(count, itemsEach: 1, from: start, depth: depth)
    var items: [CBOR] = []
    for _ in 0..<count { items.append(try next(depth: depth + 1)) }
    return .array(items)
  }

  private mutating func map(_ count: UInt64, from start: Int, depth: Int) throws(CBORError) -> CBOR {
    try enter(count, itemsEach: 2, from: start, depth: depth)
    var members: [CBOR.Key: CBOR] = [:]
    for _ in 0..<count {
      let place = position
      let key: CBOR.Key
      switch try next(depth: depth + 1) {
      case .text(let text): key = .text(text)
      case let item:
        guard let number = item.integer else { throw CBORError(kind: .invalidKey, offset: place) }
        key = .integer(number)
      }
      guard members.updateValue(try next(depth: depth + 1), forKey: key) == nil else {
        throw CBORError(kind: .duplicateKey, offset: place)
      }
    }
    return .map(members)
  }

  /// Checks the head of an array or map before its items are read: it must not be nested too deeply, and enough bytes
  /// must remain for the number of items that the head states. Therefore, a wrong number cannot cause a large
  /// allocation.
  ///
  /// - Parameter itemsEach: the number of items for each counted element: 1 for an array, 2 for a map.
  private func enter(_ count: UInt64, itemsEach: UInt64, from start: Int, depth: Int) throws(CBORError) {
    guard depth <= CBOR.maximumDepth else { throw CBORError(kind: .tooDeep, offset: start) }
    guard count <= UInt64(bytes.endIndex - position) / itemsEach else {
      throw CBORError(kind: .truncated, offset: start)
    }
  }
}
