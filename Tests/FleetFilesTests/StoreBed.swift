import Crypto
import FleetDomain
import Foundation
import Peers
import Telemetry
import TestKit

@testable import FleetFiles

/// A place for the contents of files, of each kind. Each object that ``open()`` returns is like another server.
final class StoreBed: @unchecked Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case folder, s3
  }

  static let tenant = TenantID.standard
  static let now = Timestamp(nanoseconds: 1_780_000_000_000_000_000)
  /// The storage of all tests that do not let it fail. It ends with the process, which closes its standard input.
  private static let peer = Result { try S3Peer() }

  let scratch: ScratchFolder
  private let bucket: S3Bucket?

  init(_ kind: Kind) throws {
    scratch = try ScratchFolder()
    bucket = kind == .s3 ? try Self.bucket(Self.peer.get()) : nil
  }

  func open() throws -> any FileStore {
    if let bucket { return S3FileStore(bucket, now: Self.clock) }
    return try FolderFileStore(folder: scratch.file("files"))
  }

  static let clock: @Sendable () -> Timestamp = {
    Timestamp(nanoseconds: Int64(Date().timeIntervalSince1970 * 1_000) * 1_000_000)
  }

  /// A bucket of a storage, with a prefix of its own.
  static func bucket(_ peer: S3Peer) throws -> S3Bucket {
    var bucket = S3Bucket(
      url: ServiceURL("http://127.0.0.1:\(peer.port)", schemes: [("http", 80)])!, name: S3Peer.bucket,
      region: "us-east-1")
    (bucket.accessKey, bucket.secretKey) = (S3Peer.accessKey, S3Peer.secretKey)
    bucket.prefix = UUID().uuidString + "/"
    return bucket
  }

  static func hash(_ bytes: [UInt8]) -> String { Hexadecimal.text(Array(SHA256.hash(data: bytes))) }
}

extension FileStore {
  /// Appends a piece.
  func send(
    _ bytes: some Collection<UInt8>, to id: UUIDv7, at offset: Int64 = 0, checksum: PieceChecksum? = nil
  ) async throws -> any UploadPiece {
    let piece = try await append(to: id, at: offset, checksum: checksum, tenant: StoreBed.tenant)
    try await piece.write(Array(bytes))
    try await piece.finish()
    return piece
  }

  /// Uploads a whole file, as a server does.
  func upload(_ bytes: [UInt8], _ id: UUIDv7 = .random(at: StoreBed.now)) async throws -> String {
    let piece = try await send(bytes, to: id)
    let sha256 = try await complete(
      id, size: Int64(bytes.count), announced: nil, last: piece, tenant: StoreBed.tenant
    ).sha256
    try await removeUpload(id, tenant: StoreBed.tenant)
    return sha256
  }

  /// Reads a whole content.
  func content(_ sha256: String) async throws -> [UInt8] {
    let stored = try await open(sha256, tenant: StoreBed.tenant)
    var bytes: [UInt8] = []
    while Int64(bytes.count) < stored.size {
      let next = try await stored.read(at: Int64(bytes.count), count: 300_000)
      if next.isEmpty { break }
      bytes += next
    }
    return bytes
  }
}
