import Crypto

/// The checksum of a piece that the client has sent.
public enum PieceChecksum: Equatable, Sendable {
  case sha1([UInt8])
  case sha256([UInt8])
}

/// The hashes of a piece, which are computed while its bytes arrive.
struct PieceHashes: Sendable {
  private let expected: PieceChecksum?
  private var sha1: Insecure.SHA1?
  private var sha256: SHA256?

  /// - Parameters:
  ///   - expected: the checksum that the client has sent; `nil` for none.
  ///   - isFirst: whether the piece is the first one of the upload. If `true`, the SHA-256 is always computed, because
  ///     it is the SHA-256 of the whole content if no piece follows.
  init(_ expected: PieceChecksum?, isFirst: Bool) {
    self.expected = expected
    if case .sha1? = expected { sha1 = Insecure.SHA1() }
    var needsSHA256 = isFirst
    if case .sha256? = expected { needsSHA256 = true }
    if needsSHA256 { sha256 = SHA256() }
  }

  mutating func update(_ bytes: [UInt8]) {
    sha1?.update(data: bytes)
    sha256?.update(data: bytes)
  }

  /// Whether the bytes have the checksum that the client has sent.
  var areExpected: Bool {
    switch expected {
    case .sha1(let wanted): sha1.map { Array($0.finalize()) } == wanted
    case .sha256(let wanted): sha256.map { Array($0.finalize()) } == wanted
    case nil: true
    }
  }

  /// The SHA-256 of all bytes; `nil` if it was not computed.
  var digest: [UInt8]? { sha256.map { Array($0.finalize()) } }
}
