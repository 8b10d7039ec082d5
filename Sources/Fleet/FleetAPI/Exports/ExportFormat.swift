/// The format of a file in which a list is exported.
enum ExportFormat: String, CaseIterable, Sendable {
  case csv, xlsx

  /// The media type of the file, without parameters.
  var mediaType: String {
    switch self {
    case .csv: "text/csv"
    case .xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    }
  }

  /// The value of `Content-Type`.
  var type: String {
    switch self {
    case .csv: mediaType + "; charset=utf-8; header=present"
    case .xlsx: mediaType
    }
  }

  func writer(_ columns: [ExportColumn]) throws -> any ExportWriter {
    switch self {
    case .csv: CSVWriter(columns)
    case .xlsx: try XLSXWriter(columns)
    }
  }

  /// Reads the query parameter `format`: `json`, which is the default, `csv` or `xlsx`.
  ///
  /// - Returns: `nil` for JSON.
  /// - Throws: 400 for another format, or if the query has `limit` or `cursor`, because a file contains the whole list.
  init?(_ query: QueryParameters) throws(APIError) {
    guard let text = query["format"], text != "json" else { return nil }
    guard let format = Self(rawValue: text) else {
      throw .badRequest("query: format: expected json, csv or xlsx, found \(quoted(text))")
    }
    guard query["limit"] == nil, query["cursor"] == nil else {
      throw .badRequest("query: format: a file has the whole list; expected no limit and no cursor")
    }
    self = format
  }
}

/// Writes the rows of a file. A call may return bytes of rows that earlier calls added.
protocol ExportWriter {
  /// Returns the bytes before the first row.
  mutating func begin() throws -> [UInt8]

  /// Adds a row to the file.
  ///
  /// - Parameter cells: one cell for each column.
  /// - Returns: the next bytes of the file; they may be empty.
  mutating func add(_ cells: [ExportCell]) throws -> [UInt8]

  /// Returns the bytes after the last row.
  mutating func finish() throws -> [UInt8]
}

/// One value in a row of an exported file.
enum ExportCell: Equatable, Sendable {
  case empty
  case text(String)
  /// A number in the syntax of JSON.
  case number(String)
  case flag(Bool)
}
