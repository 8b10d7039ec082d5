import Foundation

extension RunningProgram {
  /// What the program has in memory, KiB.
  ///
  /// - Parameter key: `VmRSS` now, `VmHWM` at most so far.
  public func memoryKiB(_ key: String = "VmRSS") throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix(key + ":") } ?? ""
    return Int(line.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "") ?? 0
  }
}
