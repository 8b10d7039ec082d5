import FleetDomain
import HTTPTypes
import NIOCore

/// A list that is exported as a file: all its pages, one after another. Each page is the answer of the list's own
/// route. Therefore a file contains only what the caller may also read in the list.
struct ListExport: Sendable {
  let columns: [ExportColumn]
  let format: ExportFormat
  /// Returns the body of the page that begins at a cursor; without a cursor, the body of the first page.
  let page: @Sendable (_ cursor: String?) async throws -> ByteBuffer
  /// Reserves memory for parsing a page of this length.
  let reserve: @Sendable (_ bytes: Int) async throws -> Void

  /// Reads the first page, and returns an answer that reads the other pages while the client receives it. Therefore an
  /// error in the first page can still determine the status of the answer.
  func answer(name: String) async throws -> Answer {
    let first = try await rows(after: nil)
    var answer = Answer(status: .ok)
    answer.headers[.contentType] = format.type
    answer.headers[.contentDisposition] = "attachment; filename=\"\(name).\(format.rawValue)\""
    answer.stream = { send in
      var writer = try format.writer(columns)
      try await send(ByteBuffer(bytes: try writer.begin()))
      var (rows, next, unreadable) = first
      var missing: [String] = []
      while true {
        var bytes = ByteBuffer()
        for row in rows { bytes.writeBytes(try writer.add(ExportColumn.cells(of: row, columns))) }
        if bytes.readableBytes > 0 { try await send(bytes) }
        missing += unreadable
        guard let cursor = next else { break }
        (rows, next, unreadable) = try await self.rows(after: cursor)
      }
      // Add a row for each database row that cannot be read, so that the file shows what is missing.
      for row in missing {
        let cells = [ExportCell.text("unreadable: \(row)")] + columns.dropFirst().map { _ in ExportCell.empty }
        try await send(ByteBuffer(bytes: try writer.add(cells)))
      }
      try await send(ByteBuffer(bytes: try writer.finish()))
    }
    return answer
  }

  private func rows(
    after cursor: String?
  ) async throws -> (rows: [JSON], next: String?, unreadable: [String]) {
    let body = try await page(cursor)
    try await reserve(body.readableBytes)
    let list = try JSON(parsing: Array(body.readableBytesView))
    guard case .array(let rows)? = list["data"] else { throw APIError.badRequest("this list is not a table") }
    return (rows, list["next"]?.textValue, try list["unreadable"].map { try [String](json: $0) } ?? [])
  }
}

extension HTTPField.Name {
  static let contentDisposition = HTTPField.Name("Content-Disposition")!
}
