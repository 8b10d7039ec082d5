import GeoJSON
import Geofencing
import Telemetry

/// The fences of a tenant: the bytes of a GeoJSON FeatureCollection as the operator sent them.
public struct FencesDocument: Equatable, Sendable {
  /// The document; each feature is a fence.
  public let bytes: [UInt8]
  /// The strong entity tag (RFC 9110, 8.8.3) with its quotes. Different bytes have different tags.
  public let entityTag: String
  /// The number of documents that were stored so far, from 1; 0 if this one is not stored yet.
  public var version: Int64 = 0
  /// The time when it was stored.
  public var modifiedAt: Timestamp?

  /// The document before any fences are stored: empty, with the tag `"none"`. Gateways that fetch it keep their own
  /// fences.
  public static let notPut = FencesDocument(
    bytes: Array(#"{"type":"FeatureCollection","features":[]}"#.utf8), entityTag: "\"none\"")

  /// An empty document that an operator stored. Gateways that fetch it drop their fences.
  public static let empty = FencesDocument(checked: notPut.bytes)

  private init(bytes: [UInt8], entityTag: String) {
    self.bytes = bytes
    self.entityTag = entityTag
  }

  /// The maximum number of bytes of memory that ``init(geoJSON:)`` needs, without parsing the document.
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
  /// The stored fences are not the expected ones. The value is their tag; `nil` if there are none.
  case changedMeanwhile(entityTag: String?)
}
