import FleetDomain
import FleetStorageTestKit
import Foundation
import TestKit
import Testing

@testable import FleetAPI

/// Every route with every kind of caller: permissions, and the separation of tenants.
///
/// A route without a row fails the test.
@Suite struct AuthorisationMatrixTests {
  /// Callers, from the one with the fewest rights to the one whose permitted requests change data.
  enum Caller: String, CaseIterable {
    case nobody, unknownKey, revokedGateway, revokedToken
    /// gw-1 of the tenant `default`, made for VAN-1.
    case gateway
    /// gw-free of the tenant `default`, made for no vehicle.
    case freeGateway
    /// gw-1 of the tenant `other`, made for its VAN-1.
    case foreignGateway
    case readOnly
    /// Of the tenant `other`.
    case foreignReadOnly
    /// An administrator of the tenant `other`.
    case foreignAdmin
    case admin

    var isForeign: Bool { rawValue.hasPrefix("foreign") }

    func token(_ keys: TestServer.Keys) -> String? {
      switch self {
      case .nobody: nil
      case .unknownKey: "fst_" + String(repeating: "0", count: 64)
      case .revokedGateway: keys.revokedGateway
      case .revokedToken: keys.revokedToken
      case .gateway: keys.gateway
      case .freeGateway: keys.freeGateway
      case .foreignGateway: keys.foreignGateway
      case .readOnly: keys.readOnly
      case .foreignReadOnly: keys.foreignReadOnly
      case .foreignAdmin: keys.foreignAdmin
      case .admin: keys.admin
      }
    }
  }

  /// A request, and the expected status for each caller.
  struct Row: Sendable, CustomTestStringConvertible {
    let method: String
    /// As the table of routes writes it.
    let route: String
    /// The requested path; `nil` for the route itself.
    var path: String?
    var body: String?
    let gateway, readOnly, foreignAdmin, admin: Int
    /// Whether no key is needed.
    var isOpen = false

    var testDescription: String { "\(method) \(path ?? route)" }

    func status(_ caller: Caller) -> Int {
      switch caller {
      case .nobody, .unknownKey, .revokedGateway, .revokedToken: isOpen ? admin : 401
      case .gateway, .freeGateway, .foreignGateway: gateway
      case .readOnly: readOnly
      // In its own tenant, it may read the same as that tenant's administrator.
      case .foreignReadOnly: readOnly == 403 ? 403 : foreignAdmin
      case .foreignAdmin: foreignAdmin
      case .admin: admin
      }
    }
  }

