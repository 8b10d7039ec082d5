extension String {
  /// The shortest form of a path, for comparing paths: `./a//b` becomes `a/b`, and `a/../b` becomes `b`. Symbolic links
  /// are not resolved, because their targets may change.
  var standardPath: String {
    let isAbsolute = utf8.first == UInt8(ascii: "/")
    var parts: [Substring] = []
    for part in split(separator: "/") where part != "." {
      if part == "..", let last = parts.last, last != ".." {
        parts.removeLast()
      } else if part != ".." || !isAbsolute {
        parts.append(part)
      }
    }
    return (isAbsolute ? "/" : "") + parts.joined(separator: "/")
  }
}
