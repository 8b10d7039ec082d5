import Failures
import Glibc

/// The reason why a call on the system bus failed.
enum BusError: Error, Equatable {
  /// libsystemd is not installed.
  case noLibrary
  /// The system bus does not exist or cannot be reached. The value is `errno`.
  case noBus(Int32)
  /// The connection to the bus was lost. The value is `errno`.
  case lost(Int32)
  case timedOut
  /// A wake-up ended the wait for the answer.
  case interrupted
  /// The called service answered with an error, which has this D-Bus name and text.
  case refused(name: String, text: String)
  /// An answer or an argument is invalid.
  case malformed
}

extension BusError {
  /// D-Bus name of the error with which the called service answered; empty for any other error.
  var refusal: String { if case .refused(let name, _) = self { name } else { "" } }

  /// Whether the error means that bluetoothd is not on the bus.
  var isWithoutService: Bool {
    refusal == "org.freedesktop.DBus.Error.ServiceUnknown" || refusal == "org.freedesktop.DBus.Error.NameHasNoOwner"
  }

  /// Whether the error means that this user is not allowed to make the call.
  var isForbidden: Bool { refusal == "org.freedesktop.DBus.Error.AccessDenied" }

  /// Whether the error means that the Bluetooth controller is off.
  var isPoweredOff: Bool { refusal == "org.bluez.Error.NotReady" }

  /// Whether the error means that the service does not support the called method at all, or not for this object.
  var isNotSupported: Bool {
    switch refusal {
    case "org.bluez.Error.NotSupported", "org.freedesktop.DBus.Error.UnknownMethod",
      "org.freedesktop.DBus.Error.UnknownInterface":
      true
    default: false
    }
  }

  /// The error and its remedy, as one text line.
  var sentence: String {
    switch self {
    case .noLibrary: return "libsystemd.so.0 is not installed; apt install libsystemd0"
    case .noBus(let code): return "no D-Bus system bus (\(systemReason(code))); start dbus"
    case .lost(let code): return "the D-Bus system bus is gone (\(systemReason(code)))"
    case .timedOut: return "bluetoothd does not answer; restart bluetooth"
    case .interrupted: return "interrupted"
    case .malformed: return "bluetoothd's answer cannot be read"
    case .refused(let name, let text):
      if isWithoutService { return "bluetoothd is not running; apt install bluez, or start bluetooth" }
      if isForbidden { return "no permission; add the user to the group bluetooth" }
      if isPoweredOff { return "the controller is off; bluetoothctl power on" }
      return text.isEmpty ? name.oneLine : text.oneLine
    }
  }
}

extension String {
  /// The text up to its first line end, at most 160 characters. It is needed because a service's error text may have
  /// several lines.
  fileprivate var oneLine: String { String(prefix { !$0.isNewline }.prefix(160)) }
}
