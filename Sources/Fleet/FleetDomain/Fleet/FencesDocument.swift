import GeoJSON
import Geofencing
import Telemetry

/// The fences of a tenant: the bytes of a GeoJSON FeatureCollection, as they were given.
public struct FencesDocument: Equatable, Sendable {
  /// The file's bytes; every feature in it is a fence.
  public let bytes: [UInt8]
  /// The strong entity tag of RFC 9110 (8.8.3), quotes included: the same bytes have the same, others have another.
  public let entityTag: String
  /// How many times fences have been put, from 1; 0: not stored yet.
  public var version: Int64 = 0
  /// When they were put.
  public var modifiedAt: Timestamp?

  /// What there is until fences are put: none, under a tag that no others have. Who fetches them knows by it that nobody
  /// has said that there be none.
  public static let notPut = FencesDocument(
    bytes: Array(#"{"type":"FeatureCollection","features":[]}"#.utf8), entityTag: "\"none\"")

  /// No fences, as a document that was put: gateways that fetch it drop theirs.
  public static let empty = FencesDocument(checked: notPut.bytes)

  private init(bytes: [UInt8], entityTag: String) {
    self.bytes = bytes
    self.entityTag = entityTag
  }

  /// Bytes of memory that ``init(geoJSON:)`` holds at most: counted without reading the document.
  public static func mostMemory(forGeoJSON bytes: Span<UInt8>) -> Int { FenceSet.mostMemory(forGeoJSON: bytes) }

  /// - Throws: what is wrong with the first feature that is no fence, with its line and path.
  public init(geoJSON bytes: [UInt8]) throws(GeoJSONError) {
    _ = try FenceSet(geoJSON: bytes, file: "fences")
    self.init(checked: bytes)
  }

  /// Bytes that were checked when they were stored.
  public init(checked bytes: [UInt8], version: Int64 = 0, modifiedAt: Timestamp? = nil) {
    self.bytes = bytes
    self.version = version
    self.modifiedAt = modifiedAt
    // Two keyed sums of 64 bits; the keys are no secret.
    let first = SipHash(key: (0x6665_6E63_6573_2D31, 0)).hash(bytes.span)
    let second = SipHash(key: (0x6665_6E63_6573_2D32, 1)).hash(bytes.span)
    entityTag = "\"\(Hexadecimal.text(first))\(Hexadecimal.text(second))\""
  }
}

/// Which fences a tenant has, without the fences themselves.
public struct FencesVersion: Equatable, Sendable {
  public let version: Int64
  public let modifiedAt: Timestamp
  /// Length of the document.
  public let bytes: Int

  public init(version: Int64, modifiedAt: Timestamp, bytes: Int) {
    self.version = version
    self.modifiedAt = modifiedAt
    self.bytes = bytes
  }
}

/// What became of fences that were to be put.
public enum FencesPut: Equatable, Sendable {
  case stored(FencesDocument)
  /// Others are there than the caller had seen: their tag, nil where there are none.
  case changedMeanwhile(entityTag: String?)
}
