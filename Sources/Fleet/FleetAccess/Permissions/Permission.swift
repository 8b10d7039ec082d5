import FleetDomain
import Telemetry

/// Who asks for something.
public enum Requester: Equatable, Sendable {
  case person(roles: Set<PersonRole>, scope: FleetScope)
  /// A token of a program that reads and administers the fleet.
  case token(Role)
  /// A box in a vehicle, with its key.
  case gateway
  /// Nobody who has signed in.
  case nobody
}

/// What is asked for.
public enum Action: String, CaseIterable, Sendable {
  case read
  /// Make, change and remove, and all commands that have no action of their own.
  case write
  /// Take a vehicle into service and give it back.
  case changeService
  /// Add a reading of an odometer or of engine hours.
  case addReading
  /// Report a defect.
  case report
}

/// What it is asked of.
public enum Area: String, CaseIterable, Sendable {
  case vehicles
  /// Positions, tracks, trips, telemetry, trouble codes, events.
  case records
  case geofences
  case people
  case drivers
  case assignments
  case fleets
  /// Settings of the tenant, gateways, tokens, rules, webhooks, connectors.
  case settings
  case journeys
  case maintenance
  case defects
  case inspections
  case fuel
  case expenses
  case documents
  /// The numbers and classes of driving licences.
  case licences
  case costs
  case reports
  case audit
}

/// How a thing is related to the requester.
public struct Relation: Equatable, Sendable {
  /// The fleets of the thing; empty if it is in none.
  public var fleets: Set<UUIDv7>
  /// Whether the requester made it, or it is about the requester, or about a vehicle during the requester's assignment.
  public var isOwn: Bool
  /// Whether it is about a vehicle, and not about a person alone: an expense of a vehicle.
  public var isOfVehicle: Bool

  public init(fleets: Set<UUIDv7> = [], isOwn: Bool = false, isOfVehicle: Bool = true) {
    self.fleets = fleets
    self.isOwn = isOwn
    self.isOfVehicle = isOfVehicle
  }
}

/// Whether something is allowed.
public enum Permission: Equatable, Sendable {
  case allowed
  /// A sentence for the requester.
  case denied(String)

  public var isAllowed: Bool { self == .allowed }

  /// Decides whether a requester may do something.
  ///
  /// This is the only place where rights are decided: routes, lists, channels, exports, notifications and pages ask it. The
  /// tenant is not part of the question, because nobody sees anything of another tenant.
  public static func of(
    _ requester: Requester, to action: Action, _ area: Area, _ relation: Relation
  ) -> Permission {
    switch requester {
    case .nobody: return .denied("sign in first")
    case .gateway:
      let isAllowed = action == .read && area == .geofences || action == .write && area == .records
      return isAllowed ? .allowed : .denied("a gateway's key only sends records and reads geofences")
    case .token(.admin): return .allowed
    case .token(.readOnly):
      return action == .read && area != .people && area != .licences && area != .audit
        ? .allowed : .denied("this token may only read, and not people or the audit")
    case .person(let roles, let scope):
      guard !roles.isEmpty else { return .denied("this account has no role") }
      var reason = ""
      for role in PersonRole.allCases where roles.contains(role) {
        switch permission(of: role, to: action, area, relation, scope) {
        case .allowed: return .allowed
        case .denied(let text): if reason.isEmpty { reason = text }
        }
      }
      return .denied(reason)
    }
  }

  private static func permission(
    of role: PersonRole, to action: Action, _ area: Area, _ relation: Relation, _ scope: FleetScope
  ) -> Permission {
    let grant = grant(of: role, to: action, area)
    switch grant {
    case .none: return .denied("the role \(role.rawValue) does not allow this")
    case .own:
      return relation.isOwn ? .allowed : .denied("the role \(role.rawValue) allows this only for what is one's own")
    case .ofVehicles where !relation.isOfVehicle:
      return .denied("the role \(role.rawValue) allows this only for vehicles")
    case .all, .ofVehicles:
      guard case .fleets(let fleets) = scope, !relation.isOwn else { return .allowed }
      return relation.fleets.isDisjoint(with: fleets)
        ? .denied("this belongs to none of the account's fleets") : .allowed
    }
  }

  /// How far a role reaches.
  private enum Grant {
    case none
    /// The requester's own.
    case own
    /// What is about vehicles of the requester's scope.
    case ofVehicles
    /// All of the requester's scope.
    case all
  }

  private static func grant(of role: PersonRole, to action: Action, _ area: Area) -> Grant {
    switch role {
    case .admin: .all
    case .maintenance: maintenance(action, area)
    case .driver: driver(action, area)
    case .viewer: viewer(action, area)
    }
  }

  private static func maintenance(_ action: Action, _ area: Area) -> Grant {
    switch (area, action) {
    case (.vehicles, .read), (.vehicles, .changeService), (.vehicles, .addReading): .all
    case (.records, .read), (.geofences, .read), (.fleets, .read): .all
    // The names of drivers, not their licences.
    case (.drivers, .read): .all
    case (.people, .read), (.people, .write): .own
    case (.maintenance, _), (.defects, _), (.inspections, _): .all
    case (.fuel, _), (.expenses, _), (.documents, _): .ofVehicles
    case (.costs, .read), (.reports, .read): .ofVehicles
    case (.reports, .write): .ofVehicles
    default: .none
    }
  }

  private static func driver(_ action: Action, _ area: Area) -> Grant {
    switch (area, action) {
    case (.vehicles, .read), (.vehicles, .addReading): .own
    case (.records, .read): .own
    case (.people, .read), (.people, .write), (.drivers, .read), (.drivers, .write): .own
    case (.assignments, .read): .own
    case (.journeys, _): .own
    case (.defects, .read), (.defects, .report): .own
    case (.inspections, _): .own
    case (.fuel, _), (.expenses, _), (.documents, _), (.licences, .read): .own
    case (.costs, .read), (.reports, .read): .own
    case (.audit, .read): .own
    default: .none
    }
  }

  private static func viewer(_ action: Action, _ area: Area) -> Grant {
    if area == .people, action != .report { return .own }
    guard action == .read else { return .none }
    switch area {
    // Costs need to be granted, and licences and the audit are for administrators.
    case .costs, .licences, .audit, .settings: return .none
    default: return .all
    }
  }
}
