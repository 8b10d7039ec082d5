import Peers
import TestKit
import Testing

@testable import Sinks
@testable import SinksTestKit

@Suite struct FleetStoreTLSTests: ~Copyable {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func delivery(
    _ port: Int, _ tls: TLSFiles, host: String = "localhost"
  ) throws -> Delivery {
    var configuration = FleetStoreConfiguration(
      url: try #require(ServiceURL("https://\(host):\(port)/api", schemes: FleetStoreConfiguration.schemes)))
    configuration.tls = tls
    var sink = FleetStoreSink(
      configuration, FleetStoreSink.GatewayFacts(version: "1", stateDirectory: scratch.path))
    return sink.deliver(Batches.telemetry(1...3), try SinkWakeUp())
  }

  private func refusal(_ delivery: Delivery) -> SinkError? {
    for case .failing(let error) in delivery.events { return error }
    return nil
  }

  private func files(_ authority: String?, own: (certificate: String, key: String)? = nil) -> TLSFiles {
    var files = TLSFiles()
    files.authorities = authority
    files.certificate = own?.certificate
    files.key = own?.key
    return files
  }

  @Test func a_server_of_the_configured_authority_is_trusted_and_no_other() throws {
    let certificates = try Certificates()
    let server = try certificates.make("server", for: "DNS:localhost")
    let store = try ScriptedStore([:], in: scratch, tls: server)
    #expect(try delivery(store.port, files(certificates.authority)).acknowledged == [0..<3])
    #expect(refusal(try delivery(store.port, files(nil)))?.kind == .certificate)
    #expect(store.received == [1, 2, 3])
  }

  @Test func a_certificate_for_another_name_or_one_that_has_expired_is_not_accepted() throws {
    let certificates = try Certificates()
    for (server, kind) in [
      (try certificates.make("other", for: "DNS:other.example"), SinkError.Kind.otherHost),
      (try certificates.make("expired", for: "DNS:localhost", isExpired: true), .certificate),
    ] {
      let store = try ScriptedStore([:], in: scratch, tls: server)
      let delivery = try delivery(store.port, files(certificates.authority))
      #expect(delivery.acknowledged.isEmpty)
      #expect(refusal(delivery)?.kind == kind)
      #expect(delivery.sentNothing)
      #expect(store.requests.isEmpty)
    }
  }

  @Test func the_client_certificate_is_accepted_if_required() throws {
    let certificates = try Certificates()
    let server = try certificates.make("server", for: "DNS:localhost")
    let own = try certificates.make("gateway", for: "DNS:gw-17")
    let store = try ScriptedStore([:], in: scratch, tls: server, clients: certificates.authority)
    #expect(try delivery(store.port, files(certificates.authority, own: own)).acknowledged == [0..<3])
    #expect(try delivery(store.port, files(certificates.authority)).acknowledged.isEmpty)
    #expect(store.received == [1, 2, 3])
  }

  @Test func an_unusable_local_TLS_file_is_named() throws {
    let certificates = try Certificates()
    let own = try certificates.make("gateway", for: "DNS:gw-17")
    let other = try certificates.make("other", for: "DNS:gw-18")
    let store = try ScriptedStore([:], in: scratch, tls: try certificates.make("server", for: "DNS:localhost"))
    let missing = scratch.file("none.pem")
    let junk = try scratch.write("junk.pem", "junk\n")
    let authority = certificates.authority
    for (files, place, words) in [
      (files(missing), missing, "No such file"), (files(junk), junk, "no PEM certificate"),
      (files(authority, own: (own.certificate, missing)), missing, "\"keyFile\""),
      (files(authority, own: (junk, own.key)), junk, "\"certificateFile\""),
      (files(authority, own: (own.certificate, other.key)), own.certificate, "does not match its \"keyFile\""),
    ] {
      let error = refusal(try delivery(store.port, files))
      #expect(error?.kind == .badTLSFile, "\(words)")
      #expect(error?.place == place, "\(words)")
      #expect(error?.detail.contains(words) == true, "\(error?.detail ?? "nothing")")
    }
    #expect(store.requests.isEmpty)
  }

  @Test func a_mismatch_of_tls_and_plain_http_is_reported() throws {
    let certificates = try Certificates()
    let plain = try ScriptedStore([:], in: scratch)
    let secured = try ScriptedStore([:], in: scratch, tls: try certificates.make("server", for: "DNS:localhost"))
    #expect(refusal(try delivery(plain.port, files(nil)))?.kind == .noTLS)
    var configuration = FleetStoreConfiguration(
      url: try #require(ServiceURL("http://localhost:\(secured.port)/api", schemes: FleetStoreConfiguration.schemes)))
    configuration.requestLimit = 60_000_000_000
    var sink = FleetStoreSink(
      configuration, FleetStoreSink.GatewayFacts(version: "1", stateDirectory: scratch.path))
    #expect(refusal(sink.deliver(Batches.telemetry(1...3), try SinkWakeUp()))?.kind == .cut)
  }
}
