import Foundation

/// What this process has taken.
enum ProcessMemory {
  /// Highest resident memory, KiB.
  static var peakKiB: Int {
    get throws {
      let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
      return Int(line.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "") ?? 0
    }
  }
}
