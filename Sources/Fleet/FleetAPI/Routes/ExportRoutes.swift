import FleetAccess
import FleetDomain
import FleetFiles
import HTTPTypes
import NIOCore
import Synchronization

/// `/api/exports`: exports the tenant as an archive.
struct ExportRoutes {
  let storage: any FleetStorage
  /// The contents of files; `nil` if the server accepts no files.
  let contents: (any FileStore)?
  private let running = RunningExports()

  init(storage: any FleetStorage, contents: (any FileStore)?) { (self.storage, self.contents) = (storage, contents) }

  var routes: [Route] {
    let operation = Operation(
      id: "exportTenant",
      summary:
        "Everything of the tenant as JSON lines, which `fleetstore import` reads: people without their passwords, vehicles, work, gateways, fences, the audit and all records.",
      results: [.init(.ok, "The archive.", Operation.Content(types: ["application/x-ndjson"], schema: nil))],
      errors: [.conflict])
    // The archive contains people and the whole audit. Only callers who may read the whole audit receive it.
    return [
      Route(.get, "/api/exports", .may(.read, .audit), operation) { [storage, contents, running] call in
        let caller = try call.caller
        guard let turn = running.begin(caller.tenant) else {
          throw APIError(
            .conflict, "exportRuns", "an export of this tenant is being written; wait until it is finished")
        }
        let now = WallClock.now
        try await storage.change(tenant: caller.tenant, by: caller.actor(from: call.client.address), at: now) {
          things throws(ThingError) in
          try things.record("export", kind: "tenant", thing: nil, details: [:])
        }
        let export = TenantExport(storage: storage, tenant: caller.tenant, contents: contents)
        var answer = Answer(type: "application/x-ndjson") { write in
          defer { turn.end() }
          try await export.write(at: now) { try await write(ByteBuffer(bytes: $0)) }
        }
        answer.headers[.contentDisposition] = "attachment; filename=\"\(caller.tenant.text).jsonl\""
        return answer
      }
    ]
  }
}

/// The tenants for which an export is being written. Each tenant may have only one export at a time, because an export
/// reads everything that the tenant has stored.
final class RunningExports: Sendable {
  /// The right to write the export of a tenant. It ends when ``end()`` is called or this object is released. Therefore
  /// it also ends if the answer is never sent.
  final class Turn: Sendable {
    private let tenant: TenantID
    private let exports: RunningExports
    private let isEnded = Atomic(false)

    fileprivate init(_ tenant: TenantID, _ exports: RunningExports) {
      self.tenant = tenant
      self.exports = exports
    }

    /// Ends the right. Only the first call has an effect, because another export of the tenant may begin after the
    /// first call, and must keep its own right.
    func end() {
      guard !isEnded.exchange(true, ordering: .relaxed) else { return }
      _ = exports.tenants.withLock { $0.remove(tenant) }
    }

    deinit { end() }
  }

  private let tenants = Mutex<Set<TenantID>>([])

  /// Begins an export of a tenant.
  ///
  /// - Returns: the right to write it; `nil` if another export of the tenant is being written.
  func begin(_ tenant: TenantID) -> Turn? {
    tenants.withLock { $0.insert(tenant).inserted } ? Turn(tenant, self) : nil
  }
}
