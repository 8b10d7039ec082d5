/// The vehicle's supply voltage, converted to a 12 V system. It comes from the control module (PID 42), or from the
/// adapter if the module does not answer.
///
/// An adapter's voltage that never changes is ignored, because some adapters report a constant.
struct SupplyVoltage: BitwiseCopyable {
  /// Plausible voltages, V. Below them, the adapter would not work; above them, it would be destroyed.
  private static let plausible = 3.0...40.0
  /// Above this voltage, the system has 24 V.
  private static let heavy = 18.0
  /// Maximum age of a voltage, ns. While the vehicle sleeps, the adapter's voltage is read only twice a minute.
  private static let freshness: Int64 = 120_000_000_000

  private var adapter: Double?
  private var adapterTime: Int64 = .min
  private var hasMoved = false
  private var module: Double?
  private var moduleTime: Int64 = .min

  /// Adds the adapter's voltage (answer to ATRV), V.
  mutating func adapter(_ volts: Double, at time: Int64) {
    guard Self.plausible.contains(volts) else { return }
    if let adapter, adapter != volts { hasMoved = true }
    adapter = volts
    adapterTime = time
  }

  /// Adds the control module's voltage (PID 42), V.
  mutating func controlModule(_ volts: Double, at time: Int64) {
    guard Self.plausible.contains(volts) else { return }
    module = volts
    moduleTime = time
  }

  /// Returns the voltage, converted to a 12 V system; `nil` if none is reliable.
  func volts(at time: Int64) -> Double? {
    var found: Double?
    if hasMoved, time - adapterTime <= Self.freshness { found = adapter }
    // The module is more accurate than the adapter's voltage divider. Prefer it, unless the adapter's value is much
    // newer.
    if let module, time - moduleTime <= Self.freshness, found == nil || moduleTime >= adapterTime - Self.pairing {
      found = module
    }
    return found.map { $0 > Self.heavy ? $0 / 2 : $0 }
  }

  /// The module's voltage is preferred unless it is older than the adapter's by more than this, ns.
  private static let pairing: Int64 = 10_000_000_000
}