  /// VAN-1 is a vehicle of both tenants, VAN-2 of `default` alone.
  static let rows: [Row] =
    [
      Row(
        method: "POST", route: "/api/telemetry", body: SampleRecord(1).line, gateway: 200, readOnly: 403,
        foreignAdmin: 200, admin: 200),
      Row(method: "GET", route: "/api/vehicles", gateway: 403, readOnly: 200, foreignAdmin: 200, admin: 200),
      Row(
        method: "POST", route: "/api/vehicles", body: #"{"id":"NEW"}"#, gateway: 403, readOnly: 403, foreignAdmin: 201,
        admin: 201),
      Row(
        method: "GET", route: "/api/vehicles/{vehicleId}", path: "/api/vehicles/VAN-2", gateway: 403, readOnly: 200,
        foreignAdmin: 404, admin: 200),
      Row(
        method: "PUT", route: "/api/vehicles/{vehicleId}", path: "/api/vehicles/VAN-2", body: #"{"name":"x"}"#,
        gateway: 403, readOnly: 403, foreignAdmin: 404, admin: 200),
      Row(
        method: "DELETE", route: "/api/vehicles/{vehicleId}", path: "/api/vehicles/VAN-2", gateway: 403, readOnly: 403,
        foreignAdmin: 404, admin: 204),
      Row(method: "GET", route: "/api/geofences", gateway: 200, readOnly: 200, foreignAdmin: 200, admin: 200),
      Row(
        method: "PUT", route: "/api/geofences", body: #"{"type":"FeatureCollection","features":[]}"#, gateway: 403,
        readOnly: 403, foreignAdmin: 204, admin: 204),
      Row(method: "DELETE", route: "/api/geofences", gateway: 403, readOnly: 403, foreignAdmin: 204, admin: 204),
      Row(method: "GET", route: "/api/gateways", gateway: 403, readOnly: 200, foreignAdmin: 200, admin: 200),
      Row(
        method: "POST", route: "/api/gateways", body: #"{"id":"gw-9"}"#, gateway: 403, readOnly: 403,
        foreignAdmin: 201, admin: 201),
      Row(
        method: "GET", route: "/api/gateways/{gatewayId}", path: "/api/gateways/gw-2", gateway: 403, readOnly: 200,
        foreignAdmin: 404, admin: 200),
      Row(
        method: "PUT", route: "/api/gateways/{gatewayId}", path: "/api/gateways/gw-2", body: #"{"vehicles":["VAN-2"]}"#,
        gateway: 403, readOnly: 403, foreignAdmin: 404, admin: 200),
      Row(
        method: "DELETE", route: "/api/gateways/{gatewayId}", path: "/api/gateways/gw-2", gateway: 403, readOnly: 403,
        foreignAdmin: 404, admin: 204),
      Row(
        method: "GET", route: "/api/gateways/{gatewayId}/records", path: "/api/gateways/gw-2/records", gateway: 403,
        readOnly: 200, foreignAdmin: 404, admin: 200),
      Row(
        method: "DELETE", route: "/api/gateways/{gatewayId}/records", path: "/api/gateways/gw-2/records", gateway: 403,
        readOnly: 403, foreignAdmin: 404, admin: 404),
      Row(
        method: "POST", route: "/api/gateways/{gatewayId}/rotate", path: "/api/gateways/gw-2/rotate", gateway: 403,
        readOnly: 403, foreignAdmin: 404, admin: 200),
      Row(
        method: "POST", route: "/api/gateways/{gatewayId}/revoke", path: "/api/gateways/gw-2/revoke", gateway: 403,
        readOnly: 403, foreignAdmin: 404, admin: 204),
      Row(method: "GET", route: "/api/tokens", gateway: 403, readOnly: 403, foreignAdmin: 200, admin: 200),
      Row(
        method: "POST", route: "/api/tokens", body: #"{"role":"readOnly"}"#, gateway: 403, readOnly: 403,
        foreignAdmin: 201, admin: 201),
      Row(
        method: "DELETE", route: "/api/tokens/{tokenId}", path: "/api/tokens/$TOKEN", gateway: 403, readOnly: 403,
        foreignAdmin: 404, admin: 204),
      Row(
        method: "GET", route: "/api/health", gateway: 200, readOnly: 200, foreignAdmin: 200, admin: 200, isOpen: true),
      Row(method: "GET", route: "/api/metrics", gateway: 403, readOnly: 200, foreignAdmin: 200, admin: 200),
      Row(
        method: "GET", route: "/api/openapi.json", gateway: 200, readOnly: 200, foreignAdmin: 200, admin: 200,
        isOpen: true),
    ]
    + ["/ws", "/api/ws"].map {
      Row(method: "GET", route: $0, gateway: 426, readOnly: 426, foreignAdmin: 426, admin: 426, isOpen: true)
    }
    + ["telemetry", "latest", "trips", "dtcs", "events", "track", "days", "costs"].flatMap { name in
      // A vehicle of the same tenant that is not the gateway's own, and one that the other tenant has too.
      ["VAN-1", "VAN-2"].map { vehicle in
        Row(
          method: "GET", route: "/api/vehicles/{vehicleId}/\(name)", path: "/api/vehicles/\(vehicle)/\(name)",
          gateway: 403, readOnly: 200, foreignAdmin: vehicle == "VAN-1" ? 200 : 404, admin: 200)
      }
    }
    + ["trips", "dtcs", "events", "positions"].map { name in
      Row(method: "GET", route: "/api/\(name)", gateway: 403, readOnly: 200, foreignAdmin: 200, admin: 200)
    }

