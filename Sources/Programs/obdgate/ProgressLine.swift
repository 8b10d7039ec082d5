import CommandLineSupport
import Glibc

/// One line for somebody who waits at a terminal: written over and over, and taken away at the end.
struct ProgressLine {
  /// Nobody is shown anything where stderr is no terminal.
  let isShown: Bool
  private var hasShown = false

  init(isShown: Bool = StandardError.isTerminal) { self.isShown = isShown }

  mutating func show(_ text: String) {
    guard isShown else { return }
    hasShown = true
    StandardError.showProgress(text)
  }

  /// Takes the line away.
  mutating func end() {
    if hasShown { StandardError.showProgress("") }
    hasShown = false
  }
}
