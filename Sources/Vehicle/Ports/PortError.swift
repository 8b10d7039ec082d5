import Failures
import Glibc

/// The reason why a port could not be opened or has failed. Its text is one line for people, which names the port, the
/// problem and the remedy.
public struct PortError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of error.
  public enum Kind: BitwiseCopyable, Sendable {
    /// The device does not exist, or its name does not belong to any hardware.
    case missing
    /// The device exists, but this user has no permission to use it.
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
  /// The kind of this error.
  public let kind: Kind
  /// The name of the port (``Port/name``).
  public let port: String
  /// The value of `errno`; 0 if the error does not come from the system.
  public let code: Int32
  /// The problem and its remedy, without the name of the port.
  public let detail: String

  /// Creates an error; the parameters are the properties of the same names.
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
  /// Returns the error for a read or write that has failed.
  static func transfer(_ port: String, code: Int32) -> PortError {
    switch code {
    case EIO, ENXIO, ENODEV, EPIPE, ECONNRESET, ENOTCONN, ECONNABORTED, ESHUTDOWN, EBADF, 0: gone(port, code: code)
    case ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH, ENETDOWN, ENETUNREACH, ENETRESET: gone(port, code: code)
    default: PortError(.system, port, code: code, systemReason(code))
    }
  }

  /// Returns the error for a device that was unplugged or has hung up. `code` is 0 if the peer has closed the
  /// connection.
  static func gone(_ port: String, code: Int32 = 0) -> PortError {
    PortError(.gone, port, code: code, code == 0 ? "gone: closed by the other side" : "gone: \(systemReason(code))")
  }
}
