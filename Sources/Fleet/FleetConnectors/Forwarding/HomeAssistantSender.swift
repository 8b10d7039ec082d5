import FleetDomain
import FleetFigures
import FleetWork
import Telemetry

/// Publishes the values of vehicles for one forward of the format `homeAssistant`, and clears the messages of vehicles
/// that have left the fleet.
struct HomeAssistantSender {
  /// Executes `work` in one transaction, if this server still has the lease of the forward.
  typealias Change =
    @Sendable (_ work: @escaping @Sendable (any FleetTransaction) throws(ThingError) -> Void)
    async throws(ConnectorError) -> Void

  /// As soon as the messages of a batch reach this size, bytes, the batch is published. The next records belong to a
  /// new batch.
  private static let mostPublished = 1 << 20
  /// Maximum number of vehicles whose messages are cleared in one step. A vehicle has at most some 1,000 messages.
  private static let clearedTogether = 5
  /// Maximum number of silent vehicles that are reported in one step.
  private static let silentTogether = 1_000

  let forward: Stored<Forward>
  private let address: MQTTAddress
  private let password: String?
  private let tenant: TenantID
  private let storage: any FleetStorage
  private let publisher: any RetainedPublisher
  private let memory: PublishedMemory
  private let now: @Sendable () -> Timestamp
  private let change: Change

  /// - Throws: `settings` if the forward's address is invalid, or its topics belong to another tenant.
  init(
    _ forward: Stored<Forward>, password: String?, tenant: TenantID, storage: any FleetStorage,
    publisher: any RetainedPublisher, memory: PublishedMemory, now: @escaping @Sendable () -> Timestamp,
    change: @escaping Change
  ) throws(ConnectorError) {
    guard let address = MQTTAddress(forward.value.address) else {
      throw ConnectorError(.settings, "address: \(MQTTAddress.expected)")
    }
    guard address.isUsable(by: tenant) else {
      throw ConnectorError(.settings, "address: \(MQTTAddress.expectedPrefix(of: tenant))")
    }
    (self.forward, self.address, self.password, self.tenant) = (forward, address, password, tenant)
    (self.storage, self.publisher, self.memory, self.now, self.change) = (storage, publisher, memory, now, change)
  }

  /// The name under which ``memory`` contains the topics of this forward. It includes the address, because another
  /// broker does not have the same messages.
  private var name: String { "\(forward.id.string) \(forward.value.address)" }

  // MARK: Values

  /// Publishes the newest values of records.
  ///
  /// - Returns: the number of records that were published, and the numbers of values that were ignored, by reason.
  /// - Throws: an error if the same values must be published again later.
  func publish(
    _ records: [ForwardedRecord]
  ) async throws(ConnectorError) -> (sent: Int, ignored: [String: Int]) {
    let vehicles = Set(records.map(\.vehicle)).sorted()
    var (devices, entities) = try await known(vehicles)
    var (rest, sent, ignored) = (records[...], 0, [String: Int]())
    while !rest.isEmpty {
      var batch = HomeAssistantBatch(
        to: address, devices, entities: entities, after: memory.topics(of: name), at: now())
      while let record = rest.first, batch.size < Self.mostPublished {
        batch.add(record)
        rest.removeFirst()
      }
      ignored.merge(batch.ignored, uniquingKeysWith: +)
      guard !batch.messages.isEmpty else { continue }
      let added = batch.entities.filter { $0.value != entities[$0.key] }
      if !added.isEmpty {
        try await change { [id = forward.id] transaction throws(ThingError) in try transaction.store(added, of: id) }
        entities = batch.entities
      }
      try await deliver(batch.messages)
      memory.set(batch.published, of: name)
      sent += batch.records
    }
    return (sent, ignored)
  }

  private func deliver(_ messages: [RetainedMessage]) async throws(ConnectorError) {
    do throws(ConnectorError) {
      try await publisher.publish(messages, as: "fleetstore-\(forward.id.string)", to: address, password: password)
    } catch {
      var topics = memory.topics(of: name)
      topics.forgetDiscoveries()
      memory.set(topics, of: name)
      throw error
    }
  }

