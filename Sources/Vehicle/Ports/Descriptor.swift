import Glibc

/// A file descriptor with one owner. It is closed when the owner is destroyed.
struct Descriptor: ~Copyable, Sendable {
  /// The number of the descriptor; -1 if there is none.
  private(set) var number: Int32

  /// Creates a value without a descriptor. All operations on it fail with EBADF.
  init() { number = -1 }

  /// Takes ownership of a descriptor that a system call returned.
  init(owning number: Int32) { self.number = number }

  deinit { if number >= 0 { _ = Glibc.close(number) } }

  /// Closes the descriptor now. It is otherwise closed when its owner is destroyed.
  mutating func close() {
    if number >= 0 { _ = Glibc.close(number) }
    number = -1
  }

  /// Transfers the descriptor to a new owner, and leaves this value without a descriptor.
  mutating func release() -> Descriptor {
    defer { number = -1 }
    return Descriptor(owning: number)
  }

  /// Reads the bytes that are available, and returns their number; 0 at the end of the input. If this fails, returns -1
  /// and sets `errno`, as read(2) does.
  func read(into buffer: inout MutableSpan<UInt8>) -> Int {
    unsafe buffer.withUnsafeMutableBufferPointer { bytes in
      while true {
        let count = unsafe Glibc.read(number, bytes.baseAddress, bytes.count)
        if count >= 0 || errno != EINTR { return count }
      }
    }
  }

  /// Writes as many bytes as the kernel accepts now, and returns their number. If this fails, returns -1 and sets
  /// `errno`, as write(2) does.
  func write(_ bytes: Span<UInt8>) -> Int {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      while true {
        let count = unsafe Glibc.write(number, bytes.baseAddress, bytes.count)
        if count >= 0 || errno != EINTR { return count }
      }
    }
  }

  /// Writes as many bytes to a socket as the kernel accepts now, and returns their number. If this fails, returns -1
  /// and sets `errno`. If the peer has closed the connection, no SIGPIPE is raised.
  func send(_ bytes: Span<UInt8>) -> Int {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      while true {
        let count = unsafe Glibc.send(number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        if count >= 0 || errno != EINTR { return count }
      }
    }
  }
}

/// Implements reading and writing for a ``Port`` with a non-blocking descriptor.
extension Descriptor {
  /// Implements ``Port/read(into:)``. If a device is gone, a USB serial port reports the end of the input, and a
  /// pseudo-terminal reports an error.
  func read(into buffer: inout MutableSpan<UInt8>, for port: String) throws(PortError) -> Int {
    let count = read(into: &buffer)
    if count > 0 { return count }
    if count < 0 && errno == EAGAIN { return 0 }
    throw .transfer(port, code: count == 0 ? 0 : errno)
  }

  /// Implements ``Port/write(_:)``.
  func write(_ bytes: Span<UInt8>, for port: String, isSocket: Bool) throws(PortError) -> Int {
    let count = isSocket ? send(bytes) : write(bytes)
    if count >= 0 { return count }
    if errno == EAGAIN { return 0 }
    throw .transfer(port, code: errno)
  }
}
