import Glibc

/// A file descriptor with one owner, closed when the owner goes.
struct Descriptor: ~Copyable, Sendable {
  /// -1: none.
  private(set) var number: Int32

  /// None yet: whatever is done with it fails with EBADF.
  init() { number = -1 }

  /// Takes over what a system call returned.
  init(owning number: Int32) { self.number = number }

  deinit { if number >= 0 { _ = Glibc.close(number) } }

  /// Closes it before its owner goes.
  mutating func close() {
    if number >= 0 { _ = Glibc.close(number) }
    number = -1
  }

  /// Gives it away: the owner is left with none.
  mutating func release() -> Descriptor {
    defer { number = -1 }
    return Descriptor(owning: number)
  }

  /// Reads what is there; -1 with `errno` as read(2).
  func read(into buffer: inout MutableSpan<UInt8>) -> Int {
    unsafe buffer.withUnsafeMutableBufferPointer { bytes in
      while true {
        let count = unsafe Glibc.read(number, bytes.baseAddress, bytes.count)
        if count >= 0 || errno != EINTR { return count }
      }
    }
  }

  /// Writes what fits; -1 with `errno` as write(2).
  func write(_ bytes: Span<UInt8>) -> Int {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      while true {
        let count = unsafe Glibc.write(number, bytes.baseAddress, bytes.count)
        if count >= 0 || errno != EINTR { return count }
      }
    }
  }

  /// Writes what fits to a socket; a peer that is gone is an error like others, not a signal.
  func send(_ bytes: Span<UInt8>) -> Int {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      while true {
        let count = unsafe Glibc.send(number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        if count >= 0 || errno != EINTR { return count }
      }
    }
  }
}

/// The transfers of a ``Port`` over a descriptor that does not block.
extension Descriptor {
  /// ``Port/read(into:)``. A USB line that is unplugged reads as ended, a pseudo-terminal as an error.
  func read(into buffer: inout MutableSpan<UInt8>, for port: String) throws(PortError) -> Int {
    let count = read(into: &buffer)
    if count > 0 { return count }
    if count < 0 && errno == EAGAIN { return 0 }
    throw .transfer(port, code: count == 0 ? 0 : errno)
  }

  /// ``Port/write(_:)``.
  func write(_ bytes: Span<UInt8>, for port: String, isSocket: Bool) throws(PortError) -> Int {
    let count = isSocket ? send(bytes) : write(bytes)
    if count >= 0 { return count }
    if errno == EAGAIN { return 0 }
    throw .transfer(port, code: errno)
  }
}
