import FleetDomain
import FleetProviders
import Telemetry
import TestKit
import Testing

@testable import FleetConnectors

/// The one line that `fleetstore connector check` prints for each service.
@Suite struct ConnectorCheckTests {
  private static func check(
    _ service: Connector.Service, _ cloud: any ConnectorTransport, _ set: @escaping (inout Connector) -> Void = { _ in }
  ) async throws -> ConnectorCheck.Result {
    var result: ConnectorCheck.Result?
    try await ConnectedFleet.with(.sqlite) { fleet in
      let id = try await fleet.connect("Cloud", service) {
        ($0.address, $0.signIn) = (ServiceCloud.address, .bearer)
        set(&$0)
      }
      result = await ConnectorCheck.run(
        try await fleet.stored(id), tenant: .standard, storage: fleet.storage, keys: fleet.keys, transport: cloud,
        now: { [clock = fleet.clock] in clock.now })
      // Nothing is stored.
      #expect(try await fleet.all(Vehicle.self).isEmpty)
      #expect(try await fleet.connector(id).stored == 0)
    }
    return try #require(result)
  }

  private static let cars = (0..<3).map { number in
    ServiceCloud.Car(
      id: "\(number)", vin: "1FUJA6CV77LSYNTH\(number)", kilometers: 1_000,
      at: Timestamp(nanoseconds: ConnectedFleet.start * 1_000_000))
  }

  @Test(arguments: [
    (Connector.Service.samsara, "3 assets and 1 record on the first pages"),
    (.aemp, "1 asset and 1 record on the first pages"), (.tesla, "3 assets and 0 records on the first pages"),
    (.ford, "1 asset and 1 record on the first pages"),
  ])
  func a_working_connector_has_counts(_ service: Connector.Service, _ message: String) async throws {
    let result = try await Self.check(service, ServiceCloud(service, Self.cars))
    #expect(result == .init(isWorking: true, message: message))
  }

  @Test(arguments: [
    (Connector.Service.samsara, "https://cloud.example/api/fleet/vehicles?limit=512", "vehicles"),
    (.aemp, "https://cloud.example/api/Fleet/1", "fleet"),
    (.tesla, "https://cloud.example/api/api/1/vehicles", "vehicles"),
    (.ford, "https://cloud.example/api/fcon-query/v1/garage", "garage"),
  ])
  func a_failure_names_the_list_and_the_reason(
    _ service: Connector.Service, _ url: String, _ list: String
  ) async throws {
    let failures: [(ProviderClient.Answer, String)] = [
      (.error(401, #"{"message":"invalid token"}"#), "access is rejected (401): invalid token"),
      (.error(403, #"{"error":"missing scopes"}"#), "access is rejected (403): missing scopes"),
      (.error(429), "too many requests (429)"), (.error(503, "Unavailable"), "status 503"),
      (.error(421), "address: the account is not known there (421)"),
    ]
    for (answer, reason) in failures {
      let result = try await Self.check(service, ScriptedCloud([url: [answer]]))
      #expect(result == .init(isWorking: false, message: "\(list): \(reason)"))
    }
    let missing = try await Self.check(service, ScriptedCloud([:])) {
      ($0.signIn, $0.tokenAddress) = (.clientCredentials, "https://id.example/token")
    }
    #expect(missing == .init(isWorking: false, message: "\(list): clientId: expected a value"))
    // An answer that is not the one of the service, such as a page of a proxy.
    let other = try await Self.check(service, ScriptedCloud([url: [.ok("<html></html>")]]))
    #expect(!other.isWorking && other.message.hasPrefix("\(list): ") && !other.message.contains("\n"))
  }

  @Test func values_that_are_ignored_are_part_of_the_line() async throws {
    let list = #"{"response":[{"vin":"5YJSA7E21JF230000","state":"asleep"},{"state":"online"}]}"#
    let cloud = ScriptedCloud(["https://cloud.example/api/api/1/vehicles": [.ok(list)]])
    #expect(
      try await Self.check(.tesla, cloud).message
        == "1 asset and 0 records on the first pages; ignored: vehicle asleep (1), vehicle without id (1)")
  }
}
