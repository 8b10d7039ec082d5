import FleetAccess
import FleetDomain
import Telemetry

/// A channel of live records, to which clients can subscribe. Two clients that may see different records of the same
/// vehicles have different channels.
///
/// The vehicle that a channel names need not exist yet.
struct LiveChannel: Hashable, Sendable {
  /// Describes the vehicles whose records a channel contains.
  enum Topic: Hashable, Sendable {
    /// All vehicles.
    case all
    /// One vehicle. The text is its id or VIN.
    case vehicle(String)
    /// The vehicles of a fleet.
    case fleet(UUIDv7)
    /// The vehicles that are assigned to the person who subscribes.
    case me
  }

  let tenant: TenantID
  let topic: Topic
  /// The permissions that all clients of this channel have, if these clients may see only some of the records; `nil` if
  /// they may see all records.
  let viewer: LiveViewer?

  init(tenant: TenantID, topic: Topic, viewer: LiveViewer? = nil) {
    self.tenant = tenant
    self.topic = topic
    self.viewer = viewer
  }

  /// Creates the channel with a name, for the client that subscribes to it.
  ///
  /// - Throws: 400 if the name is not valid; 403 if the client may not subscribe to the channel.
  init(name: String, for identity: Identity) throws(APIError) {
    guard let topic = Topic(name: name) else {
      throw .badRequest(
        "channel: expected \"fleet\", \"fleet:ID\", \"vehicle:ID\" or \"me\", found \(quoted(name))")
    }
    let reach = Reach(of: identity.requester, to: .read, .records)
    let person = identity.signedIn?.person
    switch topic {
    case .me:
      guard let person else {
        throw .forbidden("me: this is for people who have signed in, and not for keys and tokens")
      }
      self.init(tenant: identity.tenant, topic: topic, viewer: LiveViewer(fleets: [], person: person))
      return
    case .fleet(let id):
      guard reach.fleets?.contains(id) ?? true else { throw .forbidden(reach.reason) }
    case .all, .vehicle: break
    }
    self.init(
      tenant: identity.tenant, topic: topic, viewer: reach.fleets.map { LiveViewer(fleets: $0, person: person) })
  }

  var name: String { topic.name }

  /// Quickly checks whether the channel may contain data of the given vehicles. The result is `false` only if the
  /// channel is that of another vehicle.
  ///
  /// - Parameter names: the ids and VINs of the vehicles.
  func mayConcern(_ names: Set<String>) -> Bool {
    if case .vehicle(let name) = topic { names.contains(name) } else { true }
  }

  /// Whether the assignment of vehicles to fleets or people determines which records the channel contains.
  var isRestricted: Bool {
    if case .fleet = topic { true } else { viewer != nil }
  }
}

/// The properties of a client that determine which records it may see. Clients with the same properties can share a
/// channel, on which all of them receive the same bytes.
struct LiveViewer: Hashable, Sendable {
  /// The fleets whose records the client may see.
  let fleets: Set<UUIDv7>
  /// The client may see the records of vehicles that are assigned to this person; `nil` for a client that is not a
  /// person.
  let person: UUIDv7?
}

extension LiveChannel.Topic {
  private static let prefix = (vehicle: "vehicle:", fleet: "fleet:")

  /// The name of the channel in messages: `fleet`, `me`, or for example `fleet:019d…` and `vehicle:VAN-001`.
  var name: String {
    switch self {
    case .all: "fleet"
    case .vehicle(let name): Self.prefix.vehicle + name
    case .fleet(let id): Self.prefix.fleet + id.string
    case .me: "me"
    }
  }

  /// Parses the name of a channel that a client has sent; `nil` if the name is not valid.
  init?(name: String) {
    if name == "fleet" {
      self = .all
    } else if name == "me" {
      self = .me
    } else if name.hasPrefix(Self.prefix.fleet), let id = UUIDv7(name.dropFirst(Self.prefix.fleet.count).utf8.span) {
      self = .fleet(id)
    } else if name.hasPrefix(Self.prefix.vehicle), NameRules.isName(String(name.dropFirst(Self.prefix.vehicle.count))) {
      self = .vehicle(String(name.dropFirst(Self.prefix.vehicle.count)))
    } else {
      return nil
    }
  }
}
