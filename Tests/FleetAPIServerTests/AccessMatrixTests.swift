import FleetAccess
import FleetDomain
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// The things of vehicles and drivers × the callers with and without a scope × the relation of the thing to the caller.
///
/// The expected statuses follow from the table of permissions in the specification, which is copied here by hand.
@Suite struct AccessMatrixTests {
  private enum Relation: String, CaseIterable {
    case own, sameFleet, otherFleet, noFleet, otherTenant
  }

  /// The permission of a role in an area: everything in the scope, one's own things, or nothing.
  private enum Grant { case all, own, none }

  /// For administrator, maintenance, driver, viewer: the permission to read and to change.
  private static let table: [String: [(read: Grant, change: Grant)]] = [
    "vehicles": [(.all, .all), (.all, .none), (.own, .none), (.all, .none)],
    "records": [(.all, .all), (.all, .none), (.own, .none), (.all, .none)],
    "drivers": [(.all, .all), (.all, .none), (.own, .own), (.all, .none)],
    "contacts": [(.all, .all), (.none, .none), (.own, .own), (.all, .none)],
    "assignments": [(.all, .all), (.none, .none), (.own, .none), (.all, .none)],
    "journeys": [(.all, .all), (.none, .none), (.own, .own), (.all, .none)],
    "maintenance": [(.all, .all), (.all, .all), (.none, .none), (.all, .none)],
    "defects": [(.all, .all), (.all, .all), (.own, .none), (.all, .none)],
    "inspections": [(.all, .all), (.all, .all), (.own, .own), (.all, .none)],
    "work": [(.all, .all), (.all, .all), (.own, .own), (.all, .none)],
    "costs": [(.all, .all), (.all, .none), (.none, .none), (.none, .none)],
  ]
  private static let roles: [PersonRole] = [.admin, .maintenance, .driver, .viewer]

