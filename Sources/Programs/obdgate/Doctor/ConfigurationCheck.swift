import Gateway

/// The configuration, as the daemon would read it.
enum ConfigurationCheck {
  /// - Parameter path: nil: there is none.
  /// - Returns: nil: it cannot be used.
  static func read(_ path: String?) -> (Settings?, [Finding]) {
    do throws(StartError) {
      let settings = try Settings(path: path)
      let what = path.map { "\($0): right" } ?? "none: adapters are looked for, and records go to stdout"
      let warnings = settings.warnings.map { Finding(.warning, "configuration", $0) }
      return (settings, [Finding(.ok, "configuration", what)] + warnings)
    } catch {
      // The place of the key follows the path if a file that the configuration names is missing.
      let isOther = path.map { !error.description.hasPrefix("\($0): ") } ?? false
      let remedy =
        switch error.kind {
        case .missing where isOther: "put the file there, or name another in \(path ?? "FILE")"
        case .missing: "name another by --config"
        case .unreadable: "let this user read it, or: sudo obdgate doctor"
        default: "mend it, and see: obdgated --check --config \(path ?? "FILE")"
        }
      return (nil, [Finding(.problem, "configuration", error.description, remedy: remedy)])
    }
  }
}
