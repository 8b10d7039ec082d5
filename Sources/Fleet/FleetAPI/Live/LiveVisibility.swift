import FleetDomain
import FleetWork
import Synchronization
import Telemetry

/// The assignment of vehicles to fleets and people, which determines which records the channels of a tenant contain.
struct LiveVisibility: Sendable {
  /// The fleets whose vehicles must be read, and the people whose assigned vehicles must be read.
  struct Scope: Equatable, Sendable {
    var fleets: Set<UUIDv7> = []
    var people: Set<UUIDv7> = []

    var isEmpty: Bool { fleets.isEmpty && people.isEmpty }

    init(of channels: some Sequence<LiveChannel>) {
      for channel in channels {
        if case .fleet(let id) = channel.topic { fleets.insert(id) }
        fleets.formUnion(channel.viewer?.fleets ?? [])
        if let person = channel.viewer?.person { people.insert(person) }
      }
    }
  }

  /// For each vehicle of the fleets in the scope, its fleet. The keys are the ids of vehicles.
  var fleets: [String: UUIDv7] = [:]
  /// For each person in the scope, the vehicles that are or were assigned to the person. For the id of each vehicle,
  /// the value contains the times of the assignments.
  var windows: [UUIDv7: [String: [VehicleWindow]]] = [:]

  /// For the id of each vehicle, the times of its private journeys. Only the driver of a private journey may see its
  /// records.
  var hidden: [String: [PrivateTime]] = [:]
  /// For each person in the scope, the drivers that are linked to the person's account.
  var drivers: [UUIDv7: Set<UUIDv7>] = [:]

  /// Quickly checks whether a channel may contain records of at least one of these vehicles. If the result is `true`,
  /// ``shows(_:on:)`` gives the exact answer for each record.
  func mayShow(_ vehicles: Set<String>, on channel: LiveChannel) -> Bool {
    guard let viewer = channel.viewer, viewer.fleets.isEmpty else { return true }
    guard let person = viewer.person, let own = windows[person] else { return false }
    return own.keys.contains { vehicles.contains($0) }
  }

  /// Whether the subscribers of a channel receive a record.
  func shows(_ record: LiveRecord, on channel: LiveChannel) -> Bool {
    let fleet = fleets[record.vehicle]
    let own = channel.viewer?.person.flatMap { drivers[$0] } ?? []
    let isHidden = hidden[record.vehicle]?.contains { time in
      let isInside =
        (record.time.map(time.window.contains) ?? true)
        || record.trip.map { time.window.overlaps(from: $0.from, through: $0.to) } ?? false
      return isInside && !(time.driver.map(own.contains) ?? false)
    }
    if isHidden ?? false { return false }
    switch channel.topic {
    case .all, .me: break
    case .vehicle(let name): guard name == record.vehicle || name == record.vin else { return false }
    case .fleet(let id): guard fleet == id else { return false }
    }
    guard let viewer = channel.viewer else { return true }
    let assigned = viewer.person.flatMap { windows[$0]?[record.vehicle] } ?? []
    return VehicleSelection(fleets: viewer.fleets, windows: assigned).contains(
      record.vehicle, of: fleet, at: record.time)
  }
}

/// Reads and caches the data that determine which records live channels contain.
///
/// The data are read again when the number of the audit's last entry has changed, because each change in the tenant
/// adds an entry. This number is read before the records of each commit are sent. Therefore a new assignment applies to
/// all records that are stored after it.
final class LiveVisibilityStore: Sendable {
  private struct Entry {
    let scope: LiveVisibility.Scope
    /// The number of the audit's last entry at the time when the data were read.
    let number: Int64
    let visibility: LiveVisibility
  }

  private let storage: any FleetStorage
  private let entries = Mutex<[TenantID: Entry]>([:])

  init(storage: any FleetStorage) { self.storage = storage }

  /// Returns the current data that determine which records are visible on several channels of one tenant.
  ///
  /// - Parameter channels: the restricted channels of the tenant.
  func visibility(
    of records: [LiveRecord], tenant: TenantID, for channels: Set<LiveChannel>
  ) async throws -> LiveVisibility {
    let scope = LiveVisibility.Scope(of: channels)
    var visibility = LiveVisibility()
    if scope.isEmpty {
      entries.withLock { $0[tenant] = nil }
    } else {
      let number = try await storage.auditHead(tenant: tenant).number
      if let known = entries.withLock({ $0[tenant] }), known.number == number, known.scope == scope {
        visibility = known.visibility
      } else {
        visibility = try await read(scope, of: tenant)
        let read = visibility
        entries.withLock { $0[tenant] = Entry(scope: scope, number: number, visibility: read) }
      }
    }
    return try await hiding(records, in: visibility, tenant: tenant)
  }

  /// Reads from the storage the data that determine which records are visible on one channel.
  func visibility(of records: [LiveRecord], for channel: LiveChannel) async throws -> LiveVisibility {
    let visibility =
      channel.isRestricted
      ? try await read(LiveVisibility.Scope(of: [channel]), of: channel.tenant) : LiveVisibility()
    return try await hiding(records, in: visibility, tenant: channel.tenant)
  }

  private func read(_ scope: LiveVisibility.Scope, of tenant: TenantID) async throws -> LiveVisibility {
    try await storage.view(tenant: tenant) { view throws(ThingError) in
      var visibility = LiveVisibility(
        fleets: try view.fleetsOfVehicles(in: scope.fleets), windows: try view.vehicleWindows(of: scope.people))
      visibility.drivers = try view.drivers(of: scope.people)
      return visibility
    }
  }

  /// Returns a copy of the visibility that also contains the private journeys that may hide some of these records.
  private func hiding(
    _ records: [LiveRecord], in visibility: LiveVisibility, tenant: TenantID
  ) async throws -> LiveVisibility {
    let (vehicles, times) = (Set(records.map(\.vehicle)), records.compactMap(\.time))
    if vehicles.isEmpty { return visibility }
    // A record without a time may belong to any private journey, so journeys of all times are read.
    let first = times.count < records.count ? nil : (times + records.compactMap(\.trip?.from)).min()
    let found = try await storage.view(tenant: tenant) { view throws(ThingError) in
      try view.privateTimes(of: vehicles, from: first)
    }
    var hiding = visibility
    hiding.hidden = Dictionary(grouping: found, by: \.window.vehicle)
    return hiding
  }
}
