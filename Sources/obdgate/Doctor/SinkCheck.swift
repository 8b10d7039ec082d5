/// Whether the peer of a sink would take its records.
enum SinkCheck {
  static func findings(_ about: Examination.Case, _ index: Int) -> [Finding] {
    let sink = about.settings.configuration.sinks[index]
    guard let found = sink.check(within: Examination.limit) else { return [] }
    switch found.verdict {
    case .takesRecords: return [Finding(.ok, sink.name, found.description)]
    case .uncertain: return [Finding(.warning, sink.name, found.description)]
    case .takesNone: break
    }
    switch found.kind {
    case .badFile:
      return [badFile(found.description, sink.name) ?? Finding(.problem, sink.name, found.description)]
    case .unreachable, .timedOut:
      let host = "check the network, and the sink's \"url\""
      return [Finding(.problem, sink.name, found.description, remedy: host)]
    case .certificate:
      return [
        Finding(
          .problem, sink.name, found.description,
          remedy: "apt-get install ca-certificates, or name its authority by \"tls\": {\"caFile\": …}; check the clock")
      ]
    case .missingLibrary: return []
    default: return [Finding(.problem, sink.name, found.description)]
    }
  }

  /// A secret's file that doctor may not read, which is no fault of the file; nil: it is.
  static func badFile(_ description: String, _ name: String) -> Finding? {
    // What only the service is shown.
    if description.hasPrefix("/run/credentials/") {
      return Finding(
        .warning, name, description, remedy: "only root can look while the service runs: sudo obdgate doctor")
    }
    guard description.contains(": Permission denied") else { return nil }
    return Finding(.warning, name, description, remedy: "sudo obdgate doctor")
  }
}
