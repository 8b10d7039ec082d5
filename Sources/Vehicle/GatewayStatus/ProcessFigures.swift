import Failures
import Glibc

/// The memory and the processor time that the process uses.
package struct ProcessFigures {
  var residentBytes: UInt64 = 0
  var processorSeconds: Double = 0

  /// Returns the sum of times, s. The microseconds are added as integers and divided once, so that the result has at
  /// most six decimals.
  static func seconds(_ times: [timeval]) -> Double {
    Double(times.reduce(0) { $0 + $1.tv_sec * 1_000_000 + $1.tv_usec }) / 1e6
  }

  /// Reads the values from the kernel. A value that the kernel does not report is 0.
  package static func read() -> ProcessFigures {
    var figures = ProcessFigures()
    var usage = rusage()
    if unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
      figures.processorSeconds = seconds([usage.ru_utime, usage.ru_stime])
    }
    // The second number in /proc/PID/statm is the number of resident pages (proc(5)).
    if let text = try? FileText.read("/proc/self/statm") {
      let words = text.split(separator: UInt8(ascii: " "))
      if words.count > 1, let pages = UInt64(String(decoding: words[1], as: UTF8.self)) {
        figures.residentBytes = pages * UInt64(sysconf(Int32(_SC_PAGESIZE)))
      }
    }
    return figures
  }
}
