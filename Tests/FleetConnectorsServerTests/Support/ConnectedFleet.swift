import FleetAccess
import FleetDomain
import FleetProviders
import FleetStorage
import FleetStorageTestKit
import FleetWork
import FleetstoreTestKit
import Logging
import StoredFleetTestKit
import Synchronization
import Telemetry
import TestKit
import Testing

@testable import FleetConnectors

typealias Database = FleetstoreTestKit.Database

/// A clock that a test sets.
final class TestClock: Sendable {
  private let milliseconds: Atomic<Int64>

  init(_ start: Int64) { milliseconds = Atomic(start) }

  var now: Timestamp { Timestamp(nanoseconds: milliseconds.load(ordering: .relaxed) * 1_000_000) }

  func advance(seconds: Double) { milliseconds.add(Int64(seconds * 1_000), ordering: .relaxed) }
}

/// A storage, a clock, and servers that pull from a simulated cloud.
final class ConnectedFleet: Sendable {
  /// 2026-03-01T12:00:00Z, ms.
  static let start: Int64 = 1_772_366_400_000

  let storage: StoredFleet
  let clock = TestClock(ConnectedFleet.start)
  let keys = SecretKeys(file: SecretKeys.newLine())!
  private let folder: ScratchFolder

  init(_ database: Database) async throws {
    folder = try ScratchFolder()
    storage = try await database.emptyStore(in: folder)
  }

  static func with(_ database: Database, _ body: (ConnectedFleet) async throws -> Void) async throws {
    let fleet = try await ConnectedFleet(database)
    do {
      try await body(fleet)
    } catch {
      await fleet.storage.close()
      throw error
    }
    await fleet.storage.close()
  }

  func server(_ cloud: any ConnectorTransport) -> ConnectorRunner {
    ConnectorRunner(
      storage: storage, keys: keys, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      now: { [clock] in clock.now }, transport: { cloud })
  }

  func change<Value: Sendable>(
    _ work: @escaping @Sendable (any FleetTransaction) throws(ThingError) -> Value
  ) async throws -> Value {
    try await storage.change(tenant: .standard, by: Actor(.command), at: clock.now, work)
  }

  func all<Value: Kind>(_ kind: Value.Type) async throws -> [Stored<Value>] {
    try await storage.view(tenant: .standard) { view throws(ThingError) in
      try view.list(ThingQuery<Value>(limit: 1_000)).items
    }
  }

  /// Adds a connector with a secret.
  @discardableResult
  func connect(
    _ name: String = "Samsara", _ service: Connector.Service = .samsara, _ set: (inout Connector) -> Void = { _ in }
  ) async throws -> UUIDv7 {
    var connector = Connector()
    (connector.name, connector.service) = (name, service)
    set(&connector)
    let id = UUIDv7.random(at: clock.now)
    connector.secret = keys.seal(Array("token-1".utf8), for: SecretPlace.connector(id))
    let added = connector
    try await change { transaction throws(ThingError) in
      try transaction.follow(try transaction.insert(added, id: id, action: "create"))
    }
    return id
  }

  func stored(_ id: UUIDv7) async throws -> Stored<Connector> {
    try await storage.view(tenant: .standard) { view throws(ThingError) in try view.existing(id, Connector.self) }
  }

  func connector(_ id: UUIDv7) async throws -> Connector {
    try await storage.view(tenant: .standard) { view throws(ThingError) in
      try view.existing(id, Connector.self).value
    }
  }

  /// The odometers of all records of a vehicle, in the order of their times.
  func values(_ key: String, of vehicle: String) async throws -> [Double] {
    let page = try await storage.records(.telemetry(of: vehicle, limit: 10_000), tenant: .standard)
    return try page.items.compactMap { try JSON(parsing: $0.body)[key]?.numberValue }
  }
}

/// A cloud that answers as Samsara does, in the tests' own process.
///
/// Each vehicle has one reading of the odometer for each second that was added. The cursor of the feed is the number of
/// readings that were sent.
final class SamsaraCloud: ConnectorTransport {
  enum Trouble: Sendable {
    case status(Int, retryAfter: String = "", body: String = "{\"message\":\"no\"}")
    case truncated
    /// The page before is sent once more, with its own cursor.
    case duplicate
    case reversed
  }

  struct Car: Sendable {
    var id: String
    var vin: String?
    var serial: String?
  }

  private struct State {
    var cars: [Car]
    var readings: [(car: Int, second: Int, meters: Int)] = []
    var troubles: [Int: Trouble] = [:]
    var requests = 0
    var expired: Set<String> = []
    var paths: [String] = []
    var authorizations: Set<String> = []
    /// The answers of other lists, by the beginning of their path.
    var lists = ["/fleet/drivers", "/fleet/hos/logs", "/fleet/dvirs/history"].map {
      (path: $0, status: 200, body: SamsaraCloud.page([], "", false))
    }
    var onRequest: (@Sendable (Int) async -> Void)?
  }

