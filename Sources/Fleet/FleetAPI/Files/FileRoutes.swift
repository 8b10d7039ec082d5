import FleetAccess
import FleetDomain
import FleetFiles
import HTTPTypes
import NIOCore
import Telemetry

/// `/api/files`: uploads of files, which can be resumed (tus 1.0), and the contents of files.
///
///     POST  /api/files               {"name":"receipt.jpg","size":2310456}, or the headers of tus
///     PATCH /api/files/ID/content    Upload-Offset: 0, and bytes; as often as needed
///     HEAD  /api/files/ID/content    how many bytes have arrived
///     GET   /api/files/ID/content    the content
struct FileRoutes {
  let storage: any FleetStorage
  let service: FileService

  private static let content = "/api/files/{fileId}/content"
  private static let version = "1.0.0"

  var routes: [Route] {
    [things.list, create, things.put, get, remove, append, read]
  }

  /// The routes that files have in common with other kinds of things. A caller's own files are the files that the
  /// caller has uploaded.
  private var things: ThingRoutes<StoredFile> {
    var routes = ThingRoutes<StoredFile>(
      storage: storage, area: .documents,
      relation: { file, identity, _ in
        let isOwn = identity.author != nil && file.value.uploadedBy == identity.author
        // A file of another person belongs to the things that refer to it, and not to a vehicle itself.
        return Relation(isOwn: isOwn, isOfVehicle: isOwn)
      },
      restriction: { _, identity, _ in [.oneOf(key: "uploadedBy", [identity.author?.json].compactMap { $0 })] },
      check: { [service] old, new, transaction, call throws(ThingError) in
        new.uploadedBy = call.identity?.author
        guard new.size <= service.settings.fileBytes else {
          throw .invalid(FieldErrors([FieldError("size", "expected at most \(service.settings.fileBytes) bytes")]))
        }
        var holders = [(FileSpace.ofTenant, Int64(service.settings.tenantBytes) as Int64?)]
        if let author = new.uploadedBy { holders.append((author.string, Int64(service.settings.personBytes))) }
        try transaction.addFileSpace(new.size, holders)
      }, order: [.init("createdAt", isDescending: true)])
    // Viewers may read a file if they may read a thing that refers to it. They may not list all files.
    routes.listing = .write
    return routes
  }

  // MARK: Uploads

  /// Creates an upload from a JSON body, or from the headers of the protocol tus.
  private var create: Route {
    let operation = Operation(
      id: "createFile",
      summary:
        "Begins an upload; its bytes follow by PATCH of its content. In place of a body, the headers of tus 1.0 may describe it.",
      parameters: [
        .header("Upload-Length", "The size in bytes, if there is no body."),
        .header("Upload-Metadata", "`filename` and its value in base64, if there is no body."),
      ],
      body: .optionalJSON("NewFile"),
      results: [.init(.created, "It.", .json("File"), headers: ["ETag", "Location", "Upload-Offset"])],
      errors: [.conflict])
    return Route(.post, "/api/files", .may(.write, .documents), operation, isFiltered: true) { call in
      _ = try service.store
      let value: StoredFile
      if call.request.headers[.uploadLength] != nil {
        value = try Self.file(call.request.headers)
      } else {
        value = try await things.new(call).value
      }
      let shown = try await things.change(call) { transaction throws(ThingError) in
        try things.insert(value, id: nil, [:], transaction, call)
      }
      var answer = things.created(shown)
      // A client that uses tus sends the bytes to this path.
      if call.request.headers[.uploadLength] != nil { answer.headers[.location] = "/api/files/\(shown.name)/content" }
      answer.headers[.uploadOffset] = "0"
      answer.headers[.tusResumable] = Self.version
      return answer
    }
  }

  /// Creates a file's description from the headers of the protocol tus.
  private static func file(_ headers: HTTPFields) throws -> StoredFile {
    guard let size = headers[.uploadLength].flatMap({ Int64($0) }) else {
      throw APIError.badRequest("Upload-Length: expected the number of bytes")
    }
    var name = "file"
    for pair in (headers[.uploadMetadata] ?? "").split(separator: ",") {
      let parts = pair.split(separator: " ")
      guard parts.count == 2, parts[0] == "filename" || parts[0] == "name" else { continue }
      guard let bytes = Base64URL.bytes(standard: parts[1]), let text = String(validating: bytes, as: UTF8.self) else {
        throw APIError.badRequest("Upload-Metadata: \(parts[0]): expected UTF-8 in base64")
      }
      name = text
    }
    do throws(FieldErrors) {
      return try StoredFile(client: .object(["name": .text(name), "size": .integer(size)]))
    } catch {
      throw ThingError.invalid(error)
    }
  }

