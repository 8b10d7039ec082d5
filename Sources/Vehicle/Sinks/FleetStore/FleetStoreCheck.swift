import Ports

/// A test that shows whether a fleet store would accept the gateway's records.
extension FleetStoreConfiguration {
  /// Sends a batch without records to the fleet store. The store rejects it, but checks the token first.
  ///
  /// - Parameters:
  ///   - limit: time limit, ns.
  ///   - gatewayId: the ID that the gateway's records contain; `nil` if unknown.
  func check(within limit: Int64, gatewayId: String? = nil) -> PeerCheck {
    var token: String?
    var secret: SinkError?
    do throws(SinkError) {
      token = try tokenFile.map { path throws(SinkError) in try SecretFile.read(path) }
    } catch {
      secret = error
    }
    do throws(SinkError) {
      let reply = try emptyBatch(token, within: limit)
      guard let secret else { return judge(reply, gatewayId) }
      // The token file cannot be read. The message also states whether a fleet store was reached: it was if the reply
      // has one of these statuses.
      let isReached = [400, 401, 403, 422].contains(reply.status) && !isElsewhere(reply)
      let place = isReached ? "; \(url) is reached" : "; \(judge(reply, gatewayId))"
      return PeerCheck(SinkError(secret.kind, secret.place, secret.detail + place))
    } catch {
      guard let secret else { return PeerCheck(error) }
      return PeerCheck(SinkError(error.kind, error.place, "\(error.detail); besides, \(secret)"))
    }
  }

  private func emptyBatch(_ token: String?, within limit: Int64) throws(SinkError) -> HTTPReply {
    var hurried = self
    hurried.connectLimit = min(connectLimit, limit)
    hurried.requestLimit = min(requestLimit, limit)
    let wakeUp: SinkWakeUp
    do throws(PortError) {
      wakeUp = try SinkWakeUp()
    } catch {
      throw SinkError(.system, url.description, error.detail)
    }
    var headers = ["User-Agent: obdgate", "Accept: application/json", "Content-Type: application/x-ndjson", "Expect:"]
    if let token { headers.append("Authorization: Bearer \(token)") }
    return try HTTPClient(hurried, wakeUp).send(
      HTTPClient.Request(
        url: url.description + "/telemetry", headers: headers, body: (bytes: Array("\n".utf8), count: 1),
        patience: limit))
  }

  /// Whether the reply has status 400 and is an HTML page. Such a reply comes from another web server, because a fleet
  /// store would answer an empty batch with JSON.
  private func isElsewhere(_ reply: HTTPReply) -> Bool { reply.status == 400 && reply.isPage }

  private func judge(_ reply: HTTPReply, _ gatewayId: String?) -> PeerCheck {
    switch reply.status {
    case 400 where isElsewhere(reply):
      let remedy =
        url.scheme == "https"
        ? "check the path, and whether the server requires a client certificate"
        : "if the server uses TLS, write https://"
      return PeerCheck(
        SinkError(.badAnswer, url.description, "no fleet store there: the server answers \(reply.summary); \(remedy)"))
    // The server has accepted the token. It had no record to store.
    case 200, 400, 422:
      if let gatewayId, !reply.gateway.isEmpty, reply.gateway != gatewayId {
        // The token belongs to another gateway, so the server would reject every record of this gateway.
        return PeerCheck(
          SinkError(
            .otherGateway, url.description,
            "the token belongs to the gateway \(PeerText.shown(reply.gateway)), but this gateway is \(gatewayId)"))
      }
      let way = url.scheme == "https" ? "TLS" : "no TLS"
      return PeerCheck(.takesRecords, "\(url): takes records (\(tokenFile == nil ? "no token" : "token good"), \(way))")
    case 404, 405:
      return PeerCheck(
        SinkError(
          .badAnswer, url.description, "no fleet store there: the server answers \(reply.summary); check the path"))
    default: break
    }
    // Evaluate the reply as the sink would. If the sink would retry with a new token or another encoding, evaluate the
    // same reply again.
    var plan = UploadPlan(UploadPlan.Server(url), records: 1)
    for _ in 0..<4 where plan.next() != nil {
      guard case .stop(let error, _) = plan.judge(reply) else { continue }
      return PeerCheck(error, verdict: error.kind == .busy ? .uncertain : .takesNone)
    }
    return PeerCheck(.uncertain, "\(url): the server answers \(reply.summary)")
  }
}
