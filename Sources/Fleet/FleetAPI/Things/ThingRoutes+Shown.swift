import FleetAccess
import FleetDomain
import HTTPTypes
import Telemetry

extension ThingRoutes {
  /// A thing as one caller sees it: the JSON without the fields that the caller may not see, and the entity tag.
  struct Shown: Sendable {
    let id: UUIDv7
    let name: String
    let text: [UInt8]
    let entityTag: String

    /// Returns the thing with keys that only this answer contains. The entity tag does not change.
    func adding(_ once: [String: JSON]) -> Shown {
      guard !once.isEmpty, case .object(let members)? = try? JSON(parsing: text) else { return self }
      let all = members.merging(once) { $1 }
      return Shown(id: id, name: name, text: JSON.object(all).canonicalBytes, entityTag: entityTag)
    }

    func answer(status: HTTPResponse.Status = .ok) -> Answer {
      var answer = Answer(status: status, json: text)
      answer.headers[.eTag] = entityTag
      return answer
    }
  }

  /// Returns a thing as the caller sees it.
  func shown(_ stored: Stored<Value>, _ call: Call, _ view: any FleetView) throws(ThingError) -> Shown {
    let text = try texts(of: [stored], call, view)[0]
    // A live or derived field can change without a new version of the thing, and a private journey can conceal a field.
    // The strong entity tag must also change then.
    let changesWithoutVersion = !derived.isEmpty || Self.hasLiveFields || concealment != nil
    return Shown(
      id: stored.id, name: name(stored), text: text,
      entityTag: changesWithoutVersion
        ? "\"\(stored.version)-\(ContentTag.text(of: text).prefix(16))\"" : "\"\(stored.version)\"")
  }

  func texts(
    of items: [Stored<Value>], _ call: Call, _ view: any FleetView
  ) throws(ThingError) -> [[UInt8]] {
    let items = try concealment?.concealed(items, from: call.identity, view) ?? items
    var members = items.map(\.members)
    for field in derived {
      for (index, json) in try field.read(items, view).enumerated() where json != .null {
        members[index][field.key] = json
      }
    }
    if let identity = call.identity, !hidden(nil, call).isEmpty {
      for (index, item) in items.enumerated() {
        for key in hidden(try relation(item, identity, view), call) { members[index][key] = nil }
      }
    }
    if let identity = call.identity {
      let costs = CostAccess(identity)
      if !costs.isEverything {
        let own = Set(try identity.ownDrivers(view))
        for (index, item) in items.enumerated() where !costs.maySee(item.value, own: own) {
          members[index] = members[index].compactMapValues(\.withoutMoney)
        }
      }
    }
    return members.map { JSON.object($0).canonicalBytes }
  }

  /// Returns members that a caller sent, without those that equal what the caller sees instead of a concealed value.
  /// The caller has read these values and did not change them.
  func withoutConcealed(
    _ members: [String: JSON], of stored: Stored<Value>, _ call: Call, _ view: any FleetView
  ) throws(ThingError) -> [String: JSON] {
    guard let seen = try concealment?.concealed([stored], from: call.identity, view).first else { return members }
    let (actual, shown) = (stored.members, seen.members)
    return members.filter { key, value in actual[key] == shown[key] || value != shown[key] }
  }
}
