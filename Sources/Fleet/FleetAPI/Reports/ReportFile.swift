import FleetDomain
import FleetWork

/// A report in the format of a file: CSV, XLSX or PDF.
struct ReportFile {
  let name: String
  let mediaType: String
  let bytes: [UInt8]

  /// Creates the file of a report.
  ///
  /// - Parameter rows: the rows of the report, only with the members that the reader may see.
  init(_ report: Report, rows: [JSON], as format: Report.Format) throws {
    // In a spreadsheet, each row contains the numbers of days and journeys that were not final, because the table has
    // no other place for them.
    let isTable = format != .pdf
    let rows = rows.map { isTable ? Self.adding(report.pending, to: $0) : Self.titled($0) }.map(Self.readable)
    let columns = Self.columns(of: rows)
    let title = "\(report.topic.rawValue) \(report.from.text) to \(report.to.text)"
    var writer: any ExportWriter
    switch format {
    case .csv:
      writer = CSVWriter(columns)
      mediaType = "text/csv; charset=utf-8"
    case .xlsx:
      writer = try XLSXWriter(columns)
      mediaType = ExportFormat.xlsx.mediaType
    case .pdf:
      let period = "\(report.from.text) to \(report.to.text)"
      writer = PDFWriter(
        columns.map { Self.heading(of: $0, in: report) },
        title: "\(Self.words(report.topic.rawValue)), \(period)\(Self.note(report.pending))")
      mediaType = "application/pdf"
    }
    var bytes = try writer.begin()
    let layout = ExportLayout(columns)
    for row in rows {
      guard WorkTurn.mayContinue else { break }
      bytes += try writer.add(layout.cells(of: row))
    }
    self.bytes = bytes + (try writer.finish())
    name = title.replacing(" ", with: "-") + "." + format.rawValue
  }

  private static func adding(_ pending: Report.Pending?, to row: JSON) -> JSON {
    guard let pending, case .object(let members) = row else { return row }
    return .object(members.merging(["pending": pending.json]) { $1 })
  }

  /// Returns a text to append to the title. It states how many days and journeys were not final; it is empty if all
  /// were final.
  private static func note(_ pending: Report.Pending?) -> String {
    guard let pending else { return "" }
    var parts: [String] = []
    if pending.days > 0 { parts.append("days of vehicles without all records: \(pending.days)") }
    if let journeys = pending.journeys { parts.append("journeys not final: \(journeys)") }
    return " (" + parts.joined(separator: "; ") + ")"
  }

  /// Replaces the id in the column `group` by the group's name, because readers of a paper report do not know ids.
  private static func titled(_ row: JSON) -> JSON {
    guard case .object(var members) = row, let name = members.removeValue(forKey: "name") else { return row }
    members["group"] = name
    return .object(members)
  }

  /// Returns the columns of the file: first the columns `group` and, if rows have one, `name`, then a column for each
  /// other member, sorted by name.
  private static func columns(of rows: [JSON]) -> [ExportColumn] {
    var paths: Set<[String]> = []
    for case .object(let members) in rows {
      for (key, value) in members {
        if case .object(let inner) = value {
          paths.formUnion(inner.keys.map { [key, $0] })
        } else {
          paths.insert([key])
        }
      }
    }
    paths.remove(["group"])
    let first = paths.remove(["name"]).map { [["group"], $0] } ?? [["group"]]
    return (first + paths.sorted { $0.lexicographicallyPrecedes($1) }).map { ExportColumn(path: $0) }
  }

  /// Returns the heading of a column of a PDF, with the unit of its figures.
  private static func heading(of column: ExportColumn, in report: Report) -> String {
    // The column of a category has the category as its heading.
    let key = column.path.last ?? ""
    switch key {
    case "group": return words(report.groupBy.rawValue)
    case "distance", "distancePerTrip": return words(key) + " (km)"
    case "fuelUsed": return words(key) + " (L)"
    case "litresPer100km": return "Litres per 100 km"
    default: return key.hasSuffix("Seconds") ? words(String(key.dropLast("Seconds".count))) + " (s)" : words(key)
    }
  }

  /// Returns the words of a name, for example `Engine on` for `engineOn`.
  private static func words(_ name: String) -> String {
    var words = ""
    for character in name {
      if words.isEmpty {
        words += character.uppercased()
      } else {
        words += character.isUppercase ? " " + character.lowercased() : String(character)
      }
    }
    return words
  }

  /// Replaces arrays of amounts of money by readable text, for example `24.00 EUR; 3.00 USD`.
  private static func readable(_ json: JSON) -> JSON {
    switch json {
    case .object(let members): return .object(members.mapValues(readable))
    case .array(let elements):
      let amounts = elements.compactMap { element in
        element["amount"]?.textValue.flatMap { amount in
          element["currency"]?.textValue.map { "\(amount) \($0)" }
        }
      }
      return amounts.count == elements.count ? .text(amounts.joined(separator: "; ")) : json
    default: return json
    }
  }
}
