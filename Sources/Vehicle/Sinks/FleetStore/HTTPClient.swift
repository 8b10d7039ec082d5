import CCurl
import Failures
import Glibc
import Ports

/// An HTTP client for one server. It sends one request at a time, each with a time limit. When the sink is stopped, the
/// client interrupts the current request.
@safe final class HTTPClient {
  private let client: OpaquePointer
  private let place: String
  private let tls: TLSFiles
  /// The sink's wake-up, which ends a wait when the sink is stopped.
  private let wakeUp: SinkWakeUp

  /// A request to send.
  struct Request {
    var url: String
    /// Header lines of the form `Name: value`.
    var headers: [String]
    /// The body of a POST request, of which the first `count` bytes are sent; `nil` for a GET request.
    var body: (bytes: [UInt8], count: Int)?
    /// Maximum length of the reply's body, bytes. A longer reply is an error.
    var answerLimit = 1 << 20
    /// Time limit for this request, ns. The time limit of the configuration also applies.
    var patience = Int64.max
  }

  /// Creates a client. It connects when the first request is sent.
  ///
  /// - Throws: ``SinkErrorKind/missingLibrary`` if libcurl is not installed.
  init(_ configuration: FleetStoreConfiguration, _ wakeUp: SinkWakeUp) throws(SinkError) {
    place = configuration.url.description
    tls = configuration.tls
    self.wakeUp = wakeUp
    guard ccurl_load() == 0 else {
      throw SinkError(
        .missingLibrary, place, "libcurl.so.4 is not installed or too old: install the package libcurl4")
    }
    var options = unsafe ccurl_options()
    unsafe options.connect_limit = Int(configuration.connectLimit / 1_000_000)
    unsafe options.request_limit = Int(configuration.requestLimit / 1_000_000)
    unsafe options.slow_speed = 16
    unsafe options.slow_time = 60
    let texts = CTexts([
      configuration.tls.authorities, configuration.tls.certificate, configuration.tls.key, configuration.proxy,
    ])
    unsafe options.authorities = texts[0]
    unsafe options.certificate = texts[1]
    unsafe options.key = texts[2]
    unsafe options.proxy = texts[3]
    let made = unsafe withExtendedLifetime(texts) { unsafe ccurl_make(&options) }
    guard let made = unsafe made else { throw SinkError(.system, place, "no memory for libcurl") }
    unsafe client = made
  }

  deinit { unsafe ccurl_free(client) }

  /// Sends a request and waits for the complete reply. Any status counts as a reply.
  ///
  /// - Throws: ``SinkError`` if no complete reply is received.
  func send(_ request: Request) throws(SinkError) -> HTTPReply {
    let code = begin(request)
    defer { held = [] }
    guard code == 0 else { throw SinkError(.system, place, "cannot send the request: \(systemReason(-code))") }
    let (deadline, isEndless) = BootClock.now.addingReportingOverflow(request.patience)
    while true {
      let state = unsafe ccurl_continue(client)
      if state == 1 { break }
      guard state == 0 else { throw ended(.system, "libcurl failed") }
      if wakeUp.isStopping { throw ended(.stopped, "stopped") }
      if !isEndless, BootClock.now >= deadline { throw ended(.timedOut, "no complete answer in time") }
      guard unsafe ccurl_wait(client, wakeUp.descriptor, 1_000) == 0 else { throw ended(.system, "libcurl failed") }
      wakeUp.clear()
    }
    let result = unsafe ccurl_result(client)
    guard result == ccurl_done else { throw error(result) }
    return reply
  }

  /// Whether any byte of the last request was sent to the server or a proxy.
  var hasSent: Bool { unsafe ccurl_has_sent(client) != 0 }

  private func begin(_ request: Request) -> Int32 {
    let headers = CTexts(request.headers)
    return withExtendedLifetime(headers) {
      guard let body = request.body else {
        return unsafe ccurl_begin(client, request.url, headers.all, Int32(headers.count), nil, 0, request.answerLimit)
      }
      held = body.bytes
      return unsafe held.withUnsafeBufferPointer { bytes in
        // libcurl reads the bytes later. `held` keeps the array unchanged until the request has ended.
        unsafe ccurl_begin(
          client, request.url, headers.all, Int32(headers.count), bytes.baseAddress, body.count, request.answerLimit)
      }
    }
  }

  /// The body of the current request, which libcurl reads.
  private var held: [UInt8] = []

  private func ended(_ kind: SinkError.Kind, _ detail: String) -> SinkError {
    unsafe ccurl_abandon(client)
    return SinkError(kind, place, detail)
  }

  private var reply: HTTPReply {
    var count = 0
    let bytes = unsafe ccurl_answer(client, &count)
    var reply = HTTPReply(
      status: unsafe ccurl_status(client), body: unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
    reply.retryAfter = header("retry-after")
    reply.date = header("date")
    reply.etag = header("etag")
    reply.location = header("location")
    reply.gateway = header("obdgate-gateway")
    return reply
  }

  private func header(_ name: String) -> String { unsafe String(cString: ccurl_header(client, name)) }

  /// Whether a TLS handshake failed because the server does not use TLS. `reason` is a message of OpenSSL or GnuTLS.
  private static func isNoTLS(_ reason: String) -> Bool {
    ["wrong version number", "packet length too long", "unexpected TLS packet"].contains { reason.holds($0) }
  }

  private func error(_ result: ccurl_end) -> SinkError {
    let reason = unsafe String(cString: ccurl_reason(client))
    return switch result {
    case ccurl_unreachable: SinkError(.unreachable, place, reason)
    case ccurl_timed_out: SinkError(.timedOut, place, reason)
    case ccurl_certificate:
      // libcurl's message contains these words, whichever TLS library it uses.
      SinkError(
        reason.holds("target host name") ? .otherHost : .certificate, place,
        "its certificate is not accepted: \(reason)")
    case ccurl_authorities:
      tls.troubleWithAuthorities(place, reason)
        ?? SinkError(.certificate, place, "the system's authorities cannot be used: \(reason)")
    case ccurl_own_certificate:
      tls.troubleWithCertificate(place, reason)
        ?? SinkError(.certificate, place, "the client certificate cannot be used: \(reason)")
    case ccurl_handshake where Self.isNoTLS(reason):
      SinkError(.noTLS, place, "the peer does not use TLS: \(reason)")
    case ccurl_cut:
      SinkError(unsafe ccurl_status(client) == 0 ? .cut : .badAnswer, place, "the connection broke: \(reason)")
    case ccurl_too_long: SinkError(.badAnswer, place, "its answer is too long")
    default: SinkError(.system, place, reason)
    }
  }
}
