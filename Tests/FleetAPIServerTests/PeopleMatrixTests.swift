import FleetAccess
import FleetConnectors
import FleetDomain
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// The routes of people's accounts × every kind of caller, and people of every role × the routes that were there before.
///
/// The expected values are those of the table of rights, written down here.
@Suite struct PeopleMatrixTests {
  /// Callers from the weakest to the strongest.
  enum Caller: String, CaseIterable, Sendable {
    case nobody, gateway, readOnly, driver, viewer, maintenance, foreignAdmin, token, admin
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let route: String
    /// With `$SELF` (the caller's own id), `$OTHER` (another person of the tenant), `$SESSION` (that person's session).
    var path: String?
    var body: String?
    var headers: [String: String] = [:]
    /// In the order of ``Caller``.
    let statuses: [Int]

    var testDescription: String { "\(route) \(path ?? "")" }

    init(
      _ route: String, _ path: String? = nil, body: String? = nil, headers: [String: String] = [:], gets statuses: [Int]
    ) {
      self.route = route
      self.path = path
      self.body = body
      self.headers = headers
      self.statuses = statuses
    }
  }

  @Test(arguments: rows + older)
  func a_caller_gets_what_their_roles_allow(_ row: Row) async throws {
    try await TestServer.run { server in
      let foreign = TenantID("other")!
      var people: [Caller: Stored<Person>] = [:]
      for (caller, role) in [
        (Caller.driver, PersonRole.driver), (.viewer, .viewer), (.maintenance, .maintenance), (.admin, .admin),
      ] {
        people[caller] = try await server.addPerson("\(caller)@example.com", [role])
      }
      people[.foreignAdmin] = try await server.addPerson("admin@example.com", tenant: foreign)
      let other = try await server.addPerson("other@example.com", [.viewer])
      let things = try await Self.things(server)
      let known = people
      try await runBlocking {
        _ = try server.signIn("other@example.com")
        let admin = try server.signIn("admin@example.com")
        let session = try #require(
          try server.asPage(admin, "GET", "/api/sessions?personId=\(other.id.text36)").list.first?["id"] as? String)
        for (caller, status) in zip(Caller.allCases, row.statuses) {
          let cookie: String? =
            switch caller {
            case .nobody, .gateway, .readOnly, .token: nil
            case .foreignAdmin: try server.signIn("admin@example.com", tenant: foreign)
            default: try server.signIn("\(caller)@example.com")
            }
          let token: String? =
            switch caller {
            case .gateway: server.keys.gateway
            case .readOnly: server.keys.readOnly
            case .token: server.keys.admin
            default: nil
            }
          let own = known[caller]?.id ?? UUIDv7.random(at: WallClock.now)
          func filled(_ text: String) -> String {
            var text = text.replacing("$SELF", with: own.text36).replacing("$OTHER", with: other.id.text36)
              .replacing("$SESSION", with: session).replacing("$CALLER", with: caller.rawValue.lowercased())
              .replacing("$NEW", with: UUIDv7.random(at: WallClock.now).text36)
            for (place, id) in things { text = text.replacing(place, with: id) }
            return text
          }
          let parts = row.route.split(separator: " ")
          var headers = row.headers
          if let token { headers["Authorization"] = "Bearer \(token)" }
          let reply = try server.asPage(
            cookie, String(parts[0]), filled(row.path ?? String(parts[1])), row.body.map(filled), headers: headers)
          #expect(reply.status == status, "\(caller.rawValue): \(reply.status) \(reply.text)")
        }
      }
    }
  }
}

