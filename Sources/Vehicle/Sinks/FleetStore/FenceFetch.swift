import Peers

/// Decides when to fetch this gateway's geofences from the server and interprets the replies. It does no I/O and reads
/// no clock.
struct FenceFetch: Sendable {
  /// Maximum length of a reply, bytes: about three thousand fences of fifty vertices.
  static let answerLimit = 4 << 20

  /// Maximum time that records wait for a fetch, ns.
  static let patience: Int64 = 10_000_000_000

  private let period: Int64
  /// ETag of the last reply.
  private(set) var etag = ""
  /// Hash of the last body, because a server may send the same fences with another ETag, or without one.
  private var digest: Int?
  /// Time of the next fetch; boot time, ns.
  private(set) var nextAt = Int64.min
  private var backOff = BackOff(first: 5_000_000_000)
  private var report = FailureReport()

  init(period: Int64) { self.period = period }

  /// ETag of a server on which no fences were stored. The gateway keeps its fences then, as with status 404.
  private static let notPut = "\"none\""

  /// Interprets a reply.
  ///
  /// - Returns: GeoJSON; `nil` if nothing changed.
  /// - Throws: ``SinkError`` for any other status.
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
      // Report only a different body.
      return fresh == digest ? nil : reply.body
    case 304, 404:
      succeeded(at: now)
      return nil
    case 401, 403: throw SinkError(.unauthorized, place, "the server rejects the token: \(reply.summary)")
    default: throw SinkError(.badAnswer, place, "the server answers \(reply.summary)")
    }
  }

  /// Treats the next reply as the first one. A new receiver may accept fences that the previous one rejected.
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
  /// - Returns: the report; `nil` if the same failure was reported before.
  mutating func failed(
    _ error: SinkError, at now: Int64, using random: inout some RandomNumberGenerator
  ) -> SinkEvent? {
    nextAt = now &+ max(backOff.failed(using: &random), min(period, 5_000_000_000))
    return report.failed(error) == nil ? nil : .remark("\(error); the fences are unchanged")
  }
}
