import Glibc

/// Why a line could not be opened, or is no more. One line for people: what, where, what would be right.
public struct PortError: Error, Equatable, Sendable, CustomStringConvertible {
  public enum Kind: BitwiseCopyable, Sendable {
    /// No such device, or nothing behind its name.
    case missing
    /// The device is there, this user may not use it.
    case notPermitted
    /// The Bluetooth device wants a key that this machine does not have.
    case notPaired
    /// Somebody else has it.
    case busy
    /// A file or device that is no serial line.
    case notSerial
    /// A name, rate or channel that cannot be.
    case invalid
    /// The peer cannot be reached, or its name found.
    case unreachable
    /// The peer is there and takes no connection.
    case refused
    /// The limit ran out.
    case timedOut
    /// A wake-up came first.
    case interrupted
    /// This machine has no Bluetooth.
    case noBluetooth
    /// The Bluetooth device offers no serial port, by RFCOMM or in a service of Bluetooth LE.
    case noSerialService
    /// Was there, is no more: unplugged, switched off, hung up.
    case gone
    /// Anything else that the system said.
    case system
  }
  public let kind: Kind
  /// ``Port/name`` of the line.
  public let port: String
  /// `errno`, or 0 where the system said nothing.
  public let code: Int32
  /// What went wrong and what would be right, without the name.
  public let detail: String

  public init(_ kind: Kind, _ port: String, code: Int32 = 0, _ detail: String) {
    self.kind = kind
    self.port = port
    self.code = code
    self.detail = detail
  }

  public var description: String { "\(port): \(detail)" }
}

extension PortError {
  /// Reading or writing an open line failed.
  static func transfer(_ port: String, code: Int32) -> PortError {
    switch code {
    case EIO, ENXIO, ENODEV, EPIPE, ECONNRESET, ENOTCONN, ECONNABORTED, ESHUTDOWN, EBADF, 0: gone(port, code: code)
    case ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH, ENETDOWN, ENETUNREACH, ENETRESET: gone(port, code: code)
    default: PortError(.system, port, code: code, systemReason(code))
    }
  }

  /// Unplugged, hung up, or closed by the peer (code 0).
  static func gone(_ port: String, code: Int32 = 0) -> PortError {
    PortError(.gone, port, code: code, code == 0 ? "gone: closed by the other side" : "gone: \(systemReason(code))")
  }
}
