import Captures
import CommandLineSupport
import Glibc

/// Shows the progress for a large file (16 MiB or more). It is shown if stderr is a terminal and stdout is not.
struct ReplayProgress: CaptureProgress {
  private static let largeFile = 16 << 20

  private let path: String
  private var line: ProgressLine
  private var lastShown: Double = 0

  init(path: String) {
    self.path = path
    line = ProgressLine(isShown: StandardError.isTerminal && isatty(STDOUT_FILENO) == 0)
  }

  mutating func advanced(to done: Int, of total: Int?) {
    guard line.isShown, done >= Self.largeFile || (total ?? 0) >= Self.largeFile else { return }
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    let seconds = Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    guard seconds - lastShown >= 0.2 else { return }
    lastShown = seconds
    let share = total.map { $0 > 0 ? "\(done * 100 / $0) %, " : "" } ?? ""
    line.show("\(path): \(share)\(done >> 20) MB")
  }

  /// Erases the progress line.
  mutating func end() { line.end() }
}
