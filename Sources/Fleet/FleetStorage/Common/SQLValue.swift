import Telemetry

/// A value that goes into a statement or comes out of it.
enum SQLValue: Equatable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case bytes([UInt8])
  /// An identifier: 16 bytes in SQLite, `uuid` in PostgreSQL.
  case identifier(UUIDv7)

  init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }
  init(_ number: Int32) { self = .integer(Int64(number)) }
  init(_ text: String?) { self = text.map { .text($0) } ?? .null }
}

/// One row that came out of a statement. Columns count from 0; which type a column has, its statement says.
struct SQLRow: Equatable, Sendable {
  let values: [SQLValue]

  /// 0 where it is null or no number.
  func integer(_ column: Int) -> Int64 { optionalInteger(column) ?? 0 }

  func optionalInteger(_ column: Int) -> Int64? {
    if case .integer(let number) = values[column] { number } else { nil }
  }

  /// Empty where it is null or no text.
  func text(_ column: Int) -> String { optionalText(column) ?? "" }

  func optionalText(_ column: Int) -> String? {
    if case .text(let text) = values[column] { text } else { nil }
  }

  /// Empty where it is null or not bytes.
  func bytes(_ column: Int) -> [UInt8] {
    if case .bytes(let bytes) = values[column] { bytes } else { [] }
  }

  /// Nil where it is null or none.
  func identifier(_ column: Int) -> UUIDv7? {
    switch values[column] {
    case .identifier(let identifier): identifier
    case .bytes(let bytes): UUIDv7(bytes: bytes)
    default: nil
    }
  }
}
