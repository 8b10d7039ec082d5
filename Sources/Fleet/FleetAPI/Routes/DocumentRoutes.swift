import FleetAccess
import FleetDomain
import FleetWork

/// Documents of vehicles, drivers and other things.
struct DocumentRoutes {
  let storage: any FleetStorage

  var routes: [Route] {
    documents.routes + [documents.remove("Removes a document. Its files are kept if other things refer to them.")]
  }

  var documents: ThingRoutes<Document> {
    ThingRoutes(
      work: storage, area: .documents, order: [.init("createdAt", isDescending: true)],
      check: { old, new, transaction, call throws(ThingError) in
        do throws(ThingError) {
          try transaction.check(&new, old: old)
        } catch {
          // The answer must not show whether a thing exists that the caller may not see.
          guard old == nil, case .invalid(let errors) = error, errors.all.contains(where: { $0.path == "of.id" }),
            let reach = call.reach, !reach.contains(Relation())
          else { throw error }
          throw .forbidden(reason: reach.reason)
        }
      })
  }
}
