import FleetDomain
import Telemetry

/// The meaning of the text in a cell.
enum CellMeaning: Equatable {
  case text
  /// A number, with the factor by which it is multiplied.
  case number(times: ExactDecimal)
  /// An odometer reading, multiplied by `times`. A cell with 0 contains no reading.
  case reading(times: ExactDecimal)
  /// An amount of money. A cell with 0 contains no amount.
  case money
  /// A decimal number without a currency, which is stored as a text.
  case amount
  case time
  case day
  case flag
  /// A boolean that is stored negated: the field is `true` if the cell means "no".
  case noFlag
  /// Texts that are separated by `;`.
  case list
  case json
  /// A member of an object: a number or an object if the cell contains one, otherwise a text.
  case member

  static let number = CellMeaning.number(times: .one)
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
  /// Names of the row's vehicle in the file, the most exact name first.
  var vehicleNames: [String] = []
  /// The currency of the row's amounts; `nil` if the row contains no currency.
  var currency: String?
  /// The id of the row in the program that wrote the file; `nil` if the row contains none.
  var sourceID: String?

  init(line: Int) { self.line = line }
}

/// The format of a file's numbers and dates. The format is determined from all cells of the file together, so a date
/// has the same meaning in all sections of the file.
struct Forms {
  private var decimal: DecimalMark?
  private var dates: DateOrder?

  struct Reason: Error {
    let message: String
  }

  init(_ table: RawTable, _ text: CSVText, _ options: ImportOptions) {
    guard WorkTurn.mayContinue else { return }
    let cells = table.rows.flatMap(\.cells.values)
    var marks: Set<DecimalMark> = []
    for cell in cells {
      switch cell.meaning {
      case .number, .reading, .money, .amount: if let mark = ImportNumber.mark(in: cell.text) { marks.insert(mark) }
      default: break
      }
    }
    if marks.isEmpty { marks = Set(text.rows.lazy.flatMap(\.cells).compactMap { ImportNumber.mark(in: $0) }) }
    decimal = options.decimal ?? (text.isExact ? .point : marks.count == 1 ? marks.first : nil)
    if decimal == nil, marks.isEmpty {
      let ambiguous = cells.map(\.text).filter { ImportNumber.isAmbiguous($0) }
      switch text.separator {
      // Programs write semicolons between cells if the comma is their decimal mark.
      case UInt8(ascii: ";"): decimal = .comma
      case UInt8(ascii: ",") where !ambiguous.contains { $0.contains(",") }: decimal = .point
      default: break
      }
    }
    let orders = Set(text.rows.lazy.flatMap(\.cells).compactMap { ImportDate($0)?.order })
    dates = options.dates ?? (orders.isEmpty ? table.dates : orders.count == 1 ? orders.first : nil)
  }

