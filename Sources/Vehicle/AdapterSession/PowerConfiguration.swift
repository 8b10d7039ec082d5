/// Decides when requests to a vehicle stop, and when it is probed again. Voltages apply to a 12 V system and are
/// doubled above ``heavySystemVoltage``. Times are ns.
///
/// The defaults suit a lead-acid battery. At 12.2 V it is about half full, and the next start is at risk. A healthy
/// battery stays above this voltage even with the ignition on, so the cut-off stops polling only when the battery is
/// being drained. When an alternator or a DC-DC converter starts to charge, the voltage rises from 12.2 V by at least
/// 0.8 V.
public struct PowerConfiguration: BitwiseCopyable, Sendable, Equatable {
  /// Whether requests stop automatically.
  public var isEnabled = true
  /// Cut-off, V: polling stops if the voltage stays at or below this value while nothing moves.
  public var cutOffVoltage = 12.2
  /// If the voltage has stayed at or below the cut-off for this time, and nothing has moved meanwhile, polling stops.
  public var cutOffTime: Int64 = 60 * second
  /// A vehicle that may drive electrically is polled for at least this time, and until it has not moved for this time.
  /// Its engine speed of 0 proves nothing, and no red light lasts this long.
  public var electricCutOffTime: Int64 = 15 * 60 * second
  /// Below this voltage, the battery is not being charged by an alternator or a DC-DC converter; V.
  public var restingVoltage = 13.0
  /// If a vehicle has not answered for this long, and its battery was not being charged for as long, requests to it
  /// stop. The default is longer than most stops: if the ignition is switched on again after a stop, this is detected
  /// at once.
  public var silentTime: Int64 = 15 * 60 * second
  /// Time between two readings of the adapter's voltage while the vehicle sleeps.
  public var asleepPeriod: Int64 = 30 * second
  /// Rise of a sleeping vehicle's voltage that allows one probe; V.
  public var wakeRise = 0.8
  /// After this time without a probe, a sleeping vehicle is probed again; ``never`` if only a rise of the voltage
  /// allows a probe. An interval is needed for a vehicle whose voltage rises long before it answers, such as an
  /// electric vehicle at its charger. Each probe may keep control units awake for minutes.
  public var wakeInterval: Int64 = never
  /// Above this voltage, the vehicle has a 24 V system, for which all other voltages here are doubled; V.
  public var heavySystemVoltage = 18.0
  /// Maximum difference between the adapter's voltage and PID 42, V. A smaller difference is corrected. If they differ
  /// by more, the adapter's voltage is ignored.
  public var calibrationLimit = 1.5
  /// Whether the adapter is sent to its low-power mode (ATLP) while the vehicle sleeps. Each reading of the voltage
  /// then restarts the adapter. Use this only for an adapter that wakes when it receives a character. It has no effect
  /// above 57,600 baud, where a character is too short to wake it.
  public var usesLowPower = false

  /// A time that never comes.
  public static let never = Int64.max
  private static let second: Int64 = 1_000_000_000

  /// Creates the defaults.
  public init() {}
}

/// The reason why requests to the vehicle stopped.
public enum SleepReason: UInt8, BitwiseCopyable, Sendable {
  /// The voltage stayed at or below the cut-off, and nothing moved.
  case lowVoltage
  /// The vehicle did not answer, and its battery is not charged.
  case vehicleSilent

  /// The name in records and log lines.
  public var name: StaticString {
    switch self {
    case .lowVoltage: "lowVoltage"
    case .vehicleSilent: "vehicleSilent"
    }
  }
}

/// The reason for the probe by which a sleeping vehicle was found awake.
public enum AwakeReason: UInt8, BitwiseCopyable, Sendable {
  /// The voltage rose.
  case voltageRise
  /// The configured interval has passed since the last probe.
  case interval
  /// The adapter was plugged in, or restarted because its supply voltage dropped, for example while the engine was
  /// cranked.
  case adapterReturned
  /// ``AdapterSession/wake()`` was called, or polling was resumed.
  case requested

  /// The name in records and log lines.
  public var name: StaticString {
    switch self {
    case .voltageRise: "voltageRise"
    case .interval: "interval"
    case .adapterReturned: "adapterReturned"
    case .requested: "requested"
    }
  }
}
