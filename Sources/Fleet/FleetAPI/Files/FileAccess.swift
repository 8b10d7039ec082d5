import FleetAccess
import FleetDomain
import FleetWork
import Telemetry

/// Decides who may read files.
///
/// A file may be read by everyone who may read a thing that refers to it, by the person who uploaded it, and by
/// administrators.
struct FileAccess: Sendable {
  let storage: any FleetStorage

  /// The maximum number of things that are checked for one file. Usually, only one thing refers to a file.
  private static let mostUses = 100

  func mayRead(_ file: Stored<StoredFile>, _ identity: Identity, _ view: any FleetView) throws(ThingError) -> Bool {
    if let author = identity.author, file.value.uploadedBy == author { return true }
    if Reach(of: identity.requester, to: .write, .settings).isEverything { return true }
    let uses = try view.list(ThingQuery<FileUse>(.oneOf(key: "fileId", [file.id.json]), limit: Self.mostUses))
    for use in uses.items where try mayRead(use.value, identity, view) { return true }
    return false
  }

  /// Whether a caller may read the thing that refers to a file.
  private func mayRead(_ use: FileUse, _ identity: Identity, _ view: any FleetView) throws(ThingError) -> Bool {
    switch use.kind {
    case Vehicle.names.one: try VehicleRoutes(storage: storage).things.mayRead(use.thingID, identity, view)
    case Expense.names.one: try WorkRoutes(storage: storage).expenses.mayRead(use.thingID, identity, view)
    case FuelEntry.names.one: try FuelRoutes(storage: storage).entries.mayRead(use.thingID, identity, view)
    case Document.names.one: try DocumentRoutes(storage: storage).documents.mayRead(use.thingID, identity, view)
    case Inspection.names.one: try InspectionRoutes(storage: storage).inspections.mayRead(use.thingID, identity, view)
    case MaintenanceRecord.names.one:
      try MaintenanceRoutes(storage: storage).records.mayRead(use.thingID, identity, view)
    case Defect.names.one: try MaintenanceRoutes(storage: storage).defects.mayRead(use.thingID, identity, view)
    default: false
    }
  }
}
