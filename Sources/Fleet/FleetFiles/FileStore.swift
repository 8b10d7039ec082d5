import Crypto
import FleetDomain
import Glibc
import Telemetry

/// The content of an upload whose bytes have all arrived.
public struct CompleteUpload: Equatable, Sendable {
  public let sha256: String
  /// The first bytes, which show the type.
  public let head: [UInt8]
}

/// A folder with the contents of uploaded files, named by their SHA-256, and with the uploads in progress.
///
///     TENANT/contents/ab/ab12…    a content, never changed
///     TENANT/uploads/ID           the first bytes of an upload
///
/// A content is stored once for each tenant, however often it was uploaded. When a call returns, its result survives
/// kill -9 and a power cut. Several servers may share the folder, if its file system has locks (flock) and links.
public final class FileStore: Sendable {
  let folder: String
  private let threads = FileThreads(8)

  /// Opens the folder, or creates it if it does not exist.
  public init(folder: String) throws(FileError) {
    self.folder = folder
    try Self.makeFolder(folder)
  }

  // MARK: Uploads

  /// Returns the number of stored bytes of an upload; 0 if nothing of the upload is stored.
  public func offset(of upload: UUIDv7, tenant: TenantID) async throws(FileError) -> Int64 {
    let path = uploadPath(upload, tenant)
    return try await threads.run(upload) { () throws(FileError) in
      let file: OpenFile
      do throws(FileError) {
        file = try OpenFile(path, O_RDWR)
      } catch {
        if case .missing = error { return 0 }
        throw error
      }
      // If a piece was interrupted, its bytes may not be on the disk yet.
      try file.synchronize()
      return try file.size
    }
  }

  /// Begins to append a piece to an upload.
  ///
  /// - Throws: `offset` if the piece does not begin at the upload's end; `busy` if another piece is being appended.
  public func append(to upload: UUIDv7, at offset: Int64, tenant: TenantID) async throws(FileError) -> UploadPiece {
    let (folder, path) = (uploadFolder(tenant), uploadPath(upload, tenant))
    let file = try await threads.run(upload) { () throws(FileError) in
      try Self.makeFolder(folder)
      let file = try OpenFile(path, O_RDWR | O_CREAT)
      guard try file.lock() else { throw .busy }
      let size = try file.size
      guard size == offset else { throw .offset(size) }
      if size == 0 { try Self.synchronizeFolder(folder) }
      return file
    }
    return UploadPiece(file, upload, at: offset, threads)
  }

  /// Stores a complete upload under its SHA-256. The upload stays until ``removeUpload(_:tenant:)`` is called, so that
  /// this call can be repeated after a crash.
  ///
  /// - Parameters:
  ///   - size: the length of the whole file, bytes.
  ///   - announced: the SHA-256 that the client has announced; `nil` for none.
  /// - Throws: `offset` if the upload has another length; `busy` if a piece is being appended, because its bytes may
  ///   still be removed; `otherContent` if the SHA-256 is not the announced one (the upload is then removed).
  public func complete(
    _ upload: UUIDv7, size: Int64, announced: String?, tenant: TenantID
  ) async throws(FileError) -> CompleteUpload {
    let path = uploadPath(upload, tenant)
    return try await threads.run(upload) { () throws(FileError) in
      let file: OpenFile
      do throws(FileError) {
        file = try OpenFile(path, O_RDWR)
      } catch {
        if case .missing = error { throw .offset(0) }
        throw error
      }
      guard try file.lock() else { throw .busy }
      defer { file.unlock() }
      let present = try file.size
      guard present == size else { throw .offset(present) }
      try file.synchronize()
      var hash = SHA256()
      var (offset, head): (Int64, [UInt8]) = (0, [])
      while true {
        let bytes = try file.read(at: offset, count: 256 << 10)
        if bytes.isEmpty { break }
        if offset == 0 { head = Array(bytes.prefix(4_096)) }
        hash.update(data: bytes)
        offset += Int64(bytes.count)
      }
      let text = Hexadecimal.text(Array(hash.finalize()))
      guard announced == nil || announced == text else {
        try Self.remove(path)
        throw .otherContent(found: text)
      }
      try self.link(path, as: text, tenant)
      return CompleteUpload(sha256: text, head: head)
    }
  }

