import CHaru

/// A PDF document that libharu creates. Positions and lengths are in points (1/72 inch), from the lower left corner of
/// a page.
@safe final class PDFDocument {
  private let document: OpaquePointer

  /// Creates a document without pages.
  ///
  /// - Parameters:
  ///   - regular: path of a TrueType font; `bold` is the path of its bold variant.
  ///   - title: the title of the document, in ASCII.
  /// - Returns: `nil` if libharu or a font is missing.
  init?(regular: String, bold: String, title: String) {
    guard let document = unsafe charu_open(regular, bold, title) else { return nil }
    unsafe self.document = unsafe document
  }

  deinit { unsafe charu_close(document) }

  /// Adds a page. The following functions change the page that was added last.
  func addPage(width: Float, height: Float) { unsafe charu_page(document, width, height) }

  /// Adds a text at a position of the last page.
  ///
  /// - Parameter text: the text; it must not contain characters above U+FFFF.
  func add(_ text: String, isBold: Bool = false, _ size: Float, x: Float, y: Float) {
    unsafe charu_text(document, isBold ? 1 : 0, size, x, y, text)
  }

  func addLine(from start: (x: Float, y: Float), to end: (x: Float, y: Float)) {
    unsafe charu_line(document, start.x, start.y, end.x, end.y)
  }

  func width(of text: String, isBold: Bool = false, _ size: Float) -> Float {
    unsafe charu_width(document, isBold ? 1 : 0, size, text)
  }

  /// Returns the bytes of the document; `nil` if any of the previous calls has failed.
  func finish() -> [UInt8]? {
    let count = unsafe charu_finish(document)
    guard count > 0 else { return nil }
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
      length = unsafe charu_read(document, buffer.baseAddress, count)
    }
  }
}
