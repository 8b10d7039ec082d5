import Peers
import Ports
import Spool

/// Uploads records to a fleet store over HTTPS (`POST {url}/telemetry` with compressed JSON lines), and fetches the
/// geofences that the store has for this gateway.
///
/// A record counts as delivered if the server stored it, already had it, or rejected it for good. Rejected records are
/// written to a dead-letter file, together with the server's reason. After any other reply, or an incomplete one, the
/// records are sent again later.
public struct FleetStoreSink: Sink, ~Copyable {
  /// Data of the gateway that the sink needs, and functions that it calls.
  public struct GatewayFacts: Sendable {
    /// The program's version, which is sent as `User-Agent` and `Obdgate-Version`.
    public var version: String
    /// The state directory, in which the dead-letter file is stored; `nil` to store no dead letters.
    public var stateDirectory: String?
    /// The gateway's current ID; `nil` if unknown. If the server rejects a record that contains another ID, the sink
    /// does not retry it.
    public var gatewayId: String?
    /// Returns the number of records that wait in the spool. The sink sends it as `Obdgate-Spool-Depth`.
    public var depth: @Sendable () -> Int64
    /// Receives changed fences as GeoJSON. The sink's thread calls it.
    public var takeFences: @Sendable ([UInt8]) -> Void
    /// Returns a number that changes when the configuration is read again. The fences are then passed to `takeFences`
    /// again.
    public var fenceTakers: @Sendable () -> Int

    /// Creates a value; the parameters are the properties of the same names.
    public init(
      version: String, stateDirectory: String?, gatewayId: String? = nil,
      depth: @escaping @Sendable () -> Int64 = { 0 },
      takeFences: @escaping @Sendable ([UInt8]) -> Void = { _ in },
      fenceTakers: @escaping @Sendable () -> Int = { 0 }
    ) {
      self.version = version
      self.stateDirectory = stateDirectory
      self.gatewayId = gatewayId
      self.depth = depth
      self.takeFences = takeFences
      self.fenceTakers = fenceTakers
    }
  }

  private let configuration: FleetStoreConfiguration
  private let gatewayFacts: GatewayFacts
  private let deadLetters: DeadLetterFile?
  private let compressor = BatchCompressor()
  private var server: UploadPlan.Server
  private var client: HTTPClient?
  private var token: String?
  private var random = SystemRandomNumberGenerator()
  // The longest wait is one minute, so that records are sent soon after the server is available again.
  private var backOff = BackOff(longest: 60_000_000_000)
  private var report = FailureReport()
  private var hasWorked = false
  /// Time of the next attempt, ns since boot. Until then, the sink accepts no batch.
  private var retryAt = Int64.min
  private var fences: FenceFetch?
  /// The result of `fenceTakers` at the last fetch of fences.
  private var fenceTaker = 0

  /// Creates a sink. It connects to the server for the first batch or the first fetch of geofences.
  public init(_ configuration: FleetStoreConfiguration, _ gatewayFacts: GatewayFacts) {
    self.configuration = configuration
    self.gatewayFacts = gatewayFacts
    server = UploadPlan.Server(configuration.url)
    deadLetters = DeadLetterFile(
      folder: gatewayFacts.stateDirectory, sink: configuration.name ?? "fleetStore",
      limit: configuration.deadLetterBytes)
    fences = configuration.fencePeriod.map { FenceFetch(period: $0) }
  }

  // MARK: Records

  public mutating func deliver(_ batch: RecordBatch, _ wakeUp: SinkWakeUp) -> Delivery {
    var delivery = Delivery()
    do throws(UploadFailure) {
      try deliver(batch, &delivery, wakeUp)
      backOff.succeeded()
      retryAt = .min
      works(&delivery.events)
    } catch {
      fail(error, &delivery.events)
      delivery.sentNothing = error.sentNothing
      delivery.notBefore = retryAt
    }
    return delivery
  }

  /// Reports that the server accepts records. Does nothing if the previous attempt also succeeded.
  private mutating func works(_ events: inout [SinkEvent]) {
    guard report.succeeded() || !hasWorked else { return }
    events.append(.working("\(configuration.url): takes records"))
    hasWorked = true
  }

  private mutating func fail(_ failure: UploadFailure, _ events: inout [SinkEvent]) {
    // If the request was interrupted because the sink must stop, this is not a failure.
    if failure.error.kind == .stopped { return }
    if let failing = report.failed(failure.error) { events.append(failing) }
    retryAt = BootClock.now &+ backOff.failed(asked: failure.wait, using: &random)
  }

  private mutating func deliver(
    _ batch: RecordBatch, _ delivery: inout Delivery, _ wakeUp: SinkWakeUp
  ) throws(UploadFailure) {
    var plan = UploadPlan(server, records: batch.records.count)
    defer { server = plan.server }
    var hasSent = false
    while let request = plan.next() {
      let reply: HTTPReply
      do throws(SinkError) {
        if request.wantsToken { token = nil }
        let client = try connected(wakeUp)
        defer { hasSent = hasSent || client.hasSent }
        reply = try client.send(post(request, batch))
      } catch {
        throw UploadFailure(error, sentNothing: !hasSent)
      }
      let verdict = plan.judge(reply) { index in isOwn(batch.bytes[batch.records[index].range]) }
      try recordResult(verdict, batch, &delivery)
      // Report the success now. A batch may need many requests, and a later one may fail.
      if case .delivered(let records, _) = verdict, !records.isEmpty { works(&delivery.events) }
    }
    if let verdict = plan.conclude() { try recordResult(verdict, batch, &delivery) }
  }

