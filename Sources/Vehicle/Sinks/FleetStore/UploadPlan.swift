import Peers

/// Divides the records of one batch into requests. The first request contains all records, if possible. If the server
/// rejects it as a whole, smaller requests follow. They show which single records the server never accepts. The plan
/// does no I/O and reads no clock.
///
/// Call ``next()``, send the request, and call ``judge(_:isOwn:)`` with the reply. Repeat this until ``next()`` returns
/// `nil`, or until the verdict is ``Verdict/stop(_:wait:)``. In the first case, call ``conclude()`` at the end.
///
/// If the server rejects a request with a single record, the record becomes a dead letter only if the server has
/// accepted another record of the batch. If the server accepts none, it has a fault, or the replies come from another
/// server, such as a captive portal.
///
/// A record is foreign if the server rejects it because this gateway may not send records of the vehicle, or no records
/// at all. Foreign records, too, become dead letters only if the server has accepted another record. If a batch
/// contains only foreign records, other records are tried first (``Verdict/setAside(_:)``). A foreign record that
/// contains the ID of another gateway becomes a dead letter immediately: a key belongs to one gateway, and no change on
/// the server helps.
struct UploadPlan: Sendable {
  /// The compression of a request's body.
  enum Encoding: Equatable, Sendable {
    case zstd, gzip, none

    /// Value of `Content-Encoding`; `nil` for no compression.
    var name: String? {
      switch self {
      case .zstd: "zstd"
      case .gzip: "gzip"
      case .none: nil
      }
    }
  }

  /// The meaning of a reply, or of all replies to a batch.
  enum Verdict: Equatable, Sendable {
    /// The server has stored these records, except those in `refused`, which it rejected for good.
    case delivered(Range<Int>, refused: [StoreAnswer.Refusal])
    /// Call ``next()`` again. The next request is smaller, or has another compression, a new token or another path.
    case again
    /// Send no further request now. `wait` is the time for which the server asks to wait, ns; `nil` if it does not ask.
    case stop(SinkError, wait: Int64?)
    /// The server rejects all records of the batch as foreign. Send other records before this batch is sent again.
    case setAside(SinkError)
  }

  /// A request to send.
  struct Request: Equatable, Sendable {
    var records: Range<Int>
    var encoding: Encoding
    var path: String
    /// Whether the token must be read from its file before the request is sent.
    var wantsToken = false
  }

  /// Properties of the server that its replies have shown. They are kept for later batches.
  struct Server: Equatable, Sendable {
    /// Base URL of the API.
    var url: ServiceURL
    var encoding = Encoding.zstd
    /// Maximum number of records in a request, derived from requests that were too large.
    var mostRecords = Int.max
    /// Number of records in the last request that had at least ``mostRecords`` records and was accepted. 0 if there was
    /// no such request since the server last rejected a request as too large.
    private var proven = 0
    /// Number of accepted requests with at least ``mostRecords`` records since ``mostRecords`` last changed.
    private var fullRequests = 0
    /// When ``fullRequests`` reaches this number, ``mostRecords`` is increased. Each time the increased ``mostRecords``
    /// turns out to be too large, this number is doubled.
    private var patience = Server.leastPatience

    /// Number of foreign records that were set aside since the server last accepted a record of this gateway.
    private var setAside = 0
    /// Number of foreign records that may become dead letters: they were set aside, and then the server accepted other
    /// records.
    private var mayGiveUp = 0

    private static let leastPatience = 8
    private static let greatestPatience = 1_024

    init(_ url: ServiceURL) { self.url = url }

    /// Handles a request that was accepted. After several such requests, ``mostRecords`` is increased again: the
    /// request that was too large may have contained one long record, or the server may have another limit now.
    mutating func took(_ records: Int) {
      guard mostRecords < Int.max, records >= mostRecords else { return }
      if proven > 0, records > proven { patience = Self.leastPatience }
      proven = records
      fullRequests += 1
      guard fullRequests >= patience else { return }
      fullRequests = 0
      mostRecords += max(1, mostRecords / 4)
    }

    /// Handles a batch whose records were all rejected as foreign.
    ///
    /// - Returns: whether the batch's records may become dead letters; if `false`, the batch is set aside.
    fileprivate mutating func refusedAsForeign(_ records: Int) -> Bool {
      guard mayGiveUp == 0 else {
        mayGiveUp = max(0, mayGiveUp - records)
        return true
      }
      setAside += records
      return false
    }

