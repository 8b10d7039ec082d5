import FleetDomain
import Telemetry

/// The rows of a file that is imported.
public struct ImportFile: Sendable {
  public let format: ImportFormat
  public private(set) var rows: [ImportRow] = []
  public private(set) var errors: [ImportError] = []
  /// Rows that do not describe a thing of the imported kind, such as reminders, each with the reason.
  public private(set) var skipped: [ImportError] = []

  /// The maximum number of rows.
  public static let mostRows = 5_000

  /// Reads a file of any known format. Rows with errors are left out.
  public init(_ text: CSVText, _ kind: ImportKind, _ options: ImportOptions) {
    let table = RawTable(text, kind, options)
    format = table.format
    (errors, skipped) = (table.errors, table.skipped)
    guard table.rows.count <= Self.mostRows else {
      errors.append(
        ImportError(
          line: table.rows[Self.mostRows].line, column: nil,
          message: "expected at most \(Self.mostRows) rows, found \(table.rows.count); divide the file"))
      return
    }
    let forms = Forms(table.rows, text.separator, options)
    for row in table.rows {
      var result = ImportRow(line: row.line, values: row.constants, columns: row.cells.mapValues(\.column))
      for (key, cell) in row.cells.sorted(by: { $0.key < $1.key }) {
        switch forms.read(cell, options) {
        case .success(.null): break
        case .success(let json) where key == "id" && kind != .vehicles:
          result.id = try? UUIDv7(json: json)
          if result.id == nil {
            errors.append(result.error(key, "expected a UUID of version 7, found \(json.summary)"))
          }
        case .success(let json): result.set(json, key)
        case .failure(let reason): errors.append(result.error(key, reason.message))
        }
      }
      if errors.last?.line != row.line { rows.append(result) }
    }
    errors.sort { ($0.line, $0.column ?? 0) < ($1.line, $1.column ?? 0) }
  }
}

extension ImportRow {
  /// Sets a value by its path: `total.amount` is the member `amount` of the object `total`.
  fileprivate mutating func set(_ json: JSON, _ path: String) {
    guard let point = path.firstIndex(of: ".") else {
      values[path] = json
      return
    }
    let (key, rest) = (String(path[..<point]), String(path[path.index(after: point)...]))
    var members: [String: JSON] = [:]
    if case .object(let old)? = values[key] { members = old }
    members[rest] = json
    values[key] = .object(members)
  }
}

/// The meaning of the text in a cell.
enum CellMeaning: Equatable {
  case text
  /// A number, with the factor by which it is multiplied.
  case number(times: Double)
  /// An odometer reading, multiplied by `times`. A cell with 0 contains no reading.
  case reading(times: Double)
  /// An amount of money. A cell with 0 contains no amount.
  case money
  /// A decimal number that stays a text.
  case amount
  case time
  case day
  case flag
  /// A boolean whose opposite is the field's value.
  case noFlag
  /// Texts that are separated by `;`.
  case list
  case json
}

struct RawCell: Equatable {
  let text: String
  let column: Int
  let meaning: CellMeaning
}

struct RawRow: Equatable {
  let line: Int
  var cells: [String: RawCell] = [:]
  var constants: [String: JSON] = [:]
}

/// The format of a file's numbers and dates. It is determined from all cells together.
private struct Forms {
  private var decimal: DecimalMark?
  private var dates: DateOrder?

  struct Reason: Error {
    let message: String
  }

  init(_ rows: [RawRow], _ separator: UInt8, _ options: ImportOptions) {
    var (marks, orders): (Set<DecimalMark>, Set<DateOrder>) = ([], [])
    for cell in rows.flatMap(\.cells.values) {
      switch cell.meaning {
      case .number, .reading, .money, .amount: if let mark = ImportNumber.mark(in: cell.text) { marks.insert(mark) }
      case .time, .day: if let order = ImportDate(cell.text)?.order { orders.insert(order) }
      default: break
      }
    }
    decimal = options.decimal ?? (marks.count == 1 ? marks.first : nil)
    if decimal == nil, marks.isEmpty {
      let ambiguous = rows.flatMap(\.cells.values).map(\.text).filter { ImportNumber.isAmbiguous($0) }
      switch separator {
      // Programs write semicolons between cells if the comma is their decimal mark.
      case UInt8(ascii: ";"): decimal = .comma
      case UInt8(ascii: ",") where !ambiguous.contains { $0.contains(",") }: decimal = .point
      default: break
      }
    }
    dates = options.dates ?? (orders.count == 1 ? orders.first : nil)
  }

