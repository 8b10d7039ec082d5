/// The vehicle's supply voltage, converted to a 12 V system. It comes from the control module (PID 42), or from the
/// adapter if the control module does not report it.
///
/// If the adapter's voltage has never changed, it is ignored, because some adapters report a constant value.
struct SupplyVoltage: BitwiseCopyable {
  /// Plausible voltages, V. Below this range, the adapter would not work; above it, the adapter would be destroyed.
  private static let plausible = 3.0...40.0
  /// If the voltage is above this value, the vehicle has a 24 V system, V.
  private static let heavy = 18.0
  /// Maximum age of a voltage that is used, ns. While the vehicle is asleep, the adapter's voltage is read only twice a
  /// minute.
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

  /// Returns the vehicle's voltage, V, converted to a 12 V system; `nil` if no voltage is recent and reliable.
  func volts(at time: Int64) -> Double? {
    var found: Double?
    if hasMoved, time - adapterTime <= Self.freshness { found = adapter }
    // The control module is more accurate than the adapter's voltage divider. Prefer its value, unless the adapter's
    // value is much newer.
    if let module, time - moduleTime <= Self.freshness, found == nil || moduleTime >= adapterTime - Self.pairing {
      found = module
    }
    return found.map { $0 > Self.heavy ? $0 / 2 : $0 }
  }

  /// The control module's voltage is preferred unless it is older than the adapter's voltage by more than this time,
  /// ns.
  private static let pairing: Int64 = 10_000_000_000
}
