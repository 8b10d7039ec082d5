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
  /// The format that the content shows; nil if it shows none.
  public var format: CaptureFormat? { try? detected.get() }
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
    do throws(CaptureError) {
      let source = try Source(descriptor)
      let buffer = try Self.room(source)
      let head = try Head(source, buffer)
      self.buffer = buffer
      contentHash = head.hash
      detected = head.detected
      size = source.size
      headCount = source.start == nil ? head.count : 0
    } catch {
      if ownsDescriptor { close(descriptor) }
      throw error
    }
    self.descriptor = descriptor
    self.ownsDescriptor = ownsDescriptor
  }

  private static func room(_ source: Source) throws(CaptureError) -> PageBuffer {
    guard let buffer = PageBuffer(capacity: source.start == nil ? hashedSize : detectedSize + blockSize) else {
      throw CaptureError(.unreadable(ENOMEM))
    }
    return buffer
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
    buffer.discard()
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

/// What is behind a descriptor.
private struct Source {
  let descriptor: Int32
  /// Where a file's reading begins; nil for what cannot be read twice.
  let start: off_t?
  let size: Int?

  init(_ descriptor: Int32) throws(CaptureError) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw CaptureFile.error(errno) }
    let type = status.st_mode & S_IFMT
    if type == S_IFDIR { throw CaptureError(.isDirectory) }
    let position = type == S_IFREG ? lseek(descriptor, 0, SEEK_CUR) : -1
    self.descriptor = descriptor
    start = position >= 0 ? position : nil
    size = position >= 0 ? max(0, Int(status.st_size) - Int(position)) : nil
  }
}

/// What the first 8 MiB show.
private struct Head {
  let hash: UInt64
  let detected: Result<CaptureFormat, CaptureError>
  let count: Int

  /// Reads the head into the buffer, whose end a file's blocks overwrite in turn, and sets a file back to its start.
  init(_ source: Source, _ buffer: borrowing PageBuffer) throws(CaptureError) {
    var hash = ContentHash()
    var filled = 0
    var total = 0
    var isWhole = false
    while total < CaptureFile.hashedSize {
      let offset = source.start == nil ? filled : min(filled, CaptureFile.detectedSize)
      let limit = min(CaptureFile.blockSize, CaptureFile.hashedSize - total)
      guard let count = buffer.read(source.descriptor, at: offset, limit: limit) else { throw CaptureFile.error(errno) }
      if count == 0 {
        isWhole = true
        break
      }
      buffer.withBytes(offset..<offset + count) { hash.update($0) }
      filled = offset + count
      total += count
    }
    guard total > 0 else { throw CaptureError(.empty) }
    if let start = source.start, lseek(source.descriptor, start, SEEK_SET) < 0 { throw CaptureFile.error(errno) }
    self.hash = hash.value
    count = total
    detected = Self.detect(buffer, min(total, CaptureFile.detectedSize), isWhole: isWhole)
  }

  private static func detect(
    _ buffer: borrowing PageBuffer, _ count: Int, isWhole: Bool
  ) -> Result<CaptureFormat, CaptureError> {
    do throws(CaptureError) {
      return .success(
        try buffer.withBytes(0..<count) { bytes throws(CaptureError) in
          try CaptureFormat.detect(bytes, isWhole: isWhole && count < CaptureFile.detectedSize)
        })
    } catch {
      return .failure(error)
    }
  }
}