  private let state: Mutex<State>
  let pageLength: Int

  init(_ cars: [Car], pageLength: Int = 3) {
    state = Mutex(State(cars: cars))
    self.pageLength = pageLength
  }

  /// Adds a reading of each vehicle.
  func drive(seconds: Range<Int>) {
    state.withLock { state in
      for second in seconds {
        for car in state.cars.indices { state.readings.append((car, second, 1_000_000 + second * 1_000)) }
      }
    }
  }

  func set(_ cars: [Car]) { state.withLock { $0.cars = cars } }

  /// Lets the request with a number, counted from 1 from now, go wrong.
  func fail(_ number: Int, _ trouble: Trouble) {
    state.withLock { $0.troubles[$0.requests + number] = trouble }
  }

  /// Sets the answer of a list: its rows as JSON, or an error.
  func list(_ path: String, _ rows: String..., status: Int = 200) {
    state.withLock { state in
      state.lists.removeAll { $0.path == path }
      state.lists.append((path, status, status == 200 ? Self.page(rows, "", false) : #"{"message":"no"}"#))
    }
  }

  func expire(_ cursor: String) { _ = state.withLock { $0.expired.insert(cursor) } }

  var paths: [String] { state.withLock { $0.paths } }
  var authorizations: Set<String> { state.withLock { $0.authorizations } }

  func onRequest(_ work: @escaping @Sendable (Int) async -> Void) { state.withLock { $0.onRequest = work } }

  func send(_ request: ProviderClient.Request) async throws(ProviderFailure) -> ProviderClient.Answer {
    let (number, work) = state.withLock { state in
      state.requests += 1
      state.paths.append(request.url)
      for header in request.headers where header.hasPrefix("Authorization") { state.authorizations.insert(header) }
      return (state.requests, state.onRequest)
    }
    await work?(number)
    return state.withLock { answer(request.url, $0.troubles[number], &$0) }
  }

  private func answer(_ url: String, _ trouble: Trouble?, _ state: inout State) -> ProviderClient.Answer {
    if case .status(let status, let retryAfter, let body)? = trouble {
      return ProviderClient.Answer(status: status, body: Array(body.utf8), retryAfter: retryAfter)
    }
    let after = url.split(separator: "after=").dropFirst().first.map(String.init) ?? ""
    if !after.isEmpty, state.expired.remove(after) != nil {
      return ProviderClient.Answer(status: 400, body: Array(#"{"message":"Invalid cursor: expired"}"#.utf8))
    }
    if let list = state.lists.first(where: { url.contains($0.path) }) {
      return ProviderClient.Answer(status: list.status, body: Array(list.body.utf8))
    }
    var body =
      url.contains("/stats/feed")
      ? feed(url, from: Int(after) ?? 0, trouble, state) : vehicles(from: Int(after) ?? 0, state)
    if case .truncated? = trouble { body = String(body.prefix(body.count / 2)) }
    return ProviderClient.Answer(status: 200, body: Array(body.utf8))
  }

  private func vehicles(from start: Int, _ state: State) -> String {
    let end = min(start + pageLength, state.cars.count)
    let rows = state.cars[min(start, end)..<end].map { car in
      let vin = car.vin.map { #","vin":"\#($0)""# } ?? ""
      let serial = car.serial.map { #","serial":"\#($0)""# } ?? ""
      return #"{"id":"\#(car.id)","name":"Car \#(car.id)"\#(vin)\#(serial)}"#
    }
    let more = end < state.cars.count
    return Self.page(rows, more ? "\(end)" : "", more)
  }

  private func feed(_ url: String, from start: Int, _ trouble: Trouble?, _ state: State) -> String {
    guard url.contains("obdOdometerMeters") else { return Self.page([], "0", false) }
    var first = min(start, state.readings.count)
    let end = min(first + pageLength, state.readings.count)
    if case .duplicate? = trouble { first = max(first - pageLength, 0) }
    var part = Array(state.readings[first..<end])
    if case .reversed? = trouble { part.reverse() }
    let rows = part.map { reading in
      let time = Timestamp(nanoseconds: (ConnectedFleet.start + Int64(reading.second) * 1_000) * 1_000_000).string
      return #"{"id":"\#(state.cars[reading.car].id)","obdOdometerMeters":[{"time":"\#(time)","#
        + #""value":\#(reading.meters)}]}"#
    }
    return Self.page(rows, "\(end)", end < state.readings.count)
  }

  fileprivate static func page(_ rows: [String], _ cursor: String, _ more: Bool) -> String {
    #"{"data":[\#(rows.joined(separator: ","))],"pagination":{"endCursor":"\#(cursor)","hasNextPage":\#(more)}}"#
  }
}
