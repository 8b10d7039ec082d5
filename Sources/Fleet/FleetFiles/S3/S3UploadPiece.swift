import Crypto
import FleetDomain
import Synchronization
import Telemetry

/// A piece of an upload in an ``S3FileStore``. Each part is stored as soon as it is full, and the last one when the
/// piece ends. Only one task may use a piece.
final class S3UploadPiece: UploadPiece {
  private struct State {
    /// The bytes of the part that is not stored yet, including the bytes of ``shorter``.
    var buffer: [UInt8] = []
    /// Whether the buffer has bytes that are not stored.
    var isChanged = false
    var end: Int64
    var hashes: PieceHashes
    var head: [UInt8] = []
    var stored: [S3Part] = []
    /// The last part of the previous piece, if that part is not full and this piece continues it; otherwise `nil`.
    var shorter: S3Part?
  }

  private let (store, upload, tenant): (S3FileStore, UUIDv7, TenantID)
  private let claim: S3FileStore.Claim
  private let start: Int64
  /// The random name of the piece; `nil` if the client sent no checksum. The parts of a piece with a name are valid
  /// only after the piece has matched its checksum.
  private let nonce: String?
  private let state: Mutex<State>

  init(
    _ store: S3FileStore, _ upload: UUIDv7, _ tenant: TenantID, at offset: Int64, _ checksum: PieceChecksum?,
    _ claim: S3FileStore.Claim
  ) {
    (self.store, self.upload, self.tenant) = (store, upload, tenant)
    (self.claim, start) = (claim, offset)
    nonce = checksum == nil ? nil : UUIDv7.random(at: store.client.now()).string
    state = Mutex(State(end: offset, hashes: PieceHashes(checksum, isFirst: offset == 0)))
  }

  var offset: Int64 { state.withLock { $0.end } }

  /// The parts that were stored, in their order.
  var stored: [S3Part] { state.withLock { $0.stored } }

  /// The content, if this piece is the whole upload; otherwise `nil`.
  var whole: CompleteUpload? {
    guard start == 0 else { return nil }
    let (hashes, head) = state.withLock { ($0.hashes, $0.head) }
    return hashes.digest.map { CompleteUpload(sha256: Hexadecimal.text($0), head: head) }
  }

  /// Begins the piece with the bytes of an earlier part that is not full.
  func `continue`(_ part: S3Part, with bytes: [UInt8]) {
    state.withLock { ($0.buffer, $0.shorter) = (bytes, part) }
  }

  func write(_ bytes: [UInt8]) async throws(FileError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let isFull = state.withLock { state in
        state.buffer.reserveCapacity(S3Part.fullBytes)
        let next = Array(rest.prefix(S3Part.fullBytes - state.buffer.count))
        rest = rest.dropFirst(next.count)
        state.buffer += next
        state.isChanged = true
        state.hashes.update(next)
        if state.head.count < CompleteUpload.headBytes {
          state.head += next.prefix(CompleteUpload.headBytes - state.head.count)
        }
        state.end += Int64(next.count)
        return state.buffer.count == S3Part.fullBytes
      }
      if isFull { try await storePart() }
    }
  }

  private func storePart() async throws(FileError) {
    let (bytes, end) = state.withLock { ($0.buffer, $0.end) }
    let part = S3Part(
      index: Int((end - 1) / Int64(S3Part.fullBytes)), count: bytes.count,
      sha256: Hexadecimal.text(Array(SHA256.hash(data: bytes))), nonce: nonce)
    try await store.put(store.uploadFolder(upload, tenant) + part.name, bytes, tenant)
    state.withLock { state in
      state.stored.append(part)
      state.buffer = []
      state.isChanged = false
    }
  }

  func finish() async throws(FileError) {
    defer { claim.release() }
    let folder = store.uploadFolder(upload, tenant)
    guard state.withLock({ $0.hashes }).areExpected else {
      for part in stored { try await store.remove(folder + part.name, tenant) }
      throw .checksum
    }
    if state.withLock({ $0.isChanged }) { try await storePart() }
    if let nonce, !stored.isEmpty { try await store.put(folder + S3Part.mark(nonce), [], tenant) }
    // A longer part has taken its place.
    if let shorter = state.withLock({ $0.shorter }), !stored.isEmpty {
      try await store.remove(folder + shorter.name, tenant)
    }
  }
}
