/// Decides when requests to a vehicle stop, and when it is probed again. Voltages apply to a 12 V system and are
/// doubled above ``heavySystemVoltage``. Times are ns.
///
/// The defaults suit a lead-acid battery. At 12.2 V it is about half full, and the next start is at risk. A healthy
/// battery rests above that even with the ignition on, so the cut-off only stops polling that drains the battery. Any
/// alternator or DC-DC converter raises 12.2 V by at least 0.8 V.
public struct PowerConfiguration: BitwiseCopyable, Sendable, Equatable {
  /// Whether requests stop automatically.
  public var isEnabled = true
  /// At or below this voltage, polling stops if nothing moves; V.
  public var cutOffVoltage = 12.2
  /// Time for which the voltage must stay at or below the cut-off while engine speed and speed are 0.
  public var cutOffTime: Int64 = 60 * second
  /// Additional time for which a vehicle that may drive electrically must stand still. Its engine speed of 0 proves
  /// nothing, and no red light lasts this long.
  public var electricCutOffTime: Int64 = 15 * 60 * second
  /// Below this voltage, neither an alternator nor a DC-DC converter charges the battery; V.
  public var restingVoltage = 13.0
  /// Requests to a vehicle stop after it has not answered for this long while its battery is not charged. The default
  /// is longer than most stops, so that an ignition that is switched on again is detected at once.
  public var silentTime: Int64 = 15 * 60 * second
  /// Time between two readings of the adapter's voltage while the vehicle sleeps.
  public var asleepPeriod: Int64 = 30 * second
  /// Rise of the voltage that allows one probe; V.
  public var wakeRise = 0.8
  /// Time after falling asleep, or after the last probe, at which another probe is allowed; ``never`` if only a rise of
  /// the voltage allows one. It is needed for a vehicle whose voltage rises long before it answers, such as an electric
  /// one at its charger. Each probe may keep control units awake for minutes.
  public var wakeInterval: Int64 = never
  /// Above this voltage, the system has 24 V, and the voltages above are doubled; V.
  public var heavySystemVoltage = 18.0
  /// Largest correction of the adapter's voltage by PID 42; if they differ by more, the adapter's voltage is ignored; V.
  public var calibrationLimit = 1.5
  /// Whether the adapter sleeps too (ATLP). Each reading of its voltage then restarts it. Use it only for an adapter
  /// that wakes when it receives a character. It has no effect above 57,600 baud, where a character is too short for
  /// that.
  public var usesLowPower = false

  /// A time that never comes.
  public static let never = Int64.max
  private static let second: Int64 = 1_000_000_000

  /// The defaults.
  public init() {}
}

/// The reason why requests to the vehicle stopped.
public enum SleepReason: UInt8, BitwiseCopyable, Sendable {
  /// The voltage stayed at the cut-off, and nothing moved.
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

/// The reason for the probe that a sleeping vehicle answered.
public enum AwakeReason: UInt8, BitwiseCopyable, Sendable {
  /// The voltage rose.
  case voltageRise
  /// The configured interval passed.
  case interval
  /// The adapter restarted: it was plugged in, or its supply voltage dropped, for example while the engine was cranked.
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
