import Failures
import FleetDomain
import FleetStorage

extension DatabaseAddress {
  /// Opens the store.
  func open(as access: StoreAccess) async throws(Failure) -> StoredFleet {
    do throws(StorageError) {
      return switch self {
      case .sqlite(let path): try StoredFleet(sqlite: path, as: access)
      case .postgres(let address): try await StoredFleet(postgreSQL: address, as: access)
      }
    } catch {
      throw Failure(error)
    }
  }
}
