import FleetDomain
import HTTPTypes
import NIOCore
import Synchronization

/// A list that is exported as a file: all its pages, one after another. Each page is the answer of the list's own
/// route. Therefore a file contains only what the caller may also read in the list.
struct ListExport: Sendable {
  let layout: ExportLayout
  let format: ExportFormat
  /// The request for the file. The memory for the export is part of this request's memory, and the work for the export
  /// counts as work of this request's sender.
  let call: Call
  /// Returns the body of the page that begins at a cursor; without a cursor, the body of the first page.
  let page: @Sendable (_ cursor: String?) async throws -> ByteBuffer

  /// The maximum number of rows that are converted in one step, and sent in one piece.
  private static let piece = 200

  /// The elements of one page.
  private struct Rows {
    let rows: [JSON]
    let next: String?
    let unreadable: [String]
    /// The length of the page in bytes.
    let bytes: Int
  }

  /// Reads the first page, and returns an answer that reads the other pages while the client receives it. Therefore an
  /// error in the first page can still determine the status of the answer.
  func answer(name: String) async throws -> Answer {
    let first = try await rows(after: nil)
    var answer = Answer(status: .ok)
    answer.headers[.contentType] = format.type
    answer.headers[.contentDisposition] = "attachment; filename=\"\(name).\(format.rawValue)\""
    answer.stream = { send in
      let file = ExportedRows(layout, try format.writer(layout.columns))
      try await send(ByteBuffer(bytes: try file.begin()))
      var page = first
      var missing: [String] = []
      while true {
        for start in stride(from: 0, to: page.rows.count, by: Self.piece) {
          let part = page.rows[start..<min(start + Self.piece, page.rows.count)]
          let count = page.bytes / page.rows.count * part.count
          let bytes = try await call.heavily(count) { try file.add(part) }
          if !bytes.isEmpty { try await send(ByteBuffer(bytes: bytes)) }
        }
        missing += page.unreadable
        guard let cursor = page.next else { break }
        page = try await rows(after: cursor)
      }
      // Add a row for each database row that cannot be read, so that the file shows what is missing.
      for row in missing {
        let cells = [ExportCell.text("unreadable: \(row)")] + layout.columns.dropFirst().map { _ in ExportCell.empty }
        try await send(ByteBuffer(bytes: try file.add(cells)))
      }
      try await send(ByteBuffer(bytes: try file.finish()))
    }
    return answer
  }

  private func rows(after cursor: String?) async throws -> Rows {
    let body = try await page(cursor)
    try await call.memory.grow(to: body.readableBytes * 2 * Budget.Share.bytesForOne)
    return try await call.heavily(body.readableBytes) {
      let list = try JSON(parsing: Array(body.readableBytesView))
      guard case .array(let rows)? = list["data"] else { throw APIError.badRequest("this list is not a table") }
      return Rows(
        rows: rows, next: list["next"]?.textValue,
        unreadable: try list["unreadable"].map { try [String](json: $0) } ?? [], bytes: body.readableBytes)
    }
  }
}

/// The file that is being written. Its rows may be added on any thread.
private final class ExportedRows: Sendable {
  private let layout: ExportLayout
  private let writer: Mutex<any ExportWriter>

  init(_ layout: ExportLayout, _ writer: sending any ExportWriter) {
    self.layout = layout
    self.writer = Mutex(writer)
  }

  func begin() throws -> [UInt8] { try writer.withLock { try $0.begin() } }

  func add(_ cells: [ExportCell]) throws -> [UInt8] { try writer.withLock { try $0.add(cells) } }

  /// Adds elements of the list, and returns the next bytes of the file.
  func add(_ elements: ArraySlice<JSON>) throws -> [UInt8] {
    var bytes: [UInt8] = []
    for element in elements {
      guard WorkTurn.mayContinue else { break }
      bytes += try add(layout.cells(of: element))
    }
    return bytes
  }

  func finish() throws -> [UInt8] { try writer.withLock { try $0.finish() } }
}

extension HTTPField.Name {
  static let contentDisposition = HTTPField.Name("Content-Disposition")!
}
