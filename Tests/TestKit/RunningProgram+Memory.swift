import Foundation

extension RunningProgram {
  /// Returns the program's memory in KiB.
  ///
  /// - Parameter key: `VmRSS` for the present value, `VmHWM` for the maximum so far.
  public func memoryKiB(_ key: String = "VmRSS") throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix(key + ":") } ?? ""
    return Int(line.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "") ?? 0
  }
}
