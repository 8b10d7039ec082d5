import FleetAccess
import FleetDomain
import FleetFigures
import FleetWork
import HTTPTypes
import Telemetry

/// The routes for fills of tanks, charges of batteries, and the consumption that is computed from them.
struct FuelRoutes {
  let storage: any FleetStorage

  var routes: [Route] { entries.routes + [economy, tankRise] }

  var entries: ThingRoutes<FuelEntry> {
    var routes = ThingRoutes<FuelEntry>(
      work: storage, area: .fuel, order: [.init("at", isDescending: true)],
      check: { _, new, _, _ throws(ThingError) in try new.complete() })
    routes.derived = Self.derived
    routes.concealment = .ofFuelEntries
    routes.afterChange = { entry, transaction throws(ThingError) in
      try transaction.followReadings(of: entry)
      try transaction.requestCheck(of: entry)
    }
    return routes
  }

  static let derived = [
    DerivedField<FuelEntry>(
      key: FuelEntry.costKey,
      schema:
        #"{"description":"The amount that costs and reports contain: `total`; without it `price` times `quantity`, rounded to the smallest unit of the currency. Absent if neither is known.","#
        + Money.schema.dropFirst(),
      read: { entries, _ throws(ThingError) in entries.map { $0.value.cost?.json ?? .null } })
  ]

  /// The maximum number of fuel entries that are read for one answer.
  private static let mostEntries = 20_000

  private var economy: Route {
    let operation = Operation(
      id: "getFuelEconomy",
      summary: "The consumption of a vehicle from full tank to full tank; intervals that end in the range.",
      parameters: [.since, .until], results: [.init(.ok, "Consumption.", .json("FuelEconomy"))])
    return Route(
      .get, "/api/vehicles/{vehicleId}/fuel-economy", .may(.read, .fuel), operation, isFiltered: true
    ) { [storage] call in
      let (from, to) = try await call.timesOrDays(storage, ofVehicle: try call.name("vehicle"))
      let economy = try await storage.view(tenant: try call.tenant) { view throws(ThingError) in
        let vehicle = try call.existingVehicle(includingOwn: true, view)
        let rejected = try Self.rejected(of: vehicle.value.id, view)
        let start = try Self.start(of: vehicle.value.id, before: from, rejected, view)
        return FuelEconomy(try Self.entries(of: vehicle.value.id, from: start, to: to, rejected, view))
      }
      return Answer(json: Array(Self.json(economy.ending(from: from, to: to)).canonicalText.utf8))
    }
  }

  private var tankRise: Route {
    let operation = Operation(
      id: "checkFuelEntry",
      summary:
        "Compares a fill with the fuel level that the vehicle reported in the two hours before and after it.",
      results: [.init(.ok, "The comparison.", .json("TankRise"))])
    let entries = entries
    return Route(
      .get, "/api/fuel-entries/{fuelEntryId}/check", .may(.read, .fuel), operation, isFiltered: true
    ) { [storage] call in
      let tenant = try call.tenant
      let caller = try call.caller
      let (entry, hidden) = try await storage.view(tenant: tenant) { view throws(ThingError) in
        let entry = try entries.existing(call, view)
        let reach = Int(TankRise.reach) + 1
        let hidden = try caller.hiddenTimes(
          of: [entry.value.vehicle], from: entry.value.at.adding(seconds: -reach),
          to: entry.value.at.adding(seconds: reach), view)
        return (entry, hidden)
      }
      let check = try await storage.check(of: entry, without: hidden, tenant: tenant)
      return Answer(json: Array(check.json.canonicalText.utf8))
    }
  }

  /// Returns the ids of a vehicle's fuel entries whose odometer readings are wrong: they contradict other readings, or
  /// are void. A reading that was only entered late is not wrong.
  private static func rejected(of vehicle: String, _ view: any FleetView) throws(ThingError) -> Set<UUIDv7> {
    let wrong = MeterReading.Flag.allCases.filter { $0 != .outOfOrder }.map(\.json)
    let readings = ThingQuery<MeterReading>(
      .oneOf(key: "vehicleId", [.text(vehicle)]), .oneOf(key: "source", [MeterReading.Source.fuel.json]),
      .anyOf([[.oneOf(key: "flag", wrong)], [.oneOf(key: "void", [.bool(true)])]]))
    return Set(try view.values(["originId"], readings).compactMap { try? UUIDv7(json: $0[0]) })
  }

  /// Returns the time of the first fuel entry that must be read to compute the consumption in all intervals that end at
  /// `from` or later; `nil` if all entries must be read.
  ///
  /// - Parameter rejected: the ids of entries with wrong readings. They begin no interval.
  private static func start(
    of vehicle: String, before from: Timestamp?, _ rejected: Set<UUIDv7>, _ view: any FleetView
  ) throws(ThingError) -> Timestamp? {
    guard let from else { return nil }
    var start = from
    for energy in FuelEntry.Energy.allCases {
      var full = ThingQuery<FuelEntry>(
        .oneOf(key: "vehicleId", [.text(vehicle)]), .oneOf(key: "energy", [energy.json]), .below(key: "at", from.json),
        .oneOf(key: "full", [.bool(true)]), .oneOf(key: "void", [.bool(false)]), .isSet(key: "odometer"),
        order: [.init("at", isDescending: true)], limit: 100)
      var last: Timestamp?
      repeat {
        let page = try view.list(full)
        last = page.items.first { !rejected.contains($0.id) }?.value.at
        full.cursor = page.next
      } while last == nil && full.cursor != nil
      if let last { start = min(start, last) }
    }
    return start
  }