extension PeopleMatrixTests {
  /// Ids of one thing of each kind, of the vehicle VAN-2 and of a driver without an account.
  ///
  /// - Returns: by their places in ``Row/path`` and ``Row/body``.
  private static func things(_ server: TestServer) async throws -> [String: String] {
    try await server.storage.change(tenant: .standard, by: Actor(.command), at: WallClock.now) {
      transaction throws(ThingError) in
      var fleet = Fleet()
      fleet.name = "Depot"
      var driver = Driver()
      driver.name = "Emil"
      let stored = try transaction.insert(driver)
      var assignment = Assignment()
      assignment.driver = stored.id
      assignment.vehicle = "VAN-2"
      // The assignment ends in 2090, so that the server does not end it during the test.
      assignment.from = Timestamp(nanoseconds: 3_786_912_000_000_000_000)
      assignment.to = Timestamp(nanoseconds: 3_786_998_400_000_000_000)
      var expense = Expense()
      expense.vehicleID = "VAN-2"
      expense.amount = Money(amount: "1", currency: "EUR")
      var fuel = FuelEntry()
      fuel.vehicle = "VAN-2"
      var journey = Journey()
      journey.driverID = stored.id
      journey.vehicle = "VAN-2"
      var inspection = Inspection()
      inspection.driverID = stored.id
      inspection.vehicle = "VAN-2"
      inspection.items = [Inspection.Item()]
      var document = Document()
      document.subject = Document.Subject(.vehicle, "VAN-2")
      document.vehicleID = "VAN-2"
      var rule = NotificationRule()
      (rule.name, rule.events) = ("R", [.journeyIncident])
      var connector = Connector()
      (connector.name, connector.isActive) = ("C", false)
      var asset = ConnectedAsset()
      (asset.assetID, asset.vehicle) = ("1", "VAN-2")
      var connected = ConnectedDriver()
      (connected.sourceID, connected.driver) = ("1", stored.id)
      var duty = DutyPeriod()
      duty.driver = stored.id
      var forward = Forward()
      (forward.name, forward.address) = ("F", "https://influx.example/write")
      var phone = Phone()
      (phone.name, phone.driverID) = ("P", stored.id)
      var webhook = Webhook()
      webhook.url = "https://hooks.example/fleet"
      let hook = try transaction.insert(webhook).id
      var delivery = Delivery()
      (delivery.receiverID, delivery.state) = (hook, .failed)
      try transaction.insert(DeliveryProgress(), id: hook, action: "create")
      let others = [
        "$WEBHOOK": hook.text36, "$DELIVERY": try transaction.insert(delivery).id.text36,
        "$SUBSCRIPTION": try transaction.insert(PushSubscription()).id.text36,
        "$FORWARD": try transaction.insert(forward).id.text36,
        "$CONNECTOR": try transaction.insert(connector).id.text36,
        "$CONNECTED_DRIVER": try transaction.insert(connected).id.text36,
        "$DUTY": try transaction.insert(duty).id.text36,
        "$ASSET": try transaction.insert(asset).id.text36,
        "$PHONE": try transaction.insert(phone).id.text36,
        "$RULE": try transaction.insert(rule).id.text36,
        "$NOTIFICATION": try transaction.insert(FleetWork.Notification()).id.text36,
        "$INSPECTION": try transaction.insert(inspection).id.text36,
        "$DOCUMENT": try transaction.insert(document).id.text36,
        "$JOURNEY": try transaction.insert(journey).id.text36,
        "$FLEET": try transaction.insert(fleet).id.text36,
        "$DRIVER": stored.id.text36,
        "$ASSIGNMENT": try transaction.insert(assignment).id.text36,
        "$EXPENSE": try transaction.insert(expense).id.text36,
        "$FUEL": try transaction.insert(fuel).id.text36,
      ]
      return try maintenance(transaction).merging(others) { $1 }
    }
  }

  private static func maintenance(_ transaction: any FleetTransaction) throws(ThingError) -> [String: String] {
    var reading = MeterReading()
    reading.vehicle = "VAN-2"
    reading.odometer = 900
    var type = ServiceType()
    (type.code, type.name) = ("wash", "Wash")
    var schedule = ServiceSchedule()
    (schedule.vehicle, schedule.serviceType) = ("VAN-2", "oilChange")
    schedule.every.kilometers = 10_000
    var record = MaintenanceRecord()
    (record.vehicle, record.serviceType) = ("VAN-2", "repair")
    var defect = Defect()
    (defect.vehicle, defect.text) = ("VAN-2", "no horn")
    return [
      "$READING": try transaction.insert(reading).id.text36, "$TYPE": try transaction.insert(type).id.text36,
      "$SCHEDULE": try transaction.insert(schedule).id.text36, "$RECORD": try transaction.insert(record).id.text36,
      "$DEFECT": try transaction.insert(defect).id.text36,
    ]
  }
}

extension UUIDv7 {
  fileprivate var text36: String { json.textValue ?? "" }
}
