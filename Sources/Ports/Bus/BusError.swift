import Glibc

/// Why a question on the system bus has no answer.
enum BusError: Error, Equatable {
  /// libsystemd is not installed.
  case noLibrary
  /// There is no bus; `errno`.
  case noBus(Int32)
  /// The bus went away; `errno`.
  case lost(Int32)
  case timedOut
  /// A wake-up came first.
  case interrupted
  /// The service's answer is that error, in D-Bus' name for it and the service's words.
  case refused(name: String, text: String)
  /// An answer, or an argument of ours, that makes no sense.
  case malformed
}

extension BusError {
  /// The name of the error that the service answered; empty where it did not.
  var refusal: String { if case .refused(let name, _) = self { name } else { "" } }

  /// Nobody on the bus who knows of Bluetooth.
  var isWithoutService: Bool {
    refusal == "org.freedesktop.DBus.Error.ServiceUnknown" || refusal == "org.freedesktop.DBus.Error.NameHasNoOwner"
  }

  /// The bus lets this user not ask.
  var isForbidden: Bool { refusal == "org.freedesktop.DBus.Error.AccessDenied" }

  /// The controller is switched off.
  var isPoweredOff: Bool { refusal == "org.bluez.Error.NotReady" }

  /// The service does not have that method, or not for this.
  var isNotSupported: Bool {
    switch refusal {
    case "org.bluez.Error.NotSupported", "org.freedesktop.DBus.Error.UnknownMethod",
      "org.freedesktop.DBus.Error.UnknownInterface":
      true
    default: false
    }
  }

  /// What is wrong and what would be right, on one line.
  var sentence: String {
    switch self {
    case .noLibrary: return "libsystemd.so.0 is not installed; apt install libsystemd0"
    case .noBus(let code): return "no D-Bus system bus (\(systemReason(code))); start dbus"
    case .lost(let code): return "the D-Bus system bus is gone (\(systemReason(code)))"
    case .timedOut: return "bluetoothd does not answer; restart bluetooth"
    case .interrupted: return "gave up"
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
  /// Up to the first line end, and 160 characters at most: a service's words are not ours to spread over several lines.
  fileprivate var oneLine: String { String(prefix { !$0.isNewline }.prefix(160)) }
}
