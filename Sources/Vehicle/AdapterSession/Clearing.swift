import OBDWire

/// The steps before service 04; none can be left out.
enum ClearStep: UInt8, BitwiseCopyable {
  /// Whether the vehicle stands with its engine off. If not, nothing else is requested.
  case engineSpeedBefore, speedBefore
  /// Which ECUs have codes (PID 01): each of them must then report them.
  case status
  /// Everything that service 04 deletes is read, and goes to the handler.
  case storedCodes, pendingCodes, permanentCodes, freezeFrame
  /// The caller stores it: ``AdapterSession/codesAreSaved()``.
  case saving
  /// Whether the vehicle still stands.
  case engineSpeed, speed
  case clear

  var next: ClearStep? { ClearStep(rawValue: rawValue + 1) }
}

/// Clearing of the trouble codes in progress.
struct Clearing: BitwiseCopyable {
  /// How often one question is asked: its answer may have been damaged.
  static let triesLimit = 3

  let permission: ClearPermission
  var step = ClearStep.engineSpeedBefore
  var tries = 0
  var motion = Motion()
  /// The freeze frames are being read.
  var isFreezing = false
  /// ``SessionEvent/codesRead`` was reported.
  var isReported = false
  /// The ECUs that reported stored codes (PID 01); `nil` if no ECU reported a number.
  var ecusWithCodes: ECUSet?

  /// Some ECUs.
  struct ECUSet: BitwiseCopyable {
    var count = 0
    var addresses = InlineArray<8, ECUAddress>(repeating: .unknown)
  }
}
