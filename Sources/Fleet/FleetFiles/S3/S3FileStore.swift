import Crypto
import FleetDomain
import Synchronization
import Telemetry

/// A bucket of an S3-compatible storage with the contents of uploaded files, and with the uploads in progress.
///
///     TENANT/uploads/ID/PART              a part of an upload (``S3Part``)
///     TENANT/contents/SHA256/ID           a content, never changed
///     TENANT/contents/SHA256/ID.ok        its bytes were read again and had the right SHA-256
///     TENANT/contents/SHA256/ID.unused    no file needs it; it is not used for new files
///
/// Any number of servers may share the bucket. S3 has no locks. Therefore no object is ever replaced by other bytes:
///
/// - The storage itself composes a content from the parts. The server then reads and checks the content, and only then
///   marks it.
/// - A content that no file needs is first marked as unused. A new file does not use it any more, so that it can be
///   removed when the mark is older than any request.
/// - If two servers store the same content at the same time, one of the two objects is removed later.
///
/// The storage must show a new object in lists as soon as it has confirmed that the object is stored, as S3 does.
public final class S3FileStore: FileStore {
  let client: S3Client
  /// The uploads that this server is writing or completing at this moment.
  fileprivate let busy = Mutex<Set<String>>([])

  /// Maximum length of a content: 10,000 parts, bytes.
  public static let mostBytes = S3Part.most * S3Part.fullBytes

  /// The number of bytes that one read returns.
  static let blockBytes = 1 << 20

  /// - Parameter now: returns the current time, which signatures contain.
  public convenience init(_ bucket: S3Bucket, now: @escaping @Sendable () -> Timestamp) {
    self.init(bucket, S3Limits(), now: now)
  }

  init(_ bucket: S3Bucket, _ limits: S3Limits, now: @escaping @Sendable () -> Timestamp) {
    client = S3Client(bucket, limits, now: now)
  }

  public var pieceMemory: Int { S3Part.fullBytes + Self.blockBytes }
  public var contentMemory: Int { 2 * Self.blockBytes }

  public func check() async throws(FileError) {
    let name = client.bucket.prefix + "check/" + UUIDv7.random(at: client.now()).string
    let bytes = Array(name.utf8)
    try await put(name, bytes, nil)
    let found = try await client.send(S3Request(method: .get, key: name), for: nil).body
    let listed = try await client.objects(name, for: nil).map(\.key)
    try await remove(name, nil)
    guard found == bytes, listed == [name] else {
      throw .system("\(client.bucket): an object was stored, but not found again")
    }
  }

  // MARK: Uploads

  public func offset(of upload: UUIDv7, tenant: TenantID) async throws(FileError) -> Int64 {
    S3Part.chain(try await names(of: upload, tenant)).byteCount
  }

  public func append(
    to upload: UUIDv7, at offset: Int64, checksum: PieceChecksum?, tenant: TenantID
  ) async throws(FileError) -> any UploadPiece {
    let claim = try claim(upload, tenant)
    let chain = S3Part.chain(try await names(of: upload, tenant))
    guard chain.byteCount == offset else { throw .offset(chain.byteCount) }
    let piece = S3UploadPiece(self, upload, tenant, at: offset, checksum, claim)
    // The bytes of a part that is not full become the beginning of a longer one.
    if let last = chain.last, !last.isFull {
      piece.continue(last, with: try await bytes(of: last, upload, tenant))
    }
    return piece
  }

  public func complete(
    _ upload: UUIDv7, size: Int64, announced: String?, last: (any UploadPiece)?, tenant: TenantID
  ) async throws(FileError) -> CompleteUpload {
    let claim = try claim(upload, tenant)
    defer { claim.release() }
    let chain = S3Part.chain(try await names(of: upload, tenant))
    guard chain.byteCount == size else { throw .offset(chain.byteCount) }
    let content: CompleteUpload
    if let piece = last as? S3UploadPiece, let whole = piece.whole, piece.stored == chain {
      content = whole
    } else {
      content = try await self.content(of: chain, upload, tenant)
    }
    guard announced == nil || announced == content.sha256 else {
      try await removeUpload(upload, tenant: tenant)
      throw .otherContent(found: content.sha256)
    }
    if try await usable(content.sha256, tenant).isEmpty {
      let folder = uploadFolder(upload, tenant)
      try await compose(chain.map { folder + $0.name }, size, content.sha256, tenant)
    }
    return content
  }

