import CommandLineSupport
import Glibc

/// A line on a terminal that shows the progress. It is overwritten repeatedly, and erased at the end.
struct ProgressLine {
  /// Whether the progress is shown; by default only if stderr is a terminal.
  let isShown: Bool
  private var hasShown = false

  init(isShown: Bool = StandardError.isTerminal) { self.isShown = isShown }

  mutating func show(_ text: String) {
    guard isShown else { return }
    hasShown = true
    StandardError.showProgress(text)
  }

  /// Erases the line, if it was shown.
  mutating func end() {
    if hasShown { StandardError.showProgress("") }
    hasShown = false
  }
}
