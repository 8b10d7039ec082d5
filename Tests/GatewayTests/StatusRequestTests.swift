import Testing

@testable import Gateway
@testable import GatewayStatus

@Suite struct StatusRequestTests {
  private func request(_ text: String, isLocal: Bool = true) -> StatusRequest? {
    StatusRequest(Array(text.utf8), isLocal: isLocal)
  }

  @Test func a_complete_get_request_is_parsed() {
    #expect(request("GET /status HTTP/1.1\r\nHost: d\r\n") == nil)
    #expect(request("GET /status HTTP/1.1\r\nHost: d\r\n\r\n") == .status)
    #expect(request("GET /metrics?x=1 HTTP/1.0\n\n", isLocal: false) == .metrics)
    #expect(request("GET /records HTTP/1.1\r\n\r\n") == .records)
  }

  @Test(arguments: [
    ("GET /status HTTP/1.1\r\n\r\n", 403), ("GET /records HTTP/1.1\r\n\r\n", 403), ("GET / HTTP/1.1\r\n\r\n", 404),
    ("POST /metrics HTTP/1.1\r\n\r\n", 405), ("GET /metrics\r\n\r\n", 400), ("\r\n\r\n", 400),
    ("GET /metrics SSH/2\r\n\r\n", 400),
  ])
  func an_unknown_status_request_is_rejected_with_a_reason(_ text: String, _ code: Int) {
    guard case .refused(let found, let reason) = request(text, isLocal: false) else {
      Issue.record("\(text) is not refused")
      return
    }
    #expect(found == code && !reason.isEmpty)
  }

  @Test func a_head_without_end_is_refused_at_its_limit() {
    #expect(request(String(repeating: "A", count: StatusRequest.limit - 1)) == nil)
    #expect(
      request(String(repeating: "A", count: StatusRequest.limit)) == .refused(431, "the request's head is too long"))
  }
}
