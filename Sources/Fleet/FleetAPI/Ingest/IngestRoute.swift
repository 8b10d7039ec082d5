import FleetDomain
import HTTPTypes
import Telemetry

/// `POST /api/telemetry`: stores records of any type.
///
/// All records that the answer reports as stored are durable. If some records of a batch are invalid, the answer
/// contains an error for each of them, and the valid records are stored.
struct IngestRoute {
  let storage: any FleetStorage
  let metrics: TenantMetrics
  let lastSeen: LastSeenStore

  var route: Route {
    let (storage, metrics, lastSeen) = (storage, metrics, lastSeen)
    return Route(.post, "/api/telemetry", .may(.write, .records), Self.operation, bodyLimit: nil) { call in
      // Also accept the content types that tools such as `curl --data-binary` send by default. Then the first character
      // determines whether the body is an array or JSON lines.
      let type = try call.requireType(
        Self.types,
        or: Self.otherLines + ["application/x-www-form-urlencoded", "application/octet-stream", "text/plain"])
      let body = try await call.body()
      let most = try await call.heavily(body.count) { RecordCount.most(in: body.span) }
      guard most <= call.limits.batchRecords else {
        throw APIError.tooLarge("the body has more than \(call.limits.batchRecords) records; send fewer at once")
      }
      try await call.memory.grow(
        to: body.count * Budget.Share.bytesForOne + most * Budget.Share.bytesForRecord)
      let areLines = type.map { $0 != Self.types[0] && (Self.types + Self.otherLines).contains($0) } ?? false
      let batch = try await call.heavily(body.count) { IncomingBatch(parsing: body.span, mayBeObject: !areLines) }
      // After this error, the ends of the following records are unknown. The indices in an answer would not match the
      // client's records.
      if let breakOff = batch.breakOff { throw APIError.badRequest("body: \(breakOff); nothing of it was stored") }
      guard batch.count > 0 else {
        throw APIError.badRequest("the body has no records; expected a JSON array of them, or one on each line")
      }
      let (caller, now) = (try call.caller, WallClock.now)
      // If all records were rejected, there is nothing to store.
      let stored =
        batch.records.isEmpty
        ? []
        : try await untilCancelled { [storage] in
          try await storage.ingest(
            batch.records, from: caller.gateway.map { .gateway($0) } ?? .trusted, tenant: caller.tenant,
            at: now)
        }
      if let gateway = caller.gateway, let vehicle = VehicleInUse(batch.records, stored, at: now) {
        lastSeen.record(vehicle, of: gateway, caller.tenant)
      }
      let outcomes = batch.outcomes(stored)
      let counts = IngestCounts(outcomes)
      metrics.record(counts, caller.tenant)
      return Answer(json: IngestAnswer.body(outcomes, counts))
    }
  }

  private static let types = ["application/json", "application/x-ndjson", "application/jsonl"]
  /// Other content types of JSON lines.
  private static let otherLines = ["application/ndjson", "application/jsonlines", "application/x-jsonlines"]

  private static let operation = Operation(
    id: "sendRecords",
    summary: "Stores records, each exactly once however often it is sent.",
    parameters: [
      .header("Content-Encoding", "Compression of the body.", #"{"enum":["zstd","gzip","identity"]}"#),
      .header("Obdgate-Version", "Version of the gateway's program."),
      .header("Obdgate-Spool-Depth", "Number of records that the gateway has still to send.", #"{"type":"string"}"#),
    ],
    // The schema describes only the JSON array and the JSON object. JSON Schema cannot describe JSON lines; the
    // description mentions them.
    body: .json("RecordBatch"),
    results: [.init(.ok, "The result of each record.", .json("IngestAnswer"), headers: ["Obdgate-Gateway"])],
    errors: [.contentTooLarge, .unsupportedMediaType, .insufficientStorage])
}

/// The answer to a batch. It contains the totals `stored`, `duplicates` and `refused`, whose sum is the number of
/// records, and the result of each record in order.
///
///     {"stored":1,"duplicates":1,"improved":1,"refused":1,"results":[{"index":0,"outcome":"stored"},
///      {"index":1,"outcome":"duplicate","improved":true},
///      {"index":2,"outcome":"refused","kind":"missingKey","reason":"seq: expected a whole number from 1"}]}
///
/// `improved` is the number of those duplicates that have a better `timeQuality` than the stored record. Their times
/// replaced the stored times.
enum IngestAnswer {
  static func body(_ outcomes: [IngestOutcome], _ counts: IngestCounts) -> [UInt8] {
    var results: [UInt8] = []
    results.reserveCapacity(outcomes.count * 40)
    for (index, outcome) in outcomes.enumerated() {
      if index > 0 { results.append(UInt8(ascii: ",")) }
      switch outcome {
      case .stored: append(index, #""outcome":"stored"}"#, to: &results)
      case .duplicate: append(index, #""outcome":"duplicate"}"#, to: &results)
      case .improved: append(index, #""outcome":"duplicate","improved":true}"#, to: &results)
      case .refused(let refusal): results += refused(index, refusal)
      }
    }
    let head =
      #"{"stored":\#(counts.stored),"duplicates":\#(counts.duplicates),"improved":\#(counts.improved),"#
      + #""refused":\#(counts.refused),"results":["#
    return Array(head.utf8) + results + Array("]}".utf8)
  }

  private static func append(_ index: Int, _ rest: String, to results: inout [UInt8]) {
    results += Array(#"{"index":"#.utf8)
    results += Array(String(index).utf8)
    results.append(UInt8(ascii: ","))
    results += Array(rest.utf8)
  }

  private static func refused(_ index: Int, _ refusal: RecordRefusal) -> [UInt8] {
    JSONBody.object { line in
      line.field("index", index)
      line.field("outcome", "refused" as StaticString)
      line.field("kind", refusal.kind.rawValue)
      line.field("reason", refusal.description)
    }
  }
}
