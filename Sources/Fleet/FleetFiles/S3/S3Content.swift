import Crypto
import FleetDomain
import Synchronization

/// A content in an ``S3FileStore``. It is read in blocks. If it is read from its beginning to its end, its SHA-256 is
/// checked before the last bytes are returned. Only one task may use it at a time.
final class S3Content: StoredContent {
  private struct State {
    var (start, block): (Int64, [UInt8]) = (0, [])
    var hash = SHA256()
    var hashed: Int64 = 0
  }

  let size: Int64
  private let (store, key, sha256, tenant): (S3FileStore, String, String, TenantID)
  private let state = Mutex(State())

  init(store: S3FileStore, key: String, size: Int64, sha256: String, tenant: TenantID) {
    (self.store, self.key, self.size, self.sha256, self.tenant) = (store, key, size, sha256, tenant)
  }

  func read(at offset: Int64, count: Int) async throws(FileError) -> [UInt8] {
    guard offset < size else { return [] }
    if let bytes = available(at: offset, count: count) { return bytes }
    let block = try await store.read(key, at: offset, size: size, tenant)
    let isRight = state.withLock { state in
      (state.start, state.block) = (offset, block)
      guard state.hashed == offset else { return true }
      state.hash.update(data: block)
      state.hashed += Int64(block.count)
      return state.hashed < size || Hexadecimal.text(Array(state.hash.finalize())) == sha256
    }
    guard isRight else { throw .system("\(store.client.bucket): \(key) has other bytes than were stored") }
    return available(at: offset, count: count) ?? []
  }

  /// Returns bytes from the block that was read last; `nil` if that block does not contain them.
  private func available(at offset: Int64, count: Int) -> [UInt8]? {
    state.withLock { state in
      let index = offset - state.start
      guard index >= 0, index < Int64(state.block.count) else { return nil }
      return Array(state.block[Int(index)...].prefix(count))
    }
  }
}
