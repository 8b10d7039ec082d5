import Peers
import Testing

@testable import Sinks

@Suite struct UploadPlanTests {
  private let server: UploadPlan.Server

  init() throws {
    server = UploadPlan.Server(
      try #require(ServiceURL("https://fleet.example/api", schemes: FleetStoreConfiguration.schemes)))
  }

  private func stored(_ count: Int) -> HTTPReply {
    HTTPReply(status: 200, body: Array(#"{"stored":\#(count),"duplicates":0,"refused":0}"#.utf8))
  }

  /// Runs a plan against a simulated server; returns the requests and the results.
  private func run(
    _ records: Int, _ server: UploadPlan.Server? = nil, _ answer: (UploadPlan.Request) -> HTTPReply
  ) -> (requests: [Range<Int>], delivered: [Range<Int>], refused: [Int], last: UploadPlan) {
    var plan = UploadPlan(server ?? self.server, records: records)
    var (requests, delivered, refused): ([Range<Int>], [Range<Int>], [Int]) = ([], [], [])
    while let request = plan.next() {
      requests.append(request.records)
      switch plan.judge(answer(request)) {
      case .delivered(let range, let those):
        delivered.append(range)
        refused += those.map(\.index)
      case .again: break
      case .stop, .setAside: return (requests, delivered, refused, plan)
      }
    }
    if case .delivered(_, let those) = plan.conclude() { refused += those.map(\.index) }
    return (requests, delivered, refused, plan)
  }

  private func foreign(_ records: Range<Int>, of count: Int) -> HTTPReply {
    let results = records.map { #"{"index":\#($0),"outcome":"refused","kind":"foreignVehicle","reason":"not yours"}"# }
    let stored = count - records.count
    let text =
      #"{"stored":\#(stored),"duplicates":0,"refused":\#(records.count),"results":[\#(results.joined(separator: ","))]}"#
    return HTTPReply(status: 200, body: Array(text.utf8))
  }

  @Test func records_of_another_gateways_vehicle_wait_for_a_correction() {
    var known = server
    for _ in 0..<5 {
      var plan = UploadPlan(known, records: 3)
      _ = plan.next()
      #expect(plan.judge(foreign(0..<3, of: 3)) == .again)
      #expect(plan.next() == nil)
      guard case .setAside(let error) = plan.conclude() else {
        Issue.record("they were abandoned")
        return
      }
      #expect(error.kind == .unauthorized && error.detail.contains("not yours"))
      known = plan.server
    }
    // Old records among valid ones do not delay others.
    let mixed = run(3) { _ in foreign(0..<1, of: 3) }
    #expect(mixed.delivered == [0..<3] && mixed.refused == [0])
  }

  @Test func records_set_aside_become_dead_letters_after_others_were_accepted() {
    var known = server
    for _ in 0..<2 { known = run(3, known) { _ in foreign(0..<3, of: 3) }.last.server }
    known = run(1, known) { _ in stored(1) }.last.server
    for _ in 0..<2 {
      let result = run(3, known) { _ in foreign(0..<3, of: 3) }
      #expect(result.refused == [0, 1, 2])
      known = result.last.server
    }
    // From here on, the server's entry for the vehicle has changed.
    #expect(run(3, known) { _ in foreign(0..<3, of: 3) }.refused.isEmpty)
  }

  @Test func the_rest_of_a_batch_is_tried_before_it_is_set_aside() {
    var small = server
    small.mostRecords = 2
    let result = run(6, small) { $0.records == 4..<6 ? stored(2) : foreign(0..<2, of: 2) }
    #expect(result.requests == [0..<2, 2..<4, 4..<6])
    #expect(result.delivered == [4..<6] && result.refused == [0, 1, 2, 3])
  }

  @Test func only_records_of_another_gateway_become_dead_letters_at_once() {
    var plan = UploadPlan(server, records: 4)
    _ = plan.next()
    let verdict = plan.judge(foreign(0..<4, of: 4)) { $0 >= 3 }
    guard case .delivered(let taken, let refused) = verdict else {
      Issue.record("\(verdict)")
      return
    }
    #expect(taken.isEmpty && refused.map(\.index) == [0, 1, 2])
    guard case .stop(let error, _) = plan.conclude() else {
      Issue.record("the one that names this gateway was abandoned")
      return
    }
    #expect(error.kind == .unauthorized)
  }

  @Test(arguments: [413, 415, 422], [1, 2, 10])
  func limits_of_a_server_that_accepts_nothing_are_discarded(_ status: Int, _ records: Int) {
    let result = run(records) { _ in HTTPReply(status: status) }
    #expect(result.delivered.isEmpty && result.refused.isEmpty)
    #expect(result.last.server == server)
  }

  @Test func the_servers_error_text_is_shown_on_one_line() {
    #expect(PeerText.shown("x\n\u{1B}[2Jobdgated: all is well") == "x  [2Jobdgated: all is well")
    #expect(PeerText.shown(String(repeating: "a", count: 5_000)).utf8.count < 300)
  }

  @Test func a_batch_is_one_request() {
    let result = run(100) { stored($0.records.count) }
    #expect(result.requests == [0..<100])
    #expect(result.delivered == [0..<100])
  }

  @Test func a_too_large_request_is_halved_and_later_ones_are_smaller() {
    let result = run(10) { $0.records.count > 3 ? HTTPReply(status: 413) : stored($0.records.count) }
    #expect(result.requests == [0..<10, 0..<5, 0..<3, 3..<5, 5..<8, 8..<10])
    #expect(result.delivered.flatMap { Array($0) } == Array(0..<10))
    let next = run(7, result.last.server) { stored($0.records.count) }
    #expect(next.requests == [0..<3, 3..<6, 6..<7])
  }

  @Test func larger_requests_are_retried_at_growing_intervals() {
    var known = server
    known.mostRecords = 20
    var limit = 20
    var refusals: [Int] = []
    var most = 0
    for batch in 0..<400 {
      let result = run(100, known) { request in
        if request.records.count > limit { refusals.append(batch) }
        most = max(most, request.records.count)
        return request.records.count > limit ? HTTPReply(status: 413) : stored(request.records.count)
      }
      #expect(result.delivered.flatMap { Array($0) } == Array(0..<100))
      known = result.last.server
    }
    #expect(refusals.count > 1 && refusals.count < 12, "2,000 requests: \(refusals)")
    #expect(most == 25, "a quarter more at a time")
    // The server no longer has a limit.
    limit = .max
    for _ in 0..<5_000 { known = run(100, known) { stored($0.records.count) }.last.server }
    #expect(run(100, known) { stored($0.records.count) }.requests == [0..<100])
  }

  @Test func a_record_that_makes_every_batch_fail_is_found_and_all_others_are_delivered() {
    let result = run(16) { request in
      request.records.contains(11) ? HTTPReply(status: 400, body: Array("bad".utf8)) : stored(request.records.count)
    }
    #expect(result.refused == [11])
    #expect(result.delivered.flatMap { Array($0) } == Array(0..<16).filter { $0 != 11 })
  }

  @Test func a_record_too_large_on_its_own_is_refused_with_the_servers_reason() {
    var plan = UploadPlan(server, records: 2)
    while let request = plan.next() {
      let isSmall = request.records == 0..<1
      _ = plan.judge(isSmall ? stored(1) : HTTPReply(status: 413, body: Array("too\nlarge".utf8)))
    }
    #expect(plan.conclude() == .delivered(1..<1, refused: [.init(index: 1, reason: "HTTP 413: too large")]))
  }

  @Test func a_server_that_accepts_nothing_loses_no_record() {
    for records in [1, 3, 100] {
      let result = run(records) { _ in HTTPReply(status: 400) }
      #expect(result.refused.isEmpty)
      #expect(result.delivered.isEmpty)
      #expect(result.requests.count <= 12)
    }
  }

  @Test func refusals_name_the_record_in_the_batch_and_not_in_the_request() {
    var first = server
    first.mostRecords = 4
    let result = run(8, first) { request in
      HTTPReply(
        status: 200,
        body: Array(
          #"{"stored":3,"duplicates":0,"refused":1,"results":[{"index":1,"outcome":"refused","reason":"r"}]}"#.utf8))
    }
    #expect(result.refused == [1, 5])
  }

  @Test func an_encoding_that_the_server_does_not_know_is_replaced_for_good() {
    var encodings: [UploadPlan.Encoding] = []
    let result = run(5) { request in
      encodings.append(request.encoding)
      return request.encoding == .none ? stored(5) : HTTPReply(status: 415)
    }
    #expect(encodings == [.zstd, .gzip, .none])
    #expect(result.last.server.encoding == .none)
  }

  @Test func a_token_is_read_again_once() {
    var plan = UploadPlan(server, records: 2)
    #expect(plan.next()?.wantsToken == false)
    #expect(plan.judge(HTTPReply(status: 401)) == .again)
    #expect(plan.next()?.wantsToken == true)
    guard case .stop(let error, _) = plan.judge(HTTPReply(status: 401)) else {
      Issue.record("continues with a token that is not taken")
      return
    }
    #expect(error.kind == .unauthorized)
  }

  @Test func a_redirect_is_followed_only_on_the_same_server() throws {
    func reply(_ status: Int, to location: String) -> HTTPReply {
      var reply = HTTPReply(status: status)
      reply.location = location
      return reply
    }
    for location in ["/v2/telemetry", "https://fleet.example:443/v2/telemetry", "https://fleet.example/v2/telemetry"] {
      var plan = UploadPlan(server, records: 1)
      _ = plan.next()
      #expect(plan.judge(reply(308, to: location)) == .again)
      #expect(plan.next()?.path == "/v2/telemetry")
    }
    for location in [
      "https://other.example/v2", "http://fleet.example/v2", "//other.example/v2", "https://fleet.example:8443/v2", "",
    ] {
      var plan = UploadPlan(server, records: 1)
      _ = plan.next()
      guard case .stop(let error, _) = plan.judge(reply(307, to: location)) else {
        Issue.record("\(location) is followed")
        continue
      }
      #expect(error.kind == .redirected)
    }
    var plan = UploadPlan(server, records: 1)
    for _ in 0..<3 {
      _ = plan.next()
      #expect(plan.judge(reply(307, to: "/again")) == .again)
    }
    _ = plan.next()
    #expect(plan.judge(reply(307, to: "/again")) != .again)
  }

  @Test(arguments: [429, 503]) func a_busy_servers_requested_wait_is_respected(_ status: Int) {
    var reply = HTTPReply(status: status)
    reply.retryAfter = "7"
    var plan = UploadPlan(server, records: 1)
    _ = plan.next()
    guard case .stop(let error, let wait) = plan.judge(reply) else {
      Issue.record("continues")
      return
    }
    #expect(error.kind == .busy)
    #expect(wait == 7_000_000_000)
  }

  @Test func records_of_a_full_tenant_are_kept_and_the_reason_is_reported() {
    var reply = HTTPReply(status: 507, body: Array(#"{"error":{"code":"tenantFull","message":"no space"}}"#.utf8))
    reply.retryAfter = "60"
    var plan = UploadPlan(server, records: 3)
    _ = plan.next()
    guard case .stop(let error, let wait) = plan.judge(reply) else {
      Issue.record("continues")
      return
    }
    #expect(error.kind == .busy && error.description.contains("no space for more records of this tenant: 507"))
    #expect(error.description.contains("tenantFull"))
    #expect(wait == 60_000_000_000)
  }

  @Test(arguments: [100, 204, 301, 302, 404, 405, 500, 502, 599]) func unexpected_answers_acknowledge_nothing(
    _ status: Int
  ) {
    let result = run(3) { _ in HTTPReply(status: status) }
    #expect(result.delivered.isEmpty)
    #expect(result.requests.count == 1)
  }
}