  public func removeUpload(_ upload: UUIDv7, tenant: TenantID) async throws(FileError) {
    let path = uploadPath(upload, tenant)
    try await threads.run(upload) { () throws(FileError) in try Self.remove(path) }
  }

  // MARK: Contents

  /// Stores a content.
  ///
  /// - Returns: its SHA-256.
  public func store(_ bytes: [UInt8], tenant: TenantID) async throws(FileError) -> String {
    let text = Hexadecimal.text(Array(SHA256.hash(data: bytes)))
    let (folder, id) = (uploadFolder(tenant), UUIDv7.random(at: Timestamp(nanoseconds: 0)))
    try await threads.run(text) { () throws(FileError) in
      try Self.makeFolder(folder)
      let path = folder + "/" + id.string
      let file = try OpenFile(path, O_RDWR | O_CREAT | O_EXCL)
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

  /// Opens a content.
  ///
  /// - Throws: `missing`.
  public func open(_ sha256: String, tenant: TenantID) async throws(FileError) -> StoredContent {
    let path = contentPath(sha256, tenant)
    let threads = threads
    return try await threads.run(sha256) { () throws(FileError) in
      let file = try OpenFile(path, O_RDONLY)
      return StoredContent(file: file, size: try file.size, sha256: sha256, threads: threads)
    }
  }

  // MARK: Removal

  /// Sets the age of contents to zero, so that ``sweep(keeping:_:unchangedFor:tenant:)`` keeps them for its full time
  /// limit.
  public func renew(_ contents: [String], tenant: TenantID) async throws(FileError) {
    guard !contents.isEmpty else { return }
    let paths = contents.map { contentPath($0, tenant) }
    let lock = lockPath(tenant)
    try await threads.run("sweep") { () throws(FileError) in
      try Self.makeFolder(Self.parent(of: lock))
      let held = try OpenFile(lock, O_RDWR | O_CREAT)
      try held.waitForLock()
      defer { held.unlock() }
      for path in paths {
        guard unsafe utimensat(AT_FDCWD, path, nil, 0) == 0 || errno == ENOENT else { throw .last(path) }
      }
    }
  }

  /// Removes contents that no file needs, and uploads without a file, if they have not changed for some time.
  ///
  /// - Parameters:
  ///   - contents: the contents that files need.
  ///   - uploads: the uploads that are in progress.
  ///   - seconds: the time without a change after which they are removed. It must be longer than any request, because a
  ///     content is stored before the database refers to it.
  /// - Returns: the number of removed contents and uploads.
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
          let held = try OpenFile(lock, O_RDWR | O_CREAT)
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
    let held = try OpenFile(lockPath(tenant), O_RDWR | O_CREAT)
    try held.waitForLock()
    defer { held.unlock() }
    if unsafe Glibc.link(path, target) != 0 {
      guard errno == EEXIST else { throw .last(target) }
      guard unsafe utimensat(AT_FDCWD, target, nil, 0) == 0 else { throw .last(target) }
      // The bytes that the other upload has written may not be on the disk yet.
      try OpenFile(target, O_RDONLY).synchronize()
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
    try OpenFile(path, O_RDONLY | O_DIRECTORY).synchronize()
  }

  private static func remove(_ path: String) throws(FileError) {
    guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .last(path) }
  }

  /// Removes a file that has not changed for some time.
  private static func removeOld(_ path: String, _ seconds: Int) throws(FileError) -> Bool {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return false }
    guard time(nil) - status.st_mtim.tv_sec >= seconds else { return false }
    try remove(path)
    return true
  }

  private static func names(in folder: String) -> [String] {
    guard let directory = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { text in
        unsafe text.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }
}
