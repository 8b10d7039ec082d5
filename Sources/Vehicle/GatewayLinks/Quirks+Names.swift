import AdapterSession

extension Quirks {
  /// The names of the quirks in this set.
  package var names: [String] {
    (0..<32).map { Quirks(rawValue: 1 << $0) }.filter { contains($0) }.map { $0.name.description }
      .filter { !$0.isEmpty }
  }

  /// Creates a set with the quirk of this name; empty if no quirk has this name.
  package init(name: String) {
    let found = (0..<32).map { Quirks(rawValue: 1 << $0) }.first { $0.name.description == name }
    self = name.isEmpty ? [] : found ?? []
  }
}
