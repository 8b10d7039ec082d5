import FleetDomain
import Synchronization
import Telemetry

/// A cache of the entity tags of the tenants' fences. If a gateway already has the current fences, its request is
/// answered without reading the document.
final class FenceTags: Sendable {
  private struct Entry {
    let version: Int64
    let modifiedAt: Timestamp?
    let tag: String
  }

  /// The entity tag and version of each tenant's fences.
  private let entries = Mutex<[TenantID: Entry]>([:])

  /// The entity tag of a version of a tenant's fences; `nil` if the document of this version was not read yet.
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
