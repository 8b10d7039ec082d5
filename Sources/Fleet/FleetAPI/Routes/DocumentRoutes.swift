import FleetAccess
import FleetDomain
import FleetWork

/// `/api/documents`: documents of vehicles, drivers and other things.
struct DocumentRoutes {
  let storage: any FleetStorage

  var routes: [Route] {
    documents.routes + [documents.remove("Removes a document. Its files are kept if other things refer to them.")]
  }

  var documents: ThingRoutes<Document> {
    var routes = ThingRoutes<Document>(
      work: storage, area: .documents, order: [.init("createdAt", isDescending: true)],
      check: { old, new, transaction, call throws(ThingError) in
        do throws(ThingError) {
          try transaction.check(&new, old: old)
        } catch {
          // The error must not show whether a thing exists that the caller may not see.
          guard old == nil, case .invalid(let errors) = error, errors.all.contains(where: { $0.path == "of.id" }),
            let reach = call.reach, !reach.contains(Relation())
          else { throw error }
          throw .forbidden(reason: reach.reason)
        }
      })
    // A document of the category `licence`, and its files, show the number of a driving licence. Callers need another
    // permission to read such a document.
    let (relation, restriction) = (routes.relation, routes.restriction)
    routes.relation = { document, identity, view throws(ThingError) in
      var found = try relation(document, identity, view)
      found.isLicence = document.value.category == .licence
      return found
    }
    routes.restriction = { reach, identity, view throws(ThingError) in
      let all = reach.isEverythingButLicences ? [] : try restriction(reach, identity, view)
      let licences = Reach(of: identity.requester, to: .read, .licences)
      guard let all, !licences.isEverything else { return all }
      let others = Document.Category.allCases.filter { $0 != .licence }.map(\.json)
      let readable = licences.isEmpty ? [] : try restriction(licences, identity, view) ?? []
      let alternatives = [[.oneOf(key: "kind", others)]] + (licences.isEmpty ? [] : [readable])
      return all + [.anyOf(alternatives)]
    }
    return routes
  }
}
