import Telemetry

/// The value of a statement's parameter, or of a column in a row.
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
  init(_ value: LastKnownValue?) { self = value.map { .bytes($0.bytes) } ?? .null }
}

/// A row of a statement's result. Columns are numbered from 0. The statement determines the number and types of
/// columns.
struct SQLRow: Equatable, Sendable {
  let values: [SQLValue]

  /// The integer in a column; 0 if the column is null or not a number.
  func integer(_ column: Int) -> Int64 { optionalInteger(column) ?? 0 }

  func optionalInteger(_ column: Int) -> Int64? {
    if case .integer(let number) = values[column] { number } else { nil }
  }

  /// The text in a column; empty if the column is null or not a text.
  func text(_ column: Int) -> String { optionalText(column) ?? "" }

  func optionalReal(_ column: Int) -> Double? {
    switch values[column] {
    case .real(let number): number
    case .integer(let number): Double(number)
    default: nil
    }
  }

  func optionalText(_ column: Int) -> String? {
    if case .text(let text) = values[column] { text } else { nil }
  }

  /// The bytes in a column; empty if the column is null or contains another type.
  func bytes(_ column: Int) -> [UInt8] {
    if case .bytes(let bytes) = values[column] { bytes } else { [] }
  }

  /// The identifier in a column; `nil` if the column is null or contains another type.
  func identifier(_ column: Int) -> UUIDv7? {
    switch values[column] {
    case .identifier(let identifier): identifier
    case .bytes(let bytes): UUIDv7(bytes: bytes)
    default: nil
    }
  }
}
