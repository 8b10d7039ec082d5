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

  static let content = "/api/files/{fileId}/content"
  private static let version = "1.0.0"

  var routes: [Route] {
    [things.list, create, things.put, get, remove, append, read]
  }

  /// The routes that files have in common with other kinds of things. A caller's own files are the files that the
  /// caller has uploaded.
  var things: ThingRoutes<StoredFile> {
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
          // the truncated piece does not match it, and `finish` removes the piece.
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
  /// - Parameter last: the last piece of the file, if this request has received that piece; otherwise `nil`. If `nil`,
  ///   all bytes of the file are read again.
  func complete(
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

  static func progress(_ offset: Int64) -> Answer {
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
  static func asking<Value: Sendable>(
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
