import Peers

/// Decides when to fetch this gateway's geofences from the server, and evaluates the replies. It does no I/O and reads
/// no clock.
struct FenceFetch: Sendable {
  /// Maximum length of a reply, bytes. This is sufficient for about three thousand fences of fifty vertices.
  static let answerLimit = 4 << 20

  /// Time limit for a fetch, ns. Records wait while a fetch is in progress.
  static let patience: Int64 = 10_000_000_000

  private let period: Int64
  /// ETag of the last reply; empty if there was none.
  private(set) var etag = ""
  /// Hash of the last body. It is compared because a server may send the same fences with another ETag, or without one.
  private var digest: Int?
  /// Boot time of the next fetch, ns.
  private(set) var nextAt = Int64.min
  private var backOff = BackOff(first: 5_000_000_000)
  private var report = FailureReport()

  init(period: Int64) { self.period = period }

  /// The ETag that a server sends if no fences were ever stored on it. The gateway then keeps its fences, as after
  /// status 404.
  private static let notPut = "\"none\""

  /// Evaluates a reply.
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

  /// Makes the next reply count as the first one. It is used after a reload: the new configuration may accept fences
  /// that the previous one rejected.
  mutating func forget() {
    etag = ""
    digest = nil
  }

  private mutating func succeeded(at now: Int64) {
    backOff.succeeded()
    _ = report.succeeded()
    nextAt = now &+ period
  }

  /// Schedules the next attempt after a failure.
  ///
  /// - Returns: the report; `nil` if the same failure was already reported.
  mutating func failed(
    _ error: SinkError, at now: Int64, using random: inout some RandomNumberGenerator
  ) -> SinkEvent? {
    nextAt = now &+ max(backOff.failed(using: &random), min(period, 5_000_000_000))
    return report.failed(error) == nil ? nil : .remark("\(error); the fences are unchanged")
  }
}
