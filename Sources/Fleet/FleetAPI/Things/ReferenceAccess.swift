import FleetAccess
import FleetDomain
import FleetWork
import Telemetry

/// Facts about a thing that refers to a vehicle. They determine whether the caller may refer to this vehicle.
struct VehicleUse: Sendable {
  /// The time of the event that the thing describes; `nil` if the thing states no time.
  var time: Timestamp?
  /// Whether a caller who may only access own things needs an assignment of the vehicle.
  var needsAssignment = true
}

/// Decides to which things a caller may refer by their ids.
///
/// A caller can refer only to things that the caller may read. Otherwise, people could act on things outside of their
/// scope: begin a journey of another fleet's driver, or read another fleet's files. The answer is the same for a thing
/// that the caller may not see and for one that does not exist.
struct ReferenceAccess: Sendable {
  let storage: any FleetStorage

  /// Checks references.
  ///
  /// - Throws: `forbidden` for a vehicle, driver, fleet or account, if the caller may see only some of them; otherwise
  ///   `invalid`.
  func require(
    _ references: [(reference: Reference, path: String, id: String)], _ use: VehicleUse, _ view: any FleetView,
    _ call: Call
  ) throws(ThingError) {
    for (reference, path, text) in references {
      if reference == .vehicle {
        try call.requireReach(ofVehicle: text, at: use.time, needsAssignment: use.needsAssignment, view)
        continue
      }
      guard let id = UUIDv7(text.utf8.span), try mayRefer(to: reference, id, path, view, call) else {
        let message =
          reference == .file ? "no complete file \(text)" : "no such \(Self.names[reference] ?? reference.rawValue)"
        throw .invalid(FieldErrors([FieldError(path, message)]))
      }
    }
  }

  /// The names of things in messages, if they differ from the names of the cases.
  private static let names: [Reference: String] = [
    .account: "person", .inspection: "report", .serviceSchedule: "schedule",
  ]

  /// Whether a thing exists and the caller may refer to it.
  ///
  /// - Throws: `forbidden` if the caller may see only some things of this kind, and not this one.
  private func mayRefer(
    to reference: Reference, _ id: UUIDv7, _ path: String, _ view: any FleetView, _ call: Call
  ) throws(ThingError) -> Bool {
    let identity = call.identity
    switch reference {
    // References to vehicles are checked before this call, because vehicles have ids of another type. References to a
    // subject need no check: the permission for the thing that belongs to the subject is enough.
    case .vehicle, .subject: return true
    case .driver:
      if try WorkRoutes(storage: storage).drivers.mayRead(id, identity, view) { return true }
      try Self.requireAll(.read, .drivers, identity)
      return false
    case .fleet:
      if let reach = call.reach, !reach.isEverything, let fleets = reach.fleets, !fleets.contains(id) {
        throw .forbidden(reason: "\(path): expected one of the account's own fleets")
      }
      return try view.find(id, Fleet.self) != nil
    case .account: return try mayLink(id, identity, view)
    case .person: return try mayRead(person: id, identity, view)
    case .document: return try DocumentRoutes(storage: storage).documents.mayRead(id, identity, view)
    case .defect: return try MaintenanceRoutes(storage: storage).defects.mayRead(id, identity, view)
    case .inspection: return try InspectionRoutes(storage: storage).inspections.mayRead(id, identity, view)
    case .serviceSchedule: return try MaintenanceRoutes(storage: storage).schedules.mayRead(id, identity, view)
    case .webhook:
      guard let webhook = try view.find(id, Webhook.self) else { return false }
      guard let identity else { return true }
      let reach = Reach(of: identity.requester, to: .read, .integrations)
      return reach.isEverything || reach.contains(Relation(fleets: Set(webhook.value.fleetIDs)))
    case .file:
      guard let file = try view.find(id, StoredFile.self) else { return false }
      guard let identity else { return true }
      return try FileAccess(storage: storage).mayRead(file, identity, view)
    }
  }

  /// Throws `forbidden` unless the caller has a permission for all things of an area. Callers with fewer permissions
  /// get the same error whether or not the thing to which they refer exists.
  private static func requireAll(_ action: Action, _ area: Area, _ identity: Identity?) throws(ThingError) {
    guard let identity else { return }
    let reach = Reach(of: identity.requester, to: action, area)
    guard reach.isEverything else { throw .forbidden(reason: reach.reason) }
  }

  /// Whether an account exists. The caller must be allowed to change the account, because the reference gives the
  /// account's owner access to the thing that contains the reference.
  private func mayLink(
    _ id: UUIDv7, _ identity: Identity?, _ view: any FleetView
  ) throws(ThingError) -> Bool {
    guard let person = try view.find(id, Person.self) else {
      try Self.requireAll(.write, .people, identity)
      return false
    }
    let reach = Reach(of: identity?.requester ?? .nobody, to: .write, .people)
    guard reach.contains(person.relation(to: identity)) else { throw .forbidden(reason: reach.reason) }
    return true
  }

  private func mayRead(person id: UUIDv7, _ identity: Identity?, _ view: any FleetView) throws(ThingError) -> Bool {
    guard let person = try view.find(id, Person.self) else { return false }
    guard let identity else { return true }
    let reach = Reach(of: identity.requester, to: .read, .people)
    return reach.isEverything || reach.contains(person.relation(to: identity))
  }
}