  /// Reads the fuel entries of a vehicle, without the readings of the entries in `rejected`.
  private static func entries(
    of vehicle: String, from: Timestamp?, to: Timestamp?, _ rejected: Set<UUIDv7>, _ view: any FleetView
  ) throws(ThingError) -> [FuelEntry] {
    var query = ThingQuery<FuelEntry>(
      .oneOf(key: "vehicleId", [.text(vehicle)]), .oneOf(key: "void", [.bool(false)]), order: [.init("at")],
      limit: 1_000)
    if let from { query.conditions.append(.atLeast(key: "at", from.json)) }
    if let to { query.conditions.append(.below(key: "at", to.json)) }
    var entries: [FuelEntry] = []
    repeat {
      let page = try view.list(query)
      entries += page.items.map { item in
        var entry = item.value
        if rejected.contains(item.id) { entry.odometer = nil }
        return entry
      }
      query.cursor = page.next
      guard entries.count <= mostEntries else {
        throw .rule(
          code: "tooManyEntries", message: "more than \(mostEntries) entries; ask for a shorter range of time")
      }
    } while query.cursor != nil
    return entries
  }

  private static func json(_ economy: FuelEconomy) -> JSON {
    var averages: [String: JSON] = [:]
    for (energy, average) in economy.averages {
      averages[energy.rawValue] = .object(
        members(energy, average.distance, average.quantity, average.quantityPer100km))
    }
    let intervals = economy.intervals.map { interval in
      JSON.object(
        members(interval.energy, interval.distance, interval.quantity, interval.quantityPer100km)
          .merging(["from": interval.from.json, "to": interval.to.json, "energy": interval.energy.json]) { $1 })
    }
    return .object(["intervals": .array(intervals), "average": .object(averages)])
  }

  private static func members(
    _ energy: FuelEntry.Energy, _ distance: Double, _ quantity: Double, _ per100km: Double
  ) -> [String: JSON] {
    let key =
      switch energy.unit {
      case .kilowattHour: "kWhPer100km"
      case .kilogram: "kilogramsPer100km"
      default: "litresPer100km"
      }
    return [
      "distance": distance.rounded(toDigits: 3).json, "quantity": quantity.rounded(toDigits: 3).json,
      "unit": energy.unit.json, key: per100km.rounded(toDigits: 3).json,
    ]
  }
}

extension Double {
  /// Returns the number, rounded to `digits` digits after the decimal point. Without rounding, the JSON would contain
  /// meaningless digits of binary fractions.
  fileprivate func rounded(toDigits digits: Int) -> Double {
    let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
    return (self * scale).rounded() / scale
  }
}

extension Call {
  /// Returns the vehicle in the path, if the caller has the permission of the route for all things of this vehicle.
  ///
  /// - Parameter includingOwn: whether drivers have this permission for vehicles that are assigned to them at present.
  /// - Throws: `notFound` if the vehicle does not exist or the caller may not read it; `forbidden` if only the
  ///   permission of the route is missing.
  func existingVehicle(includingOwn: Bool = false, _ view: any FleetView) throws(ThingError) -> Stored<Vehicle> {
    let name = parameters.first ?? ""
    guard NameRules.isName(name), let vehicle = try view.vehicle(named: name) else {
      throw .notFound(kind: Vehicle.names.one, id: name)
    }
    guard let identity, let reach, !reach.isEverything else { return vehicle }
    let relation = Relation(fleets: Set([vehicle.value.fleetID].compactMap { $0 }))
    guard !reach.contains(relation) else { return vehicle }
    let shown = Relation(
      fleets: relation.fleets,
      isOwn: try identity.ownVehicles(at: WallClock.now, view).contains(vehicle.value.id))
    if includingOwn, reach.contains(shown) { return vehicle }
    guard Reach(of: identity.requester, to: .read, .vehicles).contains(shown) else {
      throw .notFound(kind: Vehicle.names.one, id: name)
    }
    throw .forbidden(reason: reach.reason)
  }
}

extension Operation.Parameter {
  /// The query parameter `from`, the start of a time range.
  static let since = query(
    "from", "Start of the range: RFC 3339, from 1678 to 2261, or a day like `2026-05-04`.", #"{"type":"string"}"#)
  /// The query parameter `to`, the end of a time range.
  static let until = query(
    "to", "End of the range: RFC 3339 (excluded), from 1678 to 2261, or a day like `2026-05-04` (included).",
    #"{"type":"string"}"#)
}
