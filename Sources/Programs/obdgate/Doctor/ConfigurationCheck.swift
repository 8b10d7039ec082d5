import Failures
import Gateway

/// Reads the configuration as the daemon does.
enum ConfigurationCheck {
  /// Reads a configuration, and the files that it names.
  ///
  /// - Parameter path: path of the configuration file; `nil` if there is none.
  /// - Returns: the settings, and the findings. The settings are `nil` if the configuration is invalid.
  static func read(_ path: String?) -> (Settings?, [Finding]) {
    do throws(Failure) {
      let settings = try Settings(path: path)
      let what = path.map { "\($0): right" } ?? "none: the daemon searches for adapters and writes records to stdout"
      let warnings = settings.warnings.map { Finding(.warning, "configuration", $0) }
      return (settings, [Finding(.ok, "configuration", what)] + warnings)
    } catch {
      // If a file that the configuration names is missing, the error begins with the path of the configuration file and
      // the key.
      let isOther = path.map { !error.description.hasPrefix("\($0): ") } ?? false
      let remedy =
        switch error.kind {
        case .noInput where isOther: "create the file, or name another in \(path ?? "FILE")"
        case .noInput: "name another with --config"
        case .unreadable: "let this user read it, or: sudo obdgate doctor"
        default: "correct it, then run: obdgated --check --config \(path ?? "FILE")"
        }
      let findings = error.lines.enumerated().map { number, line in
        Finding(.problem, "configuration", line, remedy: number == error.lines.count - 1 ? remedy : nil)
      }
      return (nil, findings)
    }
  }
}
