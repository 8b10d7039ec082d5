import Peers
import Testing

@Suite struct ServiceURLTests {
  private func url(_ text: String) -> ServiceURL? { ServiceURL(text, schemes: [("https", 443), ("http", 80)]) }

  @Test func parts_are_found_and_ports_follow_the_scheme() throws {
    let named = try #require(url("https://fleet.example/api/"))
    #expect(named.description == "https://fleet.example:443/api")
    #expect(url("http://[::1]:8080")?.host == "::1")
    #expect(url("http://[::1]:8080")?.origin == "http://[::1]:8080")
    #expect(url("HTTP://127.0.0.1")?.port == 80)
  }

  @Test(arguments: [
    ("localhost", true), ("LocalHost", true), ("127.0.0.1", true), ("127.255.3.4", true), ("[::1]", true),
    ("localhost.example", false), ("127.0.0.1.example", false), ("127.0.0.256", false), ("127.1", false),
    ("127.0.0.01", false), ("128.0.0.1", false), ("10.0.0.1", false), ("[::2]", false), ("[::ffff:10.0.0.1]", false),
  ]) func loopback_addresses_are_distinguished_from_remote_ones(host: String, isLoopback: Bool) {
    #expect(url("http://\(host):8080/api")?.isLoopback == isLoopback)
  }

  @Test(arguments: [
    "", "https://", "ftp://a", "https://user:secret@a", "https://a:0", "https://a:70000", "https://a:x", "https://a?b",
    "https://a#b", "https://a b", "https://[::1", "https://::1/",
  ]) func text_that_is_not_a_service_url_is_rejected(_ text: String) {
    #expect(url(text) == nil)
  }
}
