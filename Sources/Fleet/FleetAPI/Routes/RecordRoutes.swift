import FleetDomain
import HTTPTypes
import Telemetry

/// The routes of records: telemetry, the newest records of a vehicle, trips, trouble codes, and events.
struct RecordRoutes {
  let storage: any FleetStorage

  var routes: [Route] {
    [telemetry, latest, ofGateway]
      + [
        ("trips", "Trips", RecordQuery.tripClasses), ("dtcs", "Trouble codes", RecordQuery.dtcClasses),
        ("events", "Everything else that happened", RecordQuery.eventClasses),
      ].flatMap { name, what, classes in
        [
          list(
            "/api/\(name)", "list\(name.capitalisedFirst)", "\(what) of the whole fleet, the newest first.", classes),
          list(
            "/api/vehicles/{vehicleId}/\(name)", "listVehicle\(name.capitalisedFirst)",
            "\(what) of a vehicle, the newest first.", classes),
        ]
      }
  }

  private var telemetry: Route {
    let storage = storage
    let operation = Operation(
      id: "listTelemetry", summary: "Telemetry of a vehicle as it was sent, oldest first.",
      parameters: [
        .from, .to,
        .query(
          "fields",
          "Only these keys of each record, and `id` and `timestamp`; names with commas between. An unknown name is refused.",
          #"{"type":"string","minLength":1,"examples":["speed,rpm"]}"#),
        .query(
          "every", "Seconds: of each span of this length only the newest record; records without a time are absent.",
          #"{"type":"number","minimum":0.001,"maximum":31536000}"#), .cursor, .limit(1_000, most: 10_000),
      ], results: [.init(.ok, "A page of records.", .json("TelemetryList"))])
    return Route(.get, "/api/vehicles/{vehicleId}/telemetry", .may(.read, .records), operation, isFiltered: true) {
      call in
      let vehicle = try call.name("vehicle")
      let (from, to) = try await call.timesOrDays(storage, ofVehicle: vehicle)
      let query = RecordQuery.telemetry(
        of: vehicle, from: from, to: to,
        every: try Self.milliseconds(call.query["every"]), cursor: try call.cursor(),
        limit: try call.integer("limit", in: 1...RecordQuery.maximumLimit) ?? 1_000)
      let fields = try call.query["fields"].map { list throws(APIError) in try RecordFieldSelection(list) }
      let page = try await Self.page(query, call, storage).records
      return try await page.answer(call) { try fields?.apply(to: $0.json) ?? $0.json }
    }
  }

  private var latest: Route {
    let storage = storage
    let operation = Operation(
      id: "getLatest", summary: "The newest records of a vehicle.",
      results: [
        .init(.ok, "The newest record of each type, of trouble codes and monitors of each ECU.", .json("Latest"))
      ])
    return Route(.get, "/api/vehicles/{vehicleId}/latest", .may(.read, .records), operation, isFiltered: true) { call in
      let id = try call.name("vehicle")
      // The answer also contains the vehicle itself, which a driver may see only while it is assigned to the driver.
      let caller = try call.caller
      let found = try await call.visibleRecords(storage, of: id) { selection in
        try await storage.latest(
          vehicle: id, within: selection.lasting(at: WallClock.now), tenant: caller.tenant)
      } items: { latest in
        latest.map { [$0.telemetry, $0.position].compactMap { $0 } + $0.others } ?? []
      }
      guard var latest = found.records else { throw APIError.notFound("no vehicle \(quoted(id))") }
      latest.others.removeAll { found.hidden.hides($0) }
      let vehicle = latest.vehicle
      latest.vehicle = try await storage.view(tenant: caller.tenant) { view throws(ThingError) in
        try Concealment.ofVehicles.concealed([vehicle], from: caller, view)[0]
      }
      return Answer(json: latest.json)
    }
  }

  private func list(_ path: String, _ id: String, _ summary: String, _ classes: [RecordClass]) -> Route {
    let storage = storage
    let isFleetWide = !path.contains("{")
    var parameters: [Operation.Parameter] = [.from, .to, .cursor, .limit(100, most: 1_000)]
    if isFleetWide { parameters.append(.query("vehicle", "Only this vehicle's, by id or VIN.", Self.nameSchema)) }
    if classes.count > 1 {
      let names = classes.map(\.name).joined(separator: ", ")
      let one = "(" + classes.map(\.name).joined(separator: "|") + ")"
      parameters.append(
        .query(
          "type", "Only these types, with commas between: \(names).",
          #"{"type":"string","pattern":"^\#(one)(, *\#(one))*$"}"#))
    }
    let schema =
      switch classes {
      case RecordQuery.tripClasses: "TripList"
      case RecordQuery.dtcClasses: "DTCList"
      default: "RecordList"
      }
    let operation = Operation(
      id: id, summary: summary, parameters: parameters,
      results: [.init(.ok, "A page of records.", .json(schema))])
    return Route(.get, path, .may(.read, .records), operation, isFiltered: true) { call in
      let vehicle = isFleetWide ? try call.vehicleFilter() : try call.name("vehicle")
      let (from, to) = try await call.timesOrDays(storage, ofVehicle: vehicle)
      let query = RecordQuery(
        vehicle: vehicle,
        classes: try call.query["type"].map { types throws(APIError) in try Self.chosen(types, of: classes) }
          ?? classes,
        from: from, to: to, cursor: try call.cursor(), limit: try call.integer("limit", in: 1...1_000) ?? 100)
      let page = try await Self.page(query, call, storage)
      return try await page.records.answer(call) { page.hidden.hides($0) ? nil : $0.json }
    }
  }

  private var ofGateway: Route {
    let storage = storage
    let operation = Operation(
      id: "listGatewayRecords",
      summary:
        "The own records of a gateway, the newest first: those about itself, and those that it sent before it knew its vehicle.",
      parameters: [.from, .to, .cursor, .limit(100, most: 1_000)],
      results: [.init(.ok, "A page of records.", .json("RecordList"))])
    return Route(.get, "/api/gateways/{gatewayId}/records", .may(.read, .settings), operation) { call in
      let (id, tenant) = (try call.name("gateway"), try call.tenant)
      let (from, to) = try await call.timesOrDays(storage, ofVehicle: nil)
      var query = RecordQuery(
        vehicle: nil, gateway: id, classes: RecordClass.allCases, from: from, to: to, cursor: try call.cursor(),
        limit: try call.integer("limit", in: 1...1_000) ?? 100)
      guard try await storage.gatewaysWithRecords(tenant: tenant).contains(id) else {
        guard try await storage.gateway(id, tenant: tenant) != nil else {
          throw APIError.notFound("no gateway \(quoted(id))")
        }
        return Answer(json: ListBody().finish(next: nil))
      }
      let page = try await BoundedPage<StoredRecord>(
        call, limit: query.limit, cursor: query.cursor, size: { $0.body.count },
        fetch: {
          query.cursor = $0
          query.limit = $1
          return try await storage.records(query, tenant: tenant)
        })
      let times = page.items.compactMap(\.time)
      guard let first = times.min(), let last = times.max() else { return try await page.answer(call) { $0.json } }
      let caller = try call.caller
      let (attributions, hidden) = try await storage.view(tenant: tenant) { view throws(ThingError) in
        let found = try view.attributions(of: id, from: first, through: last)
        let hidden = try caller.hiddenTimes(
          of: Set(found.map(\.vehicle)), from: first, to: last.adding(seconds: 1), view)
        return (found, hidden.windows)
      }
      return try await page.answer(call) { record in
        guard let vehicle = attributions.first(where: { $0.contains(record) })?.vehicle else { return record.json }
        let isHidden = hidden.contains { $0.vehicle == vehicle && (record.time.map($0.contains) ?? true) }
        return isHidden ? nil : record.json { $0.field("attributedTo", vehicle) }
      }
    }
  }

  private static func page(
    _ query: RecordQuery, _ call: Call, _ storage: any FleetStorage
  ) async throws -> VisibleRecords<BoundedPage<StoredRecord>> {
    let tenant = try call.tenant
    return try await call.visibleRecords(storage, of: query.vehicle, from: query.from, to: query.to) { selection in
      var query = query
      query.selection = selection
      return try await BoundedPage(
        call, limit: query.limit, cursor: query.cursor, size: { $0.body.count },
        fetch: {
          query.cursor = $0
          query.limit = $1
          return try await storage.records(query, tenant: tenant)
        })
    } items: {
      $0.items
    }
  }

  private static let nameSchema = ##"{"$ref":"#/components/schemas/Name"}"##

  /// Returns the classes of records that a request selects.
  ///
  /// - Parameter types: names of record types, separated by commas.
  private static func chosen(_ types: String, of classes: [RecordClass]) throws(APIError) -> [RecordClass] {
    let names = types.split(separator: ",", omittingEmptySubsequences: false).map { String($0.drop { $0 == " " }) }
    guard names.allSatisfy({ name in classes.contains { $0.name == name } }) else {
      throw APIError.badRequest(
        "query: type: expected some of \(classes.map(\.name).joined(separator: ",")), found \(quoted(types))")
    }
    // Use a fixed order, so that a cursor stays valid if the next request contains the names in another order.
    return classes.filter { names.contains($0.name) }
  }

  private static func milliseconds(_ text: String?) throws(APIError) -> Int64? {
    guard let text else { return nil }
    // Reject other characters here, because Swift would also accept hexadecimal digits, `inf` and `nan`.
    let isDecimal = text.utf8.allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".")
    }
    guard isDecimal, let seconds = Double(text), (0.001...31_536_000).contains(seconds) else {
      throw APIError.badRequest("query: every: expected seconds from 0.001 to 31536000, found \(quoted(text))")
    }
    return Int64((seconds * 1_000).rounded())
  }
}

extension BoundedPage<StoredRecord> {
  /// Returns an answer with the records of this page.
  ///
  /// - Parameter text: returns the JSON text of a record, such as ``FleetDomain/StoredRecord/json``; `nil` to omit the
  ///   record.
  fileprivate func answer(
    _ call: Call, _ text: @escaping @Sendable (StoredRecord) throws -> [UInt8]?
  ) async throws -> Answer {
    let (items, next) = (items, next)
    return try await call.heavily(items.reduce(0) { $0 + $1.body.count }) {
      var list = ListBody()
      for record in items {
        if let text = try text(record) { list.append(text) }
      }
      return Answer(json: list.finish(next: next))
    }
  }
}

extension LatestRecords {
  /// The JSON object `{"vehicle":{…},"telemetry":{…},"position":{…},"dtc":[{…},{…}],"trip":{…}}`. A type of which the
  /// vehicle has no record is absent. `dtc` and `monitors` contain the newest record of each ECU.
  var json: [UInt8] {
    var bytes = Array(#"{"vehicle":"#.utf8) + Array(vehicleJSON.canonicalText.utf8)
    func add(_ name: String, _ text: [UInt8]) {
      bytes += Array(",\"\(name)\":".utf8)
      bytes += text
    }
    if let telemetry { add("telemetry", telemetry.json) }
    if let position { add("position", position.json) }
    for recordClass in RecordClass.allCases {
      let records = others.filter { $0.recordClass == recordClass }.map(\.json)
      guard let first = records.first else { continue }
      // The key `vehicle` is already used for the vehicle itself.
      let name = recordClass == .known(.vehicle) ? "vehicleRecord" : recordClass.name
      add(
        name,
        recordClass.hasECUs ? Array("[".utf8) + records.joined(separator: Array(",".utf8)) + Array("]".utf8) : first)
    }
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }
}

extension LatestRecords {
  /// The vehicle in the JSON format of the route `/api/vehicles`.
  private var vehicleJSON: JSON { .object(vehicle.members.merging(["addedAt": vehicle.createdAt.json]) { $1 }) }
}

extension StoredRecord {
  /// The record as the gateway sent it, with additional keys in two cases. If its time is not credible:
  /// `"timeAhead":true,"receivedAt":"…"`. If the gateway did not know the vehicle when it made the record:
  /// `"attributedFrom":"…"` with the gateway's id, and `"attributedTo":"…"` with the vehicle's id.
  var json: [UInt8] { json { _ in } }

  /// Returns the record in the format of ``json``, with further keys that `more` writes.
  func json(_ more: (inout JSONLineEncoder) -> Void) -> [UInt8] {
    guard body.last == UInt8(ascii: "}") else { return body }
    let marks = JSONBody.object { line in
      if isTimeAhead {
        line.field("timeAhead", true)
        line.field("receivedAt", receivedAt)
      }
      if let attributedFrom {
        line.field("attributedFrom", attributedFrom)
        line.field("attributedTo", vehicle)
      }
      more(&line)
    }
    return marks.count == 2 ? body : body.dropLast() + Array(",".utf8) + marks.dropFirst()
  }
}

extension String {
  fileprivate var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}
