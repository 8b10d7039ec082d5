/// Returns the known name that is most similar to a misspelled name, ignoring case; `nil` if none is similar. A name is
/// similar if its edit distance is at most 2, or at most 1 if the misspelled name has fewer than five bytes.
public func nearestName(to key: String, among known: [String]) -> String? {
  let written = Array(key.lowercased().utf8.prefix(64))
  var best: (key: String, distance: Int)?
  for candidate in known {
    let distance = editDistance(written, Array(candidate.lowercased().utf8.prefix(64)))
    if distance <= (written.count < 5 ? 1 : 2), distance < best?.distance ?? .max { best = (candidate, distance) }
  }
  return best?.key
}

/// Computes the edit distance of two texts: the number of insertions, deletions, replacements and swaps of neighbours
/// (optimal string alignment).
private func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
  var beforeLast = [Int](repeating: 0, count: b.count + 1)
  var last = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    row.reserveCapacity(b.count + 1)
    for j in b.indices {
      var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
      row.append(cost)
    }
    beforeLast = last
    last = row
  }
  return last[b.count]
}
