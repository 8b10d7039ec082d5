import Failures
import JSONText
import NIOCore

/// The files of the web app, in memory.
///
/// `make web` writes the folder from which they are read. It contains the files, their compressed copies, and
/// `site.json`, which lists the files.
public struct WebSite: Sendable {
  /// A file of the app.
  public struct File: Sendable {
    /// The value of the header `Content-Type`.
    public let type: String
    /// The entity tag without quotes: a hash of the content.
    public let tag: String
    /// Whether the file's path contains a hash of the content, so that the content at this path never changes.
    public let isImmutable: Bool
    /// The content without compression.
    public let plain: ByteBuffer
    /// The compressed copies of the content with their content codings, the shortest copy first.
    public let packed: [(coding: String, content: ByteBuffer)]
  }

  /// The path of the app's only HTML page. Browsers receive this page for all URLs of the app.
  private static let page = "/index.html"
  /// Maximum length of a file in bytes.
  private static let fileLimit = 16 << 20

  private let files: [String: File]

  /// The base map; `nil` if the app must draw its own outline map.
  public var map: BaseMap?

  /// Reads all files of the app from a folder.
  ///
  /// - Throws: ``Failure`` with the path of a file that is missing or invalid.
  public init(folder: String) throws(Failure) {
    let path = folder + "/site.json"
    let text = try FileText.read(path)
    let entries: [Entry]
    do throws(JSONError) {
      entries = try Self.entries(in: text)
    } catch {
      throw Failure(.badConfiguration, error.message(in: path))
    }
    var files: [String: File] = [:]
    for entry in entries {
      var packed: [(coding: String, content: ByteBuffer)] = []
      for (coding, suffix) in [("br", ".br"), ("gzip", ".gz")] where entry.codings.contains(coding) {
        packed.append((coding, try Self.content(folder + entry.path + suffix)))
      }
      packed.sort { $0.content.readableBytes < $1.content.readableBytes }
      files[entry.path] = File(
        type: entry.type, tag: entry.tag, isImmutable: entry.isImmutable,
        plain: try Self.content(folder + entry.path), packed: packed)
    }
    guard files[Self.page] != nil else { throw Failure(.badConfiguration, path, "expected the file \(Self.page)") }
    self.files = files
  }

  /// The number of files of the app.
  public var count: Int { files.count }

  /// Returns the file for the path of a request; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - path: the path without the query.
  ///   - isNavigation: whether a browser opens the path as a page. If so, the app's HTML page is returned for each path
  ///     that is not a file.
  public func file(at path: Substring, isNavigation: Bool) -> File? {
    if path == "/" { return files[Self.page] }
    return files[String(path)] ?? (isNavigation ? files[Self.page] : nil)
  }

  private struct Entry {
    let path: String
    let type: String
    let tag: String
    let isImmutable: Bool
    let codings: [String]
  }

  private static func entries(in text: [UInt8]) throws(JSONError) -> [Entry] {
    let document = try JSONDocument(parsing: text)
    var reader = try JSONObjectReader(document.root)
    let list = try reader.required("files")
    try reader.finish()
    var entries: [Entry] = []
    for value in try list.requireArray() {
      var file = try JSONObjectReader(value)
      let place = try file.required("path")
      let path = try place.requireString()
      guard path.hasPrefix("/"), !path.split(separator: "/").contains("..") else {
        throw place.invalid(expected: "a path below the folder, as /index.html")
      }
      var codings: [String] = []
      for coding in try file.required("codings").requireArray() {
        codings.append(try coding.requireString(oneOf: ["br", "gzip"]))
      }
      entries.append(
        Entry(
          path: path, type: try file.requiredString("type"), tag: try file.requiredString("tag"),
          isImmutable: try file.requiredBool("immutable"), codings: codings))
      try file.finish()
    }
    return entries
  }

  private static func content(_ path: String) throws(Failure) -> ByteBuffer {
    ByteBuffer(bytes: try FileText.read(path, limit: fileLimit))
  }
}
