import FleetDomain
import FleetFigures
import FleetWork
import HTTPTypes
import Telemetry

/// The routes for the newest positions of vehicles, and for a vehicle's track.
struct PositionRoutes {
  let storage: any FleetStorage

  var routes: [Route] { [positions, track] }

  // MARK: Positions

  private var positions: Route {
    let storage = storage
    let operation = Operation(
      id: "listPositions", summary: "The newest position of every vehicle that has one, with its state.",
      parameters: [
        .query(
          "bbox",
          "West, south, east, north in °, with commas between: only positions in this box. It crosses the antimeridian if west is greater than east.",
          #"{"type":"string","examples":["9.5,46.3,17.2,49.1"]}"#),
        .query("fleet", "Only vehicles of these fleets, with commas between.", #"{"type":"string"}"#),
      ],
      results: [
        .init(
          .ok, "A GeoJSON FeatureCollection.",
          .init(types: ["application/geo+json"], schema: "PositionCollection"))
      ])
    return Route(.get, "/api/positions", .may(.read, .records), operation, isFiltered: true) { call in
      let box = try call.query["bbox"].map { text throws(APIError) in try BoundingBox(query: text) }
      let fleets = try Self.fleets(call.query["fleet"])
      let now = WallClock.now
      let selection = try await call.selection(storage)
      let visible =
        selection.windows.isEmpty
        ? selection.fleets.map { own in fleets.map { $0.filter(own.contains) } ?? Array(own) } ?? fleets : fleets
      let caller = try call.caller
      let found = try await storage.view(tenant: caller.tenant) { view throws(ThingError) in
        try Self.positions(fleets: visible, caller, at: now, view)
      }
      try await call.memory.grow(to: found.count * Self.longestFeature)
      return try await call.heavily(found.count * Self.longestFeature) {
        var text = Array(#"{"type":"FeatureCollection","features":["#.utf8)
        text.reserveCapacity(found.count * 300)
        var isFirst = true
        for known in found {
          guard let place = known.place, box?.contains(place) ?? true,
            selection.contains(known.vehicle, of: known.fleetID, at: place.time)
          else { continue }
          if !isFirst { text.append(UInt8(ascii: ",")) }
          isFirst = false
          Self.write(known, place, at: now, to: &text)
        }
        text += Array("]}".utf8)
        return Answer(type: "application/geo+json", bytes: text)
      }
    }
  }

  /// Returns the newest positions of vehicles that a caller may see. A vehicle on a private journey of another driver
  /// has no position. If the newest position of a vehicle is from such a journey that has ended, the newest position
  /// from outside of the journey is returned instead.
  private static func positions(
    fleets: [UUIDv7]?, _ caller: Identity, at now: Timestamp, _ view: any FleetView
  ) throws(ThingError) -> [LastKnown] {
    let own = try caller.ownDrivers(view)
    var found = try view.positions(fleets: fleets, hidingPrivateExcept: own)
    let away = try view.vehiclesOnPrivateJourneys(at: now, except: own)
    found.removeAll { away.contains($0.vehicle) }
    var hiding = found.indices.filter { found[$0].isPrivate }
    // Usually, the newest position outside of private journeys is new, so that only few journeys can hide it.
    for since in HiddenTimes.steps(before: now) where !hiding.isEmpty {
      let hidden = try view.hiddenTimes(of: Set(hiding.map { found[$0].vehicle }), from: since, except: Set(own))
      var rest: [Int] = []
      for index in hiding {
        let selection = VehicleSelection(fleets: nil, excluded: hidden.windows(of: found[index].vehicle))
        guard let newest = try view.newestPlace(of: found[index].vehicle, within: selection) else { continue }
        if let since, newest.place.time < since {
          rest.append(index)
          continue
        }
        (found[index].place, found[index].driverID) = (newest.place, newest.driver)
        // The vehicle has been driven since then, so it does not move with the speed of that time.
        found[index].place?.speed = nil
      }
      hiding = rest
    }
    return found
  }

  /// Maximum memory for one feature of the answer and for the data from which it is made, in bytes.
  private static let longestFeature = 1_024

  private static func write(_ known: LastKnown, _ place: LastKnown.Place, at now: Timestamp, to text: inout [UInt8]) {
    let id = JSON.text(known.vehicle).canonicalText
    text += Array(#"{"type":"Feature","id":\#(id),"geometry":{"type":"Point","coordinates":["#.utf8)
    text += Array("\(place.longitude),\(place.latitude)]},\"properties\":{\"vehicleId\":\(id)".utf8)
    if let name = known.name { text += Array(",\"name\":\(JSON.text(name).canonicalText)".utf8) }
    if let fleet = known.fleetID { text += Array(",\"fleetId\":\"\(fleet.string)\"".utf8) }
    if let driver = known.driverID {
      text += Array(",\"driverId\":\"\(driver.string)\",\"driver\":\"\(driver.string)\"".utf8)
    }
    text += Array(",\"state\":\"\(VehicleState(of: known, at: now).rawValue)\"".utf8)
    if let heading = place.heading { text += Array(",\"heading\":\(heading)".utf8) }
    if let speed = place.speed { text += Array(",\"speed\":\(speed)".utf8) }
    text += Array(",\"timestamp\":\"\(place.time.string)\"".utf8)
    // The time of the last record may be the end of a private journey.
    if let time = known.lastRecordAt, !known.isPrivate { text += Array(",\"lastRecordAt\":\"\(time.string)\"".utf8) }
    text += Array("}}".utf8)
  }

  private static func fleets(_ text: String?) throws(APIError) -> [UUIDv7]? {
    guard let text else { return nil }
    let names = text.split(separator: ",", omittingEmptySubsequences: false)
    let ids = names.compactMap { UUIDv7($0.utf8.span) }
    guard ids.count == names.count, ids.count <= 100 else {
      throw .badRequest("query: fleet: expected 1 to 100 ids of fleets with commas between, found \(quoted(text))")
    }
    return ids
  }

  // MARK: Tracks

  /// Maximum number of records that are read for one request.
  static let mostRecords = 200_000
  /// Maximum number of positions that are read for one answer.
  static let mostPoints = 100_000
  private static let pageRecords = 2_000
  /// Memory for one position of the answer and for the data from which it is made, in bytes.
  private static let pointBytes = 160

  private var track: Route {
    let storage = storage
    let operation = Operation(
      id: "getTrack",
      summary:
        "The way of a vehicle, simplified. Without a position for 5 minutes, it continues in another part of a MultiLineString.",
      parameters: [
        .from, .to,
        .query(
          "tolerance", "The greatest distance of a removed position from the line, m.",
          #"{"type":"number","minimum":0,"maximum":100000,"default":10}"#),
        .query("format", "The format of the answer.", #"{"enum":["geojson","gpx"],"default":"geojson"}"#),
      ],
      results: [
        .init(
          .ok, "The track. `continuesAt` is the `from` of the rest if it is too long for one answer.",
          .init(types: ["application/geo+json", "application/gpx+xml"], schema: "Track"))
      ])
    return Route(.get, "/api/vehicles/{vehicleId}/track", .may(.read, .records), operation, isFiltered: true) { call in
      let name = try call.name("vehicle")
      let tolerance = try call.number("tolerance", in: 0...100_000) ?? 10
      let format = call.query["format"] ?? "geojson"
      guard ["geojson", "gpx"].contains(format) else {
        throw APIError.badRequest("query: format: expected geojson or gpx, found \(quoted(format))")
      }
      let (from, to) = try await call.timesOrDays(storage, ofVehicle: name)
      let selection = try await call.recordSelection(storage, of: name, from: from, to: to)
      let vehicle = try await call.vehicle(named: name, in: selection, storage)
      var query = RecordQuery.telemetry(of: vehicle.value.id, from: from, to: to, limit: Self.pageRecords)
      query.selection = selection
      var reader = TrackReader(tolerance: tolerance)
      try await reader.read(query, call, storage)
      let (track, rest) = (reader.builder.finish(), reader.continuesAt)
      return try await call.heavily(track.pointCount * Self.pointBytes) {
        if format == "gpx" {
          var answer = Answer(
            type: "application/gpx+xml", bytes: track.gpx(name: vehicle.value.name ?? vehicle.value.id))
          if let rest { answer.headers[.fleetContinuesAt] = rest.string }
          return answer
        }
        let more = rest.map { ",\"continuesAt\":\"\($0.string)\"" } ?? ""
        return Answer(
          type: "application/geo+json",
          bytes: track.geoJSON(members: ",\"vehicleId\":\(JSON.text(vehicle.value.id).canonicalText)\(more)"))
      }
    }
  }

  /// Reads the positions of a track, page by page.
  private struct TrackReader {
    var builder: TrackBuilder
    /// The time of the last record that was read, at which the next request must continue; `nil` if all records were
    /// read.
    var continuesAt: Timestamp?

    init(tolerance: Double) { builder = TrackBuilder(tolerance: tolerance) }

    mutating func read(_ query: RecordQuery, _ call: Call, _ storage: any FleetStorage) async throws {
      var (query, count) = (query, 0)
      let tenant = try call.tenant
      var last: Timestamp?
      repeat {
        // Reserve memory for a page of records that are twice as long as usual.
        try await call.memory.grow(to: builder.pointCount * PositionRoutes.pointBytes + query.limit * 2_048)
        let page = try await storage.records(query, tenant: tenant)
        count += page.items.count
        let bytes = page.items.reduce(0) { $0 + $1.body.count }
        let points = try await call.heavily(bytes) { page.items.compactMap { TrackPoint($0) } }
        for point in points { builder.add(point) }
        last = page.items.last?.time ?? last
        query.cursor = page.next
      } while query.cursor != nil && count < PositionRoutes.mostRecords
        && builder.pointCount < PositionRoutes.mostPoints
      guard query.cursor != nil, let last else { return }
      // Other records of the same millisecond may not have been read. The next request reads all records of this
      // millisecond, so some records are in both answers.
      continuesAt = last
    }
  }
}

extension TrackPoint {
  /// Creates a point of a track from a record; `nil` if the record has no position, no time, or a time that is not
  /// credible.
  init?(_ record: StoredRecord) {
    guard let time = record.time, !record.isTimeAhead else { return nil }
    let values = TelemetryValues(record: record.body)
    guard let latitude = values.latitude, let longitude = values.longitude else { return nil }
    self.init(time: time, latitude: latitude, longitude: longitude)
  }
}

/// A rectangle of longitudes and latitudes (RFC 7946, section 5). It crosses the antimeridian if `west` is greater than
/// `east`.
struct BoundingBox: Equatable {
  let west, south, east, north: Double

  /// Parses the value of the query parameter `bbox`.
  ///
  /// - Throws: 400 if the value is invalid.
  init(query text: String) throws(APIError) {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).compactMap { Double($0) }
    guard numbers.count == 4, text.split(separator: ",", omittingEmptySubsequences: false).count == 4,
      numbers.allSatisfy(\.isFinite), abs(numbers[0]) <= 180, abs(numbers[2]) <= 180, abs(numbers[1]) <= 90,
      abs(numbers[3]) <= 90, numbers[1] <= numbers[3]
    else {
      throw .badRequest(
        "query: bbox: expected west,south,east,north in ° as 9.5,46.3,17.2,49.1, found \(quoted(text))")
    }
    (west, south, east, north) = (numbers[0], numbers[1], numbers[2], numbers[3])
  }

  func contains(_ place: LastKnown.Place) -> Bool {
    guard (south...north).contains(place.latitude) else { return false }
    return west <= east
      ? (west...east).contains(place.longitude) : place.longitude >= west || place.longitude <= east
  }
}

extension Call {
  /// Returns a vehicle. The selection must contain at least some of its records.
  ///
  /// - Parameter name: the vehicle's id or VIN.
  /// - Throws: 404 if the vehicle does not exist or is not in the selection.
  func vehicle(
    named name: String, in selection: VehicleSelection, _ storage: any FleetStorage
  ) async throws -> Stored<Vehicle> {
    try await storage.view(tenant: try tenant) { view throws(ThingError) in
      guard let vehicle = try view.vehicle(named: name),
        selection.isEverywhere(vehicle.value.id, of: vehicle.value.fleetID)
          || selection.windows.contains(where: { $0.vehicle == vehicle.value.id })
      else { throw .notFound(kind: "vehicle", id: name) }
      return vehicle
    }
  }

  /// Returns the decimal number in a query parameter; `nil` if the parameter is absent.
  ///
  /// - Throws: 400 if the value is not a decimal number in this range.
  func number(_ name: String, in range: ClosedRange<Double>) throws(APIError) -> Double? {
    guard let text = query[name] else { return nil }
    // Check the characters, because Swift would also accept hexadecimal digits, `inf` and `nan`.
    let isDecimal = text.utf8.allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
    }
    guard isDecimal, let number = Double(text), range.contains(number) else {
      throw APIError.badRequest(
        "query: \(name): expected a number from \(JSON.number(range.lowerBound).canonicalText) to \(JSON.number(range.upperBound).canonicalText), found \(quoted(text))"
      )
    }
    return number
  }
}

extension HTTPField.Name {
  /// Header of an answer that contains only the first part of a track. To get the next part, a client must send another
  /// request with this value as `from`.
  static let fleetContinuesAt = HTTPField.Name("Fleet-Continues-At")!
}
