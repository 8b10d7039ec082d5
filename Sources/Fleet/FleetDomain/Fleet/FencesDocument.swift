import GeoJSON
import Geofencing
import Telemetry

/// The fences of a tenant: a GeoJSON FeatureCollection, byte for byte as the operator sent it.
public struct FencesDocument: Equatable, Sendable {
  /// The GeoJSON text; each feature is a fence.
  public let bytes: [UInt8]
  /// The strong entity tag (RFC 9110, 8.8.3), including its quotes. Different documents have different tags.
  public let entityTag: String
  /// Sequence number of the document among all documents that the tenant has stored, from 1; 0 if it is not stored.
  public var version: Int64 = 0
  /// Time at which the document was stored; `nil` if it is not stored.
  public var modifiedAt: Timestamp?

  /// The document of a tenant that has never stored fences: empty, with the tag `"none"`. Gateways that fetch it keep
  /// their current fences.
  public static let notPut = FencesDocument(
    bytes: Array(#"{"type":"FeatureCollection","features":[]}"#.utf8), entityTag: "\"none\"")

  /// An empty document, which an operator stores to remove all fences. Gateways that fetch it delete their fences.
  public static let empty = FencesDocument(checked: notPut.bytes)

  private init(bytes: [UInt8], entityTag: String) {
    self.bytes = bytes
    self.entityTag = entityTag
  }

  /// Returns an upper bound of the memory that ``init(geoJSON:)`` needs for a document, in bytes. The document is not
  /// parsed.
  public static func mostMemory(forGeoJSON bytes: Span<UInt8>) -> Int { FenceSet.mostMemory(forGeoJSON: bytes) }

  /// Parses and checks a document.
  ///
  /// - Throws: the first error, with its line and path.
  public init(geoJSON bytes: [UInt8]) throws(GeoJSONError) {
    _ = try FenceSet(geoJSON: bytes, file: "fences")
    self.init(checked: bytes)
  }

  /// Creates a document from bytes that were checked when they were stored.
  public init(checked bytes: [UInt8], version: Int64 = 0, modifiedAt: Timestamp? = nil) {
    self.bytes = bytes
    self.version = version
    self.modifiedAt = modifiedAt
    entityTag = "\"\(ContentTag.text(of: bytes))\""
  }
}

/// The version of a tenant's fences, without the document.
public struct FencesVersion: Equatable, Sendable {
  public let version: Int64
  public let modifiedAt: Timestamp
  /// The length of the document in bytes.
  public let bytes: Int

  public init(version: Int64, modifiedAt: Timestamp, bytes: Int) {
    self.version = version
    self.modifiedAt = modifiedAt
    self.bytes = bytes
  }
}

/// The result of storing fences.
public enum FencesPut: Equatable, Sendable {
  case stored(FencesDocument)
  /// Nothing was stored, because the tenant's fences are not those that the caller expected. The value is the tag of
  /// the stored fences; `nil` if none are stored.
  case changedMeanwhile(entityTag: String?)
}