    /// Handles a request of which the server accepted some records. This shows that the server accepts records of this
    /// gateway. Therefore, the records that were set aside may become dead letters.
    fileprivate mutating func tookSome(of records: Int) {
      mayGiveUp = max(0, mayGiveUp - records) + setAside
      setAside = 0
    }

    /// Handles a request that the server rejected because it was too large.
    mutating func refused(_ records: Int) {
      fullRequests = 0
      if proven > 0, records > proven {
        patience = min(patience * 2, Self.greatestPatience)
        mostRecords = min(mostRecords, proven)
      } else {
        mostRecords = min(mostRecords, (records + 1) / 2)
      }
      // If the new maximum is also too large, it is halved next time.
      proven = 0
    }
  }

  private(set) var server: Server
  /// The properties of the server before this batch. They are restored if the server accepts no record, because
  /// conclusions from such replies are worthless.
  private let known: Server
  /// Ranges of records that are still to be sent. The last element is sent next.
  private var waiting: [Range<Int>]
  /// The path to which the server has redirected requests; `nil` if it has not.
  private var movedTo: String?
  private var moves = 0
  private var hasReadToken = false
  /// Whether the server has accepted a record of this batch.
  private var hasTaken = false
  /// The records that the server rejected in requests with a single record.
  private var suspects: [StoreAnswer.Refusal] = []
  /// Foreign records that the server rejected before it accepted any record of this batch.
  private var foreign: [StoreAnswer.Refusal] = []
  /// Whether a record of this batch was accepted or has become a dead letter.
  private var hasSettled = false
  /// If the server has rejected this number of requests with a single record, and has accepted no record, no further
  /// records are sent.
  private static let mostSuspects = 4
  private var wantsToken = false

  /// Creates a plan for one batch.
  ///
  /// - Parameter records: number of records in the batch.
  init(_ server: Server, records: Int) {
    self.server = server
    known = server
    waiting = records > 0 ? [0..<records] : []
  }

  /// Returns the next request; `nil` if all records were sent.
  mutating func next() -> Request? {
    guard var records = waiting.popLast() else {
      if !suspects.isEmpty, !hasTaken { server = known }
      return nil
    }
    if records.count > server.mostRecords {
      let end = records.lowerBound + server.mostRecords
      waiting.append(end..<records.upperBound)
      records = records.lowerBound..<end
    }
    waiting.append(records)
    defer { wantsToken = false }
    return Request(
      records: records, encoding: server.encoding, path: movedTo ?? server.url.path + "/telemetry",
      wantsToken: wantsToken)
  }

  /// Evaluates the reply to the last request.
  ///
  /// - Parameter isOwn: returns whether the record at an index of the batch contains this gateway's ID.
  mutating func judge(_ reply: HTTPReply, isOwn: (Int) -> Bool = { _ in true }) -> Verdict {
    guard let records = waiting.last else { return .again }
    let place = server.url.description
    switch reply.status {
    case 200: return delivered(records, reply, place, isOwn)
    case 301, 302, 303, 307, 308: return moved(reply, place)
    case 400, 422: return refusedWhole(records, reply)
    case 401, 403:
      if reply.status == 401, !hasReadToken {
        hasReadToken = true
        wantsToken = true
        return .again
      }
      let error = SinkError(
        .unauthorized, place, "the server rejects the token: \(reply.summary); put a valid one into the \"tokenFile\"")
      return .stop(error, wait: reply.wait)
    case 413:
      return tooLarge(records, reply)
    case 415:
      guard server.encoding != .none else {
        server = known
        break
      }
      server.encoding = server.encoding == .zstd ? .gzip : .none
      return .again
    case 408, 425, 429, 503:
      return .stop(SinkError(.busy, place, "the server asks to wait: \(reply.summary)"), wait: reply.wait)
    case 507:
      // The records stay in the spool until the server stores records of this tenant again.
      return .stop(
        SinkError(.busy, place, "the server has no space for more records of this tenant: \(reply.summary)"),
        wait: reply.wait)
    default: break
    }
    return .stop(SinkError(.badAnswer, place, "the server answers \(reply.summary)"), wait: reply.wait)
  }

