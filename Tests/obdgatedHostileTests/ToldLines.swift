@testable import DaemonTestKit

/// What a daemon told people of a peer that means harm, and of the sane one in its place.
enum ToldLines {
  /// The lines without what a slow machine adds: that a peer took too long, and what stood in front of that once more.
  /// Twice in a row that is a line too many, too. Figures do not count.
  ///
  /// - Parameter isLate: whether a line says that the peer took too long.
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