  /// Returns those of the given vehicles that are in the fleet, and for each given vehicle the entities for which the
  /// broker may have messages.
  private func known(
    _ vehicles: [String]
  ) async throws(ConnectorError) -> (devices: [String: HomeAssistantDevice], entities: [String: Set<String>]) {
    guard !vehicles.isEmpty else { return ([:], [:]) }
    let query = ThingQuery<Vehicle>(
      .oneOf(key: "id", vehicles.map { .text($0) }), Self.isInFleet, limit: vehicles.count)
    let (found, published) = try await ForwardRunner.stored { [storage, tenant, id = forward.id] in
      try await storage.view(tenant: tenant) { view throws(ThingError) in
        let published = PublishedDevice.query(of: id, vehicles, limit: vehicles.count)
        return (try view.list(query).items.map(\.value), try view.list(published).items.map(\.value))
      }
    }
    let devices = found.map {
      ($0.id, HomeAssistantDevice(id: $0.id, name: $0.name, make: $0.make, model: $0.model))
    }
    let entities = published.map { ($0.vehicle, Set($0.entities.elements.compactMap(\.textValue))) }
    return (
      Dictionary(devices) { first, _ in first }, Dictionary(entities) { first, second in first.union(second) }
    )
  }

  /// A condition for the vehicles that are shown in Home Assistant.
  private static var isInFleet: ThingQuery<Vehicle>.Condition {
    .oneOf(key: "status", Vehicle.Status.allCases.filter { $0 != .retired }.map(\.json))
  }

  // MARK: Silence and removal

  /// Publishes which vehicles have become silent, and clears the messages of vehicles that were removed or retired.
  ///
  /// - Parameter checked: the time of the previous call; `nil` if there was none.
  func checkVehicles(since checked: Timestamp?) async throws(ConnectorError) {
    let latest = now().milliseconds - VehicleState.longestParking
    func time(_ milliseconds: Int64) -> JSON { Timestamp(limiting: milliseconds).json }
    var silent = ThingQuery<Vehicle>(.below(key: "lastRecordAt", time(latest)), Self.isInFleet)
    if let checked {
      // The previous call has already reported the vehicles that were silent at its time.
      silent.conditions.append(
        .atLeast(key: "lastRecordAt", time(checked.milliseconds - VehicleState.longestParking)))
    }
    let (quiet, gone) = try await ForwardRunner.stored { [storage, tenant, silent, id = forward.id] in
      try await storage.view(tenant: tenant) { view throws(ThingError) in
        func ids<Value: Kind>(_ key: String, _ query: ThingQuery<Value>) throws(ThingError) -> Set<String> {
          Set(try view.values([key], query).compactMap { $0[0].textValue })
        }
        let published = try ids("vehicleId", PublishedDevice.query(of: id))
        guard !published.isEmpty else { return ([String](), [String]()) }
        return (
          try ids("id", silent).intersection(published).sorted(),
          published.subtracting(try ids("id", ThingQuery<Vehicle>(Self.isInFleet))).sorted()
        )
      }
    }
    for start in stride(from: 0, to: quiet.count, by: Self.silentTogether) {
      let messages = quiet[start..<min(start + Self.silentTogether, quiet.count)].map { vehicle in
        HomeAssistantTopics(HomeAssistantDevice(id: vehicle), prefix: address.prefix).availability(isOnline: false)
      }
      try await deliver(messages)
      forget(messages.map(\.topic))
    }
    for start in stride(from: 0, to: gone.count, by: Self.clearedTogether) {
      try await clear(PublishedDevice.query(of: forward.id, Array(gone[start...].prefix(Self.clearedTogether))))
    }
  }

  /// Clears all messages of the forward.
  func clear() async throws(ConnectorError) {
    while try await clear(PublishedDevice.query(of: forward.id, limit: Self.clearedTogether)) > 0 {}
  }

  /// Clears the messages of one page of devices, and removes the devices. Returns their number.
  ///
  /// An empty retained message removes the message that the broker has, and the entity in Home Assistant.
  @discardableResult
  private func clear(_ query: ThingQuery<PublishedDevice>) async throws(ConnectorError) -> Int {
    let devices = try await ForwardRunner.stored { [storage, tenant] in
      try await storage.view(tenant: tenant) { view throws(ThingError) in try view.list(query).items }
    }
    guard !devices.isEmpty else { return 0 }
    let topics = devices.flatMap { device in
      HomeAssistantTopics(HomeAssistantDevice(id: device.value.vehicle), prefix: address.prefix)
        .all(of: device.value.entities.elements.compactMap(\.textValue))
    }
    try await deliver(topics.map { RetainedMessage(topic: $0, payload: []) })
    forget(topics)
    try await change { transaction throws(ThingError) in
      for device in devices {
        guard let stored = try transaction.find(device.id, PublishedDevice.self) else { continue }
        try transaction.remove(stored, action: "clear")
      }
    }
    return devices.count
  }

  private func forget(_ topics: [String]) {
    var published = memory.topics(of: name)
    published.forget(topics)
    memory.set(published, of: name)
  }
}
