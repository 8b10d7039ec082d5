import OBDWire
import Telemetry

/// The data of one ECU. It also contains which of the data were already reported in records.
struct ECUState {
  var address: ECUAddress
  /// The ECU's address as text for records; `nil` if the replies have no headers.
  var addressText: String?
  /// The PIDs of service 01 that the ECU supports. Word w contains the PIDs 32w + 1 to 32w + 32, the lowest PID in the
  /// most significant bit. For example, bit 31 of word 0 stands for PID 01, and bit 31 of word 1 for PID 21 (both
  /// hexadecimal).
  var parameters = InlineArray<8, UInt32>(repeating: 0)
  /// The words of ``parameters`` that were read since the last call of ``Fusion/vehicleLost()``. Bit w stands for word
  /// w.
  var reported: UInt8 = 0
  /// Whether the supported PIDs came from service 22 (OBDonUDS).
  var speaksUDS = false
  /// Whether the ECU supports or has answered PID 0C (engine speed).
  var hasEngineSpeed = false

  var vin: [UInt8] = []
  var name: [UInt8] = []
  var calibrationIDs: [[UInt8]] = []
  /// Calibration verification numbers, 4 bytes each.
  var verificationNumbers: [[UInt8]] = []

  var stored = CodeList()
  var pending = CodeList()
  var permanent = CodeList()
  var frames: [FreezeFrameState] = []
  var mil: Timed?
  var distanceMIL: Timed?
  /// The MIL state in the last `dtc` record that contained a MIL state; `nil` if no record has contained one.
  var reportedMIL: Bool?
  /// Whether and when the trouble codes are reported again although they have not changed.
  var codesRepetition = Repetition.none

  var sinceClear = MonitorState()
  var thisCycle = MonitorState()

  /// Whether and when unchanged data are reported again.
  enum Repetition {
    /// Unchanged data are not reported again.
    case none
    /// The data are reported again after the ECU's next answer, because the known data may be out of date.
    case afterAnswer
    case now
  }

  /// A value with the time at which it was read.
  struct Timed: Equatable {
    var value: Double
    var time: Int64
  }

  init(_ address: ECUAddress) {
    self.address = address
    addressText = address.kind == .unknown ? nil : address.text
  }

  /// Whether the MIL state was read, and differs from the state in the last `dtc` record that contained one.
  var needsMILReport: Bool {
    guard let mil, let reportedMIL else { return false }
    return (mil.value != 0) != reportedMIL
  }

  /// Whether a `dtc` record is due.
  var needsCodesReport: Bool {
    let lists = [stored, pending, permanent]
    return lists.contains(where: \.needsReport) || needsMILReport
      || codesRepetition == .now && lists.contains(where: \.isKnown)
  }

  /// Causes codes, freeze frames and monitors to be reported again, even if they have not changed.
  mutating func repeatDiagnosis(_ repetition: Repetition) {
    codesRepetition = repetition
    if repetition == .now { repeatFrames() }
    sinceClear.repetition = repetition
    thisCycle.repetition = repetition
  }

  /// Handles an answer with trouble codes. If the codes must be reported again after the ECU's next answer, they are
  /// now due.
  mutating func receivedCodes() {
    guard codesRepetition == .afterAnswer else { return }
    codesRepetition = .now
    repeatFrames()
  }

  /// Causes the freeze frames of the known codes to be reported again.
  private mutating func repeatFrames() {
    let codes = [stored, pending, permanent].flatMap(\.codes)
    for index in frames.indices {
      guard let code = frames[index].code, codes.contains(where: { $0.isSameCode(as: code) }) else { continue }
      frames[index].setUnreported()
    }
  }

  /// Whether the ECU reports that it supports a PID of service 01.
  func supports(_ parameter: UInt8) -> Bool {
    guard parameter > 0 else { return false }
    let index = parameter - 1
    return parameters[Int(index >> 5)] >> UInt32(31 - index & 31) & 1 == 1
  }

  /// The supported PIDs in ascending order, as texts such as `010C`, or `22F40C` for OBDonUDS.
  var supportedPids: [String] {
    (1...0xFF).filter { supports(UInt8($0)) }.map { parameter in
      (speaksUDS ? "22F4" : "01") + String(hexadecimal: UInt32(parameter), digits: 2)
    }
  }

  /// The calibrations: pairs of calibration ID and calibration verification number. ECUs send both lists in the same
  /// order, as the standard requires.
  var calibrations: [VehicleRecord.Calibration] {
    (0..<max(calibrationIDs.count, verificationNumbers.count)).compactMap { index in
      let id = index < calibrationIDs.count ? calibrationIDs[index] : []
      let number = index < verificationNumbers.count ? verificationNumbers[index] : []
      guard !id.isEmpty || !number.isEmpty else { return nil }
      return VehicleRecord.Calibration(
        id: id.isEmpty ? nil : String(latin1: id),
        cvn: number.isEmpty ? nil : number.map { String(hexadecimal: UInt32($0), digits: 2) }.joined())
    }
  }
}

extension String {
  /// Creates a text of `digits` upper-case hexadecimal digits.
  init(hexadecimal number: UInt32, digits: Int) {
    self = ""
    for place in stride(from: digits - 1, through: 0, by: -1) {
      append(Character(Unicode.Scalar(Hex.digit(UInt8(truncatingIfNeeded: number >> UInt32(place * 4)) & 0x0F))))
    }
  }

  /// Decodes bytes as ISO 8859-1, which ECUs and adapters use. It is a superset of ASCII.
  init(latin1 bytes: [UInt8]) {
    self = ""
    for byte in bytes { unicodeScalars.append(Unicode.Scalar(byte)) }
  }

  /// Decodes bytes as ISO 8859-1, which ECUs and adapters use. It is a superset of ASCII.
  public init(latin1 bytes: Span<UInt8>) {
    self = ""
    for index in bytes.indices { unicodeScalars.append(Unicode.Scalar(bytes[index])) }
  }
}

/// Replaces the bytes in `stored` with the bytes in `found`, if they differ.
///
/// - Returns: whether they differed. If they are equal, nothing is allocated.
func replaceBytes(_ stored: inout [UInt8], with found: Span<UInt8>) -> Bool {
  var isSame = stored.count == found.count
  var index = 0
  while isSame, index < found.count {
    isSame = stored[index] == found[index]
    index += 1
  }
  if isSame { return false }
  stored.removeAll(keepingCapacity: true)
  for index in found.indices { stored.append(found[index]) }
  return true
}
