import Peers
import TestKit
import Testing

@testable import Sinks

@Suite struct FenceFetchTests {
  private let second: Int64 = 1_000_000_000
  private let url: ServiceURL

  init() throws { url = try #require(ServiceURL("http://a/api", schemes: FleetStoreConfiguration.schemes)) }

  @Test func fences_are_asked_for_at_once_and_then_every_period() throws {
    var fetch = FenceFetch(period: 300 * second)
    #expect(fetch.nextAt == .min)
    var reply = HTTPReply(status: 200, body: [1, 2])
    reply.etag = "\"7\""
    #expect(try fetch.judge(reply, of: url, at: 10 * second) == [1, 2])
    #expect(fetch.etag == "\"7\"")
    #expect(fetch.nextAt == 310 * second)
    #expect(try fetch.judge(HTTPReply(status: 304), of: url, at: 310 * second) == nil)
    #expect(fetch.etag == "\"7\"")
  }

  @Test func unchanged_fences_with_another_etag_are_not_reported() throws {
    var fetch = FenceFetch(period: 300 * second)
    var reply = HTTPReply(status: 200, body: [1, 2])
    for (tag, isNews) in [("\"7\"", true), ("\"8\"", false), ("", false)] {
      reply.etag = tag
      #expect((try fetch.judge(reply, of: url, at: 0) != nil) == isNews, "\(tag)")
      #expect(fetch.etag == tag)
    }
    reply.body = [1, 3]
    #expect(try fetch.judge(reply, of: url, at: 0) == [1, 3])
    // A change back to earlier fences is a change, too.
    reply.body = [1, 2]
    #expect(try fetch.judge(reply, of: url, at: 0) == [1, 2])
  }

  @Test func after_a_reset_the_next_fetch_reports_the_fences_again() throws {
    var fetch = FenceFetch(period: 300 * second)
    var reply = HTTPReply(status: 200, body: [1, 2])
    reply.etag = "\"7\""
    _ = try fetch.judge(reply, of: url, at: 0)
    fetch.forget()
    #expect(fetch.etag == "" && fetch.nextAt == 300 * second)
    #expect(try fetch.judge(reply, of: url, at: 300 * second) == [1, 2])
    #expect(try fetch.judge(reply, of: url, at: 600 * second) == nil)
  }

  @Test func the_fences_are_kept_if_the_server_has_none() throws {
    var fetch = FenceFetch(period: 300 * second)
    var none = HTTPReply(status: 200, body: Array(#"{"type":"FeatureCollection","features":[]}"#.utf8))
    none.etag = "\"none\""
    for (number, reply) in [none, HTTPReply(status: 404), HTTPReply(status: 304)].enumerated() {
      #expect(try fetch.judge(reply, of: url, at: Int64(number)) == nil)
      // This is no failure: the next request follows after the period, not before.
      #expect(fetch.nextAt == 300 * second + Int64(number))
    }
    #expect(fetch.etag == "\"none\"")
    // A valid answer may say that there are no fences.
    none.etag = "\"7\""
    #expect(try fetch.judge(none, of: url, at: 0) == none.body)
  }

  @Test func a_failed_fetch_is_reported_once_and_keeps_the_fences() throws {
    var most = SteadyGenerator(value: .max)
    var fetch = FenceFetch(period: 300 * second)
    let error = try #require(throws: SinkError.self) {
      try fetch.judge(HTTPReply(status: 500), of: url, at: 0)
    }
    #expect(fetch.failed(error, at: 0, using: &most)?.description.contains("the fences are unchanged") == true)
    #expect(fetch.nextAt >= 5 * second)
    #expect(fetch.failed(error, at: 0, using: &most) == nil)
  }
}
