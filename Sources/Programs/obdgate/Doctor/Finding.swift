import Telemetry

/// One thing that the doctor has looked at: how it is, and what to do where it is not well.
struct Finding: Equatable, Sendable {
  enum Verdict: String {
    case ok
    /// It works, or may; worth knowing.
    case warning
    /// It does not work, or will not.
    case problem
  }

  let verdict: Verdict
  /// What was looked at, in a word: `adapter`.
  let check: String
  /// Where, and how it is; as a terminal may be shown it.
  let what: String
  /// What to do: a command where there is one.
  let remedy: String?

  init(_ verdict: Verdict, _ check: String, _ what: String, remedy: String? = nil) {
    self.verdict = verdict
    self.check = check
    self.what = PlainText.shown(what)
    self.remedy = remedy.map { PlainText.shown($0) }
  }

  /// The columns' widths are fixed: each line is written once it is known.
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
