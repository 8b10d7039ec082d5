import Peers

/// When the server is asked for this gateway's fences, and what its answers mean. No clock, no network.
struct FenceFetch: Sendable {
  /// Three thousand fences of fifty corners each have no more.
  static let answerLimit = 4 << 20

  /// So long, ns, records wait for an answer that does not come.
  static let patience: Int64 = 10_000_000_000

  private let period: Int64
  /// Of what was fetched last.
  private(set) var etag = ""
  /// A digest of it: a server may give the same under another tag, or under none.
  private var digest: Int?
  /// When to ask, boot time in ns.
  private(set) var nextAt = Int64.min
  private var backOff = BackOff(first: 5_000_000_000)
  private var report = FailureReport()

  init(period: Int64) { self.period = period }

  /// What a server calls fences that nobody has put: those that we have stay. So they do where it has none at all (404).
  private static let notPut = "\"none\""

  /// - Returns: GeoJSON; nil: there is nothing new.
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
      // Watched, said and written to the disk anew is only what is another.
      return fresh == digest ? nil : reply.body
    case 304, 404:
      succeeded(at: now)
      return nil
    case 401, 403: throw SinkError(.unauthorized, place, "the server does not take our token: \(reply.summary)")
    default: throw SinkError(.badAnswer, place, "the server answers \(reply.summary)")
    }
  }

  /// What comes next is judged as if it were the first: whoever takes it may take now what was refused before.
  mutating func forget() {
    etag = ""
    digest = nil
  }

  private mutating func succeeded(at now: Int64) {
    backOff.succeeded()
    _ = report.succeeded()
    nextAt = now &+ period
  }

  /// - Returns: what to say; nil: that was said.
  mutating func failed(
    _ error: SinkError, at now: Int64, using random: inout some RandomNumberGenerator
  ) -> SinkNews? {
    nextAt = now &+ max(backOff.failed(using: &random), min(period, 5_000_000_000))
    return report.failed(error) == nil ? nil : .remark("\(error); the fences stay as they are")
  }
}
