import FleetDomain
import Telemetry

/// The content of an upload whose bytes have all arrived.
public struct CompleteUpload: Equatable, Sendable {
  public let sha256: String
  /// The first bytes, from which the type of the file is determined.
  public let head: [UInt8]

  /// The number of bytes in ``head``. A shorter content is completely in ``head``.
  static let headBytes = 4_096
}

/// Stores the contents of uploaded files, named by their SHA-256, and the uploads in progress.
///
/// A content is stored once for each tenant, however often it was uploaded. When a call returns, its result survives
/// kill -9 of the server. Several servers may share one store.
public protocol FileStore: Sendable {
  /// The memory that an open piece (``UploadPiece``) needs in addition to the bytes that are appended to it, bytes.
  var pieceMemory: Int { get }
  /// The memory that an open content needs in addition to the bytes that it returns, bytes.
  var contentMemory: Int { get }

  /// Checks that contents can be stored, read and removed.
  ///
  /// - Throws: `unavailable` if the check may succeed later; `system` if the settings are wrong.
  func check() async throws(FileError)

  // MARK: Uploads

  /// Returns the number of stored bytes of an upload.
  func offset(of upload: UUIDv7, tenant: TenantID) async throws(FileError) -> Int64

  /// Begins to append a piece to an upload.
  ///
  /// - Parameter checksum: the checksum of the piece that the client has sent; `nil` for none.
  /// - Throws: `offset` if the piece does not begin at the upload's end; `busy` if another piece is being appended.
  func append(
    to upload: UUIDv7, at offset: Int64, checksum: PieceChecksum?, tenant: TenantID
  ) async throws(FileError) -> any UploadPiece

  /// Stores a complete upload under its SHA-256. The upload stays until ``removeUpload(_:tenant:)`` is called, so that
  /// this call can be repeated after a crash.
  ///
  /// - Parameters:
  ///   - size: the length of the whole file, bytes.
  ///   - announced: the SHA-256 that the client has announced; `nil` for none.
  ///   - last: the last piece, which this store has just received; `nil` if it is unknown. If this piece is the whole
  ///     upload, its bytes are not read again.
  /// - Throws: `offset` if the upload has another length; `busy` if a piece is still being appended, because its bytes
  ///   may be removed again; `otherContent` if the SHA-256 is not the announced one (the upload is then removed).
  func complete(
    _ upload: UUIDv7, size: Int64, announced: String?, last: (any UploadPiece)?, tenant: TenantID
  ) async throws(FileError) -> CompleteUpload

  func removeUpload(_ upload: UUIDv7, tenant: TenantID) async throws(FileError)

  // MARK: Contents

  /// Stores a content.
  ///
  /// - Returns: its SHA-256.
  func store(_ bytes: [UInt8], tenant: TenantID) async throws(FileError) -> String

  /// Opens a content.
  ///
  /// - Throws: `missing`.
  func open(_ sha256: String, tenant: TenantID) async throws(FileError) -> any StoredContent

  // MARK: Removal

  /// Restarts the time for which ``sweep(keeping:_:unchangedFor:tenant:)`` keeps these contents although no file needs
  /// them.
  func renew(_ contents: [String], tenant: TenantID) async throws(FileError)

  /// Removes contents that no file needs, and uploads without a file, if they have not changed for some time.
  ///
  /// - Parameters:
  ///   - contents: the contents that files need.
  ///   - uploads: the uploads that are in progress.
  ///   - seconds: contents and uploads that have not changed for this time are removed, s. It must be longer than any
  ///     request, because a content is stored before the database refers to it.
  /// - Returns: the number of removed contents and uploads.
  func sweep(
    keeping contents: Set<String>, _ uploads: Set<String>, unchangedFor seconds: Int, tenant: TenantID
  ) async throws(FileError) -> Int
}

/// A piece of a file that is being appended to an upload. Until it is finished, no other piece can be appended by the
/// same server.
public protocol UploadPiece: Sendable {
  /// The offset at which the next bytes are written, bytes from the beginning of the upload.
  var offset: Int64 { get }

  func write(_ bytes: [UInt8]) async throws(FileError)

  /// Ends the piece. When this returns, all its bytes are stored, and the next piece may be appended.
  ///
  /// - Throws: `checksum` if the piece has another checksum; it is then removed.
  func finish() async throws(FileError)
}

/// The content of a stored file, opened for reading.
public protocol StoredContent: Sendable {
  /// The length in bytes.
  var size: Int64 { get }

  /// Returns at most `count` bytes; an empty array at the end of the content.
  func read(at offset: Int64, count: Int) async throws(FileError) -> [UInt8]
}
