import OBDWire

/// The mandatory steps before service 04, in order.
enum ClearStep: UInt8, BitwiseCopyable {
  /// Check that the vehicle stands with its engine off. If not, nothing else is requested.
  case engineSpeedBefore, speedBefore
  /// Read which ECUs have codes (PID 01). In the next steps, each of these ECUs must report its codes.
  case status
  /// Read everything that service 04 deletes, and pass it to the handler.
  case storedCodes, pendingCodes, permanentCodes, freezeFrame
  /// Wait until the caller has stored the data and calls ``AdapterSession/codesAreSaved()``.
  case saving
  /// Check again that the vehicle stands with its engine off.
  case engineSpeed, speed
  case clear

  var next: ClearStep? { ClearStep(rawValue: rawValue + 1) }
}

/// The state of a clearing of the trouble codes.
struct Clearing: BitwiseCopyable {
  /// Maximum number of attempts for one step. A request is repeated because its answer may be damaged.
  static let triesLimit = 3

  let permission: ClearPermission
  var step = ClearStep.engineSpeedBefore
  var tries = 0
  var motion = Motion()
  /// Whether the freeze frames are being read.
  var isFreezing = false
  /// Whether ``SessionEvent/codesRead`` was reported.
  var isReported = false
  /// The ECUs that have stored codes, according to PID 01; `nil` if no ECU answered PID 01.
  var ecusWithCodes: ECUSet?

  /// A set of ECUs.
  struct ECUSet: BitwiseCopyable {
    var count = 0
    var addresses = InlineArray<8, ECUAddress>(repeating: .unknown)
  }
}
