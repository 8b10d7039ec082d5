import FleetDomain
import FleetStorage

extension DatabaseAddress {
  /// Opens the store, or makes it where there is none.
  func open() async throws(Failure) -> any FleetStorage {
    do throws(StorageError) {
      return switch self {
      case .sqlite(let path): try StoredFleet(sqlite: path)
      case .postgres(let uri): try await StoredFleet(postgreSQL: uri)
      }
    } catch {
      throw Failure(error)
    }
  }
}
