import Telemetry

/// Object identifiers of PostgreSQL's built-in types (pg_type.dat), which never change.
enum PostgreSQLType {
  static let bytea: UInt32 = 17
  static let int8: UInt32 = 20
  static let int2: UInt32 = 21
  static let int4: UInt32 = 23
  static let text: UInt32 = 25
  static let float8: UInt32 = 701
  static let byteaArray: UInt32 = 1_001
  static let int2Array: UInt32 = 1_005
  static let int4Array: UInt32 = 1_007
  static let textArray: UInt32 = 1_009
  static let int8Array: UInt32 = 1_016
  static let uuid: UInt32 = 2_950
  static let uuidArray: UInt32 = 2_951
}

/// The parameters of a statement in PostgreSQL's binary format, all in one buffer.
struct PostgreSQLParameters {
  private(set) var types: [UInt32] = []
  /// Start and length of each parameter in the buffer; the length is -1 for null.
  private(set) var places: [(start: Int, count: Int)] = []
  private(set) var buffer: [UInt8] = []

  init() {}

  init(_ values: [SQLValue]) {
    for value in values { add(value) }
  }

  mutating func add(_ value: SQLValue) {
    switch value {
    case .null:
      types.append(0)
      places.append((0, -1))
    case .integer(let number): add(PostgreSQLType.int8) { $0.append(bigEndian: number) }
    case .real(let number): add(PostgreSQLType.float8) { $0.append(bigEndian: number.bitPattern) }
    case .text(let text): add(PostgreSQLType.text) { $0.append(contentsOf: text.utf8) }
    case .bytes(let bytes): add(PostgreSQLType.bytea) { $0.append(contentsOf: bytes) }
    case .identifier(let id): add(high: id.high, low: id.low)
    }
  }

  /// Adds a `uuid` parameter of any 128 bits. They need not be a UUID of version 7, because they may be the end of a
  /// range.
  mutating func add(high: UInt64, low: UInt64) {
    add(PostgreSQLType.uuid) {
      $0.append(bigEndian: high)
      $0.append(bigEndian: low)
    }
  }

  /// Adds an array; `write` appends the bytes of one element.
  mutating func add<Element>(
    array elements: [Element], of type: UInt32, arrayType: UInt32, _ write: (Element, inout [UInt8]) -> Void
  ) {
    add(optionals: elements, of: type, arrayType: arrayType, write)
  }

  /// Adds an array in which `nil` becomes null.
  mutating func add<Element>(
    optionals elements: [Element?], of type: UInt32, arrayType: UInt32, _ write: (Element, inout [UInt8]) -> Void
  ) {
    add(arrayType) { buffer in
      // The header of an array: number of dimensions (1), whether there are nulls, type of the elements, number of the
      // elements, and index of the first element (1).
      buffer.append(bigEndian: Int32(1))
      buffer.append(bigEndian: Int32(1))
      buffer.append(bigEndian: type)
      buffer.append(bigEndian: Int32(elements.count))
      buffer.append(bigEndian: Int32(1))
      for element in elements {
        guard let element else {
          buffer.append(bigEndian: Int32(-1))
          continue
        }
        let place = buffer.count
        buffer.append(bigEndian: Int32(0))
        write(element, &buffer)
        let count = UInt32(truncatingIfNeeded: buffer.count - place - 4)
        for index in 0..<4 { buffer[place + index] = UInt8(truncatingIfNeeded: count >> (24 - 8 * UInt32(index))) }
      }
    }
  }

  private mutating func add(_ type: UInt32, _ write: (inout [UInt8]) -> Void) {
    let start = buffer.count
    types.append(type)
    write(&buffer)
    places.append((start, buffer.count - start))
  }
}

extension [UInt8] {
  /// Appends the bytes of a number, big-endian.
  mutating func append<Number: FixedWidthInteger>(bigEndian number: Number) {
    var shift = Number.bitWidth
    while shift > 0 {
      shift -= 8
      append(UInt8(truncatingIfNeeded: number >> Number(shift)))
    }
  }
}
