import FleetDomain
import Synchronization
import Telemetry

/// A piece of an upload in a ``FolderFileStore``. It holds the lock of the upload until it is finished.
final class FolderUploadPiece: UploadPiece {
  private struct State {
    var end: Int64
    var hashes: PieceHashes
    var head: [UInt8] = []
  }

  let file: FolderFile
  private let upload: UUIDv7
  private let threads: FileThreads
  private let start: Int64
  private let state: Mutex<State>

  init(_ file: FolderFile, _ upload: UUIDv7, at offset: Int64, _ checksum: PieceChecksum?, _ threads: FileThreads) {
    (self.file, self.upload, self.threads, start) = (file, upload, threads, offset)
    state = Mutex(State(end: offset, hashes: PieceHashes(checksum, isFirst: offset == 0)))
  }

  var offset: Int64 { state.withLock { $0.end } }

  /// The content, if this piece is the whole upload; otherwise `nil`.
  var whole: CompleteUpload? {
    guard start == 0 else { return nil }
    let (hashes, head) = state.withLock { ($0.hashes, $0.head) }
    return hashes.digest.map { CompleteUpload(sha256: Hexadecimal.text($0), head: head) }
  }

  func write(_ bytes: [UInt8]) async throws(FileError) {
    try await threads.run(upload) { [self] () throws(FileError) in
      // Only this thread changes the state, and calls with the same key run one after another.
      try file.write(bytes, at: offset)
      state.withLock { state in
        state.hashes.update(bytes)
        if state.head.count < CompleteUpload.headBytes {
          state.head += bytes.prefix(CompleteUpload.headBytes - state.head.count)
        }
        state.end += Int64(bytes.count)
      }
    }
  }

  func finish() async throws(FileError) {
    try await threads.run(upload) { [self] () throws(FileError) in
      defer { file.unlock() }
      guard state.withLock({ $0.hashes }).areExpected else {
        try file.truncate(to: start)
        try file.synchronize()
        throw .checksum
      }
      try file.synchronize()
    }
  }
}

/// A content in a ``FolderFileStore``. It can be read to the end even if the file is removed while it is being read.
struct FolderContent: StoredContent {
  let file: FolderFile
  let size: Int64
  let sha256: String
  let threads: FileThreads

  func read(at offset: Int64, count: Int) async throws(FileError) -> [UInt8] {
    let file = file
    return try await threads.run(sha256) { () throws(FileError) in try file.read(at: offset, count: count) }
  }
}
