import FleetDomain
import FleetStorageTestKit
import Telemetry
import TestKit
import Testing

@testable import FleetStorage

/// Pages of the records of a selection, compared with all records and a simple filter.
@Suite struct VehicleSelectionTests {
  /// A storage with vehicles `V-0`, `V-1`, …: every fourth is in no fleet, and the others are divided among three
  /// fleets.
  private struct Depot {
    let fleet: TestedFleet
    let fleets: [UUIDv7]
    let vehicles: [String]

    init(_ fleet: TestedFleet, vehicles count: Int) async throws {
      let ids = try await fleet.storage.change(tenant: .standard, by: Actor(.command), at: Sample.now) {
        transaction throws(ThingError) in
        var ids: [UUIDv7] = []
        for number in 0..<3 {
          var depot = Fleet()
          depot.name = "Depot \(number)"
          ids.append(try transaction.insert(depot).id)
        }
        for number in 0..<count {
          var vehicle = Vehicle(id: "V-\(number)")
          vehicle.fleetID = number % 4 == 3 ? nil : ids[number % 4]
          try transaction.insert(vehicle)
        }
        return ids
      }
      (self.fleet, fleets, vehicles) = (fleet, ids, (0..<count).map { "V-\($0)" })
    }

    func fleetID(of vehicle: String) -> UUIDv7? {
      let number = Int(vehicle.dropFirst(2)) ?? 3
      return number % 4 == 3 ? nil : fleets[number % 4]
    }

    /// Returns the records of a query without a selection, which are then filtered here.
    func expected(_ query: RecordQuery) async throws -> [String] {
      var whole = query
      (whole.selection, whole.every, whole.limit) = (.all, nil, 10_000)
      var records = try await fleet.storage.all(whole).filter {
        query.selection.contains($0.vehicle, of: fleetID(of: $0.vehicle), at: $0.time)
      }
      if let every = query.every {
        records = records.filter { $0.time != nil }
        records = records.indices.filter { index in
          func span(_ place: Int) -> Int64 {
            let time = records[place].time?.milliseconds ?? 0
            return time >= 0 ? time / every : (time + 1) / every - 1
          }
          return index + 1 == records.count || span(index) != span(index + 1)
        }.map { records[$0] }
      }
      return records.map(\.place)
    }

    /// Returns the records of all pages; `nil` if the vehicle of the query is not found.
    func found(_ query: RecordQuery) async throws -> [String]? {
      do throws(StorageError) {
        var (query, places, pages) = (query, [String](), 0)
        while true {
          let page = try await fleet.storage.records(query, tenant: .standard)
          places += page.items.map(\.place)
          pages += 1
          guard let next = page.next else { return places }
          guard pages < 10_000, page.items.count <= query.limit else { return ["no end"] }
          query.cursor = next
        }
      } catch {
        if error.kind == .notFound { return nil }
        throw error
      }
    }
  }

  private static func window(
    _ vehicle: String, _ from: Double, _ to: Double?
  ) -> VehicleWindow { VehicleWindow(vehicle, from: Sample.time(from), to: to.map(Sample.time)) }

