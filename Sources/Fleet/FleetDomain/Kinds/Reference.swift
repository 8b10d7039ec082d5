import Telemetry

/// The things to which a field refers by their ids.
///
/// Each field that clients can set and that contains ids of other things must declare this with ``Field/refers(to:)``.
/// The server then checks the ids: a client can refer only to things that it may see.
public enum Reference: String, CaseIterable, Sendable {
  case vehicle, driver, fleet
  /// The account of a person. Setting the reference gives the person access to the thing. Therefore the caller must be
  /// allowed to change the account.
  case account
  case person, document, defect, inspection, serviceSchedule, webhook, file
  /// A thing of any kind, to which the new thing belongs. No separate check is needed: the permission to create the new
  /// thing depends on this thing.
  case subject
}

extension Described {
  /// Returns the ids to which this value refers but an older one did not, sorted by ``Reference`` and field.
  ///
  /// - Parameter old: the older value; `nil` if the value is new.
  /// - Returns: the ids as texts, each with the path of the member of the value's JSON that contains it.
  public func references(addedTo old: Self?) -> [(reference: Reference, path: String, id: String)] {
    var added: [(reference: Reference, path: String, id: String)] = []
    for reference in Reference.allCases where reference != .subject {
      for field in Self.fields where field.reference == reference {
        let before = Set(old.map { Self.texts(in: field.json($0), field.key).map(\.text) } ?? [])
        for (path, text) in Self.texts(in: field.json(self), field.key) where !before.contains(text) {
          // Text that is not an id belongs to other members of a nested value, for example a note.
          if reference == .vehicle || UUIDv7(text.utf8.span) != nil { added.append((reference, path, text)) }
        }
      }
    }
    return added
  }

  private static func texts(in json: JSON, _ path: String) -> [(path: String, text: String)] {
    switch json {
    case .text(let text): [(path, text)]
    case .array(let elements): elements.flatMap { texts(in: $0, path) }
    case .object(let members):
      members.sorted { $0.key < $1.key }.flatMap { texts(in: $0.value, path + "." + $0.key) }
    default: []
    }
  }
}
