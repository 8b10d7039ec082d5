import FleetAccess
import FleetDomain
import Telemetry

/// The things that some entries of the audit have changed, each with its last change.
struct AuditedChanges: Sendable {
  struct Change: Sendable {
    let id: UUIDv7
    let kind: String
    /// Whether one of the entries created the thing.
    var isNew = false
    /// The version of the thing after the last entry.
    var version: Int64
    /// The fields of the thing before the last entry, if this entry removed the thing; otherwise `nil`.
    var removed: [String: JSON]?
  }

  /// A changed thing with the message about its change.
  struct Found: Sendable {
    let thing: ChangedThing
    let message: LiveChange
    /// The id and the VIN of the vehicle that the thing is about. Both are names of the vehicle's channel. Empty if the
    /// thing is about no vehicle; `nil` if the vehicle cannot be read.
    let vehicleNames: Set<String>?
  }

  private let changes: [Change]
  private let kinds: ChangedKinds

  /// Creates the list of changed things. Entries about kinds that are not in `kinds`, and entries that change no thing,
  /// are left out.
  ///
  /// - Parameter entries: entries in ascending order.
  init(_ entries: [AuditEntry], kinds: ChangedKinds) {
    var (changes, places): ([Change], [UUIDv7: Int]) = ([], [:])
    for entry in entries {
      guard let version = entry.version, let kind = entry.content["kind"]?.textValue, kinds.contains(kind),
        let text = entry.content["thing"]?.textValue, let id = UUIDv7(text.utf8.span), !Self.isPrivate(entry, kind)
      else { continue }
      let place = places[id] ?? changes.count
      if place == changes.count {
        changes.append(Change(id: id, kind: kind, version: version))
        places[id] = place
      }
      changes[place].version = version
      if version == 1 { changes[place].isNew = true }
      // Only the removal of a thing has values before, but none after.
      if case .object(let before)? = entry.content["before"], entry.content["after"] == nil {
        changes[place].removed = before
      } else {
        changes[place].removed = nil
      }
    }
    self.changes = changes
    self.kinds = kinds
  }

  /// Whether an entry is about a sign-in or a new password. Other people do not receive such changes.
  private static func isPrivate(_ entry: AuditEntry, _ kind: String) -> Bool {
    guard kind == Person.names.one else { return false }
    let keys = ["before", "after"].flatMap { part -> [String] in
      if case .object(let members)? = entry.content[part] { Array(members.keys) } else { [] }
    }
    return Set(keys).isSubset(of: ["lastSeenAt"])
  }

  /// Reads the changed things.
  ///
  /// - Returns: the things, and descriptions of those that cannot be read.
  func find(_ view: any FleetView) throws(ThingError) -> (found: [Found], unreadable: [String]) {
    var (found, unreadable): ([Found], [String]) = ([], [])
    for change in changes {
      do throws(ThingError) {
        // A thing that was removed after the last entry is reported with the entry of its removal.
        guard let thing = try thing(of: change, view) else { continue }
        let action: LiveChange.Action = change.removed != nil ? .deleted : change.isNew ? .created : .updated
        found.append(
          Found(
            thing: thing,
            message: LiveChange(
              kind: change.kind, id: thing.name, vehicle: thing.vehicle, action: action,
              version: max(change.version, thing.version)),
            vehicleNames: try Self.names(ofVehicle: thing.vehicle, view)))
      } catch {
        guard error.isUnreadable else { throw error }
        unreadable.append("\(change.kind) \(change.id.string): \(error.reason)")
      }
    }
    return (found, unreadable)
  }

  private static func names(ofVehicle id: String?, _ view: any FleetView) throws(ThingError) -> Set<String>? {
    guard let id else { return [] }
    do throws(ThingError) {
      return Set([id, try view.vehicle(named: id)?.value.vin].compactMap { $0 })
    } catch {
      guard error.isUnreadable else { throw error }
      return nil
    }
  }

  private func thing(of change: Change, _ view: any FleetView) throws(ThingError) -> ChangedThing? {
    guard let removed = change.removed else { return try kinds.find(change.id, change.kind, view) }
    do throws(FieldError) {
      return try kinds.removed(change.id, change.kind, before: removed)
    } catch {
      throw .storage(StorageError(.damaged, "audit", "\(error.path): \(error.message)"))
    }
  }
}

extension Collection<AuditedChanges.Found> {
  /// Returns the messages for an audience: those about things that it may read and that belong to its channel. Readings
  /// of gateways in other people's private journeys are left out.
  ///
  /// - Parameter identity: the identity of a subscriber of the audience.
  func messages(
    for audience: ChangeAudience, _ identity: Identity, _ view: any FleetView
  ) throws(ThingError) -> [LiveChange] {
    var (reaches, own): ([Area: Reach], Set<String>?) = ([:], nil)
    let needsRelation =
      switch audience.channel.topic {
      case .all, .vehicle: false
      case .fleet, .me: true
      }
    var messages: [LiveChange] = []
    for change in self {
      let thing = change.thing
      let reach = reaches[thing.area] ?? Reach(of: identity.requester, to: .read, thing.area)
      reaches[thing.area] = reach
      if reach.isEmpty { continue }
      if let names = change.vehicleNames {
        guard audience.channel.mayConcern(names) else { continue }
      } else if case .vehicle(let name) = audience.channel.topic, name != thing.vehicle {
        // This throws an error if the channel has the name of the vehicle that cannot be read.
        _ = try view.vehicle(named: name)
        continue
      }
      if reach.isOnlyOwn || audience.channel.topic == .me {
        // Most changes are about other people's things. Leave them out before their relation is read.
        let names = if let own { own } else { try identity.ownNames(view) }
        own = names
        if names.isDisjoint(with: thing.mentions) { continue }
      }
      if let time = thing.readAt, let vehicle = thing.vehicle {
        let hidden = try identity.hiddenTimes(of: [vehicle], from: time, to: time.adding(seconds: 1), view)
        if hidden.contains(time, of: vehicle) { continue }
      }
      if reach.isEverything, !needsRelation {
        messages.append(change.message)
        continue
      }
      let relation = try thing.relation(identity, view)
      guard reach.isEverything || reach.contains(relation) else { continue }
      switch audience.channel.topic {
      case .all, .vehicle: break
      case .fleet(let id): guard relation.fleets.contains(id) else { continue }
      case .me: guard relation.isOwn else { continue }
      }
      messages.append(change.message)
    }
    return messages
  }
}

extension Identity {
  /// Returns the ids of the caller, of the caller's drivers, and of the vehicles that are assigned to the caller. Each
  /// of the caller's own things contains at least one of these ids.
  fileprivate func ownNames(_ view: any FleetView) throws(ThingError) -> Set<String> {
    Set([author].compactMap { $0?.string })
      .union(try ownDrivers(view).map(\.string)).union(try ownVehicles(at: WallClock.now, view))
  }
}
