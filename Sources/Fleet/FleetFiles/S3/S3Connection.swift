import CCurl
import Glibc

/// How a request to the storage ended.
enum S3Answer: Sendable {
  /// An answer of any status.
  case answer(status: Int, body: [UInt8], etag: String)
  /// No complete answer arrived. Another attempt may succeed.
  case failed(String)
  /// No request can be sent. Another attempt would fail, too.
  case unusable(String)
}

/// A connection to the storage, which is kept open between requests. Only one thread may use it at a time.
@safe final class S3Connection {
  private let bucket: S3Bucket
  private let client: OpaquePointer

  /// Returns `nil` if libcurl is not installed or there is no memory.
  init?(_ bucket: S3Bucket, _ limits: S3Limits) {
    self.bucket = bucket
    guard ccurl_load() == 0 else { return nil }
    var options = unsafe ccurl_options()
    unsafe options.connect_limit = limits.connectMilliseconds
    unsafe options.request_limit = limits.requestMilliseconds
    unsafe options.slow_speed = 1_000
    unsafe options.slow_time = limits.slowSeconds
    unsafe options.buffer_bytes = 128 << 10
    // libcurl copies the text, so it need not outlive the call.
    let made =
      if let authorities = bucket.authorities {
        unsafe authorities.withCString { text in
          unsafe options.authorities = text
          return unsafe ccurl_make(&options)
        }
      } else {
        unsafe ccurl_make(&options)
      }
    guard let made = unsafe made else { return nil }
    unsafe client = made
  }

  deinit { unsafe ccurl_free(client) }

  /// Sends a request with these headers, and waits for its answer.
  func send(_ request: S3Request, headers: [String]) -> S3Answer {
    let query = request.encodedQuery
    let url =
      "\(bucket.url.scheme)://\(bucket.host)\(bucket.path(request.key))" + (query.isEmpty ? "" : "?" + query)
    let texts = unsafe headers.map { unsafe strdup($0) }
    defer { for index in unsafe texts.indices { unsafe free(texts[index]) } }
    let lines = unsafe texts.map { unsafe UnsafePointer<CChar>($0) }
    let hasBody = request.method == .put || request.method == .post
    // An empty array may have no address, but a request with an empty body needs one.
    let body = hasBody && request.body.isEmpty ? [0] : request.body
    let isDone = unsafe body.withUnsafeBufferPointer { bytes in
      let code = unsafe lines.withUnsafeBufferPointer { lines in
        unsafe ccurl_begin_method(
          client, request.method.rawValue, url, lines.baseAddress, Int32(lines.count),
          hasBody ? UnsafeRawPointer(bytes.baseAddress) : nil, request.body.count, request.longest)
      }
      guard code == 0 else { return false }
      while true {
        let state = unsafe ccurl_continue(client)
        if state != 0 { return state == 1 }
        _ = unsafe ccurl_wait(client, -1, 1_000)
      }
    }
    defer { unsafe ccurl_forget_answer(client) }
    let reason = unsafe String(cString: ccurl_reason(client))
    guard isDone else { return .failed(reason) }
    switch unsafe ccurl_result(client) {
    case ccurl_done: break
    case ccurl_authorities: return .unusable("the authorities of files.s3.caFile cannot be used: \(reason)")
    case ccurl_certificate: return .unusable("its certificate is not accepted: \(reason)")
    case ccurl_too_long: return .failed("the answer is longer than \(request.longest) bytes")
    default: return .failed(reason)
    }
    var count = 0
    let bytes = unsafe ccurl_answer(client, &count)
    return .answer(
      status: unsafe ccurl_status(client), body: unsafe Array(UnsafeBufferPointer(start: bytes, count: count)),
      etag: unsafe String(cString: ccurl_header(client, "etag")))
  }
}
