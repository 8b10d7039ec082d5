import Crypto
import FleetDomain
import Telemetry

/// The contents in the bucket.
extension S3FileStore {
  /// An object that contains the content of a file, with its marks: further objects whose names end with `.ok` or
  /// `.unused`.
  struct Copy {
    let key: String
    var size: Int64 = 0
    var changed = Timestamp(nanoseconds: 0)
    /// Whether the object itself exists, and not only a mark.
    var exists = false
    var isChecked = false
    /// The time at which the object was marked as unused; `nil` if it is not marked as unused.
    var unusedSince: Timestamp?

    var checkedMark: String { key + ".ok" }
    var unusedMark: String { key + ".unused" }
    var isReadable: Bool { exists && isChecked }

    /// Combines each object in a list with its marks. The list must be in ascending order of keys.
    static func all(_ objects: [S3Object]) -> [Copy] {
      var copies: [Copy] = []
      for object in objects {
        let kind = object.key.hasSuffix(".ok") ? ".ok" : object.key.hasSuffix(".unused") ? ".unused" : ""
        let key = String(object.key.dropLast(kind.count))
        var copy = copies.last?.key == key ? copies.removeLast() : Copy(key: key)
        copy.changed = max(copy.changed, object.changed)
        switch kind {
        case ".ok": copy.isChecked = true
        case ".unused": copy.unusedSince = object.changed
        default: (copy.exists, copy.size) = (true, object.size)
        }
        copies.append(copy)
      }
      return copies
    }
  }

  func copies(_ sha256: String, _ tenant: TenantID) async throws(FileError) -> [Copy] {
    Copy.all(try await client.objects(contentsFolder(tenant) + sha256 + "/", for: tenant))
  }

  /// Returns the copies of a content that new files may use: checked copies that are not marked as unused.
  func usable(_ sha256: String, _ tenant: TenantID) async throws(FileError) -> [Copy] {
    try await copies(sha256, tenant).filter { $0.isReadable && $0.unusedSince == nil }
  }

  private func newKey(_ sha256: String, _ tenant: TenantID) -> String {
    contentsFolder(tenant) + sha256 + "/" + UUIDv7.random(at: client.now()).string
  }

  public func store(_ bytes: [UInt8], tenant: TenantID) async throws(FileError) -> String {
    let sha256 = Hexadecimal.text(Array(SHA256.hash(data: bytes)))
    guard try await usable(sha256, tenant).isEmpty else { return sha256 }
    let key = newKey(sha256, tenant)
    try await put(key, bytes, tenant)
    try await check(key, Int64(bytes.count), sha256, tenant)
    return sha256
  }

  /// Makes a content from the parts of an upload. The storage itself copies and joins the parts.
  func compose(_ parts: [String], _ size: Int64, _ sha256: String, _ tenant: TenantID) async throws(FileError) {
    let key = newKey(sha256, tenant)
    guard size > 0 else {
      try await put(key, [], tenant)
      return try await check(key, 0, sha256, tenant)
    }
    let begun = try await client.send(S3Request(method: .post, key: key, query: [("uploads", "")]), for: tenant)
    guard let upload = (try? XMLReader.parse(begun.body))?.content["uploadid"]?.textValue else {
      throw .system("\(client.bucket): the storage does not compose objects of parts")
    }
    do throws(FileError) {
      var list = ""
      for (index, part) in parts.enumerated() {
        let request = S3Request(
          method: .put, key: key, query: [("partNumber", String(index + 1)), ("uploadId", upload)],
          headers: [("x-amz-copy-source", "/\(client.bucket.name)/\(part)")])
        let answer = try await client.send(request, for: tenant)
        guard let result = try? XMLReader.parse(answer.body), result.name == "copypartresult",
          let tag = result.content["etag"]?.textValue
        else { throw .unavailable("\(client.bucket): a part could not be copied") }
        list += "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(Self.escaped(tag))</ETag></Part>"
      }
      let body = Array("<CompleteMultipartUpload>\(list)</CompleteMultipartUpload>".utf8)
      do throws(FileError) {
        let request = S3Request(method: .post, key: key, query: [("uploadId", upload)], body: body)
        let answer = try await client.send(request, for: tenant)
        // The storage may find an error after it has sent the status 200.
        guard (try? XMLReader.parse(answer.body))?.name == "completemultipartuploadresult" else {
          throw .unavailable("\(client.bucket): the parts could not be joined")
        }
      } catch {
        // If the answer of the first attempt was lost, the second one finds no upload. Then the object exists.
        guard case .missing = error else { throw error }
      }
    } catch {
      _ = try? await client.send(
        S3Request(method: .delete, key: key, query: [("uploadId", upload)]), for: tenant)
      throw error
    }
    try await check(key, size, sha256, tenant)
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
  }

  /// Reads a content that was just stored. If it has the right bytes, marks it; otherwise removes it.
  private func check(_ key: String, _ size: Int64, _ sha256: String, _ tenant: TenantID) async throws(FileError) {
    var (hash, offset): (SHA256, Int64) = (SHA256(), 0)
    while offset < size {
      let bytes = try await read(key, at: offset, size: size, tenant)
      hash.update(data: bytes)
      offset += Int64(bytes.count)
    }
    guard Hexadecimal.text(Array(hash.finalize())) == sha256 else {
      try await remove(key, tenant)
      throw .system("\(client.bucket): \(key) has other bytes than were stored")
    }
    try await put(key + ".ok", [], tenant)
  }

  public func open(_ sha256: String, tenant: TenantID) async throws(FileError) -> any StoredContent {
    let readable = try await copies(sha256, tenant).filter(\.isReadable)
    guard let copy = readable.first(where: { $0.unusedSince == nil }) ?? readable.first else {
      throw .missing(contentsFolder(tenant) + sha256)
    }
    return S3Content(store: self, key: copy.key, size: copy.size, sha256: sha256, tenant: tenant)
  }
}
