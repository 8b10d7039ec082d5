import Peers

/// How the records of one batch go to the server: in one request, or in several where it takes no more, down to the one
/// record that it will never take. Synchronous, without a clock or a network.
///
/// Call order: ``next()``, the request, ``judge(_:)`` with what came of it; again until ``next()`` gives nothing or a
/// verdict says to stop. Then, unless stopped, ``conclusion``.
///
/// A record that the server does not take on its own is given up only where the server has taken another of the same
/// batch: one that takes none at all, such as a hotel's, is in trouble itself. So are records that are another's by what
/// the server knows: where it takes none of a batch, others are to be tried first (``Verdict/setAside(_:)``). Those that
/// name another gateway than this one are given up at once: a key is one gateway's, and nothing on the server helps them.
struct UploadPlan: Sendable {
  /// What the body of a request is compressed with.
  enum Encoding: Equatable, Sendable {
    case zstd, gzip, none

    /// As `Content-Encoding` says it.
    var name: String? {
      switch self {
      case .zstd: "zstd"
      case .gzip: "gzip"
      case .none: nil
      }
    }
  }

  /// What came of a request.
  enum Verdict: Equatable, Sendable {
    /// These records are the server's, but for those that it refused for good.
    case delivered(Range<Int>, refused: [StoreAnswer.Refusal])
    /// Go on with ``next()``: smaller, otherwise compressed, with the token read anew, elsewhere on the same server.
    case again
    /// No more for now: how long the server asks to be left alone, ns.
    case stop(SinkError, wait: Int64?)
    /// None of the batch is taken for whose it is; whether others are is to be tried before it comes once more.
    case setAside(SinkError)
  }

  /// What the next request is.
  struct Request: Equatable, Sendable {
    var records: Range<Int>
    var encoding: Encoding
    var path: String
    /// The token is to be read anew first.
    var wantsToken = false
  }

  /// What was learned of the server, for the next batch, too.
  struct Server: Equatable, Sendable {
    /// Origin and path of the API.
    var url: ServiceURL
    var encoding = Encoding.zstd
    /// More records at once were too many for it.
    var mostRecords = Int.max
    /// It has taken so many at once since that was learned.
    private var proven = 0
    /// Requests of the most that it has taken since.
    private var fullRequests = 0
    /// So many until more are tried: twice as many each time that more were too many.
    private var patience = Server.leastPatience

    /// Records set aside since it took one.
    private var setAside = 0
    /// So many of the next ones may be given up as another's: after they were set aside it has taken others.
    private var mayGiveUp = 0

    private static let leastPatience = 8
    private static let greatestPatience = 1_024

    init(_ url: ServiceURL) { self.url = url }

    /// It has taken a request: what was too much may have been one long record, or a limit that is gone.
    mutating func took(_ records: Int) {
      guard mostRecords < Int.max, records >= mostRecords else { return }
      if proven > 0, records > proven { patience = Self.leastPatience }
      proven = records
      fullRequests += 1
      guard fullRequests >= patience else { return }
      fullRequests = 0
      mostRecords += max(1, mostRecords / 4)
    }

    /// It took none of these records, which are another's.
    ///
    /// - Returns: whether they may be given up; else they are set aside.
    fileprivate mutating func refusedAsForeign(_ records: Int) -> Bool {
      guard mayGiveUp == 0 else {
        mayGiveUp = max(0, mayGiveUp - records)
        return true
      }
      setAside += records
      return false
    }

    /// It took some of these records: what was set aside is what is wrong, not the gateway.
    fileprivate mutating func tookSome(of records: Int) {
      mayGiveUp = max(0, mayGiveUp - records) + setAside
      setAside = 0
    }

    /// So many were too many.
    mutating func refused(_ records: Int) {
      fullRequests = 0
      if proven > 0, records > proven {
        patience = min(patience * 2, Self.greatestPatience)
        mostRecords = min(mostRecords, proven)
      } else {
        mostRecords = min(mostRecords, (records + 1) / 2)
      }
      // Should even that be too many now, halves are next.
      proven = 0
    }
  }

