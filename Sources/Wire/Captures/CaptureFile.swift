import Glibc

/// Receives the progress of reading a capture.
public protocol CaptureProgress: ~Copyable {
  /// Receives the progress after each block that was read.
  ///
  /// - Parameters:
  ///   - done: bytes processed so far.
  ///   - total: size of the capture in bytes; `nil` if unknown (a pipe).
  mutating func advanced(to done: Int, of total: Int?)
}

/// Ignores the progress.
public struct NoProgress: CaptureProgress {
  public init() {}
  public mutating func advanced(to done: Int, of total: Int?) {}
}

/// A capture that is read from a file, a pipe or a terminal.
///
/// ```swift
/// struct Printer: CaptureConsumer {
///   mutating func header(
///     recorded: Int64?, vehicle: Span<UInt8>, adapter: Span<UInt8>, provenance: Span<UInt8>
///   ) {}
///   mutating func bytes(_ direction: CaptureDirection, at time: CaptureTime, _ bytes: Span<UInt8>) {
///     print(direction, time, bytes.count)
///   }
/// }
///
/// var capture = try CaptureFile(path: "drive.capture")
/// var printer = Printer()
/// var progress = NoProgress()
/// try capture.read(into: &printer, progress: &progress)
/// ```
///
/// The initializer reads at most the first 8 MiB, because the content hash is needed before the first record, and the
/// format before the first event. If the input cannot be read twice (a pipe), these bytes stay in memory until
/// ``read(as:into:progress:)`` has processed them. Of a file, only the current block is in memory. A pipe and a file
/// with equal bytes give the same hash, format and events.
@safe
public struct CaptureFile: ~Copyable {
  /// Number of bytes at the start of a capture from which the content hash is computed.
  public static let hashedSize = 8 << 20
  /// Number of bytes at the start of a capture from which the format is detected. It is greater than the length of the
  /// longest line.
  static let detectedSize = (1 << 20) + (1 << 18)
  static let blockSize = 1 << 18

  /// XXH64 of the first 8 MiB of the content, or of the whole content if it is shorter.
  public let contentHash: UInt64
  /// The detected format, or the reason why none was detected.
  public let detected: Result<CaptureFormat, CaptureError>
  /// The detected format; `nil` if the detection failed.
  public var format: CaptureFormat? { try? detected.get() }
  /// Size of the capture in bytes; `nil` if unknown (a pipe).
  public let size: Int?

  private let descriptor: Int32
  private let ownsDescriptor: Bool
  /// For input that cannot be read twice, its first bytes; for a file, the current block.
  private var buffer: PageBuffer
  /// Number of bytes at the start of the input that are still in the buffer, because the input cannot be read twice; 0
  /// for a file.
  private let headCount: Int

  /// Opens a capture.
  ///
  /// - Parameter path: path of a file, or `-` for standard input.
  /// - Throws: `missing`, `isDirectory`, `unreadable` or `empty`. The initializer does not throw if the format is
  ///   unknown; see ``detected``.
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

  /// Reads the whole capture and passes its events to the consumer. This method may be called only once.
  ///
  /// - Parameter format: the format to use instead of the detected format; `nil` to use the detected format.
  /// - Throws: the reason why no format was detected, if `format` is `nil`; any error of ``CaptureReader``;
  ///   `unreadable`.
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

  /// Returns the error for an `errno` value.
  static func error(_ number: Int32) -> CaptureError {
    switch number {
    case ENOENT, ENOTDIR: CaptureError(.missing)
    case EISDIR: CaptureError(.isDirectory)
    default: CaptureError(.unreadable(number))
    }
  }
}

/// The file or pipe to which a file descriptor belongs.
private struct Source {
  let descriptor: Int32
  /// File offset of the capture's first byte; `nil` for input that cannot be read twice.
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

/// The hash and the format, computed from the first 8 MiB.
private struct Head {
  let hash: UInt64
  let detected: Result<CaptureFormat, CaptureError>
  let count: Int

  /// Reads the first 8 MiB: computes their hash, and detects the format from the bytes in the buffer.
  ///
  /// The bytes of a pipe all stay in the buffer. Of a file, only the first ``CaptureFile/detectedSize`` bytes stay;
  /// each later block overwrites the previous one. The file is then set back to its start, to be read again.
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