  /// Reads a cell.
  ///
  /// - Returns: `null` for an empty cell.
  func read(_ cell: RawCell, _ options: ImportOptions) -> Result<JSON, Reason> {
    let text = cell.text.trimmed
    guard !text.isEmpty else { return .success(.null) }
    func failure(_ expected: String) -> Result<JSON, Reason> {
      .failure(Reason(message: "expected \(expected), found \(JSON.text(text).summary)"))
    }
    switch cell.meaning {
    case .text: return .success(.text(text))
    case .list:
      let parts = text.split(separator: ";").map { JSON.text($0.trimmed) }
      return .success(.array(parts))
    case .json:
      guard let json = try? JSON(parsing: Array(text.utf8)) else { return failure("JSON") }
      return .success(json)
    case .flag, .noFlag:
      guard let flag = Self.flag(text) else { return failure("yes or no") }
      return .success(.bool(flag == (cell.meaning == .flag)))
    case .number(let factor), .reading(let factor):
      guard let number = number(text).flatMap({ Double($0) }) else { return failure(expected("a number", text)) }
      if case .reading = cell.meaning, number == 0 { return .success(.null) }
      return .success((number * factor).json)
    case .amount:
      guard let amount = number(text) else { return failure(expected("an amount", text)) }
      return .success(.text(amount))
    case .money: return money(text, options)
    case .time, .day:
      if let time = try? Timestamp(json: .text(text)) { return .success(time.json) }
      guard let date = ImportDate(text) else { return failure("a date") }
      guard !date.isAmbiguous || dates != nil else {
        return failure("a date whose order is known; add dates=dmy or dates=mdy")
      }
      guard let time = date.text(dates ?? date.order ?? .dayFirst) else { return failure("a day of the calendar") }
      return .success(.text(cell.meaning == .day ? String(time.prefix(10)) : time))
    }
  }

  private func number(_ text: String) -> String? {
    if let decimal { return ImportNumber.decimal(text, decimal) }
    guard !ImportNumber.isAmbiguous(text) else { return nil }
    return ImportNumber.decimal(text, ImportNumber.mark(in: text) ?? .point)
  }

  private func expected(_ value: String, _ text: String) -> String {
    decimal == nil && ImportNumber.isAmbiguous(text)
      ? "\(value) whose decimal mark is known; add decimal=point or decimal=comma" : value
  }

  private func money(_ text: String, _ options: ImportOptions) -> Result<JSON, Reason> {
    guard let number = number(text), let value = Double(number) else {
      return .failure(Reason(message: "expected \(expected("money", text)), found \(JSON.text(text).summary)"))
    }
    if value == 0 { return .success(.null) }
    let letters = String(text.filter { $0.isASCII && $0.isLetter })
    let symbols: [Character: String] = ["€": "EUR", "£": "GBP"]
    let written = letters.count == 3 ? letters.uppercased() : text.lazy.compactMap { symbols[$0] }.first
    guard let currency = written ?? options.currency else {
      return .failure(Reason(message: "expected a currency; add currency=EUR, or another one"))
    }
    // Only four decimals are stored, but other programs write more.
    let parts = number.split(separator: ".")
    let amount =
      parts.count == 2 && parts[1].utf8.count > 4
      ? Money(tenThousandths: Int64((value * 10_000).rounded()), currency: currency).amount : number
    return .success(.object(["amount": .text(amount), "currency": .text(currency)]))
  }

  /// Returns the boolean for a word such as yes or no in the languages of the programs; `nil` for any other text.
  private static func flag(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "1", "true", "yes", "y", "sim", "si", "sí", "sì", "ja", "oui", "tak", "да": true
    case "0", "false", "no", "n", "não", "nao", "nein", "non", "nie", "нет": false
    default: nil
    }
  }
}
