import FleetDomain
import FleetFiles
import Logging
import Synchronization
import Telemetry

/// Stores the contents of files, makes copies of images, and removes files that nothing refers to.
final class FileService: Sendable {
  /// The time after which the service searches again for images that have no copies yet. The end of an upload also
  /// starts a search.
  private static let pause = Duration.seconds(30)
  /// The time between two searches for unused files to remove.
  private static let sweepPause = Duration.seconds(3_600)
  /// Unused files, and uploads that are not complete, are removed after this number of days without a change.
  private static let unusedDays: Int64 = 7
  /// How long a content is kept after the last file with this content was removed, in s. This time is longer than any
  /// request takes. It is also longer than a backup that copies the database first and the contents later.
  private static let contentSeconds = 86_400

  let settings: FileSettings
  let storage: any FleetStorage
  /// The contents of files; `nil` if the server accepts no files.
  let contents: (any FileStore)?
  let helper: ImageHelper?
  /// The permits for requests that read values from photos. They limit how many such requests run at the same time.
  let readings: Budget
  let logger: Logger
  /// The maximum number of tenants whose files are processed at the same time. Of these files, at most
  /// ``FileSettings/images`` are decoded at the same time.
  private static let mostTenants = 8
  private let tenantTurns = Mutex(FileTurns(most: mostTenants))
  /// The program that read the text on the last photo; `nil` before the first one.
  private let textReader = Mutex<TextReader?>(nil)
  private let wakeUps: AsyncStream<Void>
  private let wakeUp: AsyncStream<Void>.Continuation

