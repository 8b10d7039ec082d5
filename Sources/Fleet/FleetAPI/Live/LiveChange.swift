import FleetDomain
import NIOCore

/// The change of a thing, as clients receive it. It contains none of the thing's other fields, so that every client
/// reads the thing with its own rights.
///
///     {"action":"updated","id":"019d…","kind":"defect","vehicleId":"VAN-001","version":3}
struct LiveChange: Sendable {
  enum Action: String, Sendable { case created, updated, deleted }

  /// The encoded change.
  let body: [UInt8]

  /// Encodes a change.
  ///
  /// - Parameters:
  ///   - kind: the name of the thing's kind, as in the audit.
  ///   - id: the name of the thing in paths.
  ///   - vehicle: the id of the vehicle that the thing is about; `nil` if there is none.
  ///   - version: the version of the thing after the change.
  init(kind: String, id: String, vehicle: String?, action: Action, version: Int64) {
    var members: [String: JSON] = [
      "kind": .text(kind), "id": .text(id), "action": .text(action.rawValue), "version": .integer(version),
    ]
    if let vehicle { members["vehicleId"] = .text(vehicle) }
    body = JSON.object(members).canonicalBytes
  }
}

/// Changes of things for the subscribers of one audience. They are encoded once for all subscribers.
///
///     {"event":"change","channel":"fleet","change":{…}}
struct LiveChanges: Sendable {
  let audience: ChangeAudience
  /// One WebSocket text frame for each change.
  let frames: ByteBuffer

  /// Encodes changes.
  init(_ audience: ChangeAudience, _ changes: [LiveChange]) {
    self.audience = audience
    let head: [UInt8] = Self.object(audience).dropLast() + Array(#","change":"#.utf8)
    var frames = ByteBuffer()
    frames.reserveCapacity(changes.reduce(0) { $0 + head.count + $1.body.count + 8 })
    for change in changes { ServerFrame.append(.text, head + change.body + [UInt8(ascii: "}")], to: &frames) }
    self.frames = frames
  }

  /// Encodes a message that names no thing. It means that the client does not receive some changes, and must
  /// read its lists again.
  init(missedBy audience: ChangeAudience) {
    self.audience = audience
    var frames = ByteBuffer()
    ServerFrame.append(.text, Self.object(audience), to: &frames)
    self.frames = frames
  }

  private static func object(_ audience: ChangeAudience) -> [UInt8] {
    JSONBody.object { line in
      line.field("event", "change" as StaticString)
      line.field("channel", audience.channel.name)
    }
  }
}

/// Data that the server delivers to several connections.
enum LiveDelivery: Sendable {
  case records(LiveUpdate)
  case changes(LiveChanges)

  /// The encoded data.
  var frames: ByteBuffer {
    switch self {
    case .records(let update): update.frames
    case .changes(let changes): changes.frames
    }
  }
}
