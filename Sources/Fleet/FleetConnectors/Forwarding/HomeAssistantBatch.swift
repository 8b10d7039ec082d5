import FleetDomain
import Synchronization
import Telemetry

/// The topics of one forward that the broker has received, as hashes of their names.
struct PublishedTopics: Sendable {
  /// The time after which a discovery message is sent again, s. A broker that has lost its retained messages gets them
  /// again in this time.
  static let repetition = 600

  /// The time of the newest value of each topic, ns since 1970.
  fileprivate var times: [Int: Int64] = [:]
  /// For each discovery message, the hash of its payload, and the time from which it is sent again.
  fileprivate var discoveries: [Int: (payload: Int, until: Timestamp)] = [:]

  var count: Int { times.count + discoveries.count }

  /// Removes the discovery messages, so that they are sent again.
  mutating func forgetDiscoveries() { discoveries = [:] }
}

/// The messages for some records. Of several values of a topic, only the newest is sent.
struct HomeAssistantBatch {
  /// The maximum length of a key, bytes. Values with longer keys are left out.
  private static let longestKey = 100

  private let address: MQTTAddress
  private let devices: [String: HomeAssistantDevice]
  private let now: Timestamp
  /// The topics that the broker has, if it acknowledges this batch.
  private(set) var published: PublishedTopics
  /// The size of all messages, bytes. It includes values that were replaced by newer ones.
  private(set) var size = 0
  /// Number of records that contain values for Home Assistant.
  private(set) var records = 0
  private var discoveries: [String: [UInt8]] = [:]
  private var states: [String: [UInt8]] = [:]

  /// - Parameters:
  ///   - devices: the vehicles, by their IDs.
  ///   - published: the topics that the broker has.
  init(
    to address: MQTTAddress, _ devices: [String: HomeAssistantDevice], after published: PublishedTopics,
    at now: Timestamp
  ) {
    (self.address, self.devices, self.published, self.now) = (address, devices, published, now)
  }

  /// All messages, sorted by topic. Discovery messages are first.
  var messages: [RetainedMessage] {
    [discoveries, states].flatMap { topics in
      topics.sorted { $0.key < $1.key }.map { RetainedMessage(topic: $0.key, payload: $0.value) }
    }
  }

  /// Adds the values of a record. A value that is older than the value that the broker has is left out.
  mutating func add(_ record: ForwardedRecord) {
    let device = devices[record.vehicle] ?? HomeAssistantDevice(id: record.vehicle)
    let topics = HomeAssistantTopics(device, prefix: address.prefix)
    var isUsed = false
    for (key, value) in record.values where !HomeAssistantTopics.place.contains(key) {
      guard key.utf8.count <= Self.longestKey, let entity = HomeAssistantEntity(key, value) else { continue }
      isUsed = true
      add(topics.discovery(key, entity), topics.state(key), Array(entity.state.utf8), record.time)
    }
    if let position = HomeAssistantTopics.position(record) {
      isUsed = true
      add(topics.trackerDiscovery, topics.attributes, position.canonicalBytes, record.time)
    }
    if isUsed { records += 1 }
  }

  private mutating func add(_ discovery: RetainedMessage, _ topic: String, _ payload: [UInt8], _ time: Timestamp) {
    let newest = published.times[topic.hashValue]
    guard newest.map({ $0 <= time.nanoseconds }) ?? true else { return }
    published.times[topic.hashValue] = time.nanoseconds
    states[topic] = payload
    size += topic.utf8.count + payload.count
    let (name, hash) = (discovery.topic.hashValue, discovery.payload.hashValue)
    if let known = published.discoveries[name], known.payload == hash, known.until > now { return }
    published.discoveries[name] = (hash, now.adding(seconds: PublishedTopics.repetition))
    discoveries[discovery.topic] = discovery.payload
    size += discovery.topic.utf8.count + discovery.payload.count
  }
}

/// The published topics of all forwards of this server. After a restart, all discovery messages are sent again.
final class PublishedMemory: Sendable {
  /// Maximum number of topics of all forwards, of which each needs some 40 bytes.
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

  /// Sets the topics of a forward. If there are too many topics, those of the forwards are removed that were not set for
  /// the longest time.
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
