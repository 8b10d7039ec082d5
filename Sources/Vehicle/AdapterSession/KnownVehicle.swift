import OBDWire

/// Facts about the vehicle other than the capabilities of its ECUs (``VehicleCapabilities``). They are kept when the
/// connection ends.
struct KnownVehicle: BitwiseCopyable {
  var bus = BusProtocol.auto
  /// ELM digit of the protocol (ASCII); `0` if unknown.
  var protocolDigit: UInt8 = 0x30
  /// The last vehicle that reported a VIN.
  var named = NamedVehicle()
  /// Whether the current vehicle has reported no VIN and is not the vehicle with the stored VIN. If a VIN is read
  /// later, it belongs to yet another vehicle.
  var isUnnamed = false
  /// Detects values that cannot come from one and the same vehicle.
  var swapDetector = SwapDetector()
  var answerTime = AnswerTime()
  /// Hash of the stored trouble codes that were read last; 0 if there were none.
  var storedCodes: UInt32 = 0
  /// Hash of the pending trouble codes that were read last; 0 if there were none.
  var pendingCodes: UInt32 = 0

  var isKLine: Bool { bus == .iso9141 || bus == .kwp }
}

/// The time that the ECUs take to answer, as measured in this session.
struct AnswerTime: BitwiseCopyable {
  enum Pace: UInt8, BitwiseCopyable {
    case usual
    /// The ECUs need longer than the short wait that is usual on a K-line.
    case slow
    /// The ECUs need longer than the wait that is usual on any bus. The adapter's longest wait is used.
    case slowest
  }

  /// If this many presence checks in a row are answered only with the longest wait, the ECUs count as slow.
  private static let slowLimit = 2
  /// After this many answers within the usual wait, the ECUs no longer count as slow.
  private static let promptLimit = 20

  var pace = Pace.usual
  /// Number of presence checks in a row that were answered only with the longest wait.
  private var slowAnswers = 0
  /// Number of answers within the usual wait. They are counted if the ECUs were slow in an earlier session.
  private var promptAnswers = 0

  /// Counts an answer to a presence check that needed the longest wait.
  ///
  /// - Parameter isFirst: whether no earlier request was answered within the usual wait since the vehicle was found. If
  ///   `true`, a single slow answer is sufficient.
  /// - Returns: whether the ECUs now count as slow.
  mutating func recordSlowAnswer(isFirst: Bool) -> Bool {
    slowAnswers += 1
    guard slowAnswers >= Self.slowLimit || isFirst else { return false }
    slowAnswers = 0
    return true
  }

  mutating func resetSlowAnswers() { slowAnswers = 0 }

  /// Counts an answer within the usual wait.
  ///
  /// - Returns: whether the ECUs no longer count as slow.
  mutating func recordPromptAnswer() -> Bool {
    promptAnswers += 1
    return promptAnswers >= Self.promptLimit
  }
}
