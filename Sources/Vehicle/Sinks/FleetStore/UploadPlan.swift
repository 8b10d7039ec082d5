import Peers

/// Divides the records of one batch into requests: one if possible, several smaller ones if the server rejects the
/// whole, down to a single record that it never accepts. It does no I/O and reads no clock.
///
/// Call order: ``next()``, send the request, ``judge(_:isOwn:)`` with the reply. Repeat until ``next()`` returns `nil`
/// or a verdict says to stop. Unless stopped, call ``conclude()`` at the end.
///
/// A record that the server rejects on its own becomes a dead letter only if the server accepted another record of the
/// batch. A server that accepts none has a problem itself, or it is another server, such as a captive portal.
///
/// The same holds for foreign records, which the server assigns to another gateway or vehicle. If it accepts none of a
/// batch, other records are tried first (``Verdict/setAside(_:)``). Records that name another gateway than this one
/// become dead letters at once: a key belongs to one gateway, and no change on the server helps.
struct UploadPlan: Sendable {
  /// Compression of a request's body.
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

  /// The meaning of a reply.
  enum Verdict: Equatable, Sendable {
    /// The server has these records, except those that it rejected for good.
    case delivered(Range<Int>, refused: [StoreAnswer.Refusal])
    /// Call ``next()`` again: the next request is smaller, has another compression, a new token or another path.
    case again
    /// Send no more for now. `wait` is the time that the server asks for, ns; `nil` if it does not.
    case stop(SinkError, wait: Int64?)
    /// The server rejects all records of the batch as foreign. Other records are tried before this batch is sent again.
    case setAside(SinkError)
  }

  /// The next request to send.
  struct Request: Equatable, Sendable {
    var records: Range<Int>
    var encoding: Encoding
    var path: String
    /// Whether the token must be read from its file first.
    var wantsToken = false
  }

  /// Limits of the server, learned from its replies and kept for later batches.
  struct Server: Equatable, Sendable {
    /// Base URL of the API.
    var url: ServiceURL
    var encoding = Encoding.zstd
    /// Maximum number of records in a request, learned from rejections.
    var mostRecords = Int.max
    /// Number of records in the last accepted request at the limit; 0 if there was none since the last rejection.
    private var proven = 0
    /// Number of accepted requests at the limit since then.
    private var fullRequests = 0
    /// Number of such requests after which a larger one is tried. It doubles each time the larger one is rejected.
    private var patience = Server.leastPatience

    /// Number of records set aside since the server last accepted one.
    private var setAside = 0
    /// Number of foreign records that may become dead letters: the server accepted others after these were set aside.
    private var mayGiveUp = 0

    private static let leastPatience = 8
    private static let greatestPatience = 1_024

    init(_ url: ServiceURL) { self.url = url }

    /// Handles an accepted request. After enough of them the limit grows again: the earlier rejection may have been
    /// caused by one long record, or by a limit that no longer exists.
    mutating func took(_ records: Int) {
      guard mostRecords < Int.max, records >= mostRecords else { return }
      if proven > 0, records > proven { patience = Self.leastPatience }
      proven = records
      fullRequests += 1
      guard fullRequests >= patience else { return }
      fullRequests = 0
      mostRecords += max(1, mostRecords / 4)
    }

    /// Handles a request of which the server rejected all records as foreign.
    ///
    /// - Returns: whether they may become dead letters; otherwise they are set aside.
    fileprivate mutating func refusedAsForeign(_ records: Int) -> Bool {
      guard mayGiveUp == 0 else {
        mayGiveUp = max(0, mayGiveUp - records)
        return true
      }
      setAside += records
      return false
    }

    /// Handles a partly accepted request. The records set aside are then at fault, not the gateway.
    fileprivate mutating func tookSome(of records: Int) {
      mayGiveUp = max(0, mayGiveUp - records) + setAside
      setAside = 0
    }

    /// Handles a request that was too large.
    mutating func refused(_ records: Int) {
      fullRequests = 0
      if proven > 0, records > proven {
        patience = min(patience * 2, Self.greatestPatience)
        mostRecords = min(mostRecords, proven)
      } else {
        mostRecords = min(mostRecords, (records + 1) / 2)
      }
      // If that number is also too large, it is halved next.
      proven = 0
    }
  }

  private(set) var server: Server
  /// State before this batch. It is restored if the server accepts nothing, because the limits learned are then
  /// meaningless.
  private let known: Server
  /// Ranges to be sent, the next one last.
  private var waiting: [Range<Int>]
  /// Path to which the server redirected; `nil` for the configured one.
  private var movedTo: String?
  private var moves = 0
  private var hasReadToken = false
  /// Whether the server accepted a record of this batch.
  private var hasTaken = false
  /// Records that the server rejected on their own.
  private var suspects: [StoreAnswer.Refusal] = []
  /// Records that the server rejected as foreign while it accepted none.
  private var foreign: [StoreAnswer.Refusal] = []
  /// Whether a record of this batch was accepted or became a dead letter.
  private var hasSettled = false
  /// Number of suspects without an accepted record after which the batch is abandoned.
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

  /// Returns the next request; `nil` if every record was sent.
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

  /// Interprets the reply to the last request.
  ///
  /// - Parameter isOwn: whether the record at this index names this gateway.
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
      // All of them are foreign: the server may have a wrong entry for the gateway or the vehicle.
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

  /// Divides a rejected range in halves, because the server does not name the record that it rejects.
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

  /// Decides about the records that the server rejected on their own or as foreign: they become dead letters or wait.
  ///
  /// - Returns: `nil` if there are none.
  mutating func conclude() -> Verdict? {
    let refused = (suspects + foreign).sorted { $0.index < $1.index }
    guard let first = refused.first else { return nil }
    if hasTaken { return .delivered(first.index..<first.index, refused: refused) }
    guard suspects.isEmpty, let reason = foreign.first?.reason else { return .stop(takesNothing, wait: nil) }
    // The rest of a partly delivered batch is smaller, so the next batch can contain other records as well.
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

  /// Follows a redirect only on the same server, so that no other server receives the token (RFC 9110, section 15.4).
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

  /// Returns the path of a location with the same scheme, host and port; `nil` for another server.
  private func samePlace(_ location: String) -> String? {
    if location.hasPrefix("/"), !location.hasPrefix("//") { return location }
    guard let url = ServiceURL(location, schemes: FleetStoreConfiguration.schemes), url.origin == server.url.origin
    else { return nil }
    return url.path
  }
}
