import Sinks

/// Checks whether the server or broker of a sink would accept the sink's records.
enum SinkCheck {
  static func findings(_ about: Examination.Case, _ index: Int) -> [Finding] {
    let sink = about.settings.configuration.sinks[index]
    let gatewayId = about.status?.gatewayId ?? about.settings.configuration.presentGatewayId
    guard let found = sink.check(within: Examination.limit, gatewayId: gatewayId) else { return [] }
    switch found.verdict {
    case .takesRecords: return [Finding(.ok, sink.name, found.description)]
    case .uncertain: return [Finding(.warning, sink.name, found.description)]
    case .takesNone: break
    }
    if found.kind == .missingLibrary { return [] }
    if found.kind == .badFile || found.kind == .badTLSFile, let finding = badFile(found.description, sink.name) {
      return [finding]
    }
    return [Finding(.problem, sink.name, found.description, remedy: remedy(found, gatewayId))]
  }

  private static func remedy(_ found: PeerCheck, _ gatewayId: String?) -> String? {
    switch found.kind {
    case .otherGateway:
      "create one, and put it into the tokenFile: fleetstore gateway add \(gatewayId ?? "ID"); or correct the gatewayId"
    case .unreachable, .timedOut: "check the network, and the sink's \"url\""
    case .certificate:
      "apt-get install ca-certificates, or name its authority by \"tls\": {\"caFile\": …}; check the clock"
    case .otherHost:
      "write the host in the sink's \"url\" as its certificate has it, or give the server a certificate for this name"
    case .badTLSFile: "put the right PEM file there, or name another in the sink's \"tls\""
    case .noTLS: "possibly http:// is required; check the sink's \"url\" and its port"
    // If a client begins without TLS, a server that requires TLS closes the connection in this way.
    case .cut where found.description.hasPrefix("http://"):
      "possibly https:// is required; check the sink's \"url\" and its port"
    default: nil
    }
  }

  /// Returns the finding for a secret file that the daemon may be able to read although this user cannot; `nil` for any
  /// other error.
  static func badFile(_ description: String, _ name: String) -> Finding? {
    // Files in this folder are systemd's credentials, which only the service can read.
    if description.hasPrefix("/run/credentials/") {
      return Finding(
        .warning, name, description, remedy: "only root can look while the service runs: sudo obdgate doctor")
    }
    guard description.contains(": Permission denied") else { return nil }
    return Finding(.warning, name, description, remedy: "sudo obdgate doctor")
  }
}
