import FleetDomain
import FleetFigures
import FleetWork
import HTTPTypes
import Telemetry

/// `/api/vehicles/{id}/costs`: the costs of a vehicle.
struct CostRoutes {
  let storage: any FleetStorage
  let updater: DayUpdater

  /// The maximum number of things of one kind that are read for one answer.
  private static let mostThings = 20_000
  /// `days`: the maximum length of the range. `computed`: the maximum number of days whose figures one request
  /// computes.
  private static let most = (days: 36_600, computed: 40)

  var routes: [Route] {
    let (storage, updater) = (storage, updater)
    let operation = Operation(
      id: "getCosts",
      summary:
        "Costs of a vehicle: expenses, fuel, maintenance and loss of value, in each currency; and for each km, hour of the engine and day, if these are known.",
      parameters: [
        .query(
          "from", "The first day, or a time in it. Without it: the day of the acquisition or of the first cost.",
          Self.schema),
        .query("to", "The last day, or a time: the last day that begins before it. Without it: today.", Self.schema),
      ], results: [.init(.ok, "The costs.", .json("Costs"))])
    return [
      Route(.get, "/api/vehicles/{vehicleId}/costs", .may(.read, .costs), operation, isFiltered: true) { call in
        let tenant = try call.tenant
        let vehicle = try await storage.view(tenant: tenant) { view throws(ThingError) in
          try call.existingVehicle(view)
        }
        let zoneName = try await storage.staleDays(of: vehicle.value.id, tenant: tenant)?.zone
        let zone = storage.zone(zoneName)
        let last = try call.date("to", in: zone, isEnd: true) ?? zone.day(of: WallClock.now)
        let first = try call.date("from", in: zone, isEnd: false)
        guard first ?? last <= last, last.dayNumber - (first ?? last).dayNumber < Self.most.days else {
          throw APIError.badRequest(
            "query: from, to: expected 1 to \(Self.most.days) days, found \(first?.text ?? "") to \(last.text)")
        }
        let items = try await storage.view(tenant: tenant) { view throws(ThingError) in
          try Self.items(of: vehicle.value.id, from: first, through: last, in: zone, view)
        }
        let begin = first ?? vehicle.value.acquiredOn ?? items.map { zone.day(of: $0.at) }.min()
        var costs = VehicleCosts()
        for item in items { costs.add(item.amount, category: item.category) }
        guard let begin, begin <= last else {
          return Self.answer(costs, days: nil, driven: nil, hours: nil, pending: [], from: nil, last)
        }
        costs.addLossOfValue(
          of: vehicle.value, from: begin, through: last, today: zone.day(of: WallClock.now))
        let state = try await updater.update(
          vehicle.value.id, tenant: tenant, within: begin...last, most: Self.most.computed)
        let caller = try call.caller
        let (figures, hidden) = try await storage.view(tenant: tenant) { view throws(ThingError) in
          let hidden = try caller.hiddenTimes(
            of: [vehicle.value.id], from: Timestamp(limiting: zone.start(of: begin)),
            to: Timestamp(limiting: zone.start(of: last.next)), view)
          return (try view.days(of: [vehicle.value.id], from: begin, through: last).map(\.day), hidden)
        }
        // The distance of a day with a private journey is not shown before the day has ended.
        let today = zone.day(of: WallClock.now)
        let isTodayHidden = begin <= today && today <= last && hidden.overlaps(today, of: vehicle.value.id, in: zone)
        // If the figures of some days are not computed yet, the total distance is too short, and the costs per
        // kilometre would be too high. In this case, omit the costs per kilometre.
        let isComplete = state.stale.isEmpty
        // Engine hours of days with private journeys are hidden, so that the sum would be too low.
        let hasPrivateTime = figures.contains { hidden.overlaps($0.date, of: vehicle.value.id, in: zone) }
        var telemetry: [CalendarDate: Double] = [:]
        for day in figures { telemetry[day.date] = day.distance }
        let known = telemetry
        let driven =
          isComplete && !isTodayHidden
          ? try await storage.view(tenant: tenant) { view throws(ThingError) in
            try view.drivenDistance(of: vehicle.value.id, on: begin...last, telemetry: known, in: zone)
          } : nil
        return Self.answer(
          costs, days: Double(last.dayNumber - begin.dayNumber + 1), driven: driven,
          hours: isComplete && !figures.isEmpty && !hasPrivateTime
            ? Double(figures.reduce(0) { $0 + $1.engineOn }) / 3_600_000 : nil,
          pending: state.stale, hasPrivateTime: hasPrivateTime || isTodayHidden, from: begin, last)
      }
    ]
  }

