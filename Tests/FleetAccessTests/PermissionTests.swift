import FleetAccess
import FleetDomain
import Telemetry
import Testing

/// The permission table of the specification, copied by hand, with the words `all`, `vehicles`, `own` and `-`.
@Suite struct PermissionTests {
  private static let table: [(PersonRole, Area, Action, String)] = [
    (.maintenance, .vehicles, .read, "all"), (.maintenance, .vehicles, .write, "-"),
    (.maintenance, .vehicles, .changeService, "all"), (.maintenance, .vehicles, .addReading, "all"),
    (.maintenance, .records, .read, "all"), (.maintenance, .records, .write, "-"),
    (.maintenance, .drivers, .read, "all"), (.maintenance, .drivers, .write, "-"),
    (.maintenance, .contacts, .read, "-"), (.maintenance, .people, .read, "own"),
    (.maintenance, .licences, .read, "-"), (.maintenance, .assignments, .read, "-"),
    (.maintenance, .settings, .read, "-"), (.maintenance, .journeys, .read, "-"),
    (.maintenance, .maintenance, .write, "all"), (.maintenance, .defects, .write, "all"),
    (.maintenance, .inspections, .write, "all"), (.maintenance, .fuel, .write, "vehicles"),
    (.maintenance, .expenses, .write, "vehicles"), (.maintenance, .documents, .write, "vehicles"),
    (.maintenance, .costs, .read, "vehicles"), (.maintenance, .audit, .read, "-"),
    (.driver, .vehicles, .read, "own"), (.driver, .vehicles, .write, "-"), (.driver, .vehicles, .addReading, "own"),
    (.driver, .vehicles, .changeService, "-"), (.driver, .records, .read, "own"), (.driver, .records, .write, "-"),
    (.driver, .people, .read, "own"), (.driver, .drivers, .write, "own"), (.driver, .assignments, .write, "-"),
    (.driver, .settings, .read, "-"), (.driver, .journeys, .write, "own"), (.driver, .maintenance, .read, "-"),
    (.driver, .defects, .report, "own"), (.driver, .defects, .write, "-"), (.driver, .inspections, .write, "own"),
    (.driver, .fuel, .write, "own"), (.driver, .expenses, .write, "own"), (.driver, .documents, .write, "own"),
    (.driver, .costs, .read, "-"), (.driver, .reports, .read, "own"), (.driver, .contacts, .read, "own"),
    (.driver, .contacts, .write, "own"), (.driver, .audit, .read, "own"),
    (.viewer, .vehicles, .read, "all"), (.viewer, .vehicles, .write, "-"), (.viewer, .records, .read, "all"),
    (.viewer, .drivers, .read, "all"), (.viewer, .licences, .read, "-"), (.viewer, .journeys, .read, "all"),
    (.viewer, .journeys, .write, "-"), (.viewer, .maintenance, .read, "all"), (.viewer, .defects, .report, "-"),
    (.viewer, .fuel, .read, "all"), (.viewer, .documents, .read, "all"), (.viewer, .costs, .read, "-"),
    (.viewer, .reports, .read, "all"), (.viewer, .audit, .read, "-"), (.viewer, .people, .read, "all"),
    (.viewer, .people, .write, "own"), (.viewer, .settings, .read, "all"), (.viewer, .settings, .write, "-"),
    (.maintenance, .integrations, .read, "-"), (.driver, .integrations, .read, "-"),
    (.viewer, .integrations, .read, "-"), (.viewer, .integrations, .write, "-"),
    (.viewer, .assignments, .read, "all"), (.viewer, .contacts, .read, "all"), (.viewer, .drivers, .write, "-"),
  ]

  private static let (own, other) = (
    UUIDv7(milliseconds: 1, first: 1, rest: 1), UUIDv7(milliseconds: 2, first: 2, rest: 2)
  )