  private mutating func delivered(
    _ records: Range<Int>, _ reply: HTTPReply, _ place: String, _ isOwn: (Int) -> Bool
  ) -> Verdict {
    do throws(StoreAnswer.NotUnderstood) {
      let answer = try StoreAnswer(parsing: reply.body, records: records.count)
      waiting.removeLast()
      server.took(records.count)
      var refused = answer.refused.map { refusal in
        StoreAnswer.Refusal(
          index: records.lowerBound + refusal.index, reason: refusal.reason, isForeign: refusal.isForeign,
          isOfForeignVehicle: refusal.isOfForeignVehicle)
      }
      if refused.count < records.count {
        hasTaken = true
        server.tookSome(of: records.count)
      }
      // The server may have a wrong entry about the gateway or the vehicle. Therefore, foreign records do not become
      // dead letters before the server has accepted a record.
      let kept = hasTaken ? [] : refused.filter { $0.isForeign && isOwn($0.index) }
      guard !kept.isEmpty else {
        hasSettled = true
        return .delivered(records, refused: refused)
      }
      foreign += kept
      refused.removeAll { $0.isForeign && isOwn($0.index) }
      if refused.isEmpty { return .again }
      hasSettled = true
      return .delivered(records.lowerBound..<records.lowerBound, refused: refused)
    } catch {
      let error = SinkError(.badAnswer, place, "its answer is invalid: \(error.reason)")
      return .stop(error, wait: nil)
    }
  }

  /// Divides the records of a request into two halves, because the server rejected the request without naming a record.
  /// If the request has only one record, this record becomes a suspect.
  private mutating func refusedWhole(_ records: Range<Int>, _ reply: HTTPReply) -> Verdict {
    waiting.removeLast()
    guard records.count > 1 else {
      suspects.append(StoreAnswer.Refusal(index: records.lowerBound, reason: "HTTP \(reply.summary)"))
      if suspects.count < Self.mostSuspects || hasTaken { return .again }
      server = known
      return .stop(takesNothing, wait: reply.wait)
    }
    split(records)
    return .again
  }

  private var takesNothing: SinkError {
    SinkError(
      .badAnswer, server.url.description, "the server accepts no record: \(suspects.last?.reason ?? "no reason")")
  }

  /// Decides about foreign records and records that were rejected in requests with a single record: they become dead
  /// letters, or they are sent again later.
  ///
  /// - Returns: the decision; `nil` if there are no such records.
  mutating func conclude() -> Verdict? {
    let refused = (suspects + foreign).sorted { $0.index < $1.index }
    guard let first = refused.first else { return nil }
    if hasTaken { return .delivered(first.index..<first.index, refused: refused) }
    guard suspects.isEmpty, let reason = foreign.first?.reason else { return .stop(takesNothing, wait: nil) }
    // If other records of the batch were delivered, the rest is sent again without being set aside. The next batch then
    // also has other records.
    let error = SinkError(
      .unauthorized, server.url.description, "the server accepts none of this gateway's records: \(reason)")
    if hasSettled { return .stop(error, wait: nil) }
    if server.refusedAsForeign(foreign.count) { return .delivered(first.index..<first.index, refused: foreign) }
    return .setAside(error)
  }

  private mutating func tooLarge(_ records: Range<Int>, _ reply: HTTPReply) -> Verdict {
    guard records.count > 1 else { return refusedWhole(records, reply) }
    waiting.removeLast()
    split(records)
    server.refused(records.count)
    return .again
  }

  private mutating func split(_ records: Range<Int>) {
    let middle = records.lowerBound + (records.count + 1) / 2
    waiting.append(middle..<records.upperBound)
    waiting.append(records.lowerBound..<middle)
  }

  /// Follows a redirection, but only to the same server. Otherwise, another server would receive the token (RFC 9110,
  /// section 15.4).
  private mutating func moved(_ reply: HTTPReply, _ place: String) -> Verdict {
    let isKept = reply.status == 307 || reply.status == 308
    guard isKept, moves < 3, let path = samePlace(reply.location) else {
      let error = SinkError(
        .redirected, place,
        "the server redirects to \(reply.location.isEmpty ? "no address" : PeerText.shown(reply.location)) (\(reply.status)), "
          + "which is not followed; configure the final address")
      return .stop(error, wait: nil)
    }
    moves += 1
    movedTo = path
    return .again
  }

  /// Returns the path of a location with the same scheme, host and port as the server; `nil` for any other location.
  private func samePlace(_ location: String) -> String? {
    if location.hasPrefix("/"), !location.hasPrefix("//") { return location }
    guard let url = ServiceURL(location, schemes: FleetStoreConfiguration.schemes), url.origin == server.url.origin
    else { return nil }
    return url.path
  }
}
