import FleetDomain
import Telemetry

/// The sender of a request, with the properties on which permissions depend.
public enum Requester: Hashable, Sendable {
  /// A person who has signed in.
  ///
  /// - Parameter readsCosts: whether an administrator has allowed the person to read costs, although the role `viewer`
  ///   does not allow it.
  case person(roles: Set<PersonRole>, scope: FleetScope, readsCosts: Bool = false)
  /// A program with an operator's token, for the whole fleet or a part of it.
  case token(Role, scope: FleetScope = .all)
  /// A gateway in a vehicle, identified by its key.
  case gateway
  /// A sender who has not signed in.
  case nobody
}

extension Person {
  /// The person as the sender of requests.
  public var requester: Requester { .person(roles: Set(roles), scope: scope, readsCosts: mayReadCosts) }
}

/// An action that a request performs.
public enum Action: String, CaseIterable, Sendable {
  case read
  /// Create, change and remove things, and run commands. A command that has an action of its own in this list needs
  /// that action instead.
  case write
  /// Begin and end the service of a vehicle.
  case changeService
  /// Add a reading of the odometer or of the engine hours.
  case addReading
  /// Report a defect.
  case report
}

/// The area of data that a request concerns.
public enum Area: String, CaseIterable, Sendable {
  case vehicles
  /// Positions, tracks, trips, telemetry, trouble codes, events.
  case records
  case geofences
  case people
  case drivers
  /// Telephone numbers, phones and accounts of drivers.
  case contacts
  case assignments
  case fleets
  /// Settings of the tenant, gateways, tokens, rules.
  case settings
  /// Webhooks with their deliveries, forwards, and connectors. Their addresses often contain secrets, so only
  /// administrators may read them.
  case integrations
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

  /// The actions that exist in the area.
  public var actions: [Action] {
    switch self {
    case .vehicles: [.read, .write, .changeService, .addReading]
    case .defects: [.read, .write, .report]
    default: [.read, .write]
    }
  }
}

/// The relation of a thing to the requester.
public struct Relation: Equatable, Sendable {
  /// The fleets to which the thing belongs; empty if it belongs to none.
  public var fleets: Set<UUIDv7>
  /// Whether the thing counts as the requester's own. This is so if the requester created it, if it describes the
  /// requester, or if it describes a vehicle while the vehicle is assigned to the requester.
  public var isOwn: Bool
  /// Whether the thing is about a vehicle, for example an expense of a vehicle. Otherwise it is only about a person.
  public var isOfVehicle: Bool
  /// Which of the thing's fleets must be in a requester's scope, if the scope is limited.
  public var need: Need
  /// Whether the thing contains data of a driving licence. A requester then also needs the permission to read licences.
  public var isLicence = false

  /// The fleets that must be in a requester's scope, if the scope is limited.
  public enum Need: Sendable {
    /// One of the thing's fleets must be in the scope.
    case oneFleet
    /// To read the thing, one of its fleets must be in the scope; for every other action, all its fleets. This applies
    /// to an account, because its owner has access to all fleets of the account's scope.
    case eachFleetToChange
    /// People with any scope may read the thing. For every other action, the person's rights must not be limited to
    /// fleets. An example is a service type, because all fleets of the tenant use it.
    case everythingToChange
  }

  public init(
    fleets: Set<UUIDv7> = [], isOwn: Bool = false, isOfVehicle: Bool = true, need: Need = .oneFleet
  ) {
    self.fleets = fleets
    self.isOwn = isOwn
    self.isOfVehicle = isOfVehicle
    self.need = need
  }
}

/// The decision about a request.
public enum Permission: Equatable, Sendable {
  case allowed
  /// The request is denied. The text is the reason: a sentence for the requester.
  case denied(String)

  public var isAllowed: Bool { self == .allowed }

  /// Decides whether a requester may perform an action.
  ///
  /// This is the only place where permissions are decided: routes, lists, channels, exports, notifications and pages
  /// call it. The tenant is not a parameter, because no requester has access to another tenant.
  public static func of(
    _ requester: Requester, to action: Action, _ area: Area, _ relation: Relation
  ) -> Permission {
    let reach = Reach(of: requester, to: action, area)
    return reach.contains(relation) ? .allowed : .denied(reach.reason)
  }
}

/// The things of one area on which a requester may perform a certain action.
public struct Reach: Equatable, Sendable {
  /// The things for which a role gives a permission.
  fileprivate enum Grant {
    case none
    /// The requester's own things.
    case own
    /// Things about vehicles in the requester's scope.
    case ofVehicles
    /// All things in the requester's scope.
    case all
  }

  /// The permission that one role gives within a scope.
  private struct Part: Equatable, Sendable {
    let grant: Grant
    /// The permission to read licences.
    let licences: Grant
    let scope: FleetScope

    func contains(_ relation: Relation, _ grant: Grant, isReading: Bool) -> Bool {
      if grant == .none { return false }
      if grant == .own { return relation.isOwn }
      if grant == .ofVehicles, !relation.isOfVehicle { return false }
      guard case .fleets(let fleets) = scope, !relation.isOwn else { return true }
      return switch (relation.need, isReading) {
      case (.everythingToChange, let isReading): isReading
      case (.eachFleetToChange, false): !relation.fleets.isEmpty && relation.fleets.isSubset(of: fleets)
      default: !relation.fleets.isDisjoint(with: fleets)
      }
    }
  }

