import FleetDomain
import FleetWork

/// Documents of vehicles, drivers and other things.
struct DocumentRoutes {
  let storage: any FleetStorage

  var routes: [Route] {
    ThingRoutes<Document>(
      work: storage, area: .documents, order: [.init("createdAt", isDescending: true)],
      check: { old, new, transaction, _ throws(ThingError) in try transaction.check(&new, old: old) }
    ).routes
  }
}