  private(set) var server: Server
  /// What was known of it before: one that takes nothing at all is in trouble, and says nothing true of its limits.
  private let known: Server
  /// What is still to be sent, the next one last.
  private var waiting: [Range<Int>]
  /// Where the server sent us, on itself; nil: where it is configured.
  private var movedTo: String?
  private var moves = 0
  private var hasReadToken = false
  /// The server has taken a record of this batch.
  private var hasTaken = false
  /// Records that it does not take on their own.
  private var suspects: [StoreAnswer.Refusal] = []
  /// Records that are another's, while it has taken none.
  private var foreign: [StoreAnswer.Refusal] = []
  /// Something of this batch was given up, or taken.
  private var hasSettled = false
  /// So many of them, and not one that was taken, are enough.
  private static let mostSuspects = 4
  private var wantsToken = false

  /// - Parameter records: how many the batch has.
  init(_ server: Server, records: Int) {
    self.server = server
    known = server
    waiting = records > 0 ? [0..<records] : []
  }

  /// The next request; nil: everything is delivered.
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

  /// What the server's answer to the last request means.
  ///
  /// - Parameter isOwn: whether a record of the batch names this gateway.
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
        .unauthorized, place, "the server does not take our token: \(reply.summary); give it another by \"tokenFile\"")
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
      return .stop(SinkError(.busy, place, "the server asks us to wait: \(reply.summary)"), wait: reply.wait)
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
          index: records.lowerBound + refusal.index, reason: refusal.reason, isForeign: refusal.isForeign)
      }
      if refused.count < records.count {
        hasTaken = true
        server.tookSome(of: records.count)
      }
      // All of them another's: the gateway or the vehicle may be entered wrongly there.
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
      let error = SinkError(.badAnswer, place, "its answer is not understood: \(error.reason)")
      return .stop(error, wait: nil)
    }
  }

  /// Something in the batch is not taken, and the server does not say what: halves tell.
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
      .badAnswer, server.url.description, "the server takes no record at all: \(suspects.last?.reason ?? "no reason")")
  }

  /// What becomes of the records that the server does not take on their own, or as another's: they are refused for good,
  /// or wait.
  mutating func conclude() -> Verdict? {
    let refused = (suspects + foreign).sorted { $0.index < $1.index }
    guard let first = refused.first else { return nil }
    if hasTaken { return .delivered(first.index..<first.index, refused: refused) }
    guard suspects.isEmpty, let reason = foreign.first?.reason else { return .stop(takesNothing, wait: nil) }
    // A batch of which something went comes back smaller: what else there is may be in the next.
    let error = SinkError(
      .unauthorized, server.url.description, "the server takes none of our records: \(reason)")
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

  /// A token goes to no other server, however nicely this one asks (RFC 9110, 15.4).
  private mutating func moved(_ reply: HTTPReply, _ place: String) -> Verdict {
    let isKept = reply.status == 307 || reply.status == 308
    guard isKept, moves < 3, let path = samePlace(reply.location) else {
      let error = SinkError(
        .redirected, place,
        "the server sends us to \(reply.location.isEmpty ? "nowhere" : PeerText.shown(reply.location)) (\(reply.status)), "
          + "which is not followed; configure the address itself")
      return .stop(error, wait: nil)
    }
    moves += 1
    movedTo = path
    return .again
  }

  /// The path of a location on the same scheme, host and port; nil: elsewhere.
  private func samePlace(_ location: String) -> String? {
    if location.hasPrefix("/"), !location.hasPrefix("//") { return location }
    guard let url = ServiceURL(location, schemes: FleetStoreConfiguration.schemes), url.origin == server.url.origin
    else { return nil }
    return url.path
  }
}
