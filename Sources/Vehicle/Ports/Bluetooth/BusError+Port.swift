/// Converts errors of calls to BlueZ to port errors.
extension BusError {
  /// Returns the port error for a failed attempt to connect to the device `name`.
  func notConnected(_ name: String) -> PortError {
    switch self {
    case .timedOut:
      return PortError(.timedOut, name, "no answer; is the adapter powered, in range, and not connected to a phone?")
    // If a device supports both classic Bluetooth and Bluetooth LE, BlueZ chooses one of them. This error shows that it
    // chose classic Bluetooth.
    case .refused(let error, let text)
    where error == "org.bluez.Error.NotAvailable" || text.hasPrefix("br-connection-"):
      return PortError(
        .unreachable, name,
        "BlueZ used classic Bluetooth (\(sentence)); if the adapter supports both, write rfcomm:ADDRESS")
    case .refused(let error, _) where error == "org.bluez.Error.Failed":
      return PortError(
        .unreachable, name,
        "not connected (\(sentence)); is the adapter powered, in range, and not connected to a phone?")
    default: return portError(name)
    }
  }

  /// Returns the port error for a failed call about the device `name`. Errors that only an attempt to connect can have
  /// are not distinguished.
  func portError(_ name: String) -> PortError {
    switch self {
    case .noLibrary, .noBus: return PortError(.noBluetooth, name, sentence)
    case .lost: return PortError(.gone, name, sentence)
    case .timedOut: return PortError(.timedOut, name, sentence)
    case .interrupted: return PortError(.interrupted, name, "interrupted while connecting")
    case .malformed: return PortError(.system, name, sentence)
    case .refused(let error, let text):
      if isWithoutService || isPoweredOff { return PortError(.noBluetooth, name, sentence) }
      if isForbidden { return PortError(.notPermitted, name, sentence) }
      // "Not paired" is the text that BlueZ uses for ATT errors about keys.
      if text.holds("paired") || error.hasPrefix("org.bluez.Error.Authentication")
        || error == "org.bluez.Error.NotAuthorized"
      {
        return PortError(
          .notPaired, name, "must be paired (\(sentence)); configure its \"pin\", or run bluetoothctl pair")
      }
      switch error {
      case "org.bluez.Error.NotPermitted", "org.bluez.Error.InProgress":
        return PortError(.busy, name, "another program on this machine uses it (\(sentence)); stop that program")
      case "org.bluez.Error.NotConnected": return PortError(.gone, name, "disconnected")
      case "org.bluez.Error.DoesNotExist", "org.freedesktop.DBus.Error.UnknownObject":
        return PortError(.gone, name, "BlueZ forgot it")
      default: return PortError(.system, name, sentence)
      }
    }
  }
}
