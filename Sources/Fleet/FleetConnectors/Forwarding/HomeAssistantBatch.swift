import FleetDomain
import FleetFigures
import Synchronization
import Telemetry

/// The topics of one forward for which the broker has received messages, as hashes of the topics' names.
struct PublishedTopics: Sendable {
  /// The time after which a discovery message is sent again, s. A broker that has lost its retained messages therefore
  /// gets them again within this time.
  static let repetition = 600

  /// The time of the newest value of each topic, ns since 1970.
  fileprivate var times: [Int: Int64] = [:]
  /// For each discovery message and each message about availability, the hash of the payload that was sent, and the
  /// time (`until`) at which the message becomes due again.
  fileprivate var discoveries: [Int: (payload: Int, until: Timestamp)] = [:]

  var count: Int { times.count + discoveries.count }

  /// Removes the discovery messages, so that they are sent again.
  mutating func forgetDiscoveries() { discoveries = [:] }

  /// Removes topics whose messages the broker no longer has, or has with another payload.
  mutating func forget(_ topics: [String]) {
    for topic in topics {
      times[topic.hashValue] = nil
      discoveries[topic.hashValue] = nil
    }
  }
}

/// The messages for some records. Of several values of a topic, only the newest is sent.
struct HomeAssistantBatch {
  /// The maximum length of a key, bytes. Values with longer keys are left out.
  private static let longestKey = 100
  /// Maximum number of entities of one vehicle. Values with other keys are ignored.
  static let mostEntities = 500

  private let address: MQTTAddress
  private let devices: [String: HomeAssistantDevice]
  private let now: Timestamp
  /// The topics for which the broker will have messages after it has acknowledged this batch.
  private(set) var published: PublishedTopics
  /// The size of all messages, bytes. It includes values that were replaced by newer ones.
  private(set) var size = 0
  /// Number of records that contain values for Home Assistant.
  private(set) var records = 0
  /// For each vehicle, the names of the entities for which the broker will have messages after it has acknowledged this
  /// batch.
  private(set) var entities: [String: Set<String>]
  /// For each reason, the number of values that were left out.
  private(set) var ignored: [String: Int] = [:]
  private var discoveries: [String: [UInt8]] = [:]
  private var states: [String: [UInt8]] = [:]

  /// - Parameters:
  ///   - devices: the vehicles, by their IDs. Records of other vehicles are left out, because those vehicles were
  ///     removed.
  ///   - entities: for each vehicle, the names of the entities for which the broker may have messages already.
  ///   - published: the topics for which the broker has messages already.
  init(
    to address: MQTTAddress, _ devices: [String: HomeAssistantDevice], entities: [String: Set<String>] = [:],
    after published: PublishedTopics, at now: Timestamp
  ) {
    (self.address, self.devices, self.entities, self.published, self.now) = (address, devices, entities, published, now)
  }

  /// All messages, sorted by topic. Discovery messages are first.
  var messages: [RetainedMessage] {
    [discoveries, states].flatMap { topics in
      topics.sorted { $0.key < $1.key }.map { RetainedMessage(topic: $0.key, payload: $0.value) }
    }
  }

  /// Adds the values of a record. A value is left out if the broker already has a newer value of the same topic.
  mutating func add(_ record: ForwardedRecord) {
    guard let device = devices[record.vehicle] else { return }
    let topics = HomeAssistantTopics(device, prefix: address.prefix)
    var isUsed = false
    for (key, value) in record.values.sorted(by: { $0.key < $1.key }) where !HomeAssistantTopics.place.contains(key) {
      guard key.utf8.count <= Self.longestKey, let entity = HomeAssistantEntity(key, value),
        include(HomeAssistantTopics.entity(entity.component, key), of: device.id)
      else { continue }
      isUsed = true
      add(topics.discovery(key, entity), topics.state(key), Array(entity.state.utf8), record.time)
    }
    if let position = HomeAssistantTopics.position(record), include(HomeAssistantTopics.tracker, of: device.id) {
      isUsed = true
      add(topics.trackerDiscovery, topics.attributes, position.canonicalBytes, record.time)
    }
    guard isUsed else { return }
    records += 1
    // A record that arrives late does not show that the vehicle sends records now.
    if now.milliseconds - record.time.milliseconds <= VehicleState.longestParking {
      addRepeated(topics.availability(isOnline: true), to: \.states)
    }
  }

  /// Adds an entity to those of a vehicle. Returns `false` if the vehicle has too many entities.
  private mutating func include(_ entity: String, of vehicle: String) -> Bool {
    let known = entities[vehicle] ?? []
    if known.contains(entity) { return true }
    guard known.count < Self.mostEntities else {
      ignored["value of a vehicle with more than \(Self.mostEntities) different values", default: 0] += 1
      return false
    }
    entities[vehicle, default: []].insert(entity)
    return true
  }

  private mutating func add(_ discovery: RetainedMessage, _ topic: String, _ payload: [UInt8], _ time: Timestamp) {
    let newest = published.times[topic.hashValue]
    guard newest.map({ $0 <= time.nanoseconds }) ?? true else { return }
    published.times[topic.hashValue] = time.nanoseconds
    states[topic] = payload
    size += topic.utf8.count + payload.count
    addRepeated(discovery, to: \.discoveries)
  }

  /// Adds a message, unless the broker has received the same message a short time ago.
  private mutating func addRepeated(
    _ message: RetainedMessage, to messages: WritableKeyPath<HomeAssistantBatch, [String: [UInt8]]>
  ) {
    let (name, hash) = (message.topic.hashValue, message.payload.hashValue)
    if let known = published.discoveries[name], known.payload == hash, known.until > now { return }
    published.discoveries[name] = (hash, now.adding(seconds: PublishedTopics.repetition))
    self[keyPath: messages][message.topic] = message.payload
    size += message.topic.utf8.count + message.payload.count
  }
}

/// The published topics of all forwards of this server. After a restart, all discovery messages are sent again.
final class PublishedMemory: Sendable {
  /// Maximum total number of topics of all forwards. Each topic needs some 40 bytes of memory.
  private let most: Int
  private struct State {
    var forwards: [String: (topics: PublishedTopics, use: Int)] = [:]
    var uses = 0
    var count = 0
  }
  private let state = Mutex(State())

  init(most: Int = 500_000) { self.most = most }

  /// Returns the topics of a forward.
  ///
  /// - Parameter name: a name for the forward and its address.
  func topics(of name: String) -> PublishedTopics { state.withLock { $0.forwards[name]?.topics ?? PublishedTopics() } }

  /// Sets the topics of a forward. If all forwards together then have too many topics, removes all topics of some
  /// forwards: first of the forward for which this function was not called for the longest time.
  func set(_ topics: PublishedTopics, of name: String) {
    state.withLock { state in
      state.uses += 1
      state.count += topics.count - (state.forwards[name]?.topics.count ?? 0)
      state.forwards[name] = (topics, state.uses)
      while state.count > most, let oldest = state.forwards.min(by: { $0.value.use < $1.value.use }) {
        state.forwards[oldest.key] = nil
        state.count -= oldest.value.topics.count
      }
    }
  }
}