  private let parts: [Part]
  private let isReading: Bool
  private let area: Area
  /// The reason why a request is denied: a sentence for the requester.
  public let reason: String

  public init(of requester: Requester, to action: Action, _ area: Area) {
    isReading = action == .read
    self.area = area
    switch requester {
    case .nobody: (parts, reason) = ([], "sign in first")
    case .gateway:
      let isAllowed = action == .read && area == .geofences || action == .write && area == .records
      parts = isAllowed ? [Part(grant: .all, licences: .none, scope: .all)] : []
      reason = "a gateway's key only sends records and reads geofences"
    case .token(let role, let scope):
      // A token is not a person, so no thing counts as its own. Only administrators' tokens have access to accounts.
      let grant = area == .people && role != .admin ? .none : Self.grant(of: role, to: action, area)
      let part = Part(grant: grant, licences: Self.grant(of: role, to: .read, .licences), scope: scope)
      parts = grant == .none || grant == .own ? [] : [part]
      reason =
        if !parts.isEmpty, case .fleets = scope {
          "this token is limited to fleets, and this does not belong to them"
        } else if role == .readOnly {
          "this token may only read, and not people, the audit, webhooks, forwards or connectors"
        } else {
          "the role of this token does not allow this"
        }
    case .person(let roles, let scope, let readsCosts):
      parts = PersonRole.allCases.filter { roles.contains($0) }
        .map {
          Part(
            grant: Self.grant(of: $0, readsCosts: readsCosts, to: action, area),
            licences: Self.grant(of: $0, to: .read, .licences), scope: scope)
        }.filter { $0.grant != .none }
      reason =
        if roles.isEmpty {
          "this account has no role"
        } else if parts.isEmpty {
          "no role of this account allows this"
        } else if parts.allSatisfy({ $0.grant == .own }) {
          "this account's roles allow this only for what is one's own"
        } else if case .fleets = scope {
          "this belongs to none of the account's fleets"
        } else {
          "this account's roles allow this only for vehicles"
        }
    }
  }

  /// Whether there is no thing on which the requester may perform the action.
  public var isEmpty: Bool { parts.isEmpty }

  /// Whether the requester may perform the action on all things of the tenant.
  public var isEverything: Bool {
    parts.contains { $0.grant == .all && $0.scope == .all && (area != .documents || $0.licences == .all) }
  }

  /// Whether the requester may perform the action on all things of the tenant, except perhaps those with data of
  /// driving licences.
  public var isEverythingButLicences: Bool { parts.contains { $0.grant == .all && $0.scope == .all } }

  /// Whether the requester may perform the action only on things that count as the requester's own
  /// (``Relation/isOwn``).
  public var isOnlyOwn: Bool { !parts.isEmpty && parts.allSatisfy { $0.grant == .own } }

  /// The fleets on whose things the requester may perform the action; `nil` for the things of all fleets.
  public var fleets: Set<UUIDv7>? {
    var fleets: Set<UUIDv7> = []
    for part in parts where part.grant != .own {
      guard case .fleets(let ids) = part.scope else { return nil }
      fleets.formUnion(ids)
    }
    return fleets
  }

  /// Whether the requester may perform the action on a thing.
  public func contains(_ relation: Relation) -> Bool {
    parts.contains { part in
      part.contains(relation, part.grant, isReading: isReading)
        && (!relation.isLicence || part.contains(relation, part.licences, isReading: true))
    }
  }

  private static func grant(of role: Role, to action: Action, _ area: Area) -> Grant {
    switch role {
    case .admin: .all
    case .readOnly:
      action == .read && ![.people, .licences, .audit, .integrations].contains(area) ? .all : .none
    case .maintenance: maintenance(action, area)
    case .viewer: viewer(action, area)
    }
  }

  private static func grant(
    of role: PersonRole, readsCosts: Bool = false, to action: Action, _ area: Area
  ) -> Grant {
    if role == .viewer, readsCosts, area == .costs, action == .read { return .all }
    return switch role {
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
    // This includes the drivers' names, but not their licences and contacts.
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
    case (.contacts, .read), (.contacts, .write): .own
    case (.assignments, .read): .own
    case (.journeys, _): .own
    case (.defects, .read), (.defects, .report): .own
    case (.inspections, _): .own
    case (.fuel, _), (.expenses, _), (.documents, _), (.licences, .read): .own
    // A driver's own figures are the consumption and the journeys, but not the costs.
    case (.reports, .read): .own
    case (.audit, .read): .own
    default: .none
    }
  }

  private static func viewer(_ action: Action, _ area: Area) -> Grant {
    // People may change their own profile.
    if area == .people, action == .write { return .own }
    guard action == .read else { return .none }
    switch area {
    // An administrator may give the permission for costs to a person. Licences, the audit and the addresses of other
    // programs are reserved for administrators.
    case .costs, .licences, .audit, .integrations: return .none
    default: return .all
    }
  }
}
