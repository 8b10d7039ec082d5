import CCurl
import Dispatch
import Peers
import Synchronization

/// The reason why a request to a provider failed.
public struct ProviderFailure: Error, Equatable, CustomStringConvertible {
  public let description: String

  public init(description: String) { self.description = description }
}

/// Sends HTTP requests to one service of a third party, such as an OpenID provider or a vehicle cloud. Requests use
/// HTTPS and do not follow redirects. The time of a request and the length of the answer are limited.
///
/// Requests are sent on separate threads, so that a slow service blocks no other work. By default, a client sends its
/// requests one after another.
public final class ProviderClient: Sendable {
  /// A request to the provider.
  public struct Request: Sendable {
    public var url: String
    /// The headers, each in the format `Name: value`.
    public var headers: [String]
    /// The body of a POST request; `nil` for a GET request.
    public var body: [UInt8]?

    public init(_ url: String, headers: [String] = [], body: [UInt8]? = nil) {
      self.url = url
      self.headers = headers
      self.body = body
    }
  }

  /// The service's answer. It may have any status, including those of errors.
  public struct Answer: Sendable {
    public let status: Int
    public let body: [UInt8]
    /// The value of the header `Retry-After`; empty if the answer has no such header.
    public let retryAfter: String
    /// The value of the header `Date`; empty if the answer has no such header.
    public let date: String

    public init(status: Int, body: [UInt8], retryAfter: String = "", date: String = "") {
      (self.status, self.body, self.retryAfter, self.date) = (status, body, retryAfter, date)
    }
  }

  /// Maximum number of requests of one client that are waiting or in progress.
  private static let mostWaiting = 16

  private let mayUseLoopback: Bool
  private let mayUsePrivate: Bool
  private let authorities: String?
  private let longest: Int
  private let seconds: Int
  private let waiting = Atomic(0)
  private let queue: DispatchQueue

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - mayUseLoopback: whether URLs of this machine are allowed, even with plain HTTP. This is needed for a service
  ///     on the same machine.
  ///   - mayUsePrivate: whether connections to addresses of private networks are allowed.
  ///   - authorities: the path of a PEM file with the certificate authorities to use; `nil` for those of the system.
  ///   - longest: the maximum length of the body of an answer, in bytes.
  ///   - seconds: the time limit for a request, in s.
  ///   - isConcurrent: whether several requests may be sent at the same time. The caller must limit their number.
  public init(
    mayUseLoopback: Bool, mayUsePrivate: Bool = true, authorities: String? = nil, longest: Int, seconds: Int,
    isConcurrent: Bool = false
  ) {
    self.mayUseLoopback = mayUseLoopback
    self.mayUsePrivate = mayUsePrivate
    self.authorities = authorities
    self.longest = longest
    self.seconds = seconds
    queue = DispatchQueue(label: "provider", attributes: isConcurrent ? .concurrent : [])
  }

  /// Whether requests may be sent to a URL. Allowed are HTTPS URLs of other machines and, if `mayUseLoopback` is true,
  /// HTTPS and HTTP URLs of this machine. The URL may have a query, but no fragment. The host is a name or an address
  /// in the usual notation: other notations of addresses, such as `127.1`, are rejected.
  ///
  /// - Parameter mayUsePrivate: whether addresses of private networks are allowed. Names are not looked up; the
  ///   addresses to which they lead are checked when a request is sent.
  public static func isAllowed(_ text: String, mayUseLoopback: Bool, mayUsePrivate: Bool = true) -> Bool {
    let address = String(text.prefix { $0 != "?" })
    guard text.utf8.count <= 2_048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !text.contains("#"),
      let url = ServiceURL(address, schemes: [("https", 443), ("http", 80)])
    else { return false }
    guard let host = ServiceHost(url.host) else { return false }
    if url.isLoopback || host == .thisMachine { return mayUseLoopback }
    return url.scheme == "https" && (mayUsePrivate || host != .privateAddress)
  }

  /// Whether the URL of an OpenID issuer is on this machine. If so, its documents may also be on this machine.
  public static func isLoopback(_ issuer: String) -> Bool {
    ServiceURL(issuer, schemes: [("https", 443), ("http", 80)])?.isLoopback ?? false
  }

