import Crypto
import Telemetry

/// A generator of time-based one-time passwords (RFC 6238): HMAC-SHA-1, steps of 30 s, six digits.
///
/// All authenticator apps support these parameters. A code is valid in its own step and in the steps before and after
/// it, by the server's clock. It is valid only once: the caller stores the step that ``acceptedStep(for:at:after:)``
/// returns, and passes it to the next call.
///
///     let generator = TOTP(secret: TOTP.newSecret())
///     let step = generator.acceptedStep(for: "492039", at: now, after: person.lastStep)
public struct TOTP: Sendable {
  /// Length of a step in seconds.
  public static let stepSeconds: Int64 = 30
  /// Number of digits of a code.
  public static let digits = 6
  /// Length of a secret in bytes: the length of a SHA-1 digest (RFC 4226, section 4, R6).
  public static let secretCount = 20
  /// The codes of this many steps before and after the current step are accepted.
  static let tolerance: Int64 = 1

  /// The secret that the server and the authenticator app share.
  public let secret: [UInt8]

  public init(secret: [UInt8]) { self.secret = secret }

  /// Returns a new random secret of ``secretCount`` bytes.
  public static func newSecret() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<secretCount).map { _ in generator.next() }
  }

  /// Returns the number of the step at a time: seconds since 1970 divided by ``stepSeconds``, rounded down.
  public static func step(at time: Timestamp) -> Int64 {
    let seconds = time.milliseconds.floorDivided(by: 1_000)
    return seconds.floorDivided(by: stepSeconds)
  }

  /// Returns the code of a step: ``digits`` digits, with leading zeros.
  public func code(step: Int64) -> String {
    let counter = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * Int64($0))) }
    let code = HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: SymmetricKey(data: secret))
    let bytes = Array(code)
    // Dynamic truncation (RFC 4226, section 5.3): 31 bits are read at the offset that the last four bits contain.
    let offset = Int(bytes[bytes.count - 1] & 0x0F)
    let number = bytes[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    let text = String(number % 1_000_000)
    return String(repeating: "0", count: Self.digits - text.utf8.count) + text
  }

  /// Returns the step of a code that a person entered.
  ///
  /// - Parameters:
  ///   - code: the text as entered; spaces are ignored, because apps show codes in two groups.
  ///   - time: the server's time.
  ///   - lastStep: the step of the last accepted code; `nil` if none was accepted yet.
  /// - Returns: the step to store; `nil` if the code is wrong, too old, too new, or not newer than the last one.
  public func acceptedStep(for code: String, at time: Timestamp, after lastStep: Int64?) -> Int64? {
    let entered = code.utf8.filter { $0 != UInt8(ascii: " ") }
    let present = Self.step(at: time)
    var accepted: Int64?
    // All steps are compared, so that the time of the check does not show which step matched.
    for step in (present - Self.tolerance)...(present + Self.tolerance) {
      if ConstantTime.isEqual(entered, Array(self.code(step: step).utf8)), step > lastStep ?? .min { accepted = step }
    }
    return accepted
  }

  /// Returns the URI for the QR code that an authenticator app scans (Google Authenticator's key URI format).
  ///
  ///     otpauth://totp/Fleet%20North:ann%40example.com?secret=…&issuer=Fleet%20North&algorithm=SHA1&digits=6&period=30
  ///
  /// - Parameters:
  ///   - issuer: the name of the service, shown above the code.
  ///   - account: the person's email address.
  public func provisioningURI(issuer: String, account: String) -> String {
    let issuer = Self.percentEncoded(issuer)
    return "otpauth://totp/\(issuer):\(Self.percentEncoded(account))?secret=\(Base32.text(secret))&issuer=\(issuer)"
      + "&algorithm=SHA1&digits=\(Self.digits)&period=\(Self.stepSeconds)"
  }

  /// Returns a text in which all bytes except RFC 3986's unreserved characters are percent-encoded.
  private static func percentEncoded(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        encoded += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return encoded
  }
}

extension Int64 {
  /// Returns the quotient rounded towards negative infinity. The divisor must be positive.
  fileprivate func floorDivided(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