  @Test(arguments: Kind.allCases)
  func pages_of_a_selection_have_every_selected_record_once(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let depot = try await Depot(fleet, vehicles: 20)
      var random = SplitMix(seed: 17)
      // The records have equal ids in several vehicles and classes, equal times, and no time in some cases; telemetry
      // is in runs and rows.
      let types = ["telemetry", "driving", "gap", "trip", "dtc", "novelty"]
      for vehicle in depot.vehicles {
        var records: [IncomingRecord] = []
        for number in 0..<60 {
          let type = types[Int.random(in: 0..<types.count, using: &random)]
          records.append(
            Sample.record(
              number, type, at: Double(number / 3), noTime: Int.random(in: 0..<15, using: &random) == 0,
              vehicle: vehicle))
        }
        try await fleet.storage.store(records)
      }
      try await fleet.storage.store((100..<180).map { Sample.record($0, at: Double($0 - 100) / 4, vehicle: "V-3") })
      // Own records of a gateway; some are attributed.
      try await fleet.storage.store(
        (0..<60).map { Sample.record($0, types[$0 % 6], at: Double($0 / 3), vehicle: "gw-17") })
      for (number, vehicle) in ["V-1", "V-2", "V-3", "V-1"].enumerated() {
        let from = Double(number * 5)
        try await fleet.storage.attribute(to: vehicle, trip: UInt64(number), from, from + Double(number) + 2.5)
      }
      for round in 0..<120 {
        func vehicle() -> String { depot.vehicles[Int.random(in: 0..<20, using: &random)] }
        var selection = VehicleSelection(
          fleets: Set(depot.fleets.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }))
        for _ in 0..<Int.random(in: 0..<(round % 5 == 0 ? 200 : 6), using: &random) {
          let from = Double(Int.random(in: 0..<80, using: &random)) / 4
          let length = Double(Int.random(in: 1..<16, using: &random)) / 4
          let isOpen = Int.random(in: 0..<8, using: &random) == 0
          selection.windows.append(Self.window(vehicle(), from, isOpen ? nil : from + length))
        }
        // Administrators see all vehicles, except at the times of private journeys.
        if round % 4 == 0 { selection = .all }
        for _ in 0..<Int.random(in: 0..<8, using: &random) * (round % 2) + (round % 4 == 0 ? 1 : 0) {
          let from = Double(Int.random(in: 0..<80, using: &random)) / 4
          let length = Double(Int.random(in: 1..<30, using: &random)) / 4
          let isOpen = Int.random(in: 0..<6, using: &random) == 0
          selection.excluded.append(Self.window(vehicle(), from, isOpen ? nil : from + length))
        }
        let isTelemetry = round % 3 == 0
        let classes = isTelemetry ? [.known(.telemetry)] : round % 3 == 1 ? RecordQuery.eventClasses : [.known(.trip)]
        var query = RecordQuery(
          vehicle: isTelemetry || Bool.random(using: &random) ? vehicle() : nil, classes: classes, selection: selection,
          limit: [1, 3, 10, 1_000][Int.random(in: 0..<4, using: &random)])
        query.order = Bool.random(using: &random) ? .oldestFirst : .newestFirst
        if Bool.random(using: &random) { query.from = Sample.time(Double(Int.random(in: 0..<12, using: &random))) }
        if Bool.random(using: &random) { query.to = Sample.time(Double(Int.random(in: 8..<20, using: &random)) + 0.5) }
        if isTelemetry, Bool.random(using: &random) {
          (query.order, query.every) = (.oldestFirst, [250, 1_000, 7_000][round % 3])
        }
        let isVisible = query.vehicle.map { name in
          selection.fleets?.contains { $0 == depot.fleetID(of: name) } ?? true
            || selection.windows.contains { $0.vehicle == name }
        }
        let expected = try await depot.expected(query)
        #expect(try await depot.found(query) == (isVisible ?? true ? expected : nil), "\(round): \(query)")
      }
    }
  }

  /// Pages end when their work reaches a limit, but no record is skipped. There are more windows than one call reads,
  /// and many records of other vehicles between the selected ones.
  @Test(arguments: Kind.allCases)
  func sparse_records_are_found_in_bounded_steps(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let depot = try await Depot(fleet, vehicles: 400)
      try await fleet.storage.store((0..<5_000).map { Sample.record($0, "trip", at: Double($0 / 5), vehicle: "V-3") })
      for number in [5_001, 5_002, 5_900] {
        try await fleet.storage.store([
          Sample.record(number, "trip", at: Double(number - 5_000), vehicle: "V-\(number % 4 == 3 ? 1 : number % 4)")
        ])
      }
      for order in [RecordQuery.Order.oldestFirst, .newestFirst] {
        var query = RecordQuery(vehicle: nil, classes: RecordQuery.tripClasses, order: order, limit: 2)
        query.selection = VehicleSelection(fleets: Set(depot.fleets))
        let first = try await fleet.storage.records(query, tenant: .standard)
        #expect(first.next != nil && first.items.count <= 2)
        #expect(try await depot.found(query) == (try await depot.expected(query)))
        // 300 windows without a record, then one with records.
        query.selection = VehicleSelection(
          fleets: [],
          windows: (0..<300).map { Self.window("V-7", Double($0), Double($0) + 0.5) }
            + [Self.window("V-3", 500, 501), Self.window("V-7", 700, 800)])
        #expect(try await depot.found(query)?.count == 5)
        #expect(try await depot.found(query) == (try await depot.expected(query)))
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func a_cursor_continues_after_the_selection_has_changed(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      _ = try await Depot(fleet, vehicles: 4)
      try await fleet.storage.store((0..<40).map { Sample.record($0, "trip", vehicle: "V-\($0 % 2)") })
      var query = RecordQuery(vehicle: nil, classes: RecordQuery.tripClasses, order: .oldestFirst, limit: 4)
      query.selection = VehicleSelection(fleets: [], windows: [Self.window("V-0", 0, nil)])
      let first = try await fleet.storage.records(query, tenant: .standard)
      #expect(first.items.map(\.number) == [0, 2, 4, 6])
      query.cursor = first.next
      // The assignment has ended, and another one has begun.
      query.selection = VehicleSelection(
        fleets: [], windows: [Self.window("V-0", 0, 9), Self.window("V-1", 20, nil)])
      let second = try await fleet.storage.records(query, tenant: .standard)
      #expect(second.items.map(\.number) == [8, 21, 23, 25])
      query.cursor = second.next
      query.selection = .all
      #expect(try await fleet.storage.records(query, tenant: .standard).items.map(\.number) == [26, 27, 28, 29])
    }
  }

  @Test(arguments: Kind.allCases)
  func the_newest_records_are_those_in_the_selection(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      let depot = try await Depot(fleet, vehicles: 4)
      try await fleet.storage.store([
        Sample.record(1, "trip", at: 10, vehicle: "V-1"), Sample.record(2, "telemetry", at: 20, vehicle: "V-1"),
      ])
      func latest(_ selection: VehicleSelection) async throws -> [Int]? {
        try await fleet.storage.latest(vehicle: "V-1", within: selection, tenant: .standard)
          .map { ([$0.telemetry].compactMap { $0 } + $0.others).map(\.number) }
      }
      #expect(try await latest(.all) == [2, 1])
      #expect(try await latest(VehicleSelection(fleets: [depot.fleets[1]])) == [2, 1])
      #expect(try await latest(VehicleSelection(fleets: [depot.fleets[0]])) == nil)
      #expect(try await latest(VehicleSelection(fleets: [], windows: [Self.window("V-1", 15, nil)])) == [2])
      #expect(try await latest(VehicleSelection(fleets: [], windows: [Self.window("V-1", 5, 20)])) == [1])
      #expect(try await latest(VehicleSelection(fleets: [], windows: [Self.window("V-2", 5, nil)])) == nil)
      #expect(try await latest(VehicleSelection(fleets: nil, excluded: [Self.window("V-1", 15, nil)])) == [1])
      #expect(try await latest(VehicleSelection(fleets: nil, excluded: [Self.window("V-1", 0, nil)])) == [])
    }
  }

  @Test(arguments: Kind.allCases)
  func a_hidden_time_does_not_remove_earlier_newest_records(_ kind: Kind) async throws {
    try await TestedFleet.with(kind) { fleet in
      func place(_ degrees: Int) -> String { #","latitude":47.\#(degrees),"longitude":9.25"# }
      // Of each ECU, the newest report counts. One ECU reported again within the hidden time.
      try await fleet.storage.store(
        [
          Sample.record(1, "dtc", at: 10, keys: #","ecu":"7E8""#),
          Sample.record(2, "dtc", at: 11, keys: #","ecu":"7E9""#),
          Sample.record(3, "trip", at: 12), Sample.record(4, at: 13, keys: place(5)), Sample.record(5, at: 14),
        ]
          + (20..<320).map { Sample.record($0, at: Double($0), keys: place($0)) }
          + [Sample.record(401, "dtc", at: 401, keys: #","ecu":"7E8""#), Sample.record(402, "trip", at: 402)])
      let hidden = VehicleSelection(fleets: nil, excluded: [Self.window("VAN-001", 20, 410)])
      func newestOf(_ selection: VehicleSelection) async throws -> [Int] {
        let found = try #require(
          try await fleet.storage.latest(vehicle: "VAN-001", within: selection, tenant: .standard))
        let others = found.others.map(\.number).sorted()
        return [found.telemetry, found.position].compactMap { $0?.number } + others
      }
      #expect(try await newestOf(.all) == [319, 319, 2, 401, 402])
      #expect(try await newestOf(hidden) == [5, 4, 1, 2, 3])
      let newest = try await fleet.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.newestPlace(of: "VAN-001", within: hidden)?.place
      }
      #expect(newest?.time == Sample.time(13) && newest?.latitude == 47.5)
      // Later records of one class do not change the others.
      try await fleet.storage.store([Sample.record(500, "trip", at: 500)])
      #expect(try await newestOf(hidden) == [5, 4, 1, 2, 500])
    }
  }
}

extension StoredRecord {
  fileprivate var place: String { "\(vehicle) \(recordClass.name) \(number)" }
}