  /// Reads a cell.
  ///
  /// - Parameters:
  ///   - currency: the currency of amounts that are written without a currency.
  ///   - zone: the time zone of times that are written without a zone.
  /// - Returns: JSON `null` for an empty cell, and for an odometer reading or an amount of 0.
  func read(_ cell: RawCell, currency: String?, _ zone: ZoneRules) -> Result<JSON, Reason> {
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
    case .member:
      // An amount that a person entered (``EnteredAmounts``) is a JSON object.
      if text.hasPrefix("{"), let json = try? JSON(parsing: Array(text.utf8)) { return .success(json) }
      return .success(number(text).flatMap { Double($0) }?.json ?? .text(text))
    case .flag, .noFlag:
      guard let flag = Self.flag(text) else { return failure("yes or no") }
      return .success(.bool(flag == (cell.meaning == .flag)))
    case .number(let factor), .reading(let factor):
      guard let number = number(text).flatMap({ ExactDecimal($0) })?.multiplied(by: factor),
        let value = Double(number.text)
      else { return failure(expected("a number", text)) }
      if case .reading = cell.meaning, number.digits == 0 { return .success(.null) }
      return .success(value.json)
    case .amount:
      guard let amount = number(text) else { return failure(expected("an amount", text)) }
      return .success(.text(amount))
    case .money: return money(text, currency)
    case .time, .day: return time(text, isDay: cell.meaning == .day, zone)
    }
  }

  /// Returns why the time in a cell is uncertain: when clocks were set, they skipped this local time or showed it
  /// twice. Returns `nil` for all other cells.
  ///
  /// - Parameter zone: the time zone of times that are written without a zone.
  func doubt(_ cell: RawCell, _ zone: ZoneRules) -> String? {
    let text = cell.text.trimmed
    guard cell.meaning == .time, (try? Timestamp(json: .text(text))) == nil, Self.timeWithOffset(text) == nil,
      let date = ImportDate(text), let order = dates ?? date.order ?? (date.isAmbiguous ? nil : .dayFirst),
      let time = date.time(order, in: zone)
    else { return nil }
    switch zone.clockChange(at: time, secondsOfDay: Int64(date.seconds)) {
    case .none: return nil
    case .skipped: return "clocks skipped this time; taken as \(time.string)"
    case .repeated: return "clocks showed this time twice; taken as the first, \(time.string)"
    }
  }

  private func time(_ text: String, isDay: Bool, _ zone: ZoneRules) -> Result<JSON, Reason> {
    if let time = try? Timestamp(json: .text(text)) { return .success(isDay ? zone.day(of: time).json : time.json) }
    if let time = Self.timeWithOffset(text) { return .success(isDay ? zone.day(of: time).json : time.json) }
    guard let date = ImportDate(text) else {
      return .failure(Reason(message: "expected a date, found \(JSON.text(text).summary)"))
    }
    guard !date.isAmbiguous || dates != nil else {
      return .failure(
        Reason(
          message:
            "expected a date whose order is known; add dates=dmy or dates=mdy, found \(JSON.text(text).summary)"))
    }
    let order = dates ?? date.order ?? .dayFirst
    guard let day = date.day(order), let time = date.time(order, in: zone) else {
      return .failure(
        Reason(
          message:
            "expected a day of the calendar\(date.isYearFirst ? "" : ", in the order of the file's other dates"), found \(JSON.text(text).summary)"
        ))
    }
    return .success(isDay ? day.json : .text(time.string.dropLast(5) + "Z"))
  }

  /// Parses a time whose offset is written without a colon, such as `2026-05-04T10:00:00.000+0000`; `nil` for any other
  /// text.
  private static func timeWithOffset(_ text: String) -> Timestamp? {
    guard text.utf8.count > 5, let sign = text.dropLast(4).last, "+-".contains(sign),
      text.suffix(4).allSatisfy({ $0.isASCII && $0.isNumber })
    else { return nil }
    return try? Timestamp(json: .text(text.dropLast(2) + ":" + text.suffix(2)))
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

  private func money(_ text: String, _ currency: String?) -> Result<JSON, Reason> {
    guard let number = number(text), let value = ExactDecimal(number) else {
      return .failure(Reason(message: "expected \(expected("money", text)), found \(JSON.text(text).summary)"))
    }
    if value.digits == 0 { return .success(.null) }
    let letters = String(text.filter { $0.isASCII && $0.isLetter })
    let symbols: [Character: String] = ["€": "EUR", "£": "GBP"]
    let written = letters.count == 3 ? letters.uppercased() : text.lazy.compactMap { symbols[$0] }.first
    guard let currency = written ?? currency else {
      return .failure(Reason(message: "expected a currency; add currency=EUR, or another one"))
    }
    // Only four decimals are stored, but other programs write more.
    guard value.scale > 4 else { return .success(.object(["amount": .text(number), "currency": .text(currency)])) }
    guard let amount = value.units(ofScale: 4) else {
      return .failure(Reason(message: "expected an amount of money, found \(JSON.text(text).summary)"))
    }
    return .success(
      .object([
        "amount": .text(Money(tenThousandths: Int128(amount), currency: currency).amount), "currency": .text(currency),
      ]))
  }

  /// Returns the boolean for a word such as yes or no in the languages of the programs; `nil` for any other text.
  static func flag(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "1", "true", "yes", "y", "sim", "si", "sí", "sì", "ja", "oui", "tak", "да": true
    case "0", "false", "no", "n", "não", "nao", "nein", "non", "nie", "нет": false
    default: nil
    }
  }
}
