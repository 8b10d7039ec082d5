/// Reads the package of USDZ: a ZIP archive whose files are stored without compression at multiples of 64 bytes. The
/// first file is a USD layer. There are no other bytes before the files, between them, or between them and the
/// directory.
struct USDZReader {
  private static let local: UInt32 = 0x0403_4B50, central: UInt32 = 0x0201_4B50, end: UInt32 = 0x0605_4B50
  private static let localCount = 30, centralCount = 46, endCount = 22
  static let layers = ["usd", "usda", "usdc"]
  /// Images and sounds that a package may contain.
  private static let media = ["png", "jpg", "jpeg", "exr", "avif", "m4a", "mp3", "wav"]

  private let bytes: ModelBytes
  private var entries: [PackageEntry] = []

  static func facts(_ bytes: ModelBytes) throws(ModelError) -> ModelFacts {
    var reader = USDZReader(bytes: bytes)
    try reader.readDirectory()
    try reader.checkNames()
    for entry in reader.entries where layers.contains(kind(entry.name)) { try reader.checkLayer(entry) }
    var facts = ModelFacts(.usdz)
    facts.entries = reader.entries
    facts.isMetric = true
    return facts
  }

  private init(bytes: ModelBytes) { self.bytes = bytes }

  /// Returns the extension of a file's name, in lower case and without the dot; empty if it has none.
  static func kind(_ name: String) -> String {
    let file = name.split(separator: "/").last ?? ""
    guard let point = file.lastIndex(of: ".") else { return "" }
    return file[file.index(after: point)...].lowercased()
  }

  private mutating func readDirectory() throws(ModelError) {
    let last = bytes.count - Self.endCount
    guard last >= 0, try bytes.uint32(at: last) == Self.end else {
      throw ModelError(
        .malformed, "end", "expected the end of a ZIP archive, without a comment, at the end of the file")
    }
    let (disk, count) = (try bytes.uint32(at: last + 4), Int(try bytes.uint16(at: last + 10)))
    let (length, start) = (Int(try bytes.uint32(at: last + 12)), Int(try bytes.uint32(at: last + 16)))
    guard disk == 0, Int(try bytes.uint16(at: last + 8)) == count, try bytes.uint16(at: last + 20) == 0 else {
      throw ModelError(.malformed, "end", "expected an archive in one part")
    }
    guard start + length == last else {
      throw ModelError(.malformed, "end", "expected the directory immediately before the end of the archive")
    }
    guard count > 0 else { throw ModelError(.malformed, "end", "the package is empty") }
    try ModelLimits.check(count, ModelLimits.entries, "files")
    // Each file begins where the previous file ends, so that none overlaps another.
    var (offset, next) = (start, 0)
    for index in 0..<count {
      let place = "file \(index)"
      guard last - offset >= Self.centralCount, try bytes.uint32(at: offset) == Self.central else {
        throw ModelError(.malformed, place, "expected an entry of the directory")
      }
      let (nameCount, extra) = (Int(try bytes.uint16(at: offset + 28)), Int(try bytes.uint16(at: offset + 30)))
      let comment = Int(try bytes.uint16(at: offset + 32))
      guard last - offset - Self.centralCount >= nameCount + extra + comment else {
        throw ModelError(.truncated, place, "its entry of the directory is too long")
      }
      let name = try bytes.bytes((offset + Self.centralCount)..<(offset + Self.centralCount + nameCount))
      try readEntry(offset, name, next, start, place)
      guard let entry = entries.last else { return }
      next = entry.offset + entry.count
      offset += Self.centralCount + nameCount + extra + comment
    }
    guard next == start, offset == last else {
      throw ModelError(.malformed, "directory", "expected nothing between the files, the directory and the end")
    }
  }

