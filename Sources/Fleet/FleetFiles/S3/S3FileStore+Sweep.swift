import FleetDomain
import Telemetry

/// The removal of uploads and contents that nothing needs.
extension S3FileStore {
  public func renew(_ contents: [String], tenant: TenantID) async throws(FileError) {
    for sha256 in contents {
      for copy in try await copies(sha256, tenant) where copy.unusedSince != nil {
        try await remove(copy.unusedMark, tenant)
      }
    }
  }

  public func sweep(
    keeping contents: Set<String>, _ uploads: Set<String>, unchangedFor seconds: Int, tenant: TenantID
  ) async throws(FileError) -> Int {
    let limit = Timestamp(nanoseconds: client.now().nanoseconds - Int64(seconds) * 1_000_000_000)
    let removed = try await sweepUploads(uploads, limit, tenant)
    try await abandonCompositions(limit, tenant)
    return try await removed + sweepContents(contents, limit, tenant)
  }

  private func sweepUploads(
    _ needed: Set<String>, _ limit: Timestamp, _ tenant: TenantID
  ) async throws(FileError) -> Int {
    let folder = uploadsFolder(tenant)
    var newest: [String: Timestamp] = [:]
    try await client.list(folder, for: tenant) { page throws(FileError) in
      for object in page {
        let name = String(object.key.dropFirst(folder.count).prefix { $0 != "/" })
        if !needed.contains(name) { newest[name] = max(newest[name] ?? object.changed, object.changed) }
      }
    }
    var removed = 0
    for (name, changed) in newest where changed <= limit {
      for object in try await client.objects(folder + name + "/", for: tenant).reversed() {
        try await remove(object.key, tenant)
      }
      removed += 1
    }
    return removed
  }

  /// Removes the remains of interrupted compositions. A composition copies the parts of a file's content into one
  /// object; it is interrupted if the server ends meanwhile.
  private func abandonCompositions(_ limit: Timestamp, _ tenant: TenantID) async throws(FileError) {
    for begun in try await client.compositions(contentsFolder(tenant), for: tenant) where begun.changed <= limit {
      let request = S3Request(method: .delete, key: begun.key, query: [("uploadId", begun.id)])
      do throws(FileError) {
        try await client.send(request, for: tenant)
      } catch {
        // The composition was completed meanwhile.
        guard case .missing = error else { throw error }
      }
    }
  }

  private func sweepContents(
    _ needed: Set<String>, _ limit: Timestamp, _ tenant: TenantID
  ) async throws(FileError) -> Int {
    let folder = contentsFolder(tenant)
    var (removed, group, name): (Int, [S3Object], Substring) = (0, [], "")
    try await client.list(folder, for: tenant) { page throws(FileError) in
      for object in page {
        let next = object.key.dropFirst(folder.count).prefix { $0 != "/" }
        if next != name {
          removed += try await sweep(group, isNeeded: needed.contains(String(name)), limit, tenant)
          (group, name) = ([], next)
        }
        group.append(object)
      }
    }
    return try await removed + sweep(group, isNeeded: needed.contains(String(name)), limit, tenant)
  }

  /// Marks or removes the copies of one content.
  private func sweep(
    _ objects: [S3Object], isNeeded: Bool, _ limit: Timestamp, _ tenant: TenantID
  ) async throws(FileError) -> Int {
    var copies = Copy.all(objects)
    // One copy is kept: the first that is not marked as unused. If all are marked, the first of them is used again.
    var kept = isNeeded ? copies.firstIndex { $0.isReadable && $0.unusedSince == nil } : nil
    if isNeeded, kept == nil, let first = copies.firstIndex(where: \.isReadable) {
      try await remove(copies[first].unusedMark, tenant)
      kept = first
    }
    var removed = 0
    for index in copies.indices where index != kept {
      if copies[index].unusedSince == nil {
        // A content that is being checked has no mark yet.
        guard copies[index].isReadable || copies[index].changed <= limit else { continue }
        try await put(copies[index].unusedMark, [], tenant)
        copies[index].unusedSince = client.now()
      }
      guard let since = copies[index].unusedSince, since <= limit || limit >= client.now() else { continue }
      for key in [copies[index].key, copies[index].checkedMark, copies[index].unusedMark] {
        try await remove(key, tenant)
      }
      removed += 1
    }
    return removed
  }
}
