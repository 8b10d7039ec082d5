import FleetDomain
import HTTPTypes
import Telemetry

/// `POST /api/telemetry`: records of any type come in.
///
/// A batch is one transaction: once it is answered, all that is called stored is kept. What is wrong with a record is
/// said in its place, and the others are stored all the same.
struct IngestRoute {
  let storage: any FleetStorage

  var route: Route {
    let storage = storage
    return Route(.post, "/api/telemetry", .roles([.gateway, .admin]), Self.operation) { call in
      try call.requireType(["application/json", "application/x-ndjson", "application/jsonl"])
      let body = try await call.body()
      let batch = IncomingBatch(parsing: body.span)
      guard batch.count <= call.limits.batchRecords else {
        throw APIError.tooLarge("the body has more than \(call.limits.batchRecords) records; send fewer at once")
      }
      guard batch.count > 0 else {
        throw APIError.badRequest("the body has no records; expected a JSON array of them, or one on each line")
      }
      let caller = try call.caller
      let stored = try await storage.ingest(
        batch.records, from: caller.gateway.map { .gateway($0) } ?? .trusted, tenant: caller.tenant,
        at: WallClock.now)
      return Answer(json: IngestAnswer.body(batch.outcomes(stored)))
    }
  }

  private static let operation = Operation(
    id: "sendRecords", summary: "Takes records in, each exactly once however often it is sent.",
    parameters: [
      .header("Content-Encoding", "How the body is packed: `zstd` or `gzip`."),
      .header("Obdgate-Version", "Version of the gateway's program."),
      .header("Obdgate-Spool-Depth", "Records that the gateway has still to send.", #"{"type":"string"}"#),
    ],
    body: Operation.Content(
      types: ["application/json", "application/x-ndjson", "application/jsonl"], schema: "RecordBatch"),
    results: [.init(.ok, "What became of each record.", .json("IngestAnswer"))],
    errors: [.contentTooLarge, .unsupportedMediaType])
}

/// What a gateway is told of its batch.
///
///     {"counts":{"stored":1,"duplicate":0,"improved":0,"refused":1},
///      "results":[{"outcome":"stored"},{"outcome":"refused","reason":{"kind":"missingKey","key":"seq","message":"…"}}]}
enum IngestAnswer {
  static func body(_ outcomes: [IngestOutcome]) -> [UInt8] {
    var counts = (stored: 0, duplicate: 0, improved: 0, refused: 0)
    var results: [UInt8] = []
    results.reserveCapacity(outcomes.count * 24)
    for outcome in outcomes {
      if !results.isEmpty { results.append(UInt8(ascii: ",")) }
      switch outcome {
      case .stored:
        counts.stored += 1
        results += stored
      case .duplicate:
        counts.duplicate += 1
        results += duplicate
      case .improved:
        counts.improved += 1
        results += improved
      case .refused(let refusal):
        counts.refused += 1
        results += refused(refusal)
      }
    }
    let head =
      #"{"counts":{"stored":\#(counts.stored),"duplicate":\#(counts.duplicate),"improved":\#(counts.improved),"#
      + #""refused":\#(counts.refused)},"results":["#
    return Array(head.utf8) + results + Array("]}".utf8)
  }

  private static let stored = Array(#"{"outcome":"stored"}"#.utf8)
  private static let duplicate = Array(#"{"outcome":"duplicate"}"#.utf8)
  private static let improved = Array(#"{"outcome":"improved"}"#.utf8)

  private static func refused(_ refusal: RecordRefusal) -> [UInt8] {
    JSONBody.object { line in
      line.field("outcome", "refused" as StaticString)
      line.beginObject("reason")
      line.field("kind", refusal.kind.rawValue)
      if !refusal.key.isEmpty { line.field("key", refusal.key) }
      line.field("message", refusal.description)
      line.end()
    }
  }
}
