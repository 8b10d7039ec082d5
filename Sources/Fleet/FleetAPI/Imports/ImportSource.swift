import FleetConnectors
import FleetDomain
import FleetWork

/// The rows of a file in one of the formats that can be imported. The first bytes of the file determine the format.
struct ImportSource: Sendable {
  let text: CSVText
  /// Descriptions of the parts of the file that were not imported.
  private(set) var rest: [ImportRest]

  /// The maximum total length of all unpacked files in an archive, in bytes. The texts of all cells of a spreadsheet
  /// together may not be longer either.
  static let mostUnpacked = 8 << 20

  /// The usual content types of the formats.
  static let types = ["text/csv", "application/json", "application/octet-stream"]
  /// Other content types that clients send. The first bytes then determine the format.
  static let otherTypes = [
    "application/gpx+xml", "application/vnd.google-earth.kml+xml", "application/vnd.google-earth.kmz",
    "application/zip", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "text/plain", "text/xml",
    "application/xml", "application/vnd.ms-excel", "application/x-zip-compressed",
  ]

  /// Returns the maximum length of a file's content in bytes. Each empty cell counts as one byte.
  static func mostBytes(unpacking file: [UInt8]) -> Int {
    if ZipArchive.isArchive(file) { return mostUnpacked }
    // In JSON, an object without a key has an empty cell for this key.
    let isJSON = file.first { $0 > 0x20 && $0 < 0x80 }.map { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
    return isJSON ?? false ? max(file.count, CSVText.mostCells) : file.count
  }

  /// Reads the rows of a file.
  ///
  /// - Throws: ``ImportError`` if the content is invalid; `APIError` if an archive is damaged.
  init(_ bytes: [UInt8]) throws {
    guard ZipArchive.isArchive(bytes) else {
      try self.init(content: bytes)
      return
    }
    let archive = try ZipArchive(bytes)
    var left = Self.mostUnpacked
    func unpack(_ entry: ZipArchive.Entry) throws -> [UInt8] {
      let content = try archive.content(of: entry, limit: left)
      left -= content.count
      return content
    }
    if archive.entries.contains(where: { $0.name == "xl/workbook.xml" }) {
      var files: [String: [UInt8]] = [:]
      for entry in archive.entries where Workbook.needs(entry.name) { files[entry.name] = try unpack(entry) }
      self.init(text: try Workbook.rows(files, mostBytes: Self.mostUnpacked), rest: [])
      return
    }
    let names = [".csv", ".kml", ".gpx", ".json"]
    let entries = archive.entries.filter { entry in
      names.contains { entry.name.lowercased().hasSuffix($0) } && !entry.name.hasPrefix("__MACOSX/")
    }
    guard entries.count == 1, let entry = entries.first else {
      throw ImportError(
        line: 1, column: nil,
        message: "expected an archive with one CSV, KML, GPX or JSON file, found \(entries.count); send them one by one"
      )
    }
    try self.init(content: try unpack(entry))
    let others = archive.entries.filter { $0.name != entry.name && !$0.name.hasSuffix("/") }
    if !others.isEmpty {
      let list = others.map { quoted($0.name) }.joined(separator: ", ")
      rest.append(
        ImportRest(
          line: 1, rows: others.count,
          message: "not imported: \(others.count) other files of the archive (\(list)), because only one file is read"))
    }
  }

  private init(text: CSVText, rest: [ImportRest]) { (self.text, self.rest) = (text, rest) }

  private init(content bytes: [UInt8]) throws(ImportError) {
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    switch bytes[start...].first(where: { $0 > 0x20 }) {
    case UInt8(ascii: "<"):
      let document = try TrackDocument(bytes)
      self.init(text: document.text, rest: document.rest)
    case UInt8(ascii: "["), UInt8(ascii: "{"): self.init(text: try CSVText(json: Array(bytes[start...])), rest: [])
    default: self.init(text: try CSVText(bytes), rest: [])
    }
  }
}
