import Failures
import GatewayOutput
import Geofencing
import Glibc
import JSONText
import Telemetry

/// Stores the states of the geofences for the next start. With a spool, they are a note (a named value) in the same
/// commit as the records about them. Without a spool, they are in `fences.json` in the state directory.
///
///     {"fingerprint":"9f3c…","latitude":48.1,"longitude":11.5,"visits":[{"id":"depot","seconds":81.2,"hasDwelt":true}]}
///
/// The states are optional. If the file is invalid, this is logged. The next fix then determines which fences contain
/// the vehicle, without making records of it.
package struct FenceStore {
  /// Maximum size of the file, bytes.
  private static let limit = 4 << 20
  /// Name of the note in the spool.
  package static let note = "fences"

  private let path: String?
  /// The last error in writing the file; empty after a success. An error is logged only if it differs from this one.
  private var lastReason = ""

  /// Creates the store.
  ///
  /// - Parameter folder: the state directory; `nil` to store nothing.
  package init(folder: String?) { path = folder.map { $0 + "/fences.json" } }

  /// Reads the states that an earlier run stored in the file; `nil` if there are none or the file is invalid.
  package func read() -> FenceMemory? {
    guard let path, unsafe access(path, F_OK) == 0 else { return nil }
    do throws(Failure) {
      let text = try FileText.read(path, limit: Self.limit)
      return Self.read(text, from: path)
    } catch {
      Log.write("\(error.description); the state of the fences is lost", .warning)
    }
    return nil
  }

  /// Parses the stored states.
  ///
  /// - Parameter place: path or name of the source, for messages.
  /// - Returns: the states; `nil` if the text is invalid. In this case, the reason is logged.
  package static func read(_ text: [UInt8], from place: String) -> FenceMemory? {
    do throws(JSONError) {
      return try memory(text)
    } catch {
      Log.write("\(error.message(in: place)); the state of the fences is lost", .warning)
      return nil
    }
  }

  package mutating func save(_ memory: FenceMemory) {
    guard let path else { return }
    do throws(Failure) {
      try FileText.replace(path, with: memory.text)
      lastReason = ""
    } catch {
      if error.description != lastReason {
        Log.write("\(error); the state of the fences will be lost at a restart", .warning)
      }
      lastReason = error.description
    }
  }

  private static func memory(_ text: [UInt8]) throws(JSONError) -> FenceMemory {
    var reader = try JSONObjectReader(JSONDocument(parsing: text).root)
    let fingerprint = UInt64(try reader.requiredString("fingerprint"), radix: 16) ?? 0
    var position: GeoPosition?
    if let latitude = try reader.optionalDouble("latitude", in: -90...90),
      let longitude = try reader.optionalDouble("longitude", in: -180...180)
    {
      position = GeoPosition(latitude: latitude, longitude: longitude)
    }
    var visits: [FenceMemory.Visit] = []
    guard let elements = try reader.optionalArray("visits") else {
      return FenceMemory(visits: [], fingerprint: fingerprint, position: position)
    }
    for element in elements {
      var visit = try JSONObjectReader(element)
      let seconds = try visit.optionalDouble("seconds", in: 0...1e9) ?? 0
      visits.append(
        FenceMemory.Visit(
          id: try visit.requiredString("id"), duration: Int64(seconds * 1e9),
          hasDwelt: try visit.optionalBool("hasDwelt") ?? false))
    }
    return FenceMemory(visits: visits, fingerprint: fingerprint, position: position)
  }
}

extension FenceMemory {
  /// The states as they are stored: one text line of JSON.
  package var text: [UInt8] {
    var line = JSONLineEncoder(capacity: 4_096, growable: true)
    line.begin()
    line.field("fingerprint", String(fingerprint, radix: 16))
    if let position {
      line.field("latitude", position.latitude)
      line.field("longitude", position.longitude)
    }
    line.beginArray("visits")
    for visit in visits {
      line.beginObject()
      line.field("id", visit.id)
      line.field("seconds", Double(visit.duration) / 1e9)
      line.field("hasDwelt", visit.hasDwelt)
      line.end()
    }
    line.end()
    line.finish()
    return unsafe line.line.withUnsafeBufferPointer { unsafe Array($0) }
  }
}