  private static let schema = #"{"type":"string","examples":["2026-05-04","2026-05-04T00:00:00Z"]}"#

  /// One cost of a vehicle, with its time.
  private struct Item: Sendable {
    let at: Timestamp
    let category: String
    /// The amount; `nil` if unknown.
    let amount: Money?
  }

  private static func items(
    of vehicle: String, from first: CalendarDate?, through last: CalendarDate, in zone: ZoneRules, _ view: any FleetView
  ) throws(ThingError) -> [Item] {
    func time(_ milliseconds: Int64) -> JSON { Timestamp(limiting: milliseconds).json }
    func all<Value: Kind>(_ kind: Value.Type) throws(ThingError) -> [Value] {
      var query = ThingQuery<Value>(
        .oneOf(key: "vehicleId", [.text(vehicle)]), .oneOf(key: "void", [.bool(false)]),
        .below(key: "at", time(zone.start(of: last.next))),
        order: [.init("at")], limit: 1_000)
      if let first { query.conditions.append(.atLeast(key: "at", time(zone.start(of: first)))) }
      var values: [Value] = []
      repeat {
        let page = try view.list(query)
        values += page.items.map(\.value)
        query.cursor = page.next
        guard values.count <= mostThings else {
          throw .rule(code: "tooManyEntries", message: "more than \(mostThings) \(kind.names.many); ask for fewer days")
        }
      } while query.cursor != nil
      return values
    }
    return try maintenance(of: vehicle, from: first, through: last, in: zone, view)
      + all(Expense.self).map { Item(at: $0.at, category: $0.category.rawValue, amount: $0.amount) }
      + all(FuelEntry.self).map { Item(at: $0.at, category: VehicleCosts.fuel, amount: $0.cost) }
  }

  /// Returns the costs of the services and repairs that were completed on the days from `first` to `last`.
  private static func maintenance(
    of vehicle: String, from first: CalendarDate?, through last: CalendarDate, in zone: ZoneRules, _ view: any FleetView
  ) throws(ThingError) -> [Item] {
    var query = ThingQuery<MaintenanceRecord>(
      .oneOf(key: "vehicleId", [.text(vehicle)]), .oneOf(key: "status", [MaintenanceRecord.Status.completed.json]),
      .atMost(key: "completedDate", last.json), order: [.init("completedDate")], limit: 1_000)
    if let first { query.conditions.append(.atLeast(key: "completedDate", first.json)) }
    var items: [Item] = []
    repeat {
      let page = try view.list(query)
      for record in page.items.map(\.value) {
        guard let date = record.completedDate else { continue }
        let at = Timestamp(limiting: zone.start(of: date))
        items += record.costs.map { Item(at: at, category: VehicleCosts.maintenance, amount: $0) }
      }
      query.cursor = page.next
      guard items.count <= mostThings else {
        throw .rule(
          code: "tooManyEntries", message: "more than \(mostThings) maintenance records; ask for fewer days")
      }
    } while query.cursor != nil
    return items
  }

  private static func answer(
    _ costs: VehicleCosts, days: Double?, driven: DrivenDistance?, hours: Double?, pending: [CalendarDate],
    hasPrivateTime: Bool = false, from first: CalendarDate?, _ last: CalendarDate
  ) -> Answer {
    func list(_ money: [Money]) -> JSON { .array(money.map(\.json)) }
    var members: [String: JSON] = [
      "total": list(costs.total), "byCategory": .object(costs.byCategory.mapValues(list)), "to": last.json,
      "perKilometer": list(costs.total(per: driven?.kilometers) ?? []),
      "perEngineHour": list(costs.total(per: hours) ?? []),
      "perDay": list(costs.total(per: days) ?? []),
    ]
    members["from"] = first?.json
    if let driven, let kilometers = driven.kilometers, let basis = driven.basis {
      members["distance"] = .object([
        "kilometers": ((kilometers * 1_000).rounded() / 1_000).json, "basis": .text(basis.rawValue),
        "telemetryDays": .integer(Int64(driven.days.telemetry)), "odometerDays": .integer(Int64(driven.days.odometer)),
      ])
    }
    if !pending.isEmpty { members["pending"] = .array(pending.map(\.json)) }
    if hasPrivateTime { members["hasPrivateTime"] = .bool(true) }
    if costs.isEstimated { members["estimated"] = .bool(true) }
    if costs.unknown > 0 { members["withoutAmount"] = .integer(Int64(costs.unknown)) }
    return Answer(json: Array(JSON.object(members).canonicalText.utf8))
  }
}
