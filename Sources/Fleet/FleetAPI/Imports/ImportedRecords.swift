import FleetConnectors
import FleetDomain
import FleetWork
import Telemetry

/// Stores the trips and positions in imported files as records of vehicles.
struct ImportedRecords {
  let storage: any FleetStorage

  /// Stores all rows as one batch. Stores no row if one has an error, or on a dry run.
  ///
  /// - Throws: an `APIError` that states which part was stored, if the storage fails.
  func store(_ file: ImportFile, _ kind: ImportKind, isDryRun: Bool, _ call: Call) async throws -> ImportOutcome {
    let (tenant, now) = (try call.tenant, WallClock.now)
    var outcome = ImportOutcome()
    let known = try await vehicles(file, tenant)
    var rows: [(line: Int, vehicle: String, record: IncomingRecord)] = []
    for row in file.rows {
      guard let name = row.values["vehicleId"]?.textValue else {
        outcome.errors.append(row.error("vehicleId", "the file names no vehicle; add vehicle="))
        continue
      }
      guard let id = known[name] else {
        outcome.errors.append(row.error("vehicleId", "no vehicle \(quoted(name))"))
        continue
      }
      do throws(ImportError) {
        rows.append((row.line, id, try row.record(kind, vehicle: id, before: now)))
      } catch {
        outcome.errors.append(error)
      }
    }
    guard outcome.errors.isEmpty, !rows.isEmpty else { return outcome }
    guard !isDryRun else {
      for row in rows {
        let isStored = try await isStored(row.record, of: row.vehicle, kind, tenant)
        outcome.rows.append((row.line, isStored ? .unchanged : .create, row.record.id.string))
      }
      return outcome
    }
    let records = rows.map(\.record)
    let stored: [IngestOutcome]
    do {
      stored = try await untilCancelled { [storage] in
        try await storage.ingest(records, from: .trusted, tenant: tenant, at: now)
      }
    } catch let error as StorageError {
      // The text of `tenantFull` states how many records are stored. After another error, the number is not known.
      let part = error.kind == .tenantFull ? "" : "A part of the file may be stored. "
      throw ImportRoutes.partly(
        APIError(error, logger: call.logger), "\(part)Send the file again: rows that are stored stay unchanged")
    }
    for (row, result) in zip(rows, stored) {
      switch result {
      case .stored: outcome.rows.append((row.line, .create, row.record.id.string))
      case .duplicate, .improved: outcome.rows.append((row.line, .unchanged, row.record.id.string))
      case .refused(let refusal):
        outcome.errors.append(ImportError(line: row.line, column: nil, message: refusal.description))
      }
    }
    return outcome
  }

  /// Returns the ids of the vehicles that a file names. The keys are the names in the file (ids or VINs).
  private func vehicles(_ file: ImportFile, _ tenant: TenantID) async throws -> [String: String] {
    let names = Set(file.rows.compactMap { $0.values["vehicleId"]?.textValue }).sorted()
    return try await storage.view(tenant: tenant) { view throws(ThingError) in
      var ids: [String: String] = [:]
      for name in names where NameRules.isName(name) { ids[name] = try view.vehicle(named: name)?.value.id }
      return ids
    }
  }

  /// Whether a record with the same ID was stored before.
  private func isStored(
    _ record: IncomingRecord, of vehicle: String, _ kind: ImportKind, _ tenant: TenantID
  ) async throws -> Bool {
    guard let time = record.time else { return false }
    var query = RecordQuery(
      vehicle: vehicle, classes: [.known(kind == .trips ? .trip : .telemetry)], from: time,
      to: time.adding(nanoseconds: 1_000_000), limit: 100)
    repeat {
      let page = try await storage.records(query, tenant: tenant)
      if page.items.contains(where: { $0.id == record.id }) { return true }
      query.cursor = page.next
    } while query.cursor != nil
    return false
  }
}