  /// Whether a record contains this gateway's current ID. A record without an ID counts as this gateway's record.
  private func isOwn(_ line: ArraySlice<UInt8>) -> Bool {
    guard let own = gatewayFacts.gatewayId, let named = RecordLine.gatewayId(line) else { return true }
    return named.elementsEqual(own.utf8)
  }

  private func recordResult(
    _ verdict: UploadPlan.Verdict, _ batch: RecordBatch, _ delivery: inout Delivery
  ) throws(UploadFailure) {
    switch verdict {
    case .delivered(let records, let refused): try recordResult(records, refused, batch, &delivery)
    case .again: break
    case .stop(let error, let wait): throw UploadFailure(error, wait: wait)
    case .setAside(let error):
      delivery.isSetAside = true
      throw UploadFailure(error)
    }
  }

  /// Acknowledges the records that were delivered. A rejected record is acknowledged after it was written to the
  /// dead-letter file. If that fails, it stays in the spool.
  private func recordResult(
    _ records: Range<Int>, _ refused: [StoreAnswer.Refusal], _ batch: RecordBatch, _ delivery: inout Delivery
  ) throws(UploadFailure) {
    var start = records.lowerBound
    for refusal in refused where records.contains(refusal.index) {
      delivery.acknowledge(start..<refusal.index)
      start = refusal.index + 1
    }
    delivery.acknowledge(start..<records.upperBound)
    guard let first = refused.first else { return }
    do throws(SinkError) {
      try deadLetters?.append(refused.map { (batch.bytes[batch.records[$0.index].range], $0.reason) })
    } catch {
      throw UploadFailure(error)
    }
    for refusal in refused { delivery.acknowledge(refusal.index..<(refusal.index + 1)) }
    // All rejected records are reported by one event, because there may be thousands of them. The dead-letter file
    // contains the reason for each.
    let id = RecordLine.id(batch.bytes[batch.records[first.index].range]).map { String(decoding: $0, as: UTF8.self) }
    // Only the operator of the server can change which gateway may send records of a vehicle.
    let remedy = first.isOfForeignVehicle ? "; to assign the vehicle to this gateway, run: fleetstore gateway set" : ""
    delivery.events.append(
      .refused(record: id ?? "?", reason: first.reason + remedy, more: refused.count - 1, keptIn: deadLetters?.path))
  }

  private func post(_ request: UploadPlan.Request, _ batch: RecordBatch) -> HTTPClient.Request {
    let first = batch.records[request.records.lowerBound].range.lowerBound
    let last = batch.records[request.records.upperBound - 1].range.upperBound
    let encoding = compressor.compress(batch.bytes[first..<last], request.encoding)
    var headers = commonHeaders + ["Content-Type: application/x-ndjson", "Expect:"]
    if let name = encoding.name { headers.append("Content-Encoding: \(name)") }
    return HTTPClient.Request(
      url: configuration.url.origin + request.path, headers: headers, body: (compressor.body, compressor.count))
  }

  private var commonHeaders: [String] {
    var headers = [
      "User-Agent: obdgate/\(gatewayFacts.version)", "Obdgate-Version: \(gatewayFacts.version)",
      "Obdgate-Spool-Depth: \(gatewayFacts.depth())", "Accept: application/json",
    ]
    if let token { headers.append("Authorization: Bearer \(token)") }
    return headers
  }

  /// Returns the HTTP client. First reads the token and creates the client, if necessary.
  private mutating func connected(_ wakeUp: SinkWakeUp) throws(SinkError) -> HTTPClient {
    if token == nil, let file = configuration.tokenFile { token = try SecretFile.read(file) }
    if let client { return client }
    let made = try HTTPClient(configuration, wakeUp)
    client = made
    return made
  }

  // MARK: Fences

  public mutating func idle(until deadline: Int64, _ wakeUp: SinkWakeUp) -> Delivery {
    var delivery = Delivery()
    // This wait also ends when records arrive. Geofences are then fetched between two batches.
    wakeUp.wait(until: min(deadline, fences?.nextAt ?? .max))
    fetchFencesIfDue(&delivery.events, wakeUp)
    // An event about geofences must not change the time of the next batch.
    if !delivery.events.isEmpty { delivery.notBefore = retryAt }
    return delivery
  }

  private mutating func fetchFencesIfDue(_ events: inout [SinkEvent], _ wakeUp: SinkWakeUp) {
    guard var fetch = fences, BootClock.now >= fetch.nextAt, !wakeUp.isStopping else { return }
    defer { fences = fetch }
    let taker = gatewayFacts.fenceTakers()
    if taker != fenceTaker { fetch.forget() }
    fenceTaker = taker
    do throws(SinkError) {
      // Get the client before the headers, because this also reads the token.
      let client = try connected(wakeUp)
      var headers = commonHeaders
      if !fetch.etag.isEmpty { headers.append("If-None-Match: \(fetch.etag)") }
      let reply = try client.send(
        HTTPClient.Request(
          url: configuration.url.description + "/geofences", headers: headers, answerLimit: FenceFetch.answerLimit,
          patience: FenceFetch.patience))
      if let changed = try fetch.judge(reply, of: configuration.url, at: BootClock.now) {
        gatewayFacts.takeFences(changed)
      }
    } catch {
      if error.kind == .stopped { return }
      if error.kind == .unauthorized { token = nil }
      if let failing = fetch.failed(error, at: BootClock.now, using: &random) { events.append(failing) }
    }
  }
}
