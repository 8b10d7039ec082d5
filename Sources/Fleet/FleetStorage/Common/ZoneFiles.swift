import Failures
import FleetDomain
import Synchronization

/// Reads the rules of time zones from the machine's IANA database. Each zone is read only once.
final class ZoneFiles: Sendable {
  /// Maximum size of a zone's file, bytes. Most files are smaller than 4 KiB.
  private static let mostBytes = 1 << 20

  /// The reader of the machine's time zone database.
  static let machine = ZoneFiles()

  private let folder: String
  private let zones = Mutex<[String: ZoneRules?]>([:])

  /// Creates a reader.
  ///
  /// - Parameter folder: the folder that contains the files of the database.
  init(folder: String = "/usr/share/zoneinfo") { self.folder = folder }

  /// Returns the rules of a time zone.
  ///
  /// - Parameter name: the name of the zone, for example `Europe/Vienna`; `nil` for UTC.
  /// - Returns: the rules; those of UTC if the database does not contain the name.
  func rules(_ name: String?) -> ZoneRules {
    guard let name, name != "UTC" else { return .utc }
    return zones.withLock { zones in
      if let known = zones[name] { return known ?? .utc }
      let rules = read(name)
      zones[name] = .some(rules)
      return rules ?? .utc
    }
  }

  private func read(_ name: String) -> ZoneRules? {
    let isName = name.utf8.allSatisfy { byte in
      byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z") || byte &- UInt8(ascii: "0") < 10
        || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: "+")
    }
    guard isName, !name.isEmpty, name.first != "/" else { return nil }
    do throws(Failure) {
      return ZoneRules(tzif: try FileText.read("\(folder)/\(name)", limit: Self.mostBytes))
    } catch {
      return nil
    }
  }
}
