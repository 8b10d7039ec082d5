import FleetAPI
import FleetDomain
import Logging
import ServiceLifecycle

/// Removes old data. Every minute, it removes old changes and the remaining data of removed vehicles, and does some of
/// the work that an upgrade of the database has postponed. Every hour, it removes old records and creates the
/// partitions for records of the next week.
///
/// Old changes and records stay if this machine's clock is more than a day ahead of the storage's reference time. If
/// several servers share a database, each of them removes old data.
struct Maintenance: Service {
  private static let pause = Duration.seconds(60)
  /// Number of passes from one removal of old records to the next.
  private static let records = 60

  let retention: Retention
  let storage: any FleetStorage
  let logger: Logger

  /// Runs until the server stops. The storage finishes the transaction that is in progress.
  func run() async throws {
    let work = Task { await self.repeatPasses() }
    defer { work.cancel() }
    try await gracefulShutdown()
  }

  private func repeatPasses() async {
    var passes = 0
    var isReported = false
    while !Task.isCancelled {
      await attempt("vehicles of an earlier version", "completed") { () throws(StorageError) in
        try await storage.finishUpgrade()
      }
      await attempt("records of removed vehicles") { () throws(StorageError) in
        try await storage.finishRemovals()
      }
      if await isClockCredible(&isReported) { await removeByAge(pass: passes) }
      passes += 1
      do {
        try await Task.sleep(for: Self.pause)
      } catch {
        return
      }
    }
  }

  private func removeByAge(pass: Int) async {
    await attempt("changes") { () throws(StorageError) in
      try await storage.removeChanges(
        before: Retention.moment(retention.changeHours, before: WallClock.now), keeping: Int64(retention.changes))
    }
    if pass % Self.records == 0 {
      await attempt("room for the next month") { () throws(StorageError) in
        try await storage.prepare(at: WallClock.now)
        return 0
      }
    }
    if pass >= retention.startMinutes, (pass - retention.startMinutes) % Self.records == 0 { await removeRecords() }
  }

  /// Whether the clock may be right, so that old records may be removed.
  ///
  /// - Parameter isReported: whether the log already reports that the clock may be wrong.
  private func isClockCredible(_ isReported: inout Bool) async -> Bool {
    do throws(StorageError) {
      // If nothing was stored for a long time, the clock cannot be checked, so old records stay.
      guard let witnessed = try await storage.referenceTime() else { return false }
      let now = WallClock.now
      if Retention.isCredible(now, beside: witnessed) {
        isReported = false
        return true
      }
      if !isReported {
        logger.error(
          """
          retention: this machine's clock is more than a day ahead of the storage (\(TimeText.of(now)) and \
          \(TimeText.of(witnessed))): nothing is removed for its age until they agree; set the clock, or store something
          """)
        isReported = true
      }
    } catch {
      if !Task.isCancelled { logger.error("retention: the storage's time: \(error)") }
    }
    return false
  }

  private func removeRecords() async {
    for (recordClass, days) in retention.days.sorted(by: { $0.key.number < $1.key.number }) {
      await attempt("records of type \(recordClass.name) older than \(days) days") { () throws(StorageError) in
        let now = WallClock.now
        return try await storage.removeRecords(
          recordClass, before: Retention.moment(24 * days, before: now), at: now)
      }
    }
  }

  /// Runs a task and logs its failure. The next pass tries a failed task again.
  private func attempt(_ what: String, _ done: String = "removed", _ work: () async throws(StorageError) -> Int64) async
  {
    do throws(StorageError) {
      let removed = try await work()
      if removed > 0 { logger.info("retention: \(removed) \(what) \(done)") }
    } catch {
      if !Task.isCancelled { logger.error("retention: \(what): \(error)") }
    }
  }
}
