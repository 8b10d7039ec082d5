import FleetAccess
import FleetDomain
import FleetFiles
import HTTPTypes
import NIOCore
import Telemetry

extension FileRoutes {
  var read: Route {
    let operation = Operation(
      id: "getFileContent",
      summary:
        "The content of a file. Of an image, the server's own copy, which is upright and without metadata. HEAD of an upload returns how many bytes have arrived.",
      parameters: [
        .query(
          "version",
          "`thumbnail`: a small copy of an image, or a small image of a 3D model; `poster`: a large one; `model`: the 3D model as binary glTF.",
          #"{"enum":["full","thumbnail","poster","model"],"default":"full"}"#),
        .header("Range", "`bytes=FIRST-LAST`: only these bytes."),
        .header("If-None-Match", "ETags that are known."),
      ],
      results: [
        .init(
          .ok, "The content.",
          .init(types: ["application/octet-stream", "image/jpeg", "image/png", "model/gltf-binary"], schema: nil),
          headers: ["ETag", "Upload-Offset"]),
        .init(.partialContent, "The requested part.", .init(types: ["application/octet-stream"], schema: nil)),
        .init(.notModified, "Unchanged.", headers: ["ETag"]),
      ], errors: [.conflict, .rangeNotSatisfiable])
    return Route(.get, Self.content, .may(.read, .documents), operation, isFiltered: true) { call in
      let tenant = try call.tenant
      let file = try await storage.view(tenant: tenant) { view throws(ThingError) in try readable(call, view) }
      if file.value.status == .uploading { return try await uploadState(file, tenant, call) }
      let wanted = call.query["version"] ?? "full"
      guard ["full", "thumbnail", "poster", "model"].contains(wanted) else {
        throw APIError.badRequest(
          "query: version: expected full, thumbnail, poster or model, found \(quoted(wanted))")
      }
      let copy = file.value.version(wanted)
      // Binary glTF needs no conversion.
      let isOriginal = wanted == "full" || wanted == "model" && file.value.model?.isViewable == true
      guard let sha256 = copy?.sha256 ?? (isOriginal ? file.value.sha256 : nil) else {
        guard file.value.status == .processing else { throw APIError.notFound("this file has no \(wanted)") }
        throw APIError(.conflict, "processing", "the copies of this file are being made; try again", retryAfter: 1)
      }
      return try await answer(file.value, copy, sha256, tenant, call)
    }
  }

  /// Returns the answer to a HEAD request for an upload: how many bytes have arrived.
  private func uploadState(_ file: Stored<StoredFile>, _ tenant: TenantID, _ call: Call) async throws -> Answer {
    guard call.request.method == .head else {
      throw APIError(.conflict, "uploading", "bytes of this file are missing; HEAD returns how many have arrived")
    }
    let store = try service.store
    let offset = try await Self.asking { () throws(FileError) in
      try await store.offset(of: file.id, tenant: tenant)
    }
    // A server that was killed may have stored the last byte without completing the file. If so, complete the file now.
    if offset == file.value.size { try await complete(file, tenant, call) }
    var answer = Self.progress(offset)
    answer.status = .ok
    answer.headers[.uploadLength] = String(file.value.size)
    return answer
  }

  /// The maximum number of bytes that are read from a content, and sent to the client, in one step.
  private static let pieceBytes = 64 << 10

  private func answer(
    _ file: StoredFile, _ copy: StoredFile.Version?, _ sha256: String, _ tenant: TenantID, _ call: Call
  ) async throws -> Answer {
    let tag = "\"\(sha256)\""
    var answer = Answer(status: .ok)
    answer.headers[.eTag] = tag
    answer.headers[.acceptRanges] = "bytes"
    // Permissions can end at any time. Therefore a browser must ask the server before it uses a cached copy.
    answer.headers[.cacheControl] = "private, no-cache"
    if try Preconditions(call.request.headers).noneOf?.weaklyMatch(tag) ?? false {
      answer.status = .notModified
      return answer
    }
    // Let browsers show only images that the server has encoded itself. Every other file must be downloaded, because it
    // may contain something harmful.
    answer.headers[.contentType] = copy?.mediaType ?? ContentType.other.rawValue
    answer.headers[.contentDisposition] = copy == nil ? Self.attachment(file.name) : "inline"
    let store = try service.store
    let content = try await Self.asking { () throws(FileError) in try await store.open(sha256, tenant: tenant) }
    let ifRange = call.request.headers[.ifRange]
    let range = ByteRange(ifRange == nil || ifRange == tag ? call.request.headers[.range] : nil, size: content.size)
    var part = 0...max(content.size - 1, 0)
    switch range {
    case .whole: break
    case .part(let found):
      part = found
      answer.status = .partialContent
      answer.headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound)/\(content.size)"
    case .unsatisfiable:
      var refusal = APIError(.rangeNotSatisfiable, "noSuchRange", "Range: the content has \(content.size) bytes").answer
      refusal.headers[.contentRange] = "bytes */\(content.size)"
      return refusal
    }
    try await call.memory.grow(to: 4 * Self.pieceBytes + store.contentMemory)
    answer.streamLength = part.upperBound + 1 - part.lowerBound
    answer.stream = { [part] write in
      var offset = part.lowerBound
      while offset <= part.upperBound {
        let count = Int(min(Int64(Self.pieceBytes), part.upperBound + 1 - offset))
        let bytes = try await content.read(at: offset, count: count)
        guard !bytes.isEmpty else { throw FileError.missing(sha256) }
        try await write(ByteBuffer(bytes: bytes))
        offset += Int64(bytes.count)
      }
    }
    return answer
  }

  /// Returns the value of the header `Content-Disposition` for a download (RFC 6266).
  static func attachment(_ name: String) -> String {
    let plain = String(
      decoding: name.utf8.map { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C && $0 != 0x25 ? $0 : 0x5F },
      as: UTF8.self)
    return "attachment; filename=\"\(plain)\"; filename*=UTF-8''\(PercentCoding.encode(name))"
  }
}