  /// - Parameter contents: `nil` if the server accepts no files.
  init(_ settings: FileSettings, _ contents: (any FileStore)?, storage: any FleetStorage, logger: Logger) {
    self.settings = settings
    self.storage = storage
    self.logger = logger
    self.contents = contents
    helper = Self.helper(settings, logger)
    // A request that waits for a permit occupies no thread. The number of permits is one more than the number of images
    // that are decoded at the same time. The budget keeps the additional permit free for another tenant.
    readings = Budget(
      settings.images + 1, fairness: .init(group: 3), patience: .seconds(30),
      refusal: APIError(.serviceUnavailable, "busy", "the server reads other photos; try again", retryAfter: 5))
    (wakeUps, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  private static func helper(_ settings: FileSettings, _ logger: Logger) -> ImageHelper? {
    guard let folder = settings.helperFolder else { return nil }
    do throws(ImageHelper.Unavailable) {
      return try ImageHelper(
        folder: folder, packages: settings.packagesFolder, recognizer: settings.recognizerFolder, count: settings.images
      )
    } catch {
      logger.warning("photos are stored as they are, without thumbnails, and receipts are not read: \(error.reason)")
      return nil
    }
  }

  /// Logs which program reads text on photos, when the first photo is read and when the program changes.
  ///
  /// - Parameter reader: the program that has read a photo; `nil` if it is unknown.
  func note(_ reader: TextReader?) {
    guard let reader else { return }
    let isNew = textReader.withLock { last in
      defer { last = reader }
      return last != reader
    }
    guard isNew else { return }
    switch reader {
    case .networks:
      logger.info("text on photos is read with the networks")
    case .tesseract(let reason):
      logger.warning("text on receipts is read with tesseract, which finds fewer values: \(reason)")
    case .missing(let reason):
      logger.warning("text on photos of VINs and odometers is not read: \(reason)")
    }
  }

  /// The store of the contents of files.
  ///
  /// - Throws: 503 if the server has no store for them.
  var store: any FileStore {
    get throws(APIError) {
      guard let contents else {
        throw APIError(
          .serviceUnavailable, "noFiles",
          "this server accepts no files: name a folder in files.folder, or a bucket in files.s3")
      }
      return contents
    }
  }

  // MARK: Images

  /// Starts a search for images that have no copies yet.
  func wake() {
    tenantTurns.withLock { $0.retry() }
    wakeUp.yield()
  }

  /// Makes copies of images and removes unused files, until its task is cancelled.
  func run() async {
    guard let contents else { return }
    await withTaskGroup { group in
      group.addTask { await self.processImages(contents) }
      group.addTask { await self.repeatSweeps(contents) }
      group.addTask {
        while !Task.isCancelled {
          self.wake()
          try? await Task.sleep(for: Self.pause)
        }
      }
    }
  }

  /// Processes all waiting images and models. Files of several tenants are processed at the same time, but only one
  /// file of each tenant. Whenever a search is started (``wake()``) or a file is finished, the turns of the next
  /// tenants begin. Therefore a tenant whose file takes long does not delay the others.
  private func processImages(_ contents: any FileStore) async {
    let waiting = ThingQuery<StoredFile>.Condition.oneOf(key: "status", [StoredFile.Status.processing.json])
    await withDiscardingTaskGroup { group in
      for await _ in wakeUps {
        do {
          let tenants = try await storage.tenants(having: [waiting])
          for tenant in tenantTurns.withLock({ $0.begin(tenants) }) {
            group.addTask { [self] in
              let isProcessed = await processNextImage(of: tenant, waiting, contents)
              tenantTurns.withLock { $0.end(tenant, pauses: !isProcessed) }
              wakeUp.yield()
            }
          }
        } catch {
          if !Task.isCancelled { logger.error("images: \(error)") }
        }
      }
    }
  }

  /// Processes the next waiting file of a tenant, an image or a 3D model: makes and stores its copies, for example
  /// smaller images. Logs errors.
  ///
  /// - Returns: whether a file was processed.
  private func processNextImage(
    of tenant: TenantID, _ waiting: ThingQuery<StoredFile>.Condition, _ contents: any FileStore
  ) async -> Bool {
    var isProcessed = false
    await TenantRound.run(for: [tenant]) { tenant in
      isProcessed = try await processImage(of: tenant, waiting, contents)
    } onFailure: { tenant, error in
      logger.error("images of tenant \(tenant): \(error)")
    }
    return isProcessed
  }

  /// Processes the next waiting image or 3D model of a tenant.
  ///
  /// - Returns: whether a file was waiting.
  private func processImage(
    of tenant: TenantID, _ waiting: ThingQuery<StoredFile>.Condition, _ contents: any FileStore
  ) async throws -> Bool {
    let page = try await storage.view(tenant: tenant) { view throws(ThingError) in
      var query = ThingQuery<StoredFile>(waiting, limit: 20)
      query.leavesOutUnreadable = true
      return try view.list(query)
    }
    guard let file = page.items.first else { return false }
    try await makeCopies(of: file, contents, tenant)
    return true
  }

  private func makeCopies(of file: Stored<StoredFile>, _ contents: any FileStore, _ tenant: TenantID) async throws {
    var done = file.value
    done.status = .stored
    do {
      if let format = done.mediaType.flatMap({ ContentType(rawValue: $0) })?.model {
        try await checkModel(&done, format, contents, tenant)
        return try await finish(file, done, contents, tenant)
      }
      guard let helper, let sha256 = done.sha256 else {
        throw ImageHelper.Unusable(reason: "this server does not decode images")
      }
      let content = try await contents.open(sha256, tenant: tenant)
      let made = try await helper.copies(of: content, keepsPosition: done.keepPosition)
      for copy in made.copies {
        var version = copy.version
        version.sha256 = try await contents.store(copy.bytes, tenant: tenant)
        done.versions.append(version)
      }
      done.capture = made.capture
    } catch let error as ImageHelper.Unusable {
      done.problem = error.reason
    } catch let error as ImageHelper.Unavailable {
      logger.error("images: \(error.reason)")
      done.problem = "this server could not decode it"
    } catch FileError.missing(let path) {
      logger.error("images: \(path) is missing")
      done.problem = "its content is missing"
    }
    try await finish(file, done, contents, tenant)
  }

  /// Stores the result of processing an image or a model.
  private func finish(
    _ file: Stored<StoredFile>, _ done: StoredFile, _ contents: any FileStore, _ tenant: TenantID
  ) async throws {
    let (id, result) = (file.id, done)
    try await storage.change(tenant: tenant, by: Actor(.server), at: WallClock.now) {
      transaction throws(ThingError) in
      // Another request may have removed the file meanwhile, or another server may have made the copies.
      guard let present = try transaction.find(id, StoredFile.self), present.value.status == .processing else { return }
      try transaction.update(present, to: result, action: "process")
    }
    if let original = file.value.sha256, !result.contents.contains(original) {
      try await contents.renew([original], tenant: tenant)
    }
  }

  // MARK: Removal

  private func repeatSweeps(_ contents: any FileStore) async {
    while !Task.isCancelled {
      do {
        try await Task.sleep(for: Self.sweepPause)
        await TenantRound.run(for: try await storage.tenants().map(\.id)) { tenant in
          try await sweep(
            tenant: tenant, at: WallClock.now, unusedDays: Self.unusedDays, contentSeconds: Self.contentSeconds)
        } onFailure: { tenant, error in
          logger.error("removal of files of tenant \(tenant): \(error)")
        }
      } catch {
        if !Task.isCancelled { logger.error("removal of files: \(error)") }
      }
    }
  }

  /// Removes files that nothing refers to, and contents that no file needs.
  func sweep(tenant: TenantID, at now: Timestamp, unusedDays: Int64, contentSeconds: Int) async throws {
    guard let contents else { return }
    let limit = now.adding(nanoseconds: -(unusedDays * 86_400_000_000_000))
    var query = ThingQuery<StoredFile>(.below(key: "updatedAt", limit.json), limit: 200)
    repeat {
      let wanted = query
      let (next, unneeded) = try await storage.change(tenant: tenant, by: Actor(.server), at: now) {
        transaction throws(ThingError) in
        let page = try transaction.list(wanted)
        var unneeded: [String] = []
        for file in page.items {
          guard try transaction.first(ThingQuery<FileUse>(.oneOf(key: "fileId", [file.id.json]))) == nil else {
            continue
          }
          try transaction.removeFile(file)
          unneeded += file.value.contents
        }
        return (page.next, unneeded)
      }
      query.cursor = next
      if !unneeded.isEmpty { try await contents.renew(unneeded, tenant: tenant) }
    } while query.cursor != nil
    let (needed, uploads) = try await storage.view(tenant: tenant) { view throws(ThingError) in
      var (needed, uploads): (Set<String>, Set<String>) = ([], [])
      try view.forEachPage(of: ThingQuery<StoredFile>(limit: 1_000)) { page throws(ThingError) in
        for file in page.items {
          needed.formUnion(file.value.contents)
          if file.value.status == .processing, let original = file.value.sha256 { needed.insert(original) }
          if file.value.status == .uploading { uploads.insert(file.id.string) }
        }
      }
      return (needed, uploads)
    }
    let removed = try await contents.sweep(
      keeping: needed, uploads, unchangedFor: contentSeconds, tenant: tenant)
    if removed > 0 { logger.info("removed \(removed) contents of files that nothing needs") }
  }
}

extension FleetTransaction {
  /// Removes a file, and subtracts its size from the used space of the tenant and of the person who uploaded it.
  func removeFile(_ file: Stored<StoredFile>) throws(ThingError) {
    try remove(file, action: "remove")
    try addFileSpace(
      -file.value.size, [FileSpace.ofTenant, file.value.uploadedBy?.string].compactMap { $0 }.map { ($0, nil) })
  }
}
