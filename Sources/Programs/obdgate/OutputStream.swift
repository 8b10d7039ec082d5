import ArgumentParser
import Failures
import Glibc
import Telemetry

/// Output to standard output or to a file, which is written in blocks.
///
/// If the reader of a pipe closes its end (`| head`), the program ends with status 0 and without a message.
@safe
struct OutputStream: ~Copyable {
  private static let capacity = 1 << 16

  private let descriptor: Int32
  private let name: String
  private let ownsDescriptor: Bool
  private let buffer: UnsafeMutablePointer<UInt8>
  private var count = 0

  /// Opens standard output.
  init() {
    descriptor = STDOUT_FILENO
    name = "standard output"
    ownsDescriptor = false
    // The memory of one block, which is used as long as the stream exists; `deinit` frees it.
    unsafe buffer = .allocate(capacity: Self.capacity)
  }

  /// Creates or replaces a file.
  init(path: String) throws(Failure) {
    let opened = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard opened >= 0 else {
      throw Failure(.unreadable, "\(path): cannot be written: \(systemReason(errno))")
    }
    descriptor = opened
    name = path
    ownsDescriptor = true
    unsafe buffer = .allocate(capacity: Self.capacity)
  }

  deinit {
    unsafe buffer.deallocate()
    if ownsDescriptor { close(descriptor) }
  }

  /// Writes bytes.
  ///
  /// - Throws: the exit of the program if the output is closed or full.
  mutating func write(_ bytes: Span<UInt8>) throws {
    if count + bytes.count > Self.capacity { try flush() }
    guard bytes.count <= Self.capacity else {
      return try writeWhole(bytes)
    }
    // The bytes fit into the block, because it was flushed above if necessary.
    unsafe bytes.withUnsafeBufferPointer { source in
      guard let start = source.baseAddress else { return }
      unsafe (buffer + count).update(from: start, count: source.count)
    }
    count += bytes.count
  }

  /// Writes a text as one line, with control characters escaped.
  mutating func write(_ line: String) throws { try write((line.printable + "\n").utf8.span) }

  /// Writes the finished line of an encoder.
  mutating func write(_ encoder: borrowing JSONLineEncoder) throws { try write(encoder.line) }

  mutating func flush() throws {
    let waiting = count
    count = 0
    try unsafe writeWhole(UnsafeBufferPointer(start: buffer, count: waiting).span)
  }

  private func writeWhole(_ bytes: Span<UInt8>) throws {
    let code = writeAll(bytes, to: descriptor)
    guard code != 0 else { return }
    if code == EPIPE, descriptor == STDOUT_FILENO { throw ExitCode.success }
    throw Failure(.unreadable, name, "cannot be written: \(systemReason(code))")
  }
}
