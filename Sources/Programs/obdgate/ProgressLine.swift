import CommandLineSupport
import Glibc

/// A progress line on a terminal that is overwritten repeatedly and erased at the end.
struct ProgressLine {
  /// Whether the line is shown. It is shown only if stderr is a terminal.
  let isShown: Bool
  private var hasShown = false

  init(isShown: Bool = StandardError.isTerminal) { self.isShown = isShown }

  mutating func show(_ text: String) {
    guard isShown else { return }
    hasShown = true
    StandardError.showProgress(text)
  }

  /// Erases the line.
  mutating func end() {
    if hasShown { StandardError.showProgress("") }
    hasShown = false
  }
}