  /// Sends a request, and returns the answer, which may have any status.
  ///
  /// - Throws: ``ProviderFailure`` if the URL or a header is not allowed, or if no complete answer arrives within the
  ///   limits.
  public func fetch(_ request: Request) async throws(ProviderFailure) -> Answer {
    guard Self.isAllowed(request.url, mayUseLoopback: mayUseLoopback) else {
      throw ProviderFailure(description: "not an address that may be used")
    }
    guard RequestHeader.areAllowed(request.headers) else {
      throw ProviderFailure(description: "not headers that may be sent")
    }
    defer { waiting.subtract(1, ordering: .relaxed) }
    guard waiting.add(1, ordering: .relaxed).newValue <= Self.mostWaiting else {
      throw ProviderFailure(description: "too many requests wait for the provider")
    }
    let result: Result<Answer, ProviderFailure> = await withCheckedContinuation { continuation in
      queue.async { [self] in
        continuation.resume(returning: Result { () throws(ProviderFailure) in try send(request) })
      }
    }
    return try result.get()
  }

  private func send(_ request: Request) throws(ProviderFailure) -> Answer {
    guard ccurl_load() == 0 else {
      throw ProviderFailure(description: "libcurl.so.4 is not installed or too old: install the package libcurl4")
    }
    var options = unsafe ccurl_options()
    unsafe options.connect_limit = seconds * 1_000
    unsafe options.request_limit = seconds * 1_000
    unsafe options.slow_speed = 1
    unsafe options.slow_time = seconds
    unsafe options.refuses_private = mayUsePrivate ? 0 : 1
    let made = unsafe withText(authorities) { authorities in
      unsafe options.authorities = authorities
      return unsafe ccurl_make(&options)
    }
    guard let client = unsafe made else { throw ProviderFailure(description: "no memory for libcurl") }
    defer { unsafe ccurl_free(client) }
    let body = request.body ?? []
    let isDone = unsafe body.withUnsafeBufferPointer { bytes in
      let texts = unsafe request.headers.map { unsafe strings($0) }
      defer { for index in unsafe texts.indices { unsafe texts[index].deallocate() } }
      let headers = unsafe texts.map { unsafe UnsafePointer<CChar>?($0) }
      let code = unsafe headers.withUnsafeBufferPointer { headers in
        unsafe ccurl_begin(
          client, request.url, headers.baseAddress, Int32(headers.count),
          request.body == nil ? nil : UnsafeRawPointer(bytes.baseAddress), bytes.count, longest)
      }
      guard code == 0 else { return false }
      while true {
        let state = unsafe ccurl_continue(client)
        if state != 0 { return state == 1 }
        _ = unsafe ccurl_wait(client, -1, 1_000)
      }
    }
    guard isDone, unsafe ccurl_result(client) == ccurl_done else {
      let end = unsafe ccurl_result(client)
      throw ProviderFailure(
        description: end == ccurl_too_long
          ? "the answer is longer than \(longest) bytes"
          : end == ccurl_private
            ? "the address is in a private network, which is not allowed" : unsafe String(cString: ccurl_reason(client))
      )
    }
    var count = 0
    let bytes = unsafe ccurl_answer(client, &count)
    return Answer(
      status: unsafe ccurl_status(client), body: unsafe Array(UnsafeBufferPointer(start: bytes, count: count)),
      retryAfter: unsafe String(cString: ccurl_header(client, "retry-after")),
      date: unsafe String(cString: ccurl_header(client, "date")))
  }

  /// Returns a newly allocated copy of a text as a C string, which ends with a zero byte.
  private func strings(_ text: String) -> UnsafeMutablePointer<CChar> {
    let bytes = text.utf8CString
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
    for (index, byte) in bytes.enumerated() { unsafe copy[index] = byte }
    return unsafe copy
  }

  private func withText<Value>(_ text: String?, _ work: (UnsafePointer<CChar>?) -> Value) -> Value {
    guard let text else { return work(nil) }
    return unsafe text.withCString { unsafe work($0) }
  }
}