  public func removeUpload(_ upload: UUIDv7, tenant: TenantID) async throws(FileError) {
    let folder = uploadFolder(upload, tenant)
    // Remove the last parts first. If this is interrupted, the upload is shorter, but has no wrong bytes.
    for name in try await names(of: upload, tenant).reversed() { try await remove(folder + name, tenant) }
  }

  /// Reads the parts of an upload.
  private func content(
    of chain: [S3Part], _ upload: UUIDv7, _ tenant: TenantID
  ) async throws(FileError) -> CompleteUpload {
    var (hash, head): (SHA256, [UInt8]) = (SHA256(), [])
    for part in chain {
      let bytes = try await bytes(of: part, upload, tenant)
      if head.isEmpty { head = Array(bytes.prefix(CompleteUpload.headBytes)) }
      hash.update(data: bytes)
    }
    return CompleteUpload(sha256: Hexadecimal.text(Array(hash.finalize())), head: head)
  }

  /// Reads a part, and checks it.
  private func bytes(of part: S3Part, _ upload: UUIDv7, _ tenant: TenantID) async throws(FileError) -> [UInt8] {
    let key = uploadFolder(upload, tenant) + part.name
    var bytes: [UInt8] = []
    bytes.reserveCapacity(S3Part.fullBytes)
    while bytes.count < part.count {
      bytes += try await read(key, at: Int64(bytes.count), size: Int64(part.count), tenant)
    }
    guard Hexadecimal.text(Array(SHA256.hash(data: bytes))) == part.sha256 else {
      throw .system("\(client.bucket): \(key) has other bytes than were stored")
    }
    return bytes
  }

  /// The names of all objects of an upload.
  private func names(of upload: UUIDv7, _ tenant: TenantID) async throws(FileError) -> [Substring] {
    let folder = uploadFolder(upload, tenant)
    return try await client.objects(folder, for: tenant).map { $0.key.dropFirst(folder.count) }
  }

  /// The right of a request to append to an upload or to complete it. Only one request of this server has it at a time.
  final class Claim: Sendable {
    private let (store, name): (S3FileStore, String)
    private let isHeld = Mutex(true)

    fileprivate init(_ store: S3FileStore, _ name: String) { (self.store, self.name) = (store, name) }

    deinit { release() }

    func release() {
      guard
        isHeld.withLock({ held in
          defer { held = false }
          return held
        })
      else { return }
      _ = store.busy.withLock { $0.remove(name) }
    }
  }

  private func claim(_ upload: UUIDv7, _ tenant: TenantID) throws(FileError) -> Claim {
    let name = uploadFolder(upload, tenant)
    guard busy.withLock({ $0.insert(name).inserted }) else { throw .busy }
    return Claim(self, name)
  }

  // MARK: Objects

  func uploadFolder(_ upload: UUIDv7, _ tenant: TenantID) -> String { uploadsFolder(tenant) + upload.string + "/" }
  func uploadsFolder(_ tenant: TenantID) -> String { client.bucket.prefix + "\(tenant.text)/uploads/" }
  func contentsFolder(_ tenant: TenantID) -> String { client.bucket.prefix + "\(tenant.text)/contents/" }

  /// Reads a block of an object that has `size` bytes. At the end of the object, the block is shorter.
  func read(_ key: String, at offset: Int64, size: Int64, _ tenant: TenantID) async throws(FileError) -> [UInt8] {
    let count = Int(min(size - offset, Int64(Self.blockBytes)))
    guard count > 0 else { return [] }
    let request = S3Request(
      method: .get, key: key, headers: [("range", "bytes=\(offset)-\(offset + Int64(count) - 1)")], longest: count)
    return try await client.send(request, for: tenant, expected: count).body
  }

  func put(_ key: String, _ bytes: [UInt8], _ tenant: TenantID?) async throws(FileError) {
    try await client.send(S3Request(method: .put, key: key, body: bytes), for: tenant)
  }

  /// Removes an object. It is no error if it does not exist.
  func remove(_ key: String, _ tenant: TenantID?) async throws(FileError) {
    do throws(FileError) {
      try await client.send(S3Request(method: .delete, key: key), for: tenant)
    } catch {
      guard case .missing = error else { throw error }
    }
  }
}
