@testable import DaemonTestKit

/// The lines that a daemon printed about a hostile peer and the correct one that replaced it.
enum ToldLines {
  /// Returns the lines without those that only a slow machine adds: a timeout of a peer, and the repetition of the line
  /// before it. If two equal lines about a timeout follow each other, the second one is included, because it is one too
  /// many. Digits are ignored.
  ///
  /// - Parameter isLate: `true` for a line about a timeout of the peer.
  static func essential(_ lines: some Sequence<String>, where isLate: (String) -> Bool) -> [String] {
    var told: [String] = []
    var late: String?
    for line in lines {
      let words = line.filter { !$0.isNumber }
      if isLate(line), words != late {
        late = words
      } else if late != nil, words == told.last {
        late = nil
      } else {
        told.append(words)
        late = nil
      }
    }
    return told
  }
}
