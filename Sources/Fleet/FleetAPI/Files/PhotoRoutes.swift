import FleetDomain
import FleetFiles
import FleetWork
import HTTPTypes
import Telemetry

/// `/api/files/{id}/vin` and `/api/files/{id}/odometer`: read a value from a photo, and propose it for a form. A person
/// checks the value before it is saved.
struct PhotoRoutes {
  let files: FileRoutes

  var routes: [Route] {
    [
      route(
        .vin, "readVIN",
        "Reads the VIN on a photo of its plate, its barcode or a document. It is absent if none can be read reliably. Nothing is stored.",
        "PhotoOfVIN", VINReading.init),
      route(
        .odometer, "readOdometer",
        "Reads the odometer on a photo of the instruments. It is absent if none can be read reliably. Nothing is stored.",
        "PhotoOfOdometer", OdometerReading.init),
    ]
  }

  private func route<Reading: PhotoReading>(
    _ subject: ImageHelper.Subject, _ id: String, _ summary: String, _ schema: String,
    _ parse: @escaping @Sendable (JSON) throws(FieldError) -> Reading
  ) -> Route {
    let operation = Operation(
      id: id, summary: summary, results: [.init(.ok, "What it shows.", .json(schema))], errors: [.conflict])
    return Route(
      .post, "/api/files/{fileId}/\(subject.rawValue)", .may(.read, .documents), operation, isFiltered: true
    ) { [files] call in
      let tenant = try call.tenant
      let file = try await files.storage.view(tenant: tenant) { view throws(ThingError) in
        try files.readable(call, view)
      }
      let reading = try await Self.read(subject, file, files.service, tenant, call, parse)
      var members = reading.members
      members["fileId"] = file.id.json
      return Answer(json: Array(JSON.object(members).canonicalText.utf8))
    }
  }

  /// Reads a value from a photo.
  ///
  /// - Throws: 409 if the file is not a photo that can be read; 503 if the server cannot read photos.
  static func read<Reading>(
    _ subject: ImageHelper.Subject, _ file: Stored<StoredFile>, _ service: FileService, _ tenant: TenantID,
    _ call: Call,
    _ parse: (JSON) throws(FieldError) -> Reading
  ) async throws -> Reading {
    guard file.value.status == .stored else {
      throw APIError(
        .conflict, file.value.status.rawValue, "the copies of this image are not made yet; try again", retryAfter: 1)
    }
    guard let sha256 = file.value.version("full")?.sha256 else {
      throw APIError(.conflict, "noImage", file.value.problem ?? "this file is not an image")
    }
    guard let helper = service.helper else {
      throw APIError(.serviceUnavailable, "noImages", "this server does not decode images")
    }
    let permit = try await service.readings.acquire(1, for: call.holder)
    defer { permit.shrink(to: 0) }
    do {
      let content = try await service.store.open(sha256, tenant: tenant)
      let json = try await helper.reading(of: subject, in: content)
      service.note(TextReader(json: json))
      return try parse(json)
    } catch let error as ImageHelper.Unusable {
      throw APIError(.conflict, "unreadable", error.reason)
    } catch let error as ImageHelper.Unavailable {
      call.logger.error("photos: \(error.reason)")
      throw APIError(.serviceUnavailable, "noImages", "this server could not read it", retryAfter: 60)
    } catch let error as FieldError {
      call.logger.error("photos: the image helper gave an unknown answer: \(error.path): \(error.message)")
      throw APIError(.serviceUnavailable, "noImages", "this server could not read it", retryAfter: 60)
    }
  }

  /// The schema of the answer with the VIN that was read from a photo.
  static let vin = schema(VINReading.schema)
  /// The schema of the answer with the odometer that was read from a photo.
  static let odometer = schema(OdometerReading.schema)

  private static func schema(_ properties: String) -> String {
    #"{"type":"object","required":["fileId"],"properties":{"fileId":{"type":"string","format":"uuid"},"#
      + properties + "}}"
  }
}