  private var append: Route {
    let operation = Operation(
      id: "appendToFile",
      summary:
        "Appends bytes to an upload (tus 1.0). When this is answered, they are on the disk. After the last byte, the file is complete.",
      parameters: [
        .header("Upload-Offset", "The number of bytes that have arrived; HEAD returns it."),
        .header("Upload-Checksum", "`sha256` or `sha1`, a space, and the checksum of the body in base64."),
      ],
      body: .init(types: ["application/offset+octet-stream"], schema: nil),
      results: [.init(.noContent, "They are stored.", headers: ["Upload-Offset"])], errors: [.conflict])
    return Route(
      .patch, Self.content, .may(.write, .documents), operation, bodyLimit: ServerLimits.anyLength, isFiltered: true
    ) { call in
      try call.requireType(["application/offset+octet-stream"])
      guard let offset = call.request.headers[.uploadOffset].flatMap({ Int64($0) }), offset >= 0 else {
        throw APIError.badRequest("Upload-Offset: expected the number of bytes that have arrived")
      }
      let checksum = try Self.checksum(call.request.headers[.uploadChecksum])
      let tenant = try call.tenant
      let file = try await storage.view(tenant: tenant) { view throws(ThingError) in try things.existing(call, view) }
      guard file.value.status == .uploading else {
        guard offset == file.value.size else { throw Self.failure(.offset(file.value.size)) }
        return Self.progress(file.value.size)
      }
      var (end, last): (Int64, (any UploadPiece)?) = (offset, nil)
      if offset < file.value.size {
        let store = try service.store
        try await call.memory.grow(to: 2 * Call.receivedBytes + store.pieceMemory)
        let piece = try await Self.asking { () throws(FileError) in
          try await store.append(to: file.id, at: offset, checksum: checksum, tenant: tenant)
        }
        last = piece
        do {
          try await call.receive(atMost: file.value.size - offset) { bytes in
            try await Self.asking { () throws(FileError) in try await piece.write(bytes) }
          }
        } catch {
          // Keep the bytes that have arrived, so that the client can resume after them. If the client sent a checksum,
          // the cut-off piece does not have it, and is removed.
          try await Self.asking { () throws(FileError) in try await piece.finish() }
          throw error
        }
        try await Self.asking { () throws(FileError) in try await piece.finish() }
        end = piece.offset
      }
      if end == file.value.size { try await complete(file, last: last, tenant, call) }
      return Self.progress(end)
    }
  }

  /// Completes a file after all its bytes have arrived.
  ///
  /// - Parameter last: the piece that this request has received as the last one of the file; `nil` if it has received
  ///   none. If `nil`, all bytes are read again.
  private func complete(
    _ file: Stored<StoredFile>, last: (any UploadPiece)? = nil, _ tenant: TenantID, _ call: Call
  ) async throws {
    let store = try service.store
    try await call.memory.grow(to: store.pieceMemory)
    let content: CompleteUpload
    do throws(FileError) {
      content = try await store.complete(
        file.id, size: file.value.size, announced: file.value.sha256, last: last, tenant: tenant)
    } catch {
      guard case .offset = error else { throw Self.failure(error) }
      // Another request may have completed the file and removed its upload.
      let present = try await storage.view(tenant: tenant) { view throws(ThingError) in
        try things.existing(call, view)
      }
      guard present.value.status == .uploading else { return }
      throw Self.failure(error)
    }
    let type = ContentType(head: content.head, name: file.value.name)
    try await things.change(call) { transaction throws(ThingError) in
      let present = try transaction.existing(file.id, StoredFile.self)
      guard present.value.status == .uploading else { return }
      var value = present.value
      (value.sha256, value.mediaType) = (content.sha256, type.rawValue)
      value.status = type.isImage && service.helper != nil || type.model != nil ? .processing : .stored
      if type.isImage, service.helper == nil { value.problem = "this server does not decode images" }
      try transaction.update(present, to: value, action: "upload")
    }
    try await Self.asking { () throws(FileError) in try await store.removeUpload(file.id, tenant: tenant) }
    service.wake()
  }

