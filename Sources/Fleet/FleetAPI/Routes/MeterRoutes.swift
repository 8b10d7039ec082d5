import FleetDomain
import FleetFigures
import FleetWork
import HTTPTypes
import Telemetry

/// `/api/vehicles/{id}/meters`: the readings of a vehicle's odometer, compared with its trips.
struct MeterRoutes {
  let storage: any FleetStorage

  /// The maximum numbers of readings and of trips that are read for one answer, and of days in the range.
  private static let most = (readings: 20_000, trips: 20_000, days: 366)
  /// The number of days in the range of a request without `from`.
  private static let usualDays = 90
  private static let day: Int64 = 86_400_000_000_000

  var routes: [Route] {
    let operation = Operation(
      id: "getMeters",
      summary:
        "Odometer readings against trips: what was entered, what telemetry shows, and the difference; the drift; and readings from which the odometer may be another one.",
      parameters: [
        .query("from", "The first day, or a time from which on.", Self.schema),
        .query("to", "The last day, or a time before which.", Self.schema),
      ], results: [.init(.ok, "The comparison.", .json("Meters"))])
    return [
      Route(.get, "/api/vehicles/{vehicleId}/meters", .may(.read, .vehicles), operation, isFiltered: true) {
        [storage] call in
        let tenant = try call.tenant
        let (vehicle, zone) = try await storage.view(tenant: tenant) { view throws(ThingError) in
          let vehicle = try call.existingVehicle(view)
          return (vehicle.value.id, try view.zone(of: vehicle.value))
        }
        let range = try call.timesOrDays(in: zone)
        let to = range.to ?? WallClock.now.adding(nanoseconds: 1_000_000)
        let from = range.from ?? to.adding(nanoseconds: -(Int64(Self.usualDays) * Self.day))
        guard to.nanoseconds(since: from) <= Int64(Self.most.days) * Self.day else {
          throw APIError.badRequest("query: from: expected a range of at most \(Self.most.days) days")
        }
        let caller = try call.caller
        let (readings, shown) = try await storage.view(tenant: tenant) { view throws(ThingError) in
          let readings = try Self.readings(of: vehicle, from: from, to: to, view)
          return (readings, try Concealment.ofReadings.concealed(readings, from: caller, view))
        }
        let times = Dictionary(shown.map { ($0.id, $0.value.at) }) { $1 }
        let trips = try await Self.trips(of: vehicle, from: from, to: to, tenant, storage)
        return Answer(json: Self.json(readings, trips, times).canonicalBytes)
      }
    ]
  }

  private static let schema = #"{"type":"string","examples":["2026-05-04","2026-05-04T00:00:00Z"]}"#

  /// Returns a vehicle's odometer readings in a time range, the earliest first, without void readings. They are
  /// preceded by the last reading before the range whose `lifetime` is set, if there is such a reading. `lifetime` is
  /// set if the reading counts for the vehicle's total distance.
  private static func readings(
    of vehicle: String, from: Timestamp, to: Timestamp, _ view: any FleetView
  ) throws(ThingError) -> [Stored<MeterReading>] {
    let valid: [ThingQuery<MeterReading>.Condition] = [
      .oneOf(key: "vehicleId", [.text(vehicle)]), .isSet(key: Meter.odometer.rawValue),
      .oneOf(key: "void", [.bool(false)]),
    ]
    var before = ThingQuery<MeterReading>(
      .isSet(key: "lifetime"), .below(key: "at", from.json), order: [.init("at", isDescending: true)])
    before.conditions += valid
    var readings = [try view.first(before)].compactMap { $0 }
    var query = ThingQuery<MeterReading>(
      .atLeast(key: "at", from.json), .below(key: "at", to.json), order: [.init("at")], limit: 1_000)
    query.conditions += valid
    repeat {
      let page = try view.list(query)
      readings += page.items
      query.cursor = page.next
      guard readings.count <= most.readings else {
        throw .rule(
          code: "tooManyEntries", message: "more than \(most.readings) meter readings; ask for fewer days")
      }
    } while query.cursor != nil
    return readings
  }

  private static func trips(
    of vehicle: String, from: Timestamp, to: Timestamp, _ tenant: TenantID, _ storage: any FleetStorage
  ) async throws -> [EndedTrip] {
    // A trip may have begun before the range, and a reading may be older than the range.
    var query = RecordQuery(
      vehicle: vehicle, classes: RecordQuery.tripClasses, from: from.adding(nanoseconds: -day),
      to: to.adding(nanoseconds: day), order: .oldestFirst, limit: 1_000)
    var trips: [EndedTrip] = []
    repeat {
      let page: Page<StoredRecord>
      do throws(StorageError) {
        page = try await storage.records(query, tenant: tenant)
      } catch {
        guard error.kind == .notFound else { throw error }
        return []
      }
      trips += page.items.compactMap { EndedTrip($0) }
      query.cursor = page.next
      guard trips.count <= most.trips else {
        throw ThingError.rule(code: "tooManyEntries", message: "more than \(most.trips) trips; ask for fewer days")
      }
    } while query.cursor != nil
    return EndedTrip.merged(trips)
  }

  /// Returns the comparison as JSON.
  ///
  /// - Parameter times: for the id of each reading, the reading's time as the caller may see it.
  private static func json(
    _ stored: [Stored<MeterReading>], _ trips: [EndedTrip], _ times: [UUIDv7: Timestamp]
  ) -> JSON {
    let readings = stored.compactMap { reading in
      reading.value.odometer.map {
        OdometerTruth.Reading(
          id: reading.id, at: reading.value.at, value: $0, source: reading.value.source,
          isReplaced: reading.value.isReplaced, flag: reading.value.flag)
      }
    }
    let truth = OdometerTruth(readings, trips)
    let entered = Dictionary(stored.map { ($0.id, $0.value.entered["odometer"]?.json) }) { $1 }
    func rounded(_ number: Double) -> JSON { ((number * 1_000).rounded() / 1_000).json }
    func at(_ reading: OdometerTruth.Reading) -> JSON { (times[reading.id] ?? reading.at).json }
    let steps = truth.steps.map { step in
      var members: [String: JSON] = [
        "readingId": step.reading.id.json, "at": at(step.reading), "odometer": step.reading.value.json,
        "source": step.reading.source.json, "increase": rounded(step.increase),
        "previous": .object([
          "readingId": step.previous.id.json, "at": at(step.previous), "odometer": step.previous.value.json,
        ]),
      ]
      members["flag"] = step.reading.flag?.json
      members["entered"] = entered[step.reading.id] ?? nil
      members["telemetry"] = step.telemetry.map(rounded)
      members["difference"] = step.difference.map(rounded)
      return JSON.object(members)
    }
    var drift: [String: JSON] = [
      "odometer": rounded(truth.increase), "telemetry": rounded(truth.telemetry),
      "difference": rounded(truth.increase - truth.telemetry),
    ]
    drift["percent"] = truth.driftPercent.map(rounded)
    return .object([
      "readings": .array(steps), "drift": .object(drift),
      "possibleReplacements": .array(
        truth.possibleReplacements.map {
          .object(["readingId": $0.id.json, "at": at($0), "odometer": $0.value.json])
        }),
    ])
  }
}
