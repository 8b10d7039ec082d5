import Crypto
import Failures
import FleetDomain
import Glibc
import Telemetry

/// A folder with the contents of uploaded files, named by their SHA-256, and with the uploads in progress.
///
///     TENANT/contents/ab/ab12…    a content, never changed
///     TENANT/uploads/ID           the first bytes of an upload
///
/// A content is stored once for each tenant, however often it was uploaded. When a call returns, its result survives
/// kill -9 and a power cut. Several servers may share the folder, if its file system has locks (flock) and links.
public final class FolderFileStore: FileStore {
  let folder: String
  private let threads = FileThreads(8)

  /// Opens the folder, or creates it if it does not exist.
  public init(folder: String) throws(FileError) {
    self.folder = folder
    try Self.makeFolder(folder)
  }

  public var pieceMemory: Int { 0 }
  public var contentMemory: Int { 0 }

  /// Does nothing, because the folder was checked when it was opened.
  public func check() async throws(FileError) {}

  // MARK: Uploads

  public func offset(of upload: UUIDv7, tenant: TenantID) async throws(FileError) -> Int64 {
    let path = uploadPath(upload, tenant)
    return try await threads.run(upload) { () throws(FileError) in
      guard let file = try Self.uploadFile(path) else { return 0 }
      // If a piece was interrupted, its bytes are perhaps not on the disk yet.
      try file.synchronize()
      return try file.size
    }
  }

  public func append(
    to upload: UUIDv7, at offset: Int64, checksum: PieceChecksum?, tenant: TenantID
  ) async throws(FileError) -> any UploadPiece {
    let (folder, path) = (uploadFolder(tenant), uploadPath(upload, tenant))
    let file = try await threads.run(upload) { () throws(FileError) in
      try Self.makeFolder(folder)
      let file = try FolderFile(path, O_RDWR | O_CREAT)
      guard try file.lock() else { throw .busy }
      let size = try file.size
      guard size == offset else { throw .offset(size) }
      if size == 0 { try Self.synchronizeFolder(folder) }
      return file
    }
    return FolderUploadPiece(file, upload, at: offset, checksum, threads)
  }

  public func complete(
    _ upload: UUIDv7, size: Int64, announced: String?, last: (any UploadPiece)?, tenant: TenantID
  ) async throws(FileError) -> CompleteUpload {
    let path = uploadPath(upload, tenant)
    return try await threads.run(upload) { () throws(FileError) in
      guard let file = try Self.uploadFile(path) else { throw .offset(0) }
      guard try file.lock() else { throw .busy }
      defer { file.unlock() }
      let present = try file.size
      guard present == size else { throw .offset(present) }
      let content: CompleteUpload
      // The file of the piece is still open, so no other file can have its identity. Bytes of an upload are never
      // changed, so that those of the piece are still the same.
      if let piece = last as? FolderUploadPiece, piece.offset == size, let whole = piece.whole,
        try piece.file.identity == file.identity
      {
        content = whole
      } else {
        try file.synchronize()
        content = try Self.content(of: file)
      }
      guard announced == nil || announced == content.sha256 else {
        try Self.remove(path)
        throw .otherContent(found: content.sha256)
      }
      try self.link(path, as: content.sha256, tenant)
      return content
    }
  }

  /// Opens the file of an upload; `nil` if no bytes of the upload have arrived.
  private static func uploadFile(_ path: String) throws(FileError) -> FolderFile? {
    do throws(FileError) {
      return try FolderFile(path, O_RDWR)
    } catch {
      if case .missing = error { return nil }
      throw error
    }
  }

  private static func content(of file: FolderFile) throws(FileError) -> CompleteUpload {
    var hash = SHA256()
    var (offset, head): (Int64, [UInt8]) = (0, [])
    while true {
      let bytes = try file.read(at: offset, count: 256 << 10)
      if bytes.isEmpty { break }
      if offset == 0 { head = Array(bytes.prefix(CompleteUpload.headBytes)) }
      hash.update(data: bytes)
      offset += Int64(bytes.count)
    }
    return CompleteUpload(sha256: Hexadecimal.text(Array(hash.finalize())), head: head)
  }

  public func removeUpload(_ upload: UUIDv7, tenant: TenantID) async throws(FileError) {
    let path = uploadPath(upload, tenant)
    try await threads.run(upload) { () throws(FileError) in try Self.remove(path) }
  }

  // MARK: Contents

  public func store(_ bytes: [UInt8], tenant: TenantID) async throws(FileError) -> String {
    let text = Hexadecimal.text(Array(SHA256.hash(data: bytes)))
    let (folder, id) = (uploadFolder(tenant), UUIDv7.random(at: Timestamp(nanoseconds: 0)))
    try await threads.run(text) { () throws(FileError) in
      try Self.makeFolder(folder)
      let path = folder + "/" + id.string
      let file = try FolderFile(path, O_RDWR | O_CREAT | O_EXCL)
      do throws(FileError) {
        try file.write(bytes, at: 0)
        try file.synchronize()
        try self.link(path, as: text, tenant)
      } catch {
        try Self.remove(path)
        throw error
      }
      try Self.remove(path)
    }
    return text
  }

