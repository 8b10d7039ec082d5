/// The period and priority of each PID: the user's settings, and default values for all other PIDs.
public struct PollPreferences: BitwiseCopyable, Sendable {
  /// The period of a PID that is not polled.
  public static let never = Int64.max
  private static let unset: Int64 = -1
  private static let second: Int64 = 1_000_000_000

  private var periods = InlineArray<256, Int64>(repeating: unset)
  private var priorities = InlineArray<256, UInt8>(repeating: 0xFF)
  /// Period of PIDs for which the user sets no period, ns; 0 to request these PIDs as often as the link allows. PIDs
  /// that change slowly are requested less often than this.
  public var defaultPeriod: Int64 = second
  /// Time between two readings of the trouble codes, ns. PID 01 (the MIL state) has the same period, but at most one
  /// minute, so that the MIL state agrees with the codes. A period that the user sets for PID 01 has priority.
  public var codesPeriod: Int64 = 60 * second

  /// Creates preferences in which all PIDs have default values.
  public init() {}

  /// Sets the period and priority of a PID.
  ///
  /// - Parameters:
  ///   - period: period in ns; 0 to request the PID as often as the link allows, ``never`` to disable it.
  ///   - priority: 0 (first) to 255 (last), for requests that are due at the same time; `nil` to keep the current one.
  public mutating func set(_ pid: UInt8, period: Int64, priority: UInt8? = nil) {
    periods[Int(pid)] = max(0, period)
    if let priority { priorities[Int(pid)] = priority }
  }

  /// Disables all PIDs for which ``set(_:period:priority:)`` was not called.
  public mutating func setOthersToNever() { defaultPeriod = Self.never }

  /// Whether ``set(_:period:priority:)`` was called for the PID.
  func isNamed(_ pid: UInt8) -> Bool { periods[Int(pid)] != Self.unset }

  /// Returns the period of a PID, ns: the user's or the default.
  public func period(of pid: UInt8) -> Int64 {
    let named = periods[Int(pid)]
    if named != Self.unset { return named }
    guard defaultPeriod != Self.never else { return Self.never }
    return switch pid {
    // MIL state and number of codes.
    case 0x01: min(codesPeriod, 60 * Self.second)
    // Values that never change, or change only together with the codes (monitors, sensor locations, scalings,
    // standards).
    case 0x13, 0x1C, 0x1D, 0x41, 0x4F, 0x50, 0x51, 0x5F: 60 * Self.second
    // Values that change slowly: temperatures, levels, distances, times.
    case 0x05, 0x0F, 0x1F, 0x21, 0x2F, 0x30, 0x31, 0x33, 0x46, 0x4D, 0x4E, 0x5B, 0x5C, 0x67, 0x68, 0xA6:
      max(defaultPeriod, 5 * Self.second)
    default: defaultPeriod
    }
  }

  /// Returns the priority of a PID: the user's or the default, 0 (first) to 3. By default, scalings and sensor
  /// locations come first, because the meaning of other values depends on them (SAE J1979-DA, PIDs 13, 1D, 4F and 50).
  /// Engine speed and vehicle speed follow.
  public func priority(of pid: UInt8) -> UInt8 {
    let named = priorities[Int(pid)]
    if named != 0xFF { return named }
    return switch pid {
    case 0x13, 0x1D, 0x4F, 0x50: 0
    case 0x0C, 0x0D: 1
    case 0x04, 0x05, 0x11: 2
    default: 3
    }
  }
}
