import FleetDomain
import Telemetry

/// An object in a list of the storage.
struct S3Object: Equatable, Sendable {
  let key: String
  let size: Int64
  let changed: Timestamp
}

extension S3Client {
  /// Lists the objects whose keys begin with a prefix, in ascending order of keys. Calls a function with each page of
  /// the list.
  func list(
    _ prefix: String, for tenant: TenantID?, _ receive: ([S3Object]) async throws(FileError) -> Void
  ) async throws(FileError) {
    var token: String?
    repeat {
      var query = [(name: "list-type", value: "2"), ("prefix", prefix)]
      if let token { query.append(("continuation-token", token)) }
      let answer = try await send(S3Request(method: .get, key: "", query: query, longest: 4 << 20), for: tenant)
      let (objects, next) = try page(answer.body)
      try await receive(objects)
      token = next
    } while token != nil
  }

  /// Returns all objects whose keys begin with a prefix, in ascending order of keys.
  func objects(_ prefix: String, for tenant: TenantID?) async throws(FileError) -> [S3Object] {
    var all: [S3Object] = []
    try await list(prefix, for: tenant) { page throws(FileError) in all += page }
    return all
  }

  private func page(_ body: [UInt8]) throws(FileError) -> (objects: [S3Object], next: String?) {
    guard let (name, content) = try? XMLReader.parse(body), name == "listbucketresult" else {
      throw .system("\(bucket): the list of objects is not an answer of S3")
    }
    var objects: [S3Object] = []
    for entry in XMLReader.elements(content["contents"]) {
      guard let key = entry["key"]?.textValue, let size = entry["size"]?.textValue.flatMap({ Int64($0) }),
        let text = entry["lastmodified"]?.textValue, let changed = try? Timestamp(parsing: text.utf8.span)
      else { throw .system("\(bucket): the list of objects lacks a key, size or time") }
      objects.append(S3Object(key: key, size: size, changed: changed))
    }
    guard content["istruncated"]?.textValue == "true" else { return (objects, nil) }
    guard let next = content["nextcontinuationtoken"]?.textValue else {
      throw .system("\(bucket): the list of objects has no continuation")
    }
    return (objects, next)
  }

  /// Returns the unfinished compositions of objects from parts (multipart uploads), at most 1,000.
  func compositions(
    _ prefix: String, for tenant: TenantID?
  ) async throws(FileError) -> [(key: String, id: String, changed: Timestamp)] {
    let query = [(name: "uploads", value: ""), ("prefix", prefix)]
    let answer = try await send(S3Request(method: .get, key: "", query: query, longest: 4 << 20), for: tenant)
    guard let (name, content) = try? XMLReader.parse(answer.body), name == "listmultipartuploadsresult" else {
      throw .system("\(bucket): the list of compositions is not an answer of S3")
    }
    var found: [(key: String, id: String, changed: Timestamp)] = []
    for entry in XMLReader.elements(content["upload"]) {
      guard let key = entry["key"]?.textValue, let id = entry["uploadid"]?.textValue,
        let text = entry["initiated"]?.textValue, let changed = try? Timestamp(parsing: text.utf8.span)
      else { throw .system("\(bucket): the list of compositions lacks a key, id or time") }
      // Not every storage limits the list to the prefix.
      if key.hasPrefix(prefix) { found.append((key, id, changed)) }
    }
    return found
  }
}
