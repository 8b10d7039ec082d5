import FleetDomain
import FleetWork
import Telemetry

/// The next vehicles for which the due dates of a fleet's schedule must be computed.
///
/// A request computes a schedule only for a few vehicles, because in SQLite all other tenants wait for its transaction.
/// A stored marker (``FleetDomain/FollowedFeed``) contains the number of vehicles for which the schedule was computed.
/// It exists while vehicles remain. At the end, the fleet is compared with the stored states of the schedule, so that
/// vehicles that moved meanwhile are included.
public struct PendingSchedule: Sendable {
  /// The maximum number of vehicles for which one transaction computes the schedule.
  public static let mostVehicles = 16

  let marker: Stored<FollowedFeed>
  let schedule: UUIDv7
  let vehicles: [String]
  /// The value of the marker after ``vehicles`` are done: the number of vehicles for which the schedule is then
  /// computed.
  let position: Int64
  /// IDs of stored states for vehicles that no longer belong to the fleet.
  let obsolete: [UUIDv7]

  private static let prefix = "schedule "

  fileprivate static func name(of schedule: UUIDv7) -> String { prefix + schedule.string }

  fileprivate static func schedule(named name: String) -> UUIDv7? {
    UUIDv7(String(name.dropFirst(prefix.count)).utf8.span)
  }

  /// The conditions that select markers: their names begin with "schedule" and a space. In ASCII, `!` is the next
  /// character after the space, so all these names are below `schedule!`.
  public static let conditions: [ThingQuery<FollowedFeed>.Condition] = [
    .atLeast(key: "name", .text(prefix)), .below(key: "name", .text("schedule!")),
  ]
}

extension FleetView {
  /// Returns the next vehicles of a pending schedule; `nil` if no schedule is pending.
  public func nextPendingSchedule() throws(ThingError) -> PendingSchedule? {
    var query = ThingQuery<FollowedFeed>(order: [.init("id")])
    query.conditions = PendingSchedule.conditions
    guard let marker = try first(query) else { return nil }
    guard let id = PendingSchedule.schedule(named: marker.value.name),
      let schedule = try find(id, ServiceSchedule.self),
      let fleet = schedule.value.fleet
    else { return PendingSchedule(marker: marker, schedule: marker.id, vehicles: [], position: 0, obsolete: []) }
    let names = try vehicles(of: fleet)
    let position = min(Int(marker.value.position), names.count)
    let next = names[position...].prefix(PendingSchedule.mostVehicles)
    guard next.isEmpty else {
      return PendingSchedule(
        marker: marker, schedule: id, vehicles: Array(next), position: Int64(next.endIndex), obsolete: [])
    }
    let plan = JSON.text(ServiceDue.plan(of: schedule.value))
    let known = try values(["vehicleId", "plan"], ThingQuery<ServiceDue>(.oneOf(key: "scheduleId", [id.json])))
    let done = Set(known.compactMap { $0[1] == plan ? $0[0].textValue : nil })
    let present = Set(names)
    let left = known.compactMap { $0[0].textValue }.filter { !present.contains($0) }
    var obsolete: [UUIDv7] = []
    for vehicle in left.prefix(PendingSchedule.mostVehicles) {
      let due = ThingQuery<ServiceDue>(
        .oneOf(key: "scheduleId", [id.json]), .oneOf(key: "vehicleId", [.text(vehicle)]))
      obsolete += try list(due).items.map(\.id)
    }
    let missing = names.lazy.filter { !done.contains($0) }.prefix(PendingSchedule.mostVehicles)
    return PendingSchedule(
      marker: marker, schedule: id, vehicles: Array(missing), position: Int64(position), obsolete: obsolete)
  }
}

extension FleetTransaction {
  /// Computes a schedule for its next vehicles. If there are none, the schedule is no longer pending.
  public func evaluate(_ pending: PendingSchedule) throws(ThingError) {
    // The schedule was changed, or another server has computed these vehicles.
    guard let marker = try find(pending.marker.id, FollowedFeed.self), marker.version == pending.marker.version else {
      return
    }
    for id in pending.obsolete {
      if let due = try find(id, ServiceDue.self) { try end(due) }
    }
    if let schedule = try find(pending.schedule, ServiceSchedule.self), schedule.value.fleet != nil {
      for vehicle in pending.vehicles { try follow(schedule, for: vehicle) }
    }
    guard !pending.vehicles.isEmpty || !pending.obsolete.isEmpty else {
      try remove(marker, action: "finish")
      return
    }
    var advanced = marker.value
    advanced.position = pending.position
    try update(marker, to: advanced, action: "advance")
  }

  /// Marks a schedule as partly computed: only its first `position` vehicles are done. Adds the marker, or changes the
  /// existing one.
  func markPending(_ schedule: UUIDv7, after position: Int) throws(ThingError) {
    var wanted = FollowedFeed()
    (wanted.name, wanted.position) = (PendingSchedule.name(of: schedule), Int64(position))
    if let marker = try first(ThingQuery<FollowedFeed>(.oneOf(key: "name", [.text(wanted.name)]))) {
      try update(marker, to: wanted, action: "begin")
    } else {
      try insert(wanted)
    }
  }

  /// Computes the schedules of a fleet again after vehicles have joined or left it. If there are many schedules and
  /// vehicles, they are computed later.
  public func evaluateServices(ofMoved vehicles: [String], fleet: UUIDv7) throws(ThingError) {
    guard !vehicles.isEmpty else { return }
    let schedules = try list(ThingQuery<ServiceSchedule>(.oneOf(key: "fleetId", [fleet.json]), limit: 1_000)).items
    guard schedules.count * vehicles.count <= PendingSchedule.mostVehicles else {
      for schedule in schedules { try markPending(schedule.id, after: 0) }
      return
    }
    for schedule in schedules {
      for id in vehicles {
        if try applies(schedule.value, to: id) {
          try follow(try existing(schedule.id, ServiceSchedule.self), for: id)
        } else {
          let left = ThingQuery<ServiceDue>(
            .oneOf(key: "scheduleId", [schedule.id.json]), .oneOf(key: "vehicleId", [.text(id)]))
          for due in try list(left).items { try end(due) }
        }
      }
    }
  }
}
