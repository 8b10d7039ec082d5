import Sinks

/// Checks whether the libraries that the configured sinks use are installed.
enum LibraryCheck {
  static func findings(_ about: Examination.Case) -> [Finding] {
    let sinks = about.settings.configuration.sinks
    let missing = sinks.flatMap(\.missingLibraries).map { library in
      Finding(
        library.isNeeded ? .problem : .warning, "libraries", library.description,
        remedy: "apt-get install \(library.package)")
    }
    return missing.isEmpty ? [Finding(.ok, "libraries", "those that the sinks need are installed")] : missing
  }
}
