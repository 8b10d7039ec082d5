import FleetDomain
import FleetFiles
import FleetWork
import HTTPTypes
import Telemetry

/// `/api/files/{id}/receipt`: reads the photo of a receipt, and proposes a fuel entry or an expense. A person may then
/// save it.
struct ReceiptRoutes {
  let files: FileRoutes

  var routes: [Route] { [read] }

  private var read: Route {
    let operation = Operation(
      id: "readReceipt",
      summary:
        "Reads the photo of a receipt. The proposal has the values of a fuel entry or of an expense; nothing is stored until a person saves it.",
      parameters: [
        .query(
          "vehicle", "The vehicle of the proposal. Its fleet, or the tenant, has the time zone of the receipt.",
          #"{"type":"string"}"#)
      ],
      results: [.init(.ok, "What it says.", .json("Receipt"))], errors: [.conflict])
    return Route(
      .post, "/api/files/{fileId}/receipt", .may(.read, .documents), operation, isFiltered: true
    ) { [files] call in
      let tenant = try call.tenant
      let name = try call.vehicleFilter()
      let (file, zone) = try await files.storage.view(tenant: tenant) { view throws(ThingError) in
        let file = try files.readable(call, view)
        if let name, try view.vehicle(named: name) == nil { throw .notFound(kind: Vehicle.names.one, id: name) }
        let zone = try view.zone(ofVehicle: name)
        return (file, zone)
      }
      let reading = try await PhotoRoutes.read(.receipt, file, files.service, tenant, call) { json throws(FieldError) in
        try ReceiptReading(json: json)
      }
      let proposal = reading.proposal(file: file.id, vehicle: name, in: zone)
      let answer = JSON.object([
        "fileId": file.id.json, "reading": reading.json,
        "proposal": .object(["kind": .text(proposal.kind.one), "values": .object(proposal.values)]),
      ])
      return Answer(json: Array(answer.canonicalText.utf8))
    }
  }

  /// The schema of the answer with the proposal.
  static let schema = #"""
    {
      "type": "object", "required": ["fileId", "reading", "proposal"], "properties": {
        "fileId": { "type": "string", "format": "uuid" },
        "reading": \#(ReceiptReading.schema),
        "proposal": {
          "type": "object", "required": ["kind", "values"], "properties": {
            "kind": { "enum": ["fuelEntry", "expense"] },
            "values": { "description": "As they are sent to create one.", "type": "object" }
          }
        }
      }
    }
    """#
}
