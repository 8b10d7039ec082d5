import Crypto
import Telemetry

/// The author of a change.
public struct Actor: Equatable, Sendable {
  public enum Who: Equatable, Sendable {
    case person(UUIDv7)
    case token(UUIDv7)
    case gateway(String)
    /// A rule that an administrator defined. The value is its id.
    case rule(UUIDv7)
    /// A command on the server's machine.
    case command
    /// The server itself.
    case server
    /// A client that has not signed in.
    case nobody
  }

  public var who: Who
  /// The client's address; `nil` if the change did not come over the network.
  public var address: String?

  public init(_ who: Who, address: String? = nil) {
    self.who = who
    self.address = address
  }

  var json: JSON {
    switch who {
    case .person(let id): .object(["kind": .text("person"), "id": id.json])
    case .token(let id): .object(["kind": .text("token"), "id": id.json])
    case .gateway(let id): .object(["kind": .text("gateway"), "id": .text(id)])
    case .rule(let id): .object(["kind": .text("rule"), "id": id.json])
    case .command: .object(["kind": .text("command")])
    case .server: .object(["kind": .text("server")])
    case .nobody: .object(["kind": .text("nobody")])
    }
  }
}

/// One entry of a tenant's audit.
///
/// The hash of an entry is SHA-256 over the hash of the previous entry and the entry's canonical JSON (RFC 8785).
/// Therefore, no entry can be changed, removed or inserted without changing all later hashes.
public struct AuditEntry: Equatable, Sendable {
  /// The number of the entry in the tenant's audit, from 1.
  public let number: Int64
  public let hash: [UInt8]
  /// The content, from which the hash is computed. Some values are encrypted with a person's key; they are decrypted
  /// before the entry is shown to people.
  public let content: JSON

  /// Whether the database columns by which the entry is found, such as its time, agree with its content.
  public let isFoundByContent: Bool

  public init(number: Int64, hash: [UInt8], content: JSON, isFoundByContent: Bool = true) {
    self.number = number
    self.hash = hash
    self.content = content
    self.isFoundByContent = isFoundByContent
  }

  /// Creates the entry that follows another one.
  ///
  /// - Parameters:
  ///   - previous: the hash of the previous entry; 32 zero bytes for the first entry.
  ///   - version: version of the thing after the change; `nil` if the entry is not about a thing.
  public init(
    number: Int64, after previous: [UInt8], at time: Timestamp, by actor: Actor, action: String, kind: String,
    thing: UUIDv7?, version: Int64?, change: ThingChange, details: [String: JSON] = [:]
  ) {
    var members: [String: JSON] = [
      "number": .integer(number), "time": time.json, "actor": actor.json, "action": .text(action), "kind": .text(kind),
    ]
    if let address = actor.address { members["address"] = .text(address) }
    if let thing { members["thing"] = thing.json }
    if let version { members["version"] = .integer(version) }
    if !change.before.isEmpty { members["before"] = .object(change.before) }
    if !change.after.isEmpty { members["after"] = .object(change.after) }
    if !details.isEmpty { members["details"] = .object(details) }
    self.number = number
    isFoundByContent = true
    content = .object(members)
    hash = Self.hash(content, after: previous)
  }

  /// The previous hash that is used for the first entry: 32 zero bytes.
  public static let firstHash = [UInt8](repeating: 0, count: 32)

  /// Computes the hash of an entry from its content and the hash of the previous entry.
  public static func hash(_ content: JSON, after previous: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    hash.update(data: previous)
    hash.update(data: content.canonicalBytes)
    return Array(hash.finalize())
  }

  public var action: String { content["action"]?.textValue ?? "" }
  /// The version of the thing after the change; `nil` if the entry is not about a thing.
  public var version: Int64? { content["version"]?.integerValue }

  /// The values of the changed fields; `nil` if some cannot be decrypted, because the person whose key encrypted them
  /// was erased.
  public var change: ThingChange? {
    var change = ThingChange(before: [:], after: [:])
    if case .object(let members)? = content["before"] { change.before = members }
    if case .object(let members)? = content["after"] { change.after = members }
    guard !change.before.values.contains(where: PersonalSeal.isSealed),
      !change.after.values.contains(where: PersonalSeal.isSealed)
    else { return nil }
    return change
  }
}
