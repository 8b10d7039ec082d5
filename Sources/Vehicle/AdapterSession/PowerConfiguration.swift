/// When a vehicle is left alone, and what lets it be asked again. Voltages are those of a 12 V system; above
/// ``heavySystemVoltage`` all of them count double. Times are ns.
///
/// The defaults suit a lead-acid battery. At 12.2 V it is about half full, and the next start begins to be at risk; a
/// healthy one rests above that even with the ignition on, so that the cut-off stops polling that drains it and little
/// else. From 12.2 V any alternator or DC-DC converter is a rise of 0.8 V.
public struct PowerConfiguration: BitwiseCopyable, Sendable, Equatable {
  /// Whether the session goes to sleep by itself.
  public var isEnabled = true
  /// At or below it, polling stops where nothing moves; V.
  public var cutOffVoltage = 12.2
  /// So long it must hold, with no engine speed above 0 and no speed above 0 in that time.
  public var cutOffTime: Int64 = 60 * second
  /// So long a vehicle that may drive electrically must have stood still besides: its engine speed of 0, or its lack of
  /// one, says nothing, and no red light lasts so long.
  public var electricCutOffTime: Int64 = 15 * 60 * second
  /// Below it the battery rests: neither alternator nor DC-DC converter feeds it; V.
  public var restingVoltage = 13.0
  /// A vehicle at rest that answers nothing for so long is left alone. Longer than most stops, so that an ignition that
  /// is switched on again is seen at once.
  public var silentTime: Int64 = 15 * 60 * second
  /// Asleep, the adapter's voltage is read this often.
  public var asleepPeriod: Int64 = 30 * second
  /// A rise by so much allows one probe; V.
  public var wakeRise = 0.8
  /// So long after falling asleep, or after the last probe, another one is allowed; ``never``: only a rise allows one. A
  /// vehicle whose supply rises long before it answers (an electric one at its charger) needs it; each probe may keep
  /// control units awake for minutes.
  public var wakeInterval: Int64 = never
  /// Above it the system has 24 V, and the voltages above count double; V.
  public var heavySystemVoltage = 18.0
  /// PID 42 corrects the adapter's divider by so much at most; where the two differ more, the adapter's voltage decides
  /// nothing; V.
  public var calibrationLimit = 1.5
  /// While the vehicle sleeps the adapter does, too (ATLP): each reading of its voltage then starts it anew. Only for an
  /// adapter that a character on its line wakes; never used above 57,600 baud, where a character is too short for that.
  public var usesLowPower = false

  /// As a time: not at all.
  public static let never = Int64.max
  private static let second: Int64 = 1_000_000_000

  /// The defaults.
  public init() {}
}

/// Why the vehicle is left alone.
public enum SleepReason: UInt8, BitwiseCopyable, Sendable {
  /// The cut-off voltage held, and nothing moved.
  case lowVoltage
  /// The vehicle answered nothing, and its battery rests.
  case vehicleSilent

  /// A word for reports.
  public var name: StaticString {
    switch self {
    case .lowVoltage: "lowVoltage"
    case .vehicleSilent: "vehicleSilent"
    }
  }
}

/// What let a sleeping vehicle be asked, when it answered.
public enum AwakeReason: UInt8, BitwiseCopyable, Sendable {
  /// The voltage rose.
  case voltageRise
  /// The configured interval passed.
  case interval
  /// The adapter started anew: plugged in again, or its supply broke down, as it does when an engine is cranked.
  case adapterReturned
  /// The caller asked for it.
  case requested

  /// A word for reports.
  public var name: StaticString {
    switch self {
    case .voltageRise: "voltageRise"
    case .interval: "interval"
    case .adapterReturned: "adapterReturned"
    case .requested: "requested"
    }
  }
}
