extension String {
  /// The path in its shortest form, to tell whether two name one file: `./a//b` is `a/b`, and `a/../b` is `b`. Links are
  /// not followed: what they lead to may come and go.
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
