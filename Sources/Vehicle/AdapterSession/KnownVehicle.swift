import OBDWire

/// What is known of the vehicle besides its ECUs (``CarKnowledge``). It outlives the connection.
struct KnownVehicle: BitwiseCopyable {
  var bus = BusProtocol.auto
  /// ELM digit of the protocol (ASCII); `0` if unknown.
  var protocolDigit: UInt8 = 0x30
  /// The vehicle whose VIN the memory holds.
  var named = NamedVehicle()
  /// Another vehicle without a VIN was detected: the next VIN is another vehicle's.
  var isUnnamed = false
  /// Detects values that cannot come from one vehicle.
  var swapDetector = SwapDetector()
  var answerTime = AnswerTime()
  /// Hashes of the trouble codes that were read last.
  var storedCodes: UInt32 = 0
  var pendingCodes: UInt32 = 0

  var isKLine: Bool { bus == .iso9141 || bus == .kwp }
}

/// How long the ECUs take to answer, as learned in this session.
struct AnswerTime: BitwiseCopyable {
  enum Pace: UInt8, BitwiseCopyable {
    case usual
    /// Later than the usual wait.
    case slow
    /// Later than the longer wait of a K-line, too.
    case slowest
  }

  /// ECUs that answered this often in a row only with the longest wait are slow.
  private static let slowLimit = 2
  /// ECUs that answered this often within the usual wait are not slow.
  private static let promptLimit = 20

  var pace = Pace.usual
  /// Presence checks in a row that were answered only with the longest wait.
  private var slowAnswers = 0
  /// Answers within the usual wait, from ECUs that were slow in an earlier session.
  private var promptAnswers = 0

  /// Records an answer that came only with the longest wait.
  ///
  /// - Parameter isFirst: no answer came with the usual wait since the vehicle was found.
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
