import Peers

/// Determines when to fetch this gateway's geofences from the fleet store, and evaluates the replies. It does no I/O
/// and reads no clock.
struct FenceFetch: Sendable {
  /// Maximum length of a reply, bytes. This suffices for about 3,000 fences with 50 vertices each.
  static let answerLimit = 4 << 20

  /// Time limit for fetching the geofences, ns. The sink sends no records during a fetch.
  static let patience: Int64 = 10_000_000_000

  private let period: Int64
  /// ETag of the last reply with status 200; empty if there was none.
  private(set) var etag = ""
  /// Hash of the last body; `nil` before the first. With it, unchanged fences are recognized even if the server sends
  /// another ETag or none.
  private var digest: Int?
  /// Time of the next fetch, ns since boot.
  private(set) var nextAt = Int64.min
  private var backOff = BackOff(first: 5_000_000_000)
  private var report = FailureReport()

  init(period: Int64) { self.period = period }

  /// The ETag that a fleet store sends if no fences were ever stored on it. The gateway then keeps its own fences, as
  /// after status 404.
  private static let notPut = "\"none\""

  /// Evaluates a reply of the fleet store.
  ///
  /// - Returns: the fences as GeoJSON; `nil` if they have not changed.
  /// - Throws: ``SinkError`` for a status other than 200, 304 and 404.
  mutating func judge(_ reply: HTTPReply, of url: ServiceURL, at now: Int64) throws(SinkError) -> [UInt8]? {
    let place = "\(url)/geofences"
    switch reply.status {
    case 200:
      succeeded(at: now)
      etag = reply.etag
      guard etag != Self.notPut else { return nil }
      var hasher = Hasher()
      unsafe reply.body.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
      let fresh = hasher.finalize()
      defer { digest = fresh }
      // Return the body only if it differs from the last one.
      return fresh == digest ? nil : reply.body
    case 304, 404:
      succeeded(at: now)
      return nil
    case 401, 403: throw SinkError(.unauthorized, place, "the server rejects the token: \(reply.summary)")
    default: throw SinkError(.badAnswer, place, "the server answers \(reply.summary)")
    }
  }

  /// Forgets the last reply, so that the next reply counts as changed. This is used after a reload: the new
  /// configuration may accept fences that the previous one rejected.
  mutating func forget() {
    etag = ""
    digest = nil
  }

  private mutating func succeeded(at now: Int64) {
    backOff.succeeded()
    _ = report.succeeded()
    nextAt = now &+ period
  }

  /// Schedules the next fetch after a failed one.
  ///
  /// - Returns: the report; `nil` if the same failure was already reported.
  mutating func failed(
    _ error: SinkError, at now: Int64, using random: inout some RandomNumberGenerator
  ) -> SinkEvent? {
    nextAt = now &+ max(backOff.failed(using: &random), min(period, 5_000_000_000))
    return report.failed(error) == nil ? nil : .remark("\(error); the fences are unchanged")
  }
}
