/// The vehicle's supply as of a 12 V system, by its control module (PID 42) or, where that is silent, by the adapter.
///
/// An adapter's voltage that was never seen to change is made up, and says nothing.
struct SupplyVoltage: BitwiseCopyable {
  /// What lies outside is no supply: the adapter itself would not run, or not survive.
  private static let plausible = 3.0...40.0
  /// Above it the system has 24 V.
  private static let heavy = 18.0
  /// A voltage is that of now for so long; adapters of a sleeping vehicle are asked twice a minute.
  private static let freshness: Int64 = 120_000_000_000

  private var adapter: Double?
  private var adapterTime: Int64 = .min
  private var hasMoved = false
  private var module: Double?
  private var moduleTime: Int64 = .min

  /// Takes ATRV's answer, V.
  mutating func adapter(_ volts: Double, at time: Int64) {
    guard Self.plausible.contains(volts) else { return }
    if let adapter, adapter != volts { hasMoved = true }
    adapter = volts
    adapterTime = time
  }

  /// Takes PID 42, V.
  mutating func controlModule(_ volts: Double, at time: Int64) {
    guard Self.plausible.contains(volts) else { return }
    module = volts
    moduleTime = time
  }

  /// V as of a 12 V system; nil: nothing to rely on.
  func volts(at time: Int64) -> Double? {
    var found: Double?
    if hasMoved, time - adapterTime <= Self.freshness { found = adapter }
    // The module's is exact, the adapter's off by its divider; the newer one counts where both are there.
    if let module, time - moduleTime <= Self.freshness, found == nil || moduleTime >= adapterTime - Self.pairing {
      found = module
    }
    return found.map { $0 > Self.heavy ? $0 / 2 : $0 }
  }

  /// The module was read not long before the adapter: its word stands.
  private static let pairing: Int64 = 10_000_000_000
}
