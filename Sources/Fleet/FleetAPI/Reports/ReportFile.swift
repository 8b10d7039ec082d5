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
    let rows = rows.map(Self.readable)
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
      writer = PDFWriter(columns, title: title)
      mediaType = "application/pdf"
    }
    var bytes = try writer.begin()
    for row in rows { bytes += try writer.add(ExportColumn.cells(of: row, columns)) }
    self.bytes = bytes + (try writer.finish())
    name = title.replacing(" ", with: "-") + "." + format.rawValue
  }

  /// Returns the columns of the file: first the column `group`, then a column for each other member, sorted by name.
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
    return ([["group"]] + paths.sorted { $0.lexicographicallyPrecedes($1) }).map { ExportColumn(path: $0) }
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
