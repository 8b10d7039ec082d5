import ArgumentParser
import Failures
import Glibc
import Telemetry

/// Writes output to stdout or to a file, in blocks of 64 KiB.
///
/// If the reader of stdout closes its end (`| head`), the program ends with status 0 and without a message.
@safe
struct OutputStream: ~Copyable {
  private static let capacity = 1 << 16

  private let descriptor: Int32
  private let name: String
  private let ownsDescriptor: Bool
  private let buffer: UnsafeMutablePointer<UInt8>
  private var count = 0

  /// Creates a stream that writes to stdout.
  init() {
    descriptor = STDOUT_FILENO
    name = "standard output"
    ownsDescriptor = false
    // The memory of one block, which is used while the stream exists. `deinit` frees it.
    unsafe buffer = .allocate(capacity: Self.capacity)
  }

  /// Creates a stream that writes to a file. An existing file is replaced.
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

  /// Writes bytes to the block. A full block is written to the output.
  ///
  /// - Throws: `ExitCode.success` if the reader of stdout has closed its end, or an error if the output cannot be
  ///   written.
  mutating func write(_ bytes: Span<UInt8>) throws {
    if count + bytes.count > Self.capacity { try flush() }
    guard bytes.count <= Self.capacity else {
      return try writeWhole(bytes)
    }
    // There is room for the bytes in the block, because the block was flushed above if necessary.
    unsafe bytes.withUnsafeBufferPointer { source in
      guard let start = source.baseAddress else { return }
      unsafe (buffer + count).update(from: start, count: source.count)
    }
    count += bytes.count
  }

  /// Writes a text and a line feed. Control characters in the text are escaped.
  mutating func write(_ line: String) throws { try write((line.printable + "\n").utf8.span) }

  /// Writes the line that an encoder has finished.
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
