/// Conversion of BlueZ errors to port errors.
extension BusError {
  /// Returns the port error of a failed connection attempt.
  func notConnected(_ name: String) -> PortError {
    switch self {
    case .timedOut:
      return PortError(.timedOut, name, "no answer; is the adapter powered, near, and free of other phones?")
    // BlueZ chooses the transport for a device that supports both.
    case .refused(let error, let text)
    where error == "org.bluez.Error.NotAvailable" || text.hasPrefix("br-connection-"):
      return PortError(
        .unreachable, name, "called by classic Bluetooth (\(sentence)); if it has both, name it rfcomm:ADDRESS")
    case .refused(let error, _) where error == "org.bluez.Error.Failed":
      return PortError(
        .unreachable, name, "not connected (\(sentence)); is the adapter powered, near, and free of other phones?")
    default: return portError(name)
    }
  }

  /// Returns the port error of a failed call.
  func portError(_ name: String) -> PortError {
    switch self {
    case .noLibrary, .noBus: return PortError(.noBluetooth, name, sentence)
    case .lost: return PortError(.gone, name, sentence)
    case .timedOut: return PortError(.timedOut, name, sentence)
    case .interrupted: return PortError(.interrupted, name, "gave up connecting")
    case .malformed: return PortError(.system, name, sentence)
    case .refused(let error, let text):
      if isWithoutService || isPoweredOff { return PortError(.noBluetooth, name, sentence) }
      if isForbidden { return PortError(.notPermitted, name, sentence) }
      // "Not paired" is BlueZ's text for ATT errors about keys.
      if text.holds("paired") || error.hasPrefix("org.bluez.Error.Authentication")
        || error == "org.bluez.Error.NotAuthorized"
      {
        return PortError(
          .notPaired, name, "wants to be paired (\(sentence)); give its \"pin\", or bluetoothctl pair")
      }
      switch error {
      case "org.bluez.Error.NotPermitted", "org.bluez.Error.InProgress":
        return PortError(.busy, name, "another program of this machine uses it (\(sentence)); end that one")
      case "org.bluez.Error.NotConnected": return PortError(.gone, name, "disconnected")
      case "org.bluez.Error.DoesNotExist", "org.freedesktop.DBus.Error.UnknownObject":
        return PortError(.gone, name, "BlueZ forgot it")
      default: return PortError(.system, name, sentence)
      }
    }
  }
}
