import Failures
import Gateway

/// Reads the configuration as the daemon does.
enum ConfigurationCheck {
  /// - Parameter path: path of the file; `nil` if there is none.
  /// - Returns: the settings, `nil` if they are invalid, and the findings.
  static func read(_ path: String?) -> (Settings?, [Finding]) {
    do throws(Failure) {
      let settings = try Settings(path: path)
      let what = path.map { "\($0): right" } ?? "none: adapters are looked for, and records go to stdout"
      let warnings = settings.warnings.map { Finding(.warning, "configuration", $0) }
      return (settings, [Finding(.ok, "configuration", what)] + warnings)
    } catch {
      // If a file that the configuration names is missing, the error begins with the configuration's path and the key.
      let isOther = path.map { !error.description.hasPrefix("\($0): ") } ?? false
      let remedy =
        switch error.kind {
        case .noInput where isOther: "put the file there, or name another in \(path ?? "FILE")"
        case .noInput: "name another by --config"
        case .unreadable: "let this user read it, or: sudo obdgate doctor"
        default: "mend it, and see: obdgated --check --config \(path ?? "FILE")"
        }
      return (nil, [Finding(.problem, "configuration", error.description, remedy: remedy)])
    }
  }
}
