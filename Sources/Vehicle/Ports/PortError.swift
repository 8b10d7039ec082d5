import Failures
import Glibc

/// The reason why a port could not be opened or has failed, as one line for people: the problem, the place and the
/// remedy.
public struct PortError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of error.
  public enum Kind: BitwiseCopyable, Sendable {
    /// The device does not exist, or no hardware uses its name.
    case missing
    /// The device exists, but this user has no permission.
    case notPermitted
    /// The Bluetooth device requires a key that this machine does not have.
    case notPaired
    /// Another process uses the device.
    case busy
    /// The file or device is not a serial port.
    case notSerial
    /// A name, rate or channel is invalid.
    case invalid
    /// The peer cannot be reached, or its name cannot be resolved.
    case unreachable
    /// The peer rejects the connection.
    case refused
    /// The time limit has passed.
    case timedOut
    /// A wake-up ended the operation.
    case interrupted
    /// This machine has no Bluetooth.
    case noBluetooth
    /// The Bluetooth device offers no serial connection, by RFCOMM or by a Bluetooth LE service.
    case noSerialService
    /// The device was unplugged, switched off or disconnected.
    case gone
    /// Any other system error.
    case system
  }
  /// The kind of error.
  public let kind: Kind
  /// ``Port/name`` of the port.
  public let port: String
  /// `errno`; 0 if it is not a system error.
  public let code: Int32
  /// The problem and its remedy, without the name.
  public let detail: String

  /// Creates an error.
  public init(_ kind: Kind, _ port: String, code: Int32 = 0, _ detail: String) {
    self.kind = kind
    self.port = port
    self.code = code
    self.detail = detail
  }

  /// The name of the port, the problem and its remedy.
  public var description: String { "\(port): \(detail)" }
}

extension PortError {
  /// Returns the error of a failed read or write.
  static func transfer(_ port: String, code: Int32) -> PortError {
    switch code {
    case EIO, ENXIO, ENODEV, EPIPE, ECONNRESET, ENOTCONN, ECONNABORTED, ESHUTDOWN, EBADF, 0: gone(port, code: code)
    case ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH, ENETDOWN, ENETUNREACH, ENETRESET: gone(port, code: code)
    default: PortError(.system, port, code: code, systemReason(code))
    }
  }

  /// Returns the error of a device that was unplugged, hung up, or closed by the peer (code 0).
  static func gone(_ port: String, code: Int32 = 0) -> PortError {
    PortError(.gone, port, code: code, code == 0 ? "gone: closed by the other side" : "gone: \(systemReason(code))")
  }
}
