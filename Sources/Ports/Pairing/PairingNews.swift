/// What happened while adapters were paired, for people.
public enum PairingNews: Hashable, Sendable, CustomStringConvertible {
  case paired(PortAddress)
  /// It is paired; BlueZ did not mark it as trusted, for that reason.
  case notTrusted(PortAddress, String)
  /// The adapter takes none of the PINs.
  case refused(PortAddress, isConfigured: Bool)
  /// Told once.
  case missed(PortAddress)
  /// BlueZ cannot be asked; told once for each reason.
  case unavailable(String)

  public var description: String {
    switch self {
    case .paired(let port): "\(port): paired"
    case .notTrusted(let port, let reason):
      "\(port): paired, but not marked as trusted (\(reason)); it may not connect by itself: bluetoothctl trust"
    case .refused(let port, true): "\(port): not paired: it does not take its \"pin\"; see what is printed on it"
    case .refused(let port, false): "\(port): not paired: it takes neither 1234 nor 0000; give its \"pin\""
    case .missed(let port): "\(port): not paired: no answer; is it powered, near, and free of other phones?"
    case .unavailable(let reason): "Bluetooth adapters not paired: \(reason)"
    }
  }
}