  /// The kinds of things, with their area, the body that creates one, and a change.
  private static let kinds: [(path: String, area: String, body: String, change: String)] = [
    ("drivers", "drivers", "", #"{"phone":"1"}"#),
    ("phones", "contacts", #"{"driverId":"$D","name":"P"}"#, #"{"name":"Q"}"#),
    (
      "assignments", "assignments",
      #"{"driverId":"$D","vehicleId":"$V","from":"2025-01-01T00:00:00Z","to":"2099-01-01T00:00:00Z"}"#,
      #"{"notes":"x"}"#
    ),
    ("journeys", "journeys", #"{"driverId":"$D","vehicleId":"$V","purpose":"business"}"#, #"{"notes":"x"}"#),
    (
      "expenses", "work",
      #"{"driverId":"$D","vehicleId":"$V","at":"2026-05-04T10:00:00Z","category":"toll","amount":{"amount":"1","currency":"EUR"}}"#,
      #"{"notes":"x"}"#
    ),
    (
      "fuel-entries", "work",
      #"{"driverId":"$D","vehicleId":"$V","at":"2026-05-04T10:00:00Z","energy":"diesel","quantity":40,"full":true}"#,
      #"{"notes":"x"}"#
    ),
    ("documents", "work", #"{"of":{"kind":"expense","id":"$E"},"kind":"receipt"}"#, #"{"notes":"x"}"#),
    (
      "inspections", "inspections",
      #"{"driverId":"$D","vehicleId":"$V","kind":"preTrip","items":[{"item":"horn","result":"ok"}]}"#, #"{"notes":"x"}"#
    ),
    ("defects", "defects", #"{"driverId":"$D","vehicleId":"$V","text":"no horn"}"#, #"{"text":"x"}"#),
    (
      "service-schedules", "maintenance",
      #"{"vehicleId":"$V","serviceType":"oilChange","every":{"kilometers":10000}}"#, #"{"notes":"x"}"#
    ),
    ("maintenance-records", "maintenance", #"{"vehicleId":"$V","serviceType":"repair"}"#, #"{"notes":"x"}"#),
    ("meter-readings", "vehicles", #"{"vehicleId":"$V","odometer":1000}"#, ""),
  ]

  /// What is read of a vehicle, with its area.
  private static let views = [
    "": "vehicles", "/latest": "records", "/trips": "records", "/dtcs": "records", "/events": "records",
    "/telemetry": "records", "/track": "records", "/days": "records",
    "/costs": "costs", "/fuel-economy": "work", "/due": "maintenance", "/driver": "assignments",
    "/reconciliation": "journeys", "/meters": "vehicles",
  ]

  /// Routes with the name of a thing that belongs to no vehicle or driver, or that only connectors create.
  /// `PeopleMatrixTests` has them.
  private static let others: Set<String> = [
    "/api/people/{personId}", "/api/fleets/{fleetId}", "/api/rules/{ruleId}", "/api/connectors/{connectorId}",
    "/api/forwards/{forwardId}", "/api/service-types/{serviceTypeId}", "/api/checklists/{checklistId}",
    "/api/gateways/{gatewayId}", "/api/gateways/{gatewayId}/records", "/api/reports/{reportId}",
    "/api/files/{fileId}", "/api/files/{fileId}/content", "/api/fuel-entries/{fuelEntryId}/check",
    "/api/connected-assets/{connectedAssetId}", "/api/connected-drivers/{connectedDriverId}",
    "/api/duty-periods/{dutyPeriodId}", "/api/webhooks/{webhookId}", "/api/webhooks/{webhookId}/deliveries",
    "/api/drivers/{driverId}/figures",
  ]

  @Test(arguments: TestServer.Database.allCases)
  func a_person_reaches_what_the_roles_allow_within_the_scope(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      let fleets = try await FleetRoutesTests.depots(server).ids
      let north = try UUIDv7.parsed(fleets.north)
      var callers: [(email: String, role: Int, isScoped: Bool)] = []
      var dora: [String] = []
      for (index, role) in Self.roles.enumerated() {
        for isScoped in [false, true] {
          let email = "\(role.rawValue)-\(isScoped)@example.com"
          let person = try await server.addPerson(email, [role], scope: isScoped ? .fleets([north]) : .all)
          if role == .driver { dora.append(person.id.string) }
          callers.append((email, index, isScoped))
        }
      }
      let (known, drivers) = (callers, dora)
      let routes = FleetRoutes.table(of: server.storage).routes
      try await runBlocking {
        // The test has every route that reads one thing of a vehicle or driver.
        let tested = Set(
          Self.kinds.map(\.path).compactMap { kind in
            routes.first {
              $0.method == .get && $0.path.text.hasPrefix("/api/\(kind)/{") && $0.path.text.hasSuffix("}")
            }?
            .path.text
          } + Self.views.keys.map { "/api/vehicles/{vehicleId}\($0)" })
        let all = Set(
          routes.filter { $0.method == .get && $0.access.need != nil && $0.path.text.contains("{") }.map(\.path.text))
        #expect(all.subtracting(Self.others) == tested)

        let things = try Self.makeThings(server, fleets.north, drivers)
        for caller in known {
          let session = try server.signIn(caller.email)
          for (relation, places) in things[caller.isScoped ? 1 : 0] {
            for (path, area, change, place) in places {
              let grant = try #require(Self.table[area])[caller.role]
              let isReached = Self.isReached(grant.read, relation, caller.isScoped)
              let what = "\(caller.email) \(relation.rawValue) \(path)"
              let read = try server.asPage(session, "GET", "\(path)/\(place)")
              #expect(read.status == (grant.read == .none ? 403 : isReached ? 200 : 404), "GET \(what): \(read.text)")
              guard !change.isEmpty else { continue }
              let reply = try server.asPage(
                session, "PATCH", "\(path)/\(place)", change, headers: ["If-Match": "*"])
              let expected =
                grant.change == .none
                ? 403
                : Self.isReached(grant.change, relation, caller.isScoped) ? 200 : isReached ? 403 : 404
              #expect(reply.status == expected, "PATCH \(what): \(reply.text)")
            }
            let vehicle = places.first { $0.path == "/api/vehicles" }?.place ?? ""
            for (view, area) in Self.views where !view.isEmpty {
              let grant = try #require(Self.table[area])[caller.role].read
              // A driver has no permission for what was before the assignment, or what belongs to others.
              let isWhole = grant != .own || area == "records" || view == "/fuel-economy"
              let expected =
                grant == .none
                ? 403 : Self.isReached(grant, relation, caller.isScoped) ? (isWhole ? 200 : 403) : 404
              let reply = try server.asPage(session, "GET", "/api/vehicles/\(vehicle)\(view)")
              #expect(
                reply.status == expected, "GET \(caller.email) \(relation.rawValue) \(vehicle)\(view): \(reply.text)")
            }
          }
        }
      }
    }
  }

  private static func isReached(_ grant: Grant, _ relation: Relation, _ isScoped: Bool) -> Bool {
    switch relation {
    case .own: grant != .none
    case .sameFleet: grant == .all
    case .otherFleet, .noFleet: grant == .all && !isScoped
    case .otherTenant: false
    }
  }

  private typealias Places = [(path: String, area: String, change: String, place: String)]

  /// Creates a thing of each kind and relation.
  ///
  /// - Parameter people: the accounts of the two drivers, who have things of their own.
  /// - Returns: for each of the two drivers, the places of the things by their relation to the caller.
  private static func makeThings(
    _ server: TestServer, _ north: String, _ people: [String]
  ) throws -> [[(Relation, Places)]] {
    func make(_ client: TestClient, _ vehicle: String, _ driver: String) throws -> Places {
      func add(_ path: String, _ body: String) throws -> String {
        let reply = try client.send("POST", "/api/\(path)", json: body)
        return try #require(try reply.json["id"] as? String, "\(path): \(reply.text)")
      }
      var places: Places = [("/api/vehicles", "vehicles", #"{"notes":"x"}"#, vehicle)]
      let driverID = try add("drivers", driver)
      var expense = ""
      for kind in kinds {
        let body = kind.body.replacing("$D", with: driverID).replacing("$V", with: vehicle)
          .replacing("$E", with: expense)
        let id = try kind.path == "drivers" ? driverID : add(kind.path, body)
        if kind.path == "expenses" { expense = id }
        places.append(("/api/\(kind.path)", kind.area, kind.change, id))
      }
      return places
    }
    let admin = try server.client(server.keys.admin)
    for (id, fleet) in [("OWN-0", north), ("OWN-1", north), ("NONE", nil)] as [(String, String?)] {
      let member = fleet.map { #","fleetId":"\#($0)""# } ?? ""
      let reply = try admin.send("POST", "/api/vehicles", json: #"{"id":"\#(id)"\#(member)}"#)
      #expect(reply.status == 201, "\(reply.text)")
    }
    let south = try admin.send("GET", "/api/vehicles/VAN-2").json["fleetId"] as? String ?? ""
    let shared: [(Relation, Places)] = [
      (.sameFleet, try make(admin, "VAN-1", #"{"name":"N","fleetId":"\#(north)"}"#)),
      (.otherFleet, try make(admin, "VAN-2", #"{"name":"S","fleetId":"\#(south)"}"#)),
      (.noFleet, try make(admin, "NONE", #"{"name":"F"}"#)),
      (
        .otherTenant,
        try make(try server.client(server.keys.foreignAdmin), "VAN-1", #"{"name":"O"}"#)
          .filter { $0.path != "/api/vehicles" } + [("/api/vehicles", "vehicles", #"{"notes":"x"}"#, "ELSEWHERE")]
      ),
    ]
    return try people.enumerated().map { index, person in
      let own = try make(
        admin, "OWN-\(index)", #"{"name":"D","fleetId":"\#(north)","personId":"\#(person)"}"#)
      return [(.own, own)] + shared
    }
  }
}
