import FleetAccess
import FleetDomain
import FleetFigures
import FleetWork
import Telemetry

/// Decides which reports a requester may see, and which members of the reports' rows.
struct ReportAccess: Sendable {
  let requester: Requester
  /// The person who requests; `nil` if the requester is a program.
  let person: UUIDv7?

  init(_ requester: Requester, person: UUIDv7?) { (self.requester, self.person) = (requester, person) }

  init(_ person: Stored<Person>) {
    self.init(person.value.requester, person: person.id)
  }

  /// Whether the requester may see the costs of at least one vehicle.
  var maySeeAnyCosts: Bool { !Reach(of: requester, to: .read, .costs).isEmpty }

  /// Whether the requester may see the costs of all vehicles of a fleet.
  ///
  /// - Parameter fleet: the fleet; `nil` for all vehicles of the tenant.
  func maySeeCosts(ofFleet fleet: UUIDv7?) -> Bool { covers(.read, .costs, fleet) }

  /// Whether the requester may make this report. This requires the permission to write reports of the report's fleet.
  func mayMake(_ report: Report) -> Bool { covers(.write, .reports, report.fleetID) }

  func maySee(_ report: Report) -> Bool {
    guard report.topic != .costs || maySeeCosts(ofFleet: report.fleetID) else { return false }
    if let person, person == report.requestedBy { return true }
    return covers(.read, .reports, report.fleetID)
  }

  /// Returns the rows of a report without the members that the requester may not see.
  func rows(of report: Report) -> [JSON] {
    var hidden: Set<String> = []
    if !covers(.read, .licences, report.fleetID) {
      hidden = Set([ReportTable.Count.licencesExpired, .licencesExpiring].map(\.rawValue))
    }
    if !maySeeCosts(ofFleet: report.fleetID) { hidden.insert("cost") }
    return (report.rows?.rows ?? []).map { row in
      guard case .object(let members) = row else { return row }
      return .object(members.filter { !hidden.contains($0.key) })
    }
  }

  /// Whether the requester has a permission for all vehicles of a fleet.
  ///
  /// - Parameter fleet: the fleet; `nil` for all vehicles of the tenant.
  private func covers(_ action: Action, _ area: Area, _ fleet: UUIDv7?) -> Bool {
    let reach = Reach(of: requester, to: action, area)
    if reach.isEverything { return true }
    guard !reach.isEmpty, !reach.isOnlyOwn else { return false }
    guard let fleets = reach.fleets else { return true }
    return fleet.map { fleets.contains($0) } ?? false
  }
}
