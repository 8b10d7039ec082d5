import Foundation

/// A mail server (aiosmtpd) on a port of its own, which can be stopped and started again.
///
///     let peer = try MailPeer(["--login", "fleet", "secret"])
///     let mail = try peer.mail()
public final class MailPeer: @unchecked Sendable {
  /// A mail, as Python's email package decodes it.
  public struct Mail: Decodable, Sendable {
    public let from: String
    public let to: [String]
    public let headers: [[String]]
    public let defects: [String]
    public let plain: String
    public let html: String
    /// The message as it was sent, decoded as Latin-1.
    public let raw: String

    /// All values of a header.
    public func values(_ name: String) -> [String] {
      headers.filter { $0[0].lowercased() == name.lowercased() }.map { $0[1] }
    }
    public func header(_ name: String) -> String? { values(name).first }
    /// The URL in the text; `nil` if there is none.
    public var link: String? { plain.components(separatedBy: .whitespacesAndNewlines).first { $0.hasPrefix("http") } }
    /// The six digits that are alone on a line; `nil` if there are none.
    public var code: String? {
      plain.components(separatedBy: .newlines).first { $0.count == 6 && $0.allSatisfy(\.isNumber) }
    }
  }

  private struct Event: Decodable {
    let event: String
  }

  public let port: Int
  private let reserved: ReservedPort
  private let python: String
  private let arguments: [String]
  private var running: RunningProgram?

  /// Creates a mail server.
  ///
  /// - Parameter starts: whether it is started at once.
  public init(_ arguments: [String] = [], starts: Bool = true) throws {
    python = try Tool.python(with: "aiosmtpd")
    reserved = try ReservedPort()
    port = Int(reserved.number)
    self.arguments = arguments
    if starts { try start() }
  }

  deinit { running?.kill() }

  public func start() throws {
    let program = try RunningProgram(
      python, [TestData.projectRoot + "/Tests/Support/mail-peer.py", String(port)] + arguments)
    running = program
    try program.line(within: .seconds(60)) { $0 == "ready" }
  }

  public func stop() throws { try running?.killNow() }

  /// Waits for the next mail after the one that the last call returned.
  public func mail(within limit: Duration = .seconds(60)) throws -> Mail {
    guard let running else { throw RunningProgram.Late(description: "the mail server does not run") }
    let line = try running.line(within: limit) { Self.isMail($0) }
    return try JSONDecoder().decode(Mail.self, from: Data(line.text.utf8))
  }

  /// Returns all mails since the last start.
  public func mails() throws -> [Mail] {
    try (running?.output ?? []).filter { Self.isMail($0.text) }.map {
      try JSONDecoder().decode(Mail.self, from: Data($0.text.utf8))
    }
  }

  /// Waits for a login.
  ///
  /// - Returns: whether the login was accepted.
  public func login(within limit: Duration = .seconds(60)) throws -> Bool {
    guard let running else { throw RunningProgram.Late(description: "the mail server does not run") }
    return try running.line(within: limit) { $0.contains(#""event": "login""#) }.text.contains("true")
  }

  private static func isMail(_ line: String) -> Bool {
    (try? JSONDecoder().decode(Event.self, from: Data(line.utf8)))?.event == "mail"
  }
}
