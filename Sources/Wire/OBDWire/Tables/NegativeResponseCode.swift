/// A negative response code: the reason why an ECU rejected a request, in the third byte of its answer (ISO 14229-1,
/// A.1).
public struct NegativeResponseCode: BitwiseCopyable, Sendable {
  /// The code.
  public var code: UInt8
  /// The reason in plain words. It is not quoted from the standard.
  public var text: StaticString

  init(_ code: UInt8, _ text: StaticString) {
    self.code = code
    self.text = text
  }

  /// "Response pending": the ECU has accepted the request, and the answer follows. It is the only code that does not
  /// reject a request.
  public static let responsePending: UInt8 = 0x78

  /// Returns the text of a code; `nil` if ISO 14229-1 reserves the code or leaves it to the manufacturer.
  public static func text(_ code: UInt8) -> StaticString? {
    for index in negativeResponseCodes.span.indices where negativeResponseCodes.span[index].code == code {
      return negativeResponseCodes.span[index].text
    }
    return nil
  }
}

/// The codes in ascending order.
let negativeResponseCodes: InlineArray<59, NegativeResponseCode> = [
  NegativeResponseCode(0x10, "general reject"),
  NegativeResponseCode(0x11, "service not supported"),
  NegativeResponseCode(0x12, "subfunction not supported"),
  NegativeResponseCode(0x13, "wrong message length or format"),
  NegativeResponseCode(0x14, "response too long"),
  NegativeResponseCode(0x21, "busy, repeat the request"),
  NegativeResponseCode(0x22, "conditions not correct"),
  NegativeResponseCode(0x24, "request out of sequence"),
  NegativeResponseCode(0x25, "no response from a subnet component"),
  NegativeResponseCode(0x26, "a failure prevents the action"),
  NegativeResponseCode(0x31, "request out of range"),
  NegativeResponseCode(0x33, "security access denied"),
  NegativeResponseCode(0x34, "authentication required"),
  NegativeResponseCode(0x35, "invalid key"),
  NegativeResponseCode(0x36, "too many attempts"),
  NegativeResponseCode(0x37, "required time delay not over"),
  NegativeResponseCode(0x38, "secure data transmission required"),
  NegativeResponseCode(0x39, "secure data transmission not allowed"),
  NegativeResponseCode(0x3A, "secure data verification failed"),
  NegativeResponseCode(0x50, "certificate invalid, time period"),
  NegativeResponseCode(0x51, "certificate invalid, signature"),
  NegativeResponseCode(0x52, "certificate invalid, chain of trust"),
  NegativeResponseCode(0x53, "certificate invalid, type"),
  NegativeResponseCode(0x54, "certificate invalid, format"),
  NegativeResponseCode(0x55, "certificate invalid, content"),
  NegativeResponseCode(0x56, "certificate invalid, scope"),
  NegativeResponseCode(0x57, "certificate invalid, revoked"),
  NegativeResponseCode(0x58, "ownership verification failed"),
  NegativeResponseCode(0x59, "challenge calculation failed"),
  NegativeResponseCode(0x5A, "setting access rights failed"),
  NegativeResponseCode(0x5B, "session key creation failed"),
  NegativeResponseCode(0x5C, "configuration data usage failed"),
  NegativeResponseCode(0x5D, "deauthentication failed"),
  NegativeResponseCode(0x70, "upload or download not accepted"),
  NegativeResponseCode(0x71, "data transfer suspended"),
  NegativeResponseCode(0x72, "programming failed"),
  NegativeResponseCode(0x73, "wrong block sequence counter"),
  NegativeResponseCode(0x78, "received, response pending"),
  NegativeResponseCode(0x7E, "subfunction not supported in the active session"),
  NegativeResponseCode(0x7F, "service not supported in the active session"),
  NegativeResponseCode(0x81, "engine speed too high"),
  NegativeResponseCode(0x82, "engine speed too low"),
  NegativeResponseCode(0x83, "engine is running"),
  NegativeResponseCode(0x84, "engine is not running"),
  NegativeResponseCode(0x85, "engine run time too short"),
  NegativeResponseCode(0x86, "temperature too high"),
  NegativeResponseCode(0x87, "temperature too low"),
  NegativeResponseCode(0x88, "vehicle speed too high"),
  NegativeResponseCode(0x89, "vehicle speed too low"),
  NegativeResponseCode(0x8A, "accelerator pedal too high"),
  NegativeResponseCode(0x8B, "accelerator pedal too low"),
  NegativeResponseCode(0x8C, "transmission not in neutral"),
  NegativeResponseCode(0x8D, "transmission not in gear"),
  NegativeResponseCode(0x8F, "brake not applied"),
  NegativeResponseCode(0x90, "shifter lever not in park"),
  NegativeResponseCode(0x91, "torque converter clutch locked"),
  NegativeResponseCode(0x92, "voltage too high"),
  NegativeResponseCode(0x93, "voltage too low"),
  NegativeResponseCode(0x94, "resource temporarily not available"),
]