  @Test(arguments: table.indices)
  func each_role_has_the_documented_permissions(_ row: Int) {
    let (role, area, action, reach) = Self.table[row]
    let person = Requester.person(roles: [role], scope: .fleets([Self.own]))
    func isAllowed(_ relation: Relation) -> Bool { Permission.of(person, to: action, area, relation).isAllowed }
    #expect(isAllowed(Relation(fleets: [Self.own])) == (reach == "all" || reach == "vehicles"), "same fleet")
    #expect(!isAllowed(Relation(fleets: [Self.other])), "other fleet")
    #expect(!isAllowed(Relation()), "no fleet")
    #expect(isAllowed(Relation(fleets: [Self.other], isOwn: true)) == (reach != "-"), "own")
    #expect(isAllowed(Relation(fleets: [Self.own], isOfVehicle: false)) == (reach == "all"), "not of a vehicle")
    let everywhere = Requester.person(roles: [role], scope: .all)
    #expect(
      Permission.of(everywhere, to: action, area, Relation()).isAllowed == (reach == "all" || reach == "vehicles"))
  }

  @Test func costs_are_for_viewers_whom_an_administrator_allows_it() {
    for role in PersonRole.allCases {
      let person = Requester.person(roles: [role], scope: .fleets([Self.own]), readsCosts: true)
      func isAllowed(_ action: Action, _ fleet: UUIDv7) -> Bool {
        Permission.of(person, to: action, .costs, Relation(fleets: [fleet])).isAllowed
      }
      #expect(isAllowed(.read, Self.own) == (role != .driver), "\(role)")
      #expect(!isAllowed(.read, Self.other), "\(role)")
      #expect(isAllowed(.write, Self.own) == (role == .admin), "\(role)")
    }
  }

  @Test func a_document_of_a_licence_needs_the_permission_for_licences() {
    var relation = Relation(fleets: [Self.own])
    relation.isLicence = true
    var own = relation
    own.isOwn = true
    for (role, others, mine) in [
      (PersonRole.admin, true, true), (.maintenance, false, false), (.viewer, false, false), (.driver, false, true),
    ] {
      let person = Requester.person(roles: [role], scope: .all)
      #expect(Permission.of(person, to: .read, .documents, relation).isAllowed == others, "\(role)")
      #expect(Permission.of(person, to: .read, .documents, own).isAllowed == mine, "\(role)")
      #expect(Permission.of(person, to: .read, .documents, Relation()).isAllowed == (role != .driver), "\(role)")
    }
    #expect(!Permission.of(.token(.readOnly), to: .read, .documents, relation).isAllowed)
    #expect(Permission.of(.token(.admin), to: .read, .documents, relation).isAllowed)
    // One role of a person does not complete the other.
    let both = Requester.person(roles: [.driver, .viewer], scope: .all)
    #expect(!Permission.of(both, to: .read, .documents, relation).isAllowed)
    #expect(Permission.of(both, to: .read, .documents, own).isAllowed)
  }

  @Test func an_administrator_may_do_everything_in_the_scope() {
    for area in Area.allCases {
      for action in Action.allCases {
        #expect(Permission.of(.person(roles: [.admin], scope: .all), to: action, area, Relation()).isAllowed)
        #expect(
          !Permission.of(
            .person(roles: [.admin], scope: .fleets([Self.own])), to: action, area, Relation(fleets: [Self.other])
          ).isAllowed)
      }
    }
  }

  @Test func several_roles_allow_what_one_of_them_allows() {
    let person = Requester.person(roles: [.driver, .viewer], scope: .all)
    #expect(Permission.of(person, to: .read, .vehicles, Relation()).isAllowed)
    #expect(Permission.of(person, to: .report, .defects, Relation(isOwn: true)).isAllowed)
    #expect(!Permission.of(person, to: .write, .maintenance, Relation(isOwn: true)).isAllowed)
  }

  @Test func gateways_tokens_and_unauthenticated_callers_keep_their_permissions() {
    for area in Area.allCases {
      for action in Action.allCases {
        let relation = Relation(isOwn: true)
        #expect(!Permission.of(.nobody, to: action, area, relation).isAllowed)
        #expect(!Permission.of(.person(roles: [], scope: .all), to: action, area, relation).isAllowed)
        #expect(Permission.of(.token(.admin), to: action, area, relation).isAllowed)
        let gateway = (area, action) == (.geofences, .read) || (area, action) == (.records, .write)
        #expect(Permission.of(.gateway, to: action, area, relation).isAllowed == gateway)
        let reads = action == .read && ![.people, .licences, .audit, .integrations].contains(area)
        #expect(Permission.of(.token(.readOnly), to: action, area, relation).isAllowed == reads)
      }
    }
  }
}
