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
    // What only the service is shown, doctor may not read; that is no fault.
    case .badFile where found.description.hasPrefix("/run/credentials/"):
      return [
        Finding(
          .warning, sink.name, found.description,
          remedy: "only root can look while the service runs: sudo obdgate doctor")
      ]
    case .badFile where found.description.contains(": Permission denied"):
      return [Finding(.warning, sink.name, found.description, remedy: "sudo obdgate doctor")]
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
}
