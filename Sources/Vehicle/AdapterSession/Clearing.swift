import OBDWire

/// The mandatory steps before service 04, in order.
enum ClearStep: UInt8, BitwiseCopyable {
  /// Check that the vehicle stands with its engine off. If not, nothing else is requested.
  case engineSpeedBefore, speedBefore
  /// Read which ECUs have codes (PID 01). Each of them must report its codes in the next steps.
  case status
  /// Read everything that service 04 deletes, and pass it to the handler.
  case storedCodes, pendingCodes, permanentCodes, freezeFrame
  /// The caller stores the data, and calls ``AdapterSession/codesAreSaved()``.
  case saving
  /// Check again that the vehicle stands with its engine off.
  case engineSpeed, speed
  case clear

  var next: ClearStep? { ClearStep(rawValue: rawValue + 1) }
}

/// Clearing of the trouble codes in progress.
struct Clearing: BitwiseCopyable {
  /// Maximum number of requests in one step, because an answer may be damaged.
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

  /// A set of ECUs.
  struct ECUSet: BitwiseCopyable {
    var count = 0
    var addresses = InlineArray<8, ECUAddress>(repeating: .unknown)
  }
}
