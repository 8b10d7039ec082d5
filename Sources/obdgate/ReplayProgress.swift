import Captures
import Glibc

/// A progress line for a large file, where somebody sits at stderr and the records go elsewhere.
struct ReplayProgress: CaptureProgress {
  private static let largeFile = 16 << 20

  private let path: String
  private let isShown: Bool
  private var lastShown: Double = 0
  private var hasShown = false

  init(path: String) {
    self.path = path
    isShown = StandardError.isTerminal && isatty(STDOUT_FILENO) == 0
  }

  mutating func advanced(to done: Int, of total: Int?) {
    guard isShown, done >= Self.largeFile || (total ?? 0) >= Self.largeFile else { return }
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    let seconds = Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    guard seconds - lastShown >= 0.2 else { return }
    lastShown = seconds
    hasShown = true
    let share = total.map { $0 > 0 ? "\(done * 100 / $0) %, " : "" } ?? ""
    StandardError.write("\r\(path): \(share)\(done >> 20) MB\u{1B}[K")
  }

  /// Takes the line away.
  func end() { if hasShown { StandardError.write("\r\u{1B}[K") } }
}
