import Telemetry

/// The result of one check, and the remedy if one is needed.
struct Finding: Equatable, Sendable {
  enum Verdict: String {
    case ok
    /// The checked device, file or server works or may work, but the user should know something about it.
    case warning
    /// The checked device, file or server does not work, or will stop working.
    case problem
  }

  let verdict: Verdict
  /// The name of the check in one word, such as `adapter`.
  let check: String
  /// The device, file or server that was checked, and its state. The text is safe to show on a terminal.
  let what: String
  /// The remedy, as a command if possible; `nil` if no remedy is needed or known.
  let remedy: String?

  init(_ verdict: Verdict, _ check: String, _ what: String, remedy: String? = nil) {
    self.verdict = verdict
    self.check = check
    self.what = PlainText.shown(what)
    self.remedy = remedy.map { PlainText.shown($0) }
  }

  /// The finding as one text line. The columns have fixed widths, because each line is printed before the next finding
  /// is known.
  var line: String {
    "\(verdict.rawValue.padded(to: 8)) \(check.padded(to: 13)) \(what)\(remedy.map { "; \($0)" } ?? "")"
  }

  func write(into line: inout JSONLineEncoder) {
    line.field("check", check)
    line.field("verdict", verdict.rawValue)
    line.field("what", what)
    line.field("remedy", remedy)
  }
}
