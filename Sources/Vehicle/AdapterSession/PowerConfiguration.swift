/// The settings that decide when requests to a vehicle stop, and when it is probed again. Voltages apply to a 12 V
/// system. If the voltage is above ``heavySystemVoltage``, all other voltages are doubled. Times are ns.
///
/// The defaults suit a lead-acid battery. At 12.2 V, such a battery is about half full, and the next start is at risk.
/// A healthy battery stays above this voltage even with the ignition on. Therefore, polling stops only when the battery
/// is being drained. When an alternator or a DC-DC converter starts to charge, the voltage rises from 12.2 V by at
/// least 0.8 V.
public struct PowerConfiguration: BitwiseCopyable, Sendable, Equatable {
  /// Whether requests stop automatically.
  public var isEnabled = true
  /// The cut-off, V. Polling stops if the voltage stays at or below this value while the vehicle and its engine stand
  /// still.
  public var cutOffVoltage = 12.2
  /// Polling stops if the voltage has stayed at or below ``cutOffVoltage`` for this time, and vehicle and engine have
  /// stood still meanwhile, ns.
  public var cutOffTime: Int64 = 60 * second
  /// Minimum time for which a vehicle that may drive electrically is polled, ns. Polling also continues until the
  /// vehicle has not moved for this time. An engine speed of 0 does not prove that such a vehicle is parked, but no red
  /// light lasts this long.
  public var electricCutOffTime: Int64 = 15 * 60 * second
  /// Below this voltage (V), the battery is not being charged by an alternator or a DC-DC converter.
  public var restingVoltage = 13.0
  /// Requests stop if during this time the vehicle has not answered and its battery was not being charged, ns. The
  /// default is longer than most stops. Therefore, if the ignition is switched on again after a stop, this is detected
  /// immediately.
  public var silentTime: Int64 = 15 * 60 * second
  /// Time between two readings of the adapter's voltage while the vehicle sleeps, ns.
  public var asleepPeriod: Int64 = 30 * second
  /// If the voltage of a sleeping vehicle rises by this much (V), one probe is allowed.
  public var wakeRise = 0.8
  /// After this time (ns) without a probe, a sleeping vehicle is probed again; ``never`` if the passing of time alone
  /// never causes a probe. An interval is needed for a vehicle whose voltage rises long before it answers, such as an
  /// electric vehicle at its charger. Each probe may keep control units awake for minutes.
  public var wakeInterval: Int64 = never
  /// Above this voltage (V), the vehicle has a 24 V system, and all other voltages of this configuration are doubled.
  public var heavySystemVoltage = 18.0
  /// Maximum difference between the adapter's voltage and the control module's voltage (PID 42), V. A smaller
  /// difference is corrected. If the difference is larger, the adapter's voltage is ignored.
  public var calibrationLimit = 1.5
  /// Whether the session puts the adapter into its low-power mode (ATLP) while the vehicle sleeps. Each reading of the
  /// voltage then restarts the adapter. Use this only for an adapter that wakes when it receives a character. It has no
  /// effect above 57,600 baud, where a character is too short to wake the adapter.
  public var usesLowPower = false

  /// A time that never comes.
  public static let never = Int64.max
  private static let second: Int64 = 1_000_000_000

  /// Creates a configuration with default values.
  public init() {}
}

/// The reason why requests to the vehicle stopped.
public enum SleepReason: UInt8, BitwiseCopyable, Sendable {
  /// The voltage stayed at or below ``PowerConfiguration/cutOffVoltage`` while the vehicle and its engine stood still.
  case lowVoltage
  /// The vehicle did not answer, and its battery is not being charged.
  case vehicleSilent

  /// The name of the reason in records and log lines.
  public var name: StaticString {
    switch self {
    case .lowVoltage: "lowVoltage"
    case .vehicleSilent: "vehicleSilent"
    }
  }
}

/// The reason for a probe that a sleeping vehicle answered.
public enum AwakeReason: UInt8, BitwiseCopyable, Sendable {
  /// The voltage rose, so something was charging the battery.
  case voltageRise
  /// The configured interval has passed since the last probe.
  case interval
  /// The adapter was plugged in, or restarted because its supply voltage dropped, for example while the engine was
  /// cranked.
  case adapterReturned
  /// ``AdapterSession/wake()`` was called, or polling was resumed.
  case requested

  /// The name of the reason in records and log lines.
  public var name: StaticString {
    switch self {
    case .voltageRise: "voltageRise"
    case .interval: "interval"
    case .adapterReturned: "adapterReturned"
    case .requested: "requested"
    }
  }
}
