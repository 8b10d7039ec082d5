import Glibc

/// Is told how far the reading of a capture has come.
public protocol CaptureProgress: ~Copyable {
  /// - Parameters:
  ///   - done: bytes handed on so far.
  ///   - total: the capture's size in bytes; nil where it is not known (a pipe).
  mutating func advanced(to done: Int, of total: Int?)
}

/// For those who do not ask.
public struct NoProgress: CaptureProgress {
  public init() {}
  public mutating func advanced(to done: Int, of total: Int?) {}
}

/// A capture being read from a file, a pipe or a terminal.
///
/// Opening it reads the head, at most 8 MiB: the hash of the content must be known before the first record leaves, and
/// the format before the first event. What cannot be read again (a pipe) is kept until ``read(as:into:progress:)`` has
/// handed it on; of a file only the block under way is held. A pipe and a file of the same bytes give the same hash,
/// format and events.
@safe
public struct CaptureFile: ~Copyable {
  /// How much of the content the hash covers.
  public static let hashedSize = 8 << 20
  /// How much of the head the search for the format looks at: more than the longest line.
  static let detectedSize = (1 << 20) + (1 << 18)
  static let blockSize = 1 << 18

  /// XXH64 of the first 8 MiB of the content, or of all if it is shorter.
  public let contentHash: UInt64
  /// The format that the content shows, or why it shows none.
  public let detected: Result<CaptureFormat, CaptureError>
  /// The size in bytes; nil where it is not known.
  public let size: Int?

  private let descriptor: Int32
  private let ownsDescriptor: Bool
  /// The head of what cannot be read twice; of a file, room for a block.
  private var buffer: PageBuffer
  /// Bytes of the head still in the buffer.
  private let headCount: Int

  /// Opens a capture.
  ///
  /// - Parameter path: a file's, or `-` for standard input.
  /// - Throws: `missing`, `isDirectory`, `unreadable` or `empty`. A content of no known format is not an error of
  ///   opening: see ``detected``.
  public init(path: String) throws(CaptureError) {
    if path == "-" {
      try self.init(descriptor: STDIN_FILENO, ownsDescriptor: false)
      return
    }
    let opened = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else { throw Self.error(errno) }
    try self.init(descriptor: opened, ownsDescriptor: true)
  }

  init(descriptor: Int32, ownsDescriptor: Bool) throws(CaptureError) {
    var head: Head
    do throws(CaptureError) { head = try Head(descriptor) } catch {
      if ownsDescriptor { close(descriptor) }
      throw error
    }
    self.descriptor = descriptor
    self.ownsDescriptor = ownsDescriptor
    contentHash = head.hash
    detected = head.detected
    size = head.size
    headCount = head.kept
    buffer = head.takeBuffer()
  }

  deinit { if ownsDescriptor { close(descriptor) } }

  /// Reads the whole capture and hands its events on. To be called once.
  ///
  /// - Parameter format: overrides what the content shows.
  /// - Throws: the detection's error if no format is given; the reader's; `unreadable`.
  public mutating func read<C: CaptureConsumer & ~Copyable, P: CaptureProgress & ~Copyable>(
    as format: CaptureFormat? = nil, into consumer: inout C, progress: inout P
  ) throws(CaptureError) {
    var reader = CaptureReader(format: try Self.chosen(format, detected))
    var done = 0
    while done < headCount {
      let end = min(done + Self.blockSize, headCount)
      try deliver(done..<end, to: &reader, &consumer)
      done = end
      progress.advanced(to: done, of: size)
    }
    while true {
      guard let count = buffer.read(descriptor, at: 0, limit: Self.blockSize) else { throw Self.error(errno) }
      if count == 0 { break }
      try deliver(0..<count, to: &reader, &consumer)
      done += count
      progress.advanced(to: done, of: size)
    }
    try reader.finish(into: &consumer)
  }

  private static func chosen(
    _ format: CaptureFormat?, _ detected: Result<CaptureFormat, CaptureError>
  ) throws(CaptureError) -> CaptureFormat {
    if let format { return format }
    return try detected.get()
  }

  private func deliver<C: CaptureConsumer & ~Copyable>(
    _ range: Range<Int>, to reader: inout CaptureReader, _ consumer: inout C
  ) throws(CaptureError) {
    try buffer.withBytes(range) { bytes throws(CaptureError) in try reader.receive(bytes, into: &consumer) }
  }

  static func error(_ number: Int32) -> CaptureError {
    switch number {
    case ENOENT, ENOTDIR: CaptureError(.missing)
    case EISDIR: CaptureError(.isDirectory)
    default: CaptureError(.unreadable(number))
    }
  }
}

/// The head of a capture while it is being read.
private struct Head: ~Copyable {
  let hash: UInt64
  let detected: Result<CaptureFormat, CaptureError>
  let size: Int?
  /// Bytes in the buffer that are to be handed on from there.
  let kept: Int
  private var buffer: PageBuffer

  init(_ descriptor: Int32) throws(CaptureError) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw CaptureFile.error(errno) }
    if status.st_mode & S_IFMT == S_IFDIR { throw CaptureError(.isDirectory) }
    // Only what can be read again need not be kept: a file, from where its reading begins.
    let start = status.st_mode & S_IFMT == S_IFREG ? lseek(descriptor, 0, SEEK_CUR) : -1
    size = start >= 0 ? max(0, Int(status.st_size) - Int(start)) : nil
    guard
      let buffer = PageBuffer(
        capacity: start >= 0 ? CaptureFile.detectedSize + CaptureFile.blockSize : CaptureFile.hashedSize)
    else { throw CaptureError(.unreadable(ENOMEM)) }
    var hash = ContentHash()
    var filled = 0
    var total = 0
    var isWhole = false
    while total < CaptureFile.hashedSize {
      // Behind the part that detection looks at, a file's blocks may overwrite each other.
      let offset = start >= 0 ? min(filled, CaptureFile.detectedSize) : filled
      let limit = min(CaptureFile.blockSize, CaptureFile.hashedSize - total)
      guard let count = buffer.read(descriptor, at: offset, limit: limit) else { throw CaptureFile.error(errno) }
      if count == 0 {
        isWhole = true
        break
      }
      buffer.withBytes(offset..<offset + count) { hash.update($0) }
      filled = offset + count
      total += count
    }
    guard total > 0 else { throw CaptureError(.empty) }
    let shown = min(total, CaptureFile.detectedSize)
    detected = buffer.withBytes(0..<shown) { bytes in
      do throws(CaptureError) {
        return .success(try CaptureFormat.detect(bytes, isWhole: isWhole && shown == total))
      } catch {
        return .failure(error)
      }
    }
    if start >= 0, lseek(descriptor, start, SEEK_SET) < 0 { throw CaptureFile.error(errno) }
    self.hash = hash.value
    kept = start >= 0 ? 0 : total
    self.buffer = buffer
  }

  consuming func takeBuffer() -> PageBuffer { buffer }
}