  /// Checks that the header of a file agrees with its entry of the directory.
  private mutating func readEntry(
    _ entry: Int, _ name: [UInt8], _ start: Int, _ limit: Int, _ place: String
  ) throws(ModelError) {
    guard Int(try bytes.uint32(at: entry + 42)) == start, limit - start >= Self.localCount,
      try bytes.uint32(at: start) == Self.local
    else { throw ModelError(.malformed, place, "expected its header at byte \(start), where the file before it ends") }
    let count = Int(try bytes.uint32(at: start + 18))
    for (first, second) in [(start + 6, entry + 8), (start + 8, entry + 10)] {
      guard try bytes.uint16(at: first) == bytes.uint16(at: second) else {
        throw ModelError(.malformed, place, "its header and the directory differ")
      }
    }
    for (first, second) in [(start + 14, entry + 16), (start + 18, entry + 20), (start + 22, entry + 24)] {
      guard try bytes.uint32(at: first) == bytes.uint32(at: second) else {
        throw ModelError(.malformed, place, "its header and the directory differ")
      }
    }
    // Reject encrypted files, and files whose length follows their content.
    guard try bytes.uint16(at: start + 6) & 0x2049 == 0 else {
      throw ModelError(.malformed, place, "expected a file that is not encrypted and whose length is in its header")
    }
    guard try bytes.uint16(at: start + 8) == 0, Int(try bytes.uint32(at: start + 22)) == count else {
      throw ModelError(.malformed, place, "expected a file without compression")
    }
    let nameCount = Int(try bytes.uint16(at: start + 26))
    let content = start + Self.localCount + nameCount + Int(try bytes.uint16(at: start + 28))
    guard content <= limit, count <= limit - content else {
      throw ModelError(.truncated, place, "expected \(count) bytes before the directory")
    }
    guard try bytes.bytes((start + Self.localCount)..<(start + Self.localCount + nameCount)) == name else {
      throw ModelError(.malformed, place, "its header and the directory have different names")
    }
    guard content % 64 == 0 else {
      throw ModelError(.malformed, place, "expected its content at a multiple of 64 bytes, found byte \(content)")
    }
    guard let text = String(validating: name, as: UTF8.self) else {
      throw ModelError(.malformed, place, "expected a name in UTF-8")
    }
    entries.append(PackageEntry(name: text, offset: content, count: count))
  }

  private func checkNames() throws(ModelError) {
    var names: Set<String> = []
    for (index, entry) in entries.enumerated() {
      let place = "file \(index)"
      let parts = entry.name.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }),
        !entry.name.utf8.contains(where: { $0 < 0x20 || $0 == 0x5C || $0 == 0x7F })
      else { throw ModelError(.malformed, place, "expected the name of a file inside the package") }
      guard names.insert(entry.name.lowercased()).inserted else {
        throw ModelError(.malformed, place, "another file of the package has the same name")
      }
      let kind = Self.kind(entry.name)
      if index == 0, !Self.layers.contains(kind) {
        throw ModelError(.malformed, place, "expected a USD layer as the first file")
      }
      guard Self.layers.contains(kind) || Self.media.contains(kind) else {
        throw ModelError(.unsupported, place, "expected a USD layer, an image or a sound")
      }
    }
  }

  private func checkLayer(_ entry: PackageEntry) throws(ModelError) {
    let (place, kind) = (entry.name, Self.kind(entry.name))
    if kind != "usda", entry.count >= 8, try bytes.matches("PXR-USDC", at: entry.offset) {
      return try checkCrate(entry)
    }
    guard kind != "usdc", entry.count >= 6, try bytes.matches("#usda ", at: entry.offset) else {
      throw ModelError(.malformed, place, "expected a USD layer")
    }
    try USDText(bytes, entry, entries).check()
  }

  /// Checks the table of contents of a binary USD layer (`usdc`).
  private func checkCrate(_ entry: PackageEntry) throws(ModelError) {
    guard entry.count >= 88 else { throw ModelError(.truncated, entry.name, "the layer ends in its header") }
    let table = Int(truncatingIfNeeded: try bytes.uint64(at: entry.offset + 16))
    guard table >= 88, table <= entry.count - 8 else {
      throw ModelError(.truncated, entry.name, "its table of contents is outside the layer")
    }
    let count = Int(truncatingIfNeeded: try bytes.uint64(at: entry.offset + table))
    guard count > 0, count <= (entry.count - table - 8) / 32 else {
      throw ModelError(.truncated, entry.name, "its table of contents is too long")
    }
    for index in 0..<count {
      let offset = entry.offset + table + 8 + 32 * index
      let start = Int(truncatingIfNeeded: try bytes.uint64(at: offset + 16))
      let length = Int(truncatingIfNeeded: try bytes.uint64(at: offset + 24))
      guard start >= 0, length >= 0, start <= entry.count, length <= entry.count - start else {
        throw ModelError(.truncated, entry.name, "section \(index) is outside the layer")
      }
    }
  }
}
