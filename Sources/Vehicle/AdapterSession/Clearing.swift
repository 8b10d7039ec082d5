import OBDWire

/// The steps of clearing the trouble codes, in order. All of them are mandatory before service 04 (`clear`).
enum ClearStep: UInt8, BitwiseCopyable {
  /// Check that engine speed and vehicle speed are 0. If not, the clearing is refused.
  case engineSpeedBefore, speedBefore
  /// Request from each ECU whether it has any stored codes (PID 01). In the step `storedCodes`, each ECU with stored
  /// codes must report them.
  case status
  /// Read everything that service 04 deletes, and pass it to the handler. Permanent codes are read too, although
  /// service 04 keeps them.
  case storedCodes, pendingCodes, permanentCodes, freezeFrame
  /// Wait until the caller has stored the data and calls ``AdapterSession/codesAreSaved()``.
  case saving
  /// Check again that engine speed and vehicle speed are 0.
  case engineSpeed, speed
  case clear

  var next: ClearStep? { ClearStep(rawValue: rawValue + 1) }
}

/// The progress of clearing the trouble codes.
struct Clearing: BitwiseCopyable {
  /// Maximum number of times that the request of one step is sent. It is repeated if its answer is missing or damaged.
  static let triesLimit = 3

  let permission: ClearPermission
  var step = ClearStep.engineSpeedBefore
  var tries = 0
  var motion = Motion()
  /// Whether the freeze frames are being read.
  var isFreezing = false
  /// Whether ``SessionEvent/codesRead`` was reported.
  var isReported = false
  /// The ECUs with stored codes, according to PID 01; `nil` if no ECU answered PID 01.
  var ecusWithCodes: ECUSet?

  /// A set of ECUs.
  struct ECUSet: BitwiseCopyable {
    var count = 0
    var addresses = InlineArray<8, ECUAddress>(repeating: .unknown)
  }
}
