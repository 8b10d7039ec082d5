import OBDWire
import Telemetry

/// The keys that signals loaded at run time have in records. Only signals that share a column have the same key, and no
/// key equals a built-in key.
struct LoadedKeys: Sendable {
  /// The key of each signal.
  private(set) var names: [String] = []
  /// For each signal, the index of the first signal with the same name, kind and texts. Signal sets may use one name
  /// for the same value in the requests of several model years. Such signals share a column.
  private(set) var representatives: [Int] = []

  init(_ signals: [LoadedSignal]) {
    guard !signals.isEmpty else { return }
    var taken: [String: Int?] = [:]
    for name in Self.reserved { taken[name] = .some(nil) }
    for row in saeSignals.span.indices { taken[saeSignals.span[row].name.description] = .some(nil) }
    for (index, signal) in signals.enumerated() {
      var name = signal.name
      var suffix = 1
      var representative = index
      while let holder = taken[name] {
        if let holder, signals[holder] == signal {
          representative = holder
          break
        }
        suffix += 1
        name = "\(signal.name)_\(suffix)"
      }
      if representative == index { taken[name] = index }
      names.append(name)
      representatives.append(representative)
    }
  }

  /// Keys of a telemetry record that do not belong to signals. A loaded signal must not have such a key.
  private static let reserved: [String] =
    [
      "type", "id", "timestamp", "elapsed", "timeQuality", "gatewayId", "vehicleId", "epoch", "seq", "vss", "ecus",
      "vin",
      "dtcCodes",
    ] + Position.keys.map(\.description)
}
