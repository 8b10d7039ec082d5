import OBDWire

/// Facts about the vehicle other than the capabilities of its ECUs (``VehicleCapabilities``). They outlive the
/// connection.
struct KnownVehicle: BitwiseCopyable {
  var bus = BusProtocol.auto
  /// ELM digit of the protocol (ASCII); `0` if unknown.
  var protocolDigit: UInt8 = 0x30
  /// The vehicle that reported the stored VIN.
  var named = NamedVehicle()
  /// Whether a different vehicle without a VIN was detected. The next VIN is then that of another vehicle.
  var isUnnamed = false
  /// Detects values that cannot come from one vehicle.
  var swapDetector = SwapDetector()
  var answerTime = AnswerTime()
  /// Hashes of the trouble codes that were read last.
  var storedCodes: UInt32 = 0
  var pendingCodes: UInt32 = 0

  var isKLine: Bool { bus == .iso9141 || bus == .kwp }
}

/// The time that the ECUs take to answer, as measured in this session.
struct AnswerTime: BitwiseCopyable {
  enum Pace: UInt8, BitwiseCopyable {
    case usual
    /// The ECUs answer after the usual wait.
    case slow
    /// The ECUs answer even after the longer wait of a K-line.
    case slowest
  }

  /// ECUs are slow after this many answers in a row that needed the longest wait.
  private static let slowLimit = 2
  /// ECUs are not slow after this many answers within the usual wait.
  private static let promptLimit = 20

  var pace = Pace.usual
  /// Presence checks in a row that were answered only with the longest wait.
  private var slowAnswers = 0
  /// Answers within the usual wait, from ECUs that were slow in an earlier session.
  private var promptAnswers = 0

  /// Records an answer that needed the longest wait.
  ///
  /// - Parameter isFirst: whether there was no answer within the usual wait since the vehicle was found.
  /// - Returns: whether the ECUs are slow.
  mutating func recordSlowAnswer(isFirst: Bool) -> Bool {
    slowAnswers += 1
    guard slowAnswers >= Self.slowLimit || isFirst else { return false }
    slowAnswers = 0
    return true
  }

  mutating func resetSlowAnswers() { slowAnswers = 0 }

  /// Records an answer within the usual wait.
  ///
  /// - Returns: whether the ECUs are not slow.
  mutating func recordPromptAnswer() -> Bool {
    promptAnswers += 1
    return promptAnswers >= Self.promptLimit
  }
}