  @Test(arguments: rows)
  func each_caller_gets_the_permitted_response(_ row: Row) async throws {
    try await TestServer.run { server in
      try await Self.fill(server)
      let token = try await server.storage.tokens(cursor: nil, limit: 1, tenant: .standard).items[0]
      let path = (row.path ?? row.route).replacingOccurrences(of: "$TOKEN", with: TextOf.id(token.id))
      try await runBlocking {
        for caller in Caller.allCases {
          let client = try server.client(caller.token(server.keys))
          let type = path == "/api/geofences" ? "application/geo+json" : "application/json"
          let reply = try client.send(
            row.method, path, row.body.map { Array($0.utf8) } ?? (row.method == "POST" ? [] : nil),
            headers: row.body == nil ? [:] : ["Content-Type": type])
          #expect(reply.status == row.status(caller), "\(caller.rawValue): \(reply.text)")
          if reply.status >= 400 {
            #expect(reply.errorCode != nil && !reply.errorMessage.isEmpty, "\(caller.rawValue): \(reply.text)")
          }
          if caller.isForeign, !row.isOpen {
            // Parts of the answer that repeat the request are ignored.
            for mark in ["default-only", "gw-2"] where !path.contains(mark) {
              #expect(!reply.text.contains(mark), "\(reply.text)")
            }
          }
        }
      }
    }
  }

  @Test func every_route_has_a_row_and_every_row_a_route() async throws {
    try await TestServer.run { server in
      let routes = FleetRoutes.table(of: server.storage).routes.map { "\($0.method.rawValue) \($0.path.text)" }
      let rows = Self.rows.map { "\($0.method) \($0.route)" } + PeopleMatrixTests.rows.map(\.route)
      #expect(Set(routes).symmetricDifference(rows).isEmpty)
      #expect(Set(routes).count == routes.count)
    }
  }

  /// Results of each gateway for records with its own ID, with its vehicles, and with others.
  @Test(
    arguments: [
      (Caller.gateway, "gw-1", ["VAN-1": nil, "gw-1": nil, "VAN-2": "foreignVehicle", "NEW": "foreignVehicle"]),
      (.freeGateway, "gw-free", ["VAN-1": "foreignVehicle", "gw-1": "foreignVehicle", "gw-free": nil, "NEW": nil]),
      (.foreignGateway, "gw-1", ["VAN-1": nil, "gw-1": nil, "VAN-2": "foreignVehicle", "gw-2": "foreignVehicle"]),
      (.gateway, "gw-2", ["VAN-1": "foreignGateway", "VAN-2": "foreignGateway"]),
    ] as [(Caller, String, [String: String?])])
  func a_gateway_writes_only_as_its_own_vehicles(
    _ caller: Caller, _ gateway: String, _ vehicles: [String: String?]
  ) async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client(caller.token(server.keys))
        let names = vehicles.keys.sorted()
        let records = names.enumerated().map { SampleRecord($0 + 1, vehicle: $1, gateway: gateway) }
        let results = try client.send("POST", "/api/telemetry", records.lines).json["results"] as? [[String: Any]] ?? []
        #expect(results.map { $0["kind"] as? String } == names.map { vehicles[$0] ?? nil })
      }
    }
  }

  @Test func the_same_id_in_two_tenants_is_two_vehicles() async throws {
    try await TestServer.run { server in
      try await Self.fill(server)
      try await runBlocking {
        let foreign = try server.client(server.keys.foreignAdmin)
        #expect(try foreign.send("GET", "/api/vehicles/VAN-1/telemetry").list.isEmpty)
        let gateway = try server.client(server.keys.foreignGateway)
        let sent = try gateway.send("POST", "/api/telemetry", [SampleRecord(1, rest: #""rpm":7"#)].lines)
        #expect(try sent.json["stored"] as? Int == 1)
        #expect(try foreign.send("GET", "/api/vehicles/VAN-1/telemetry").list.map { $0["rpm"] as? Int } == [7])
        let own = try server.client(server.keys.admin).send("GET", "/api/vehicles/VAN-1/telemetry").list
        #expect(own.map { $0["rpm"] as? Int } == [1726])
      }
    }
  }

  /// Something of everything in the tenant `default`.
  private static func fill(_ server: TestServer) async throws {
    _ = try await server.storage.updateVehicle("VAN-2", tenant: .standard) { $0.name = "default-only" }
    let fences = try FencesDocument(geoJSON: Array(#"{"type":"FeatureCollection","features":[]}"#.utf8))
    _ = try await server.storage.putFences(fences, expecting: .anything, tenant: .standard, at: WallClock.now)
    try await runBlocking {
      let records = [
        SampleRecord(1), SampleRecord(2, type: "trip", rest: #""tripId":"default-only""#),
        SampleRecord(3, type: "dtc"), SampleRecord(4, type: "driving"),
      ]
      let reply = try server.client(server.keys.gateway).send("POST", "/api/telemetry", records.lines)
      #expect(try reply.json["stored"] as? Int == 4)
    }
  }
}
