import FleetAccess
import FleetDomain
import FleetWork
import Telemetry

extension SecretPlace {
  /// The name of the place where the key of a phone's encrypted messages is stored.
  public static func phone(_ id: UUIDv7) -> String { "phone \(id.string)" }
}

/// Stores the positions of drivers' phones as records of the vehicles that the drivers use.
public struct PhoneReceiver: Sendable {
  /// A position is stored only if its radius of uncertainty is at most this, m.
  private static let greatestRadius = 200.0
  /// If the times of a phone's position and of a position from the vehicle's gateway differ by at most this number of
  /// seconds, the phone's position is not stored. The gateway's position is better.
  private static let gatewayReach: Int64 = 60
  /// The longest time by which a position's time may be ahead of the server's clock, s. Positions with later times are
  /// not stored.
  private static let mostAhead = 300

  private let storage: any FleetStorage
  /// The keys that encrypt the phones' message keys.
  private let keys: SecretKeys

  public init(storage: any FleetStorage, keys: SecretKeys) { (self.storage, self.keys) = (storage, keys) }

  /// The result of a request.
  public struct Outcome: Equatable, Sendable {
    public var stored = 0
    public var ignored: [String: Int] = [:]
  }

  /// A phone that has authenticated with its key.
  public struct Sender: Sendable {
    public let tenant: TenantID
    public let phone: Stored<Phone>
  }

  /// Returns the texts of a request that may be the phone's key, in the order in which to try them.
  ///
  /// - Parameters:
  ///   - authorization: the value of the header `Authorization`; `nil` if there is none.
  ///   - json: the body, if it is JSON.
  public static func keys(
    authorization: String?, parameters: [(name: String, value: String)], json: [UInt8]
  ) -> [String] {
    var keys: [String] = []
    if let authorization {
      let parts = authorization.split(separator: " ", maxSplits: 1).map(String.init)
      if parts.count == 2, parts[0].lowercased() == "bearer" { keys.append(parts[1].trimmed) }
      if parts.count == 2, parts[0].lowercased() == "basic", let bytes = Base64.bytes(parts[1].trimmed) {
        // Some apps can set only the user name, others only the password.
        keys += String(decoding: bytes, as: UTF8.self).split(separator: ":", maxSplits: 1).reversed().map(String.init)
      }
    }
    keys += parameters.filter { ["key", "id", "deviceid"].contains($0.name) }.map(\.value)
    if !json.isEmpty, keys.isEmpty, let device = PhoneFormat.traccarDevice(json) { keys.append(device) }
    return Array(keys.prefix(4))
  }

  /// Returns the phone that has a key; `nil` if there is none.
  public func sender(key: String) async throws -> Sender? {
    guard let tenant = Secret.place(in: key, .phoneKey).flatMap({ TenantID($0) }) else { return nil }
    let hash = Secret.hash(of: key).text
    let phone: Stored<Phone>?
    do throws(ThingError) {
      phone = try await storage.view(tenant: tenant) { view throws(ThingError) in
        try view.first(ThingQuery<Phone>(.oneOf(key: "keyHash", [.text(hash)])))
      }
    } catch {
      // The tenant in the key does not exist.
      if case .storage(let failure) = error, failure.kind == .notFound { return nil }
      throw error
    }
    return phone.map { Sender(tenant: tenant, phone: $0) }
  }

  /// Stores the positions of a JSON body.
  ///
  /// - Throws: ``PhoneReportError``; errors of the storage.
  public func receive(
    json body: [UInt8], _ format: PhoneFormat, from sender: Sender, at now: Timestamp
  ) async throws -> Outcome {
    let phone = sender.phone
    let key = phone.value.messageKey.flatMap { keys.open($0, for: SecretPlace.phone(phone.id)) }
    return try await store(try format.report(json: body, at: now, key: key), from: sender, at: now)
  }

  /// Stores the position that the parameters of a query or form contain.
  public func receive(
    parameters: [(name: String, value: String)], from sender: Sender, at now: Timestamp
  ) async throws -> Outcome {
    try await store(PhoneFormat.report(parameters: parameters, at: now), from: sender, at: now)
  }

