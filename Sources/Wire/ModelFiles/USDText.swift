/// Finds the addresses of other files (`@texture.png@`) in a USD layer that is a text, and checks that the package
/// contains these files.
struct USDText {
  private let bytes: ModelBytes
  private let entry: PackageEntry
  private let names: Set<String>
  private var offset: Int
  private let end: Int

  init(_ bytes: ModelBytes, _ entry: PackageEntry, _ entries: [PackageEntry]) {
    (self.bytes, self.entry) = (bytes, entry)
    names = Set(entries.map(\.name))
    (offset, end) = (entry.offset, entry.offset + entry.count)
  }

  /// Checks all addresses in the layer.
  ///
  /// - Throws: `external` if a file is not in the package; `truncated` if a text or an address does not end.
  func check() throws(ModelError) {
    var reader = self
    while reader.offset < reader.end { try reader.step() }
  }

  private func peek(_ count: Int) throws(ModelError) -> UInt8? {
    offset + count < end ? try bytes.byte(at: offset + count) : nil
  }

  private func isTriple(_ mark: UInt8) throws(ModelError) -> Bool {
    guard try peek(1) == mark else { return false }
    return try peek(2) == mark
  }

  private mutating func step() throws(ModelError) {
    let byte = try bytes.byte(at: offset)
    switch byte {
    case UInt8(ascii: "#"):
      while let next = try peek(0), next != 0x0A, next != 0x0D { offset += 1 }
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      _ = try content(byte, try isTriple(byte) ? 3 : 1)
    case UInt8(ascii: "@"):
      try check(try content(byte, try isTriple(byte) ? 3 : 1))
    default: offset += 1
    }
  }

  /// Reads up to the characters that end a text or an address.
  ///
  /// - Returns: the first 4,096 bytes of the text or address.
  private mutating func content(_ mark: UInt8, _ count: Int) throws(ModelError) -> [UInt8] {
    let start = offset
    offset += count
    var content: [UInt8] = []
    while let byte = try peek(0) {
      if byte == UInt8(ascii: "\\"), mark != UInt8(ascii: "@") {
        offset += 2
        continue
      }
      var marks = 0
      while marks < count, try peek(marks) == mark { marks += 1 }
      if marks == count {
        offset += count
        return content
      }
      if content.count < 4_096 { content.append(byte) }
      offset += 1
    }
    throw ModelError(.truncated, "\(entry.name), byte \(start - entry.offset)", "a text has no end")
  }

  private func check(_ content: [UInt8]) throws(ModelError) {
    // The path inside a package is in brackets. An empty address is the layer itself.
    let address = String(decoding: content, as: UTF8.self).prefix { $0 != "[" }
    guard !address.isEmpty else { return }
    let folder = entry.name.split(separator: "/").dropLast().map(String.init)
    let isFound = [folder, []].contains { start in
      guard let name = Self.resolved(String(address), start) else { return false }
      guard let tile = name.range(of: "<UDIM>") else { return names.contains(name) }
      return names.contains { $0.hasPrefix(name[..<tile.lowerBound]) }
    }
    guard isFound else {
      throw ModelError(
        .external, entry.name, "expected files of the package, found the address \"\(address.prefix(80))\"")
    }
  }

  /// Returns the name, within the package, of the file to which a relative address refers; `nil` if the file is outside
  /// the package.
  private static func resolved(_ address: String, _ folder: [String]) -> String? {
    guard !address.hasPrefix("/"), !address.contains(":"), !address.contains("\\") else { return nil }
    var parts = folder
    for part in address.split(separator: "/") {
      switch part {
      case ".": break
      case "..": if parts.popLast() == nil { return nil }
      default: parts.append(String(part))
      }
    }
    return parts.joined(separator: "/")
  }
}

extension String {
  /// Returns the range of the first occurrence of a text; `nil` if there is none.
  fileprivate func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}
