import FleetAccess
import FleetDomain
import FleetFigures
import FleetWork
import HTTPTypes
import Telemetry

/// The routes of inspection reports and of their checklists.
struct InspectionRoutes {
  let storage: any FleetStorage

  var routes: [Route] {
    inspections.routes + commands + [checklists, ownChecklists.get, ownChecklists.create, ownChecklists.put]
      + [ownChecklists.patch]
  }

  var inspections: ThingRoutes<Inspection> {
    var routes = ThingRoutes<Inspection>(
      work: storage, area: .inspections, order: [.init("at", isDescending: true)], sharesAssignedVehicles: true,
      check: { old, new, transaction, call throws(ThingError) in
        try transaction.check(&new, old: old)
        try Self.requireOwn(new, transaction, call)
      })
    routes.derived = Self.derived
    return routes
  }

  static let derived = [
    DerivedField<Inspection>(
      key: "intact", schema: #"{"type":"boolean","description":"Whether the content is what was signed."}"#,
      read: { inspections, _ throws(ThingError) in
        inspections.map { inspection in inspection.value.isIntact(id: inspection.id).map { .bool($0) } ?? .null }
      })
  ]

  /// Checks that a caller who may change only own things is the driver of the report. Another driver to whom the
  /// vehicle is assigned may review the report, but may not write or sign it.
  private static func requireOwn(
    _ inspection: Inspection, _ view: any FleetView, _ call: Call
  ) throws(ThingError) {
    guard call.reach?.isOnlyOwn ?? false, let identity = call.identity else { return }
    guard let driver = inspection.driverID, try identity.ownDrivers(view).contains(driver) else {
      throw .forbidden(reason: "only the driver of a report may write and sign it")
    }
  }

  /// The maximum number of a report's defects that one transaction changes.
  private static let changedTogether = 16

  private var commands: [Route] {
    [
      inspections.command(
        "sign", "Signs a draft. Its content is then locked; another report with `supersedes` corrects it.",
        body: "InspectionSignature",
        preparedBy: { inspection, json, transaction, call throws(ThingError) in
          try Self.requireOwn(inspection.value, transaction, call)
          _ = try SignatureBody.of(json)
          return try transaction.prepareSignature(of: inspection, atMost: Self.changedTogether)
        },
        { inspection, json, transaction, call throws(ThingError) in
          try Self.requireOwn(inspection.value, transaction, call)
          let body = try SignatureBody.of(json)
          let signed = try transaction.sign(inspection, body.signature, by: call.identity?.signedIn?.person)
          if let corrected = signed.value.supersedes {
            try transaction.followReadings(of: try transaction.existing(corrected, Inspection.self))
          }
          try transaction.followReadings(of: signed)
          return signed
        }),
      inspections.command(
        "certify", "Certifies that the defects are repaired, or need no repair.", body: "InspectionCertification",
        preparedBy: { inspection, json, transaction, call throws(ThingError) in
          guard !(call.reach?.isOnlyOwn ?? false) else {
            throw .forbidden(reason: "drivers do not certify repairs")
          }
          let body = try CertificationBody.of(json)
          return try transaction.prepareCertification(
            of: inspection, body.result, notes: body.notes, atMost: Self.changedTogether)
        },
        { inspection, json, transaction, call throws(ThingError) in
          let body = try CertificationBody.of(json)
          return try transaction.certify(
            inspection, body.result, notes: body.notes, by: call.identity?.signedIn?.person)
        }),
      inspections.command("review", "Records that the next driver has read the report (49 CFR 396.13).") {
        inspection, transaction, call throws(ThingError) in
        try transaction.review(inspection, by: call.identity?.signedIn?.person)
      },
    ]
  }

  /// The body of a request that signs a report.
  struct SignatureBody: NestedValue {
    var signature = ""

    static let fields: [Field<SignatureBody>] = [
      Field("signature", \.signature) { text throws(FieldError) in try TextRules.short(200)(text) }.required()
    ]
  }

  /// The body of a request that certifies the repair of a report's defects.
  struct CertificationBody: NestedValue {
    var result = Inspection.Certification.Result.repaired
    var notes: String?

    static let fields: [Field<CertificationBody>] = [
      Field("result", \.result).alias("certification").required(), Field("notes", \.notes, TextRules.long),
    ]
  }

  /// The route that lists the checklists in use. Drivers may read it, because they need the checklists.
  private var checklists: Route {
    let operation = Operation(
      id: "listChecklists",
      summary:
        "The items of an inspection, by type of vehicle: the built-in lists, and the tenant's own, which have an id.",
      parameters: [
        .query(
          "all",
          "`true`: also the lists that are switched off, and the built-in lists that the tenant's own replace.",
          #"{"enum":["true","false"]}"#)
      ],
      results: [.init(.ok, "The lists.", .json("UsedChecklists"))])
    return Route(.get, "/api/checklists", .may(.read, .inspections), operation, isFiltered: true) { [storage] call in
      let areAllReturned = try call.flag("all")
      let lists = try await storage.view(tenant: try call.tenant) { view throws(ThingError) in
        try view.checklists(all: areAllReturned).map { id, list in
          var members: [String: JSON] = [:]
          for field in Checklist.fields { members[field.key] = field.json(list) }
          members["id"] = id?.json
          return JSON.object(members)
        }
      }
      return Answer(json: Array(JSON.object(["data": .array(lists)]).canonicalText.utf8))
    }
  }

  var ownChecklists: ThingRoutes<Checklist> {
    ThingRoutes(
      storage: storage, area: .maintenance,
      // Checklists belong to the whole tenant, so only a caller with access to all vehicles may change them.
      relation: { _, _, _ in Relation(need: .everythingToChange) },
      restriction: { reach, _, _ in reach.isOnlyOwn ? nil : [] },
      check: { old, new, transaction, _ throws(ThingError) in try transaction.check(new, old: old) },
      order: [.init("name")])
  }
}

extension NestedValue {
  /// Parses the body of a request that executes a command.
  ///
  /// - Throws: `invalid` with the errors of all fields.
  static func of(_ json: JSON) throws(ThingError) -> Self {
    do throws(FieldErrors) {
      return try parsed(client: json)
    } catch {
      throw .invalid(error)
    }
  }
}
