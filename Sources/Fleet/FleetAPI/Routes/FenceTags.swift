import FleetDomain
import Synchronization
import Telemetry

/// A cache of entity tags. A request of a gateway that already has the current fences then needs no read of the
/// document.
final class FenceTags: Sendable {
  private struct Entry {
    let version: Int64
    let modifiedAt: Timestamp?
    let tag: String
  }

  /// One entry for each tenant.
  private let entries = Mutex<[TenantID: Entry]>([:])

  /// The tag of a version; `nil` if it was not read yet.
  subscript(_ tenant: TenantID, _ version: FencesVersion) -> String? {
    let entry = entries.withLock { $0[tenant] }
    guard let entry, entry.version == version.version, entry.modifiedAt == version.modifiedAt else { return nil }
    return entry.tag
  }

  func store(_ fences: FencesDocument, of tenant: TenantID) {
    entries.withLock {
      $0[tenant] = Entry(version: fences.version, modifiedAt: fences.modifiedAt, tag: fences.entityTag)
    }
  }
}