  private func store(_ report: PhoneReport, from sender: Sender, at now: Timestamp) async throws -> Outcome {
    var outcome = Outcome(stored: 0, ignored: report.ignored)
    func ignore(_ reason: String) { outcome.ignored[reason, default: 0] += 1 }
    var positions: [PhonePosition] = []
    for position in report.positions {
      if position.time > now.adding(seconds: Self.mostAhead) {
        ignore("time in the future")
      } else if position.values["accuracy"]?.numberValue ?? 0 > Self.greatestRadius {
        ignore("not accurate enough")
      } else if !sender.phone.value.sharesPosition {
        ignore("not allowed by the driver")
      } else {
        positions.append(position)
      }
    }
    var places: [(position: PhonePosition, vehicle: String)] = []
    let vehicles = try await vehicles(at: positions.map(\.time), of: sender)
    for (position, vehicle) in zip(positions, vehicles) {
      if let vehicle { places.append((position, vehicle)) } else { ignore("outside of a journey") }
    }
    var records: [IncomingRecord] = []
    for (vehicle, group) in Dictionary(grouping: places, by: \.vehicle) {
      let better = try await gatewayTimes(of: vehicle, around: group.map(\.position.time), sender)
      for (position, _) in group {
        guard !better.has(position.time.milliseconds / 1_000, within: Self.gatewayReach) else {
          ignore("the gateway has a position")
          continue
        }
        let record = PulledRecord(
          asset: "phone", time: position.time, series: "position",
          values: position.values.merging(["positionSource": .text("phone")]) { own, _ in own })
        do throws(RecordRefusal) {
          records.append(
            try record.incoming(
              of: sender.phone.id, gateway: Phone.gatewayName(sender.phone.id), vehicle: vehicle, vin: nil))
        } catch {
          ignore("position that cannot be true")
        }
      }
    }
    if !records.isEmpty {
      let counts = IngestCounts(try await storage.ingest(records, from: .trusted, tenant: sender.tenant, at: now))
      outcome.stored = counts.stored
    }
    try await recordOutcome(outcome, of: sender, at: now)
    return outcome
  }

  // MARK: Journeys

  /// For each time, returns the vehicle that the driver drove; `nil` if the driver drove none. The driver drives the
  /// vehicle of a journey while the journey is in progress and the vehicle is assigned to the driver.
  private func vehicles(at times: [Timestamp], of sender: Sender) async throws -> [String?] {
    guard let first = times.min(), let last = times.max(), let driver = sender.phone.value.driverID else {
      return times.map { _ in nil }
    }
    return try await storage.view(tenant: sender.tenant) { view throws(ThingError) in
      let journeys = try view.list(
        ThingQuery<Journey>(
          .oneOf(key: "driverId", [driver.json]), .atMost(key: "startTime", last.json),
          .anyOf([[.oneOf(key: "endTime", [.null])], [.atLeast(key: "endTime", first.json)]]),
          order: [.init("startTime", isDescending: true)], limit: 100)
      ).items.map(\.value)
      let assignments = try view.list(
        ThingQuery<Assignment>(
          .oneOf(key: "driverId", [driver.json]), .atMost(key: "from", last.json),
          .anyOf([[.oneOf(key: "to", [.null])], [.atLeast(key: "to", first.json)]]), limit: 100)
      ).items.map(\.value)
      return times.map { time in
        journeys.first { $0.isUnderway(at: time) }.flatMap { journey in
          assignments.contains { $0.vehicle == journey.vehicle && $0.contains(time) } ? journey.vehicle : nil
        }
      }
    }
  }

  // MARK: Gateways

  /// Returns the times, in seconds since 1970, at which a gateway has stored a position of the vehicle.
  private func gatewayTimes(
    of vehicle: String, around times: [Timestamp], _ sender: Sender
  ) async throws -> SortedTimes {
    guard let first = times.min(), let last = times.max() else { return SortedTimes([]) }
    var query = RecordQuery.telemetry(
      of: vehicle, from: first.adding(seconds: -Int(Self.gatewayReach)),
      to: last.adding(seconds: Int(Self.gatewayReach) + 1), limit: 1_000)
    var found: [Int64] = []
    repeat {
      let page: Page<StoredRecord>
      do throws(StorageError) {
        page = try await storage.records(query, tenant: sender.tenant)
      } catch {
        guard error.kind == .notFound else { throw error }
        return SortedTimes([])
      }
      for record in page.items {
        guard let time = record.time, TelemetryValues(record: record.body).hasPosition,
          let json = try? JSON(parsing: record.body), json["positionSource"]?.textValue != "phone"
        else { continue }
        found.append(time.milliseconds / 1_000)
      }
      query.cursor = page.next
    } while query.cursor != nil
    return SortedTimes(found)
  }

  // MARK: Counts

  private func recordOutcome(_ outcome: Outcome, of sender: Sender, at now: Timestamp) async throws {
    try await storage.change(tenant: sender.tenant, by: Actor(.server), at: now) {
      [id = sender.phone.id] transaction throws(ThingError) in
      guard let stored = try transaction.find(id, Phone.self) else { return }
      var phone = stored.value
      phone.lastSeenAt = transaction.now
      phone.stored += Int64(outcome.stored)
      phone.ignored = IgnoredCounts.adding(outcome.ignored, to: phone.ignored)
      try transaction.refresh(stored, to: phone)
    }
  }
}

/// Times in ascending order.
private struct SortedTimes {
  private let times: [Int64]

  init(_ times: [Int64]) { self.times = times.sorted() }

  /// Whether one of the sorted times differs from `time` by at most `reach`.
  func has(_ time: Int64, within reach: Int64) -> Bool {
    var (low, high) = (0, times.count)
    while low < high {
      let middle = (low + high) / 2
      if times[middle] < time - reach { low = middle + 1 } else { high = middle }
    }
    return low < times.count && times[low] <= time + reach
  }
}
