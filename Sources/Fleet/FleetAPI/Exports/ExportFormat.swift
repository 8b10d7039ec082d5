/// The format of a list that is sent as a file.
enum ExportFormat: String, CaseIterable, Sendable {
  case csv, xlsx

  /// The media type without parameters.
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
  /// - Throws: 400 for another format, or if the query has a parameter for a single page of a file.
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

/// Writes the rows of a file. The bytes that a call returns may belong to rows that earlier calls added.
protocol ExportWriter {
  /// Returns the bytes before the first row.
  mutating func begin() throws -> [UInt8]

  /// Adds a row.
  ///
  /// - Parameter cells: a cell for each column.
  /// - Returns: bytes of the file.
  mutating func add(_ cells: [ExportCell]) throws -> [UInt8]

  /// Returns the bytes after the last row.
  mutating func finish() throws -> [UInt8]
}

/// A value in a row.
enum ExportCell: Equatable, Sendable {
  case empty
  case text(String)
  /// A number as a JSON text.
  case number(String)
  case flag(Bool)
}
