/// A result of ``Pairing`` that people should see.
public enum PairingEvent: Hashable, Sendable, CustomStringConvertible {
  case paired(PortAddress)
  /// The adapter is paired, but BlueZ did not mark it as trusted. The text is BlueZ's reason.
  case notTrusted(PortAddress, String)
  /// The adapter rejects all PINs. `isConfigured` is whether a PIN is configured for it.
  case refused(PortAddress, isConfigured: Bool)
  /// The adapter cannot be reached. This is reported only once for each adapter.
  case missed(PortAddress)
  /// BlueZ is not available. The text is the reason. The same reason is not reported twice in a row.
  case unavailable(String)

  /// The result as one text line for people.
  public var description: String {
    switch self {
    case .paired(let port): "\(port): paired"
    case .notTrusted(let port, let reason):
      "\(port): paired, but not marked as trusted (\(reason)); it may not connect by itself: bluetoothctl trust"
    case .refused(let port, true): "\(port): not paired: it rejects its \"pin\"; configure the PIN printed on it"
    case .refused(let port, false): "\(port): not paired: it rejects 1234 and 0000; configure its \"pin\""
    case .missed(let port): "\(port): not paired: no answer; is it powered, in range, and not connected to a phone?"
    case .unavailable(let reason): "Bluetooth adapters not paired: \(reason)"
    }
  }
}
