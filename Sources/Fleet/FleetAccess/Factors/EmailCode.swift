import FleetDomain
import Telemetry

/// Six-digit codes that are sent by email. A code can be used once, within ten minutes, and becomes invalid after five
/// wrong answers.
public enum EmailCode {
  /// Number of digits of a code.
  public static let digits = 6
  /// The time for which a code is valid, s.
  public static let seconds = 600
  /// Number of wrong answers after which a code becomes invalid.
  public static let mostAnswers: Int64 = 5

  /// Returns a new random code.
  public static func new() -> String {
    var generator = SystemRandomNumberGenerator()
    return String((0..<digits).map { _ in Character(String(Int.random(in: 0...9, using: &generator))) })
  }

  /// Returns the text from which the stored proof of a code is computed (``SecretKeys/proof(of:)``). Someone who copies
  /// the database cannot find the code by trying all codes, because computing a proof needs the key.
  fileprivate static func statement(_ code: String, _ place: String) -> String { "email code \(place) \(code)" }

  /// Returns a text for finding the ticket of a code: the ticket is stored under the hash of this text. Other tickets
  /// are stored under the hash of their secret, but a code is too short to be a secret.
  fileprivate static func name(_ place: String) -> String { "emailCode \(place)" }
}

extension FleetTransaction {
  /// Stores a code that is sent to a person. An older code for the same purpose becomes invalid.
  ///
  /// - Parameter place: name of the purpose: the sign-in or factor that the code is for.
  public func issueEmailCode(
    _ code: String, for place: String, of person: UUIDv7, _ keys: SecretKeys
  ) throws(ThingError) {
    let name = Secret.hash(of: EmailCode.name(place))
    if let old = try first(ThingQuery<Ticket>(.oneOf(key: "secret", [.text(name.text)]))) {
      try remove(old, action: "replace")
    }
    try issueTicket(
      .emailCode, name, of: person, seconds: EmailCode.seconds,
      details: keys.proof(of: EmailCode.statement(code, place)))
  }

  /// Checks a code, and returns whether it is right. A right code cannot be used again. A wrong code is counted: the
  /// caller must commit the transaction in both cases.
  public func acceptEmailCode(_ code: String, for place: String, _ keys: SecretKeys) throws(ThingError) -> Bool {
    guard let ticket = try ticket(Secret.hash(of: EmailCode.name(place)), for: [.emailCode], at: now) else {
      return false
    }
    // Spaces are ignored, because people copy codes with them.
    let digits = code.filter { $0 != " " }
    guard digits.utf8.count == EmailCode.digits,
      keys.isProof(ticket.value.details ?? "", of: EmailCode.statement(digits, place))
    else {
      var counted = ticket.value
      counted.attempts += 1
      if counted.attempts >= EmailCode.mostAnswers {
        try remove(ticket, action: "tooManyAnswers")
      } else {
        try update(ticket, to: counted, action: "wrongAnswer")
      }
      return false
    }
    try remove(ticket, action: "use")
    return true
  }
}
