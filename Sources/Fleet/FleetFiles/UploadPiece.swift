import Crypto
import FleetDomain
import Synchronization
import Telemetry

/// A piece of a file that is being appended to an upload. Until it is finished, no other piece can be appended.
public final class UploadPiece: Sendable {
  /// The checksum of a piece that the client has sent.
  public enum Checksum: Equatable, Sendable {
    case sha1([UInt8])
    case sha256([UInt8])
  }

  private let file: OpenFile
  private let upload: UUIDv7
  private let threads: FileThreads
  private let start: Int64
  private let end: Mutex<Int64>

  init(_ file: OpenFile, _ upload: UUIDv7, at offset: Int64, _ threads: FileThreads) {
    (self.file, self.upload, self.threads, start) = (file, upload, threads, offset)
    end = Mutex(offset)
  }

  /// The offset at which the next bytes are written, bytes from the beginning of the upload.
  public var offset: Int64 { end.withLock { $0 } }

  public func write(_ bytes: [UInt8]) async throws(FileError) {
    let (file, offset) = (file, offset)
    try await threads.run(upload) { () throws(FileError) in try file.write(bytes, at: offset) }
    end.withLock { $0 += Int64(bytes.count) }
  }

  /// Ends the piece. When this returns, all its bytes are on the disk, and the next piece may be appended.
  ///
  /// - Throws: `checksum` if the piece has another checksum; it is then removed.
  public func finish(_ checksum: Checksum? = nil) async throws(FileError) {
    let (file, start, end) = (file, start, offset)
    try await threads.run(upload) { () throws(FileError) in
      defer { file.unlock() }
      if let checksum, try !Self.matches(checksum, file, start, end) {
        try file.truncate(to: start)
        try file.synchronize()
        throw .checksum
      }
      try file.synchronize()
    }
  }

  private static func matches(
    _ checksum: Checksum, _ file: OpenFile, _ start: Int64, _ end: Int64
  ) throws(FileError) -> Bool {
    switch checksum {
    case .sha1(let wanted): try digest(Insecure.SHA1(), file, start, end) == wanted
    case .sha256(let wanted): try digest(SHA256(), file, start, end) == wanted
    }
  }

  private static func digest(
    _ function: some HashFunction, _ file: OpenFile, _ start: Int64, _ end: Int64
  ) throws(FileError) -> [UInt8] {
    var (function, offset) = (function, start)
    while offset < end {
      let bytes = try file.read(at: offset, count: Int(min(256 << 10, end - offset)))
      if bytes.isEmpty { break }
      function.update(data: bytes)
      offset += Int64(bytes.count)
    }
    return Array(function.finalize())
  }
}

/// The content of a stored file, opened for reading. It can be read to the end even if the file is removed meanwhile.
public struct StoredContent: Sendable {
  let file: OpenFile
  public let size: Int64
  let sha256: String
  let threads: FileThreads

  /// Returns at most `count` bytes; an empty array at the end of the content.
  public func read(at offset: Int64, count: Int) async throws(FileError) -> [UInt8] {
    let file = file
    return try await threads.run(sha256) { () throws(FileError) in try file.read(at: offset, count: count) }
  }
}
