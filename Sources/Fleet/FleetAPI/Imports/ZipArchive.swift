import FleetDomain
import NIOCore

/// The files of a ZIP archive (APPNOTE.TXT of PKWARE), without encryption and without ZIP64.
struct ZipArchive {
  struct Entry {
    let name: String
    fileprivate let isCompressed: Bool
    fileprivate let checksum: [UInt8]
    fileprivate let packed: Range<Int>
    /// The length of the uncompressed file in bytes.
    let count: Int
    fileprivate let countBytes: [UInt8]
  }

  let entries: [Entry]
  private let bytes: [UInt8]

  /// The maximum number of files in an archive.
  private static let mostEntries = 1_000

  static func isArchive(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) }

  /// Reads the directory of an archive.
  ///
  /// - Throws: 400 if the bytes are not a ZIP archive, or if it is encrypted or has too many files.
  init(_ bytes: [UInt8]) throws(APIError) {
    self.bytes = bytes
    func number(_ at: Int, _ count: Int) -> Int? {
      guard at >= 0, at + count <= bytes.count else { return nil }
      return bytes[at..<at + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    // The record at the end of the directory may be followed by a comment of at most 65,535 bytes.
    var end = bytes.count - 22
    while end >= max(bytes.count - 65_557, 0), number(end, 4) != 0x0605_4B50 { end -= 1 }
    guard end >= 0, number(end, 4) == 0x0605_4B50, let total = number(end + 10, 2), var at = number(end + 16, 4),
      total <= Self.mostEntries
    else { throw APIError.badRequest("body: expected a ZIP archive with at most \(Self.mostEntries) files") }
    var entries: [Entry] = []
    for _ in 0..<total {
      guard number(at, 4) == 0x0201_4B50, let flags = number(at + 8, 2), let method = number(at + 10, 2),
        let packed = number(at + 20, 4), let count = number(at + 24, 4), let nameCount = number(at + 28, 2),
        let extra = number(at + 30, 2), let comment = number(at + 32, 2), let local = number(at + 42, 4),
        at + 46 + nameCount <= bytes.count, flags & 1 == 0, method == 0 || method == 8,
        number(local, 4) == 0x0403_4B50, let localName = number(local + 26, 2), let localExtra = number(local + 28, 2),
        local + 30 + localName + localExtra + packed <= bytes.count
      else { throw APIError.badRequest("body: the ZIP archive is damaged, or has a file that cannot be read") }
      let start = local + 30 + localName + localExtra
      entries.append(
        Entry(
          name: String(decoding: bytes[at + 46..<at + 46 + nameCount], as: UTF8.self), isCompressed: method == 8,
          checksum: Array(bytes[at + 16..<at + 20]), packed: start..<start + packed, count: count,
          countBytes: Array(bytes[at + 24..<at + 28])))
      at += 46 + nameCount + extra + comment
    }
    self.entries = entries
  }

  /// Returns the uncompressed content of a file.
  ///
  /// - Parameter limit: the maximum length of the content in bytes.
  /// - Throws: 413 if the content is longer; 400 if it is damaged.
  func content(of entry: Entry, limit: Int) throws -> [UInt8] {
    guard entry.count <= limit else { throw APIError.tooLarge("\(quoted(entry.name)) has more than \(limit) bytes") }
    guard entry.isCompressed else { return Array(bytes[entry.packed]) }
    // Read the data as a gzip member: it contains the same compressed data, checksum and length in another header and
    // trailer.
    var piece = ByteBuffer()
    piece.writeBytes([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])
    piece.writeBytes(bytes[entry.packed])
    piece.writeBytes(entry.checksum + entry.countBytes)
    var unpacker = try Unpacker(.gzip, limit: limit)
    while try unpacker.step(&piece) {
      guard WorkTurn.mayContinue else { throw CancellationError() }
    }
    return try unpacker.finish()
  }
}
