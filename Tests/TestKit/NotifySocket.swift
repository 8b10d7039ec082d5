import Glibc

/// The service manager's end of sd_notify(3), which receives the notifications of a program.
///
///     let manager = try NotifySocket(in: scratch)
///     let program = try RunningProgram(path, environment: ["NOTIFY_SOCKET": manager.path])
///     try manager.awaitState("READY=1")
public final class NotifySocket: Sendable {
  public let path: String
  private let descriptor: Int32

  /// The error that an expected notification was not sent in time.
  public struct Silent: Error, CustomStringConvertible {
    public let description: String
  }

  public init(in scratch: borrowing ScratchFolder) throws {
    path = scratch.file("notify")
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let hasRoom = unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
      guard bytes.count < place.count else { return false }
      unsafe place.copyBytes(from: bytes)
      return true
    }
    let number = descriptor
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        unsafe bind(number, generic, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard hasRoom, result == 0 else {
      close(number)
      throw Silent(description: "\(path): no socket: \(errno)")
    }
  }

  deinit { close(descriptor) }

  /// Returns the next notification; `nil` if none arrives within the limit.
  public func state(within limit: Duration) -> String? {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    let milliseconds = limit.components.seconds * 1_000 + limit.components.attoseconds / 1_000_000_000_000_000
    guard unsafe poll(&waiting, 1, Int32(clamping: milliseconds)) == 1 else { return nil }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  /// Waits for a notification.
  ///
  /// - Returns: the notifications before it.
  @discardableResult
  public func awaitState(_ wanted: String, within limit: Duration = .seconds(120)) throws -> [String] {
    let deadline = ContinuousClock.now + limit
    var before: [String] = []
    while ContinuousClock.now < deadline {
      guard let next = state(within: deadline - .now) else { break }
      if next == wanted { return before }
      before.append(next)
    }
    throw Silent(description: "\(wanted) is not told within \(limit); told was \(before)")
  }

  /// Discards all notifications that have arrived.
  public func forget() { while state(within: .zero) != nil {} }
}