  public func open(_ sha256: String, tenant: TenantID) async throws(FileError) -> any StoredContent {
    let path = contentPath(sha256, tenant)
    let threads = threads
    return try await threads.run(sha256) { () throws(FileError) in
      let file = try FolderFile(path, O_RDONLY)
      return FolderContent(file: file, size: try file.size, sha256: sha256, threads: threads)
    }
  }

  // MARK: Removal

  public func renew(_ contents: [String], tenant: TenantID) async throws(FileError) {
    guard !contents.isEmpty else { return }
    let paths = contents.map { contentPath($0, tenant) }
    let lock = lockPath(tenant)
    try await threads.run("sweep") { () throws(FileError) in
      try Self.makeFolder(Self.parent(of: lock))
      let held = try FolderFile(lock, O_RDWR | O_CREAT)
      try held.waitForLock()
      defer { held.unlock() }
      for path in paths {
        guard unsafe utimensat(AT_FDCWD, path, nil, 0) == 0 || errno == ENOENT else { throw .last(path) }
      }
    }
  }

  public func sweep(
    keeping contents: Set<String>, _ uploads: Set<String>, unchangedFor seconds: Int, tenant: TenantID
  ) async throws(FileError) -> Int {
    let (uploadFolder, contentFolder) = (uploadFolder(tenant), folder + "/\(tenant.text)/contents")
    let lock = lockPath(tenant)
    return try await threads.run("sweep") { () throws(FileError) in
      var removed = 0
      for name in Self.names(in: uploadFolder) where !uploads.contains(name) {
        if try Self.removeOld(uploadFolder + "/" + name, seconds) { removed += 1 }
      }
      for part in Self.names(in: contentFolder) {
        for name in Self.names(in: contentFolder + "/" + part) where !contents.contains(name) {
          // If the same content is uploaded again, its time of change is set while this lock is held.
          let held = try FolderFile(lock, O_RDWR | O_CREAT)
          guard try held.lock() else { continue }
          defer { held.unlock() }
          if try Self.removeOld(contentFolder + "/\(part)/\(name)", seconds) { removed += 1 }
        }
      }
      return removed
    }
  }

  // MARK: Paths

  private func uploadFolder(_ tenant: TenantID) -> String { folder + "/\(tenant.text)/uploads" }
  private func uploadPath(_ upload: UUIDv7, _ tenant: TenantID) -> String {
    uploadFolder(tenant) + "/" + upload.string
  }
  private func contentPath(_ sha256: String, _ tenant: TenantID) -> String {
    folder + "/\(tenant.text)/contents/\(sha256.prefix(2))/\(sha256)"
  }
  private func lockPath(_ tenant: TenantID) -> String { folder + "/\(tenant.text)/lock" }

  /// Links a file under the SHA-256 of its content. If the content is stored already, sets its time of change to now.
  private func link(_ path: String, as sha256: String, _ tenant: TenantID) throws(FileError) {
    let target = contentPath(sha256, tenant)
    let parent = folder + "/\(tenant.text)/contents/\(sha256.prefix(2))"
    try Self.makeFolder(parent)
    let held = try FolderFile(lockPath(tenant), O_RDWR | O_CREAT)
    try held.waitForLock()
    defer { held.unlock() }
    if unsafe Glibc.link(path, target) != 0 {
      guard errno == EEXIST else { throw .last(target) }
      guard unsafe utimensat(AT_FDCWD, target, nil, 0) == 0 else { throw .last(target) }
      // The bytes that the other upload has written are perhaps not on the disk yet.
      try FolderFile(target, O_RDONLY).synchronize()
    }
    try Self.synchronizeFolder(parent)
  }

  /// Creates a folder and its missing parent folders, and waits until they are on the disk.
  private static func makeFolder(_ path: String) throws(FileError) {
    if unsafe mkdir(path, 0o700) == 0 {
      try synchronizeFolder(parent(of: path))
      return
    }
    switch errno {
    case EEXIST: return
    case ENOENT:
      try makeFolder(parent(of: path))
      guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .last(path) }
      try synchronizeFolder(parent(of: path))
    default: throw .last(path)
    }
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func synchronizeFolder(_ path: String) throws(FileError) {
    try FolderFile(path, O_RDONLY | O_DIRECTORY).synchronize()
  }

  private static func remove(_ path: String) throws(FileError) {
    guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .last(path) }
  }

  /// Removes a file if it has not changed for `seconds`. Returns whether the file was removed.
  private static func removeOld(_ path: String, _ seconds: Int) throws(FileError) -> Bool {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return false }
    guard time(nil) - status.st_mtim.tv_sec >= seconds else { return false }
    try remove(path)
    return true
  }

  private static func names(in folder: String) -> [String] {
    FolderListing.names(in: folder) ?? []
  }
}
