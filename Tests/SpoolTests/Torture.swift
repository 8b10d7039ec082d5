import Foundation
import TestKit

/// The number of repetitions of tests that can run for any time. It can be set in the environment.
enum Torture {
  static func count(_ variable: String, usually: Int) -> Int {
    ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? usually
  }
}
