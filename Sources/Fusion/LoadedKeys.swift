import OBDWire
import Telemetry

/// The keys of signals loaded at run time: each key stands for one meaning, and none for one of the contract's own.
struct LoadedKeys: Sendable {
  /// By index of the signal: its key.
  private(set) var names: [String] = []
  /// By index of the signal: the first signal that is the same in name, kind and texts. Sets give one id to the same
  /// value in the commands of several model years; that is one column.
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

  /// Keys that a telemetry record has beside its signals.
  private static let reserved: [String] =
    [
      "type", "id", "timestamp", "elapsed", "timeQuality", "gatewayId", "vehicleId", "epoch", "seq", "vss", "ecus",
      "vin",
      "dtcCodes",
    ] + Position.keys.map(\.description)
}