  // MARK: Reading

  private var get: Route {
    let operation = Operation(
      id: "getFile", summary: "Reads the description of a file.",
      results: [.init(.ok, "It.", .json("File"), headers: ["ETag"])])
    return Route(.get, "/api/files/{fileId}", .may(.read, .documents), operation, isFiltered: true) { call in
      let shown = try await storage.view(tenant: try call.tenant) { view throws(ThingError) in
        try things.shown(try readable(call, view), call, view)
      }
      return shown.answer()
    }
  }

  /// Returns the file that the path of the request names, if the caller may read it.
  func readable(_ call: Call, _ view: any FleetView) throws(ThingError) -> Stored<StoredFile> {
    let name = call.parameters.first ?? ""
    guard let id = UUIDv7(name.utf8.span), let file = try view.find(id, StoredFile.self), let identity = call.identity,
      try FileAccess(storage: storage).mayRead(file, identity, view)
    else { throw .notFound(kind: StoredFile.names.one, id: name) }
    return file
  }

  private var read: Route {
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

  // MARK: Removal

  private var remove: Route {
    let operation = Operation(
      id: "removeFile", summary: "Removes an upload, or a file that nothing refers to.",
      results: [.init(.noContent, "It is removed.")], errors: [.conflict])
    return Route(.delete, "/api/files/{fileId}", .may(.write, .documents), operation, isFiltered: true) { call in
      let file = try await things.change(call) { transaction throws(ThingError) in
        let file = try things.existing(call, transaction)
        guard try transaction.first(ThingQuery<FileUse>(.oneOf(key: "fileId", [file.id.json]))) == nil else {
          throw .rule(code: "inUse", message: "things refer to this file; remove it from them first")
        }
        try transaction.removeFile(file)
        return file
      }
      let (store, tenant) = (try service.store, try call.tenant)
      try await Self.asking { () throws(FileError) in
        try await store.removeUpload(file.id, tenant: tenant)
        try await store.renew(file.value.contents, tenant: tenant)
      }
      return Answer(status: .noContent)
    }
  }

  // MARK: Helper functions

  private static func progress(_ offset: Int64) -> Answer {
    var answer = Answer(status: .noContent)
    answer.headers[.uploadOffset] = String(offset)
    answer.headers[.tusResumable] = version
    return answer
  }

  private static func checksum(_ field: String?) throws(APIError) -> PieceChecksum? {
    guard let field else { return nil }
    let parts = field.split(separator: " ")
    if parts.count == 2, let bytes = Base64URL.bytes(standard: parts[1]) {
      if parts[0] == "sha256", bytes.count == 32 { return .sha256(bytes) }
      if parts[0] == "sha1", bytes.count == 20 { return .sha1(bytes) }
    }
    throw .badRequest("Upload-Checksum: expected sha256 or sha1, a space, and the checksum in base64")
  }

  /// Calls the file store, and converts its errors to errors for the client.
  private static func asking<Value: Sendable>(
    _ work: () async throws(FileError) -> Value
  ) async throws -> Value {
    do throws(FileError) {
      return try await work()
    } catch {
      throw failure(error)
    }
  }

  private static func failure(_ error: FileError) -> any Error {
    switch error {
    case .missing(let path): StorageError(.damaged, "files", "\(path) is missing")
    case .busy:
      APIError(.conflict, "uploadBusy", "another request sends bytes of this file; try again", retryAfter: 1)
    case .offset(let offset):
      APIError(.conflict, "wrongOffset", "Upload-Offset: expected \(offset), the number of bytes that have arrived")
    case .checksum:
      // The protocol tus prescribes this status (checksum extension).
      APIError(
        HTTPResponse.Status(code: 460, reasonPhrase: "Checksum Mismatch"), "checksumMismatch",
        "Upload-Checksum: the bytes have another checksum; send them again")
    case .otherContent(let found):
      APIError(
        .unprocessableContent, "otherContent", "the SHA-256 of the bytes is \(found), not sha256; send them again")
    case .full: StorageError(.full, "files", "no space is left")
    case .unavailable(let reason): StorageError(.unavailable, "files", reason)
    case .system(let reason): StorageError(.system, "files", reason)
    }
  }
}
