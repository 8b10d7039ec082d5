import FleetDomain

/// A part of an upload: an object whose name contains the number, length and SHA-256 of the part.
///
///     000002.5242880.ab12…          part 2, from byte 2 · 5,242,880
///     000002.5242880.ab12….NONCE    the same, but only valid if an object `ok.NONCE` exists
///
/// All parts except the last one have ``fullBytes`` bytes. If the bytes that one request sends (a piece) end within a
/// part, the next piece stores a longer object for the same part. Because no object replaces another, two servers that
/// store pieces of the same upload at the same time cannot destroy each other's bytes.
struct S3Part: Equatable, Sendable {
  /// The length of a full part, bytes. S3 allows only the last part of a composed object to be shorter than this.
  static let fullBytes = 5 << 20
  /// Maximum number of parts of one object.
  static let most = 10_000

  let index: Int
  let count: Int
  let sha256: String
  /// The random name of the uploaded piece that contains the part, if the client stated a checksum of this piece. The
  /// part is then valid only after the whole piece has matched its checksum. `nil` if the part is always valid.
  let nonce: String?

  var isFull: Bool { count == Self.fullBytes }

  init(index: Int, count: Int, sha256: String, nonce: String?) {
    (self.index, self.count, self.sha256, self.nonce) = (index, count, sha256, nonce)
  }

  /// Parses the name of an object; `nil` if it is not that of a part.
  init?(_ name: Substring) {
    let fields = name.split(separator: ".", omittingEmptySubsequences: false)
    guard fields.count == 3 || fields.count == 4, let index = Int(fields[0]), (0..<Self.most).contains(index),
      let count = Int(fields[1]), (1...Self.fullBytes).contains(count), fields[2].utf8.count == 64
    else { return nil }
    self.init(
      index: index, count: count, sha256: String(fields[2]), nonce: fields.count == 4 ? String(fields[3]) : nil)
  }

  /// The name of the object.
  var name: String {
    let digits = String(index)
    return String(repeating: "0", count: max(6 - digits.count, 0)) + digits + ".\(count).\(sha256)"
      + (nonce.map { ".\($0)" } ?? "")
  }

  /// Returns the name of the object whose existence makes the parts of a piece valid.
  static func mark(_ nonce: String) -> String { "ok.\(nonce)" }

  /// Returns the valid parts of an upload that follow one another without a gap, from its first byte on.
  ///
  /// - Parameter names: the names of all objects of the upload.
  static func chain(_ names: [Substring]) -> [S3Part] {
    let valid = Set(names.filter { $0.hasPrefix("ok.") }.map { $0.dropFirst(3) })
    var longest: [Int: S3Part] = [:]
    for name in names {
      guard let part = S3Part(name) else { continue }
      if let nonce = part.nonce, !valid.contains(nonce[...]) { continue }
      if let other = longest[part.index], (other.count, other.name) >= (part.count, part.name) { continue }
      longest[part.index] = part
    }
    var chain: [S3Part] = []
    while let next = longest[chain.count] {
      chain.append(next)
      if !next.isFull { break }
    }
    return chain
  }
}

extension [S3Part] {
  /// The total length of the parts in bytes.
  var byteCount: Int64 { reduce(0) { $0 + Int64($1.count) } }
}
