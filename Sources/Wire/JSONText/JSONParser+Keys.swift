extension JSONParser {
  /// Throws an error if an object has duplicate keys. RFC 8259 (section 4) does not define what they mean, and using
  /// one of the two values would hide a mistake.
  func refuseDuplicateKeys(of object: Int) throws(JSONError) {
    let count = Int(nodes[object].start)
    if count < 2 { return }
    if count <= 16 { return try refuseDuplicatesPairwise(of: object) }
    var keys: [Int] = []
    keys.reserveCapacity(count)
    var index = object + 1
    while index < nodes.count {
      keys.append(index)
      index = end(of: index + 1)
    }
    // Sort the keys instead of hashing them, so that no choice of keys can make this slow. Equal keys keep the order of
    // the text.
    keys.sort { order($0, $1) != 0 ? order($0, $1) < 0 : $0 < $1 }
    var firstDouble: (again: Int, first: Int)?
    for (key, next) in zip(keys, keys.dropFirst()) where order(key, next) == 0 {
      if next < firstDouble?.again ?? .max { firstDouble = (next, key) }
    }
    if let firstDouble { throw duplicate(firstDouble.again, first: firstDouble.first) }
  }

  private func refuseDuplicatesPairwise(of object: Int) throws(JSONError) {
    var key = object + 1
    while key < nodes.count {
      var earlier = object + 1
      while earlier < key {
        if nodes[earlier].extent == nodes[key].extent, order(earlier, key) == 0 {
          throw duplicate(key, first: earlier)
        }
        earlier = end(of: earlier + 1)
      }
      key = end(of: key + 1)
    }
  }

  private func duplicate(_ again: Int, first: Int) -> JSONError {
    let line = TextPosition(of: Int(nodes[first].offset), in: bytes).line
    return error(.duplicateKey(text(of: again), firstLine: line), at: Int(nodes[again].offset))
  }

  private func end(of index: Int) -> Int { nodes[index].isContainer ? Int(nodes[index].extent) : index + 1 }

  /// Returns a byte of a string. The index refers to the future content of ``JSONDocument/bytes``: the text, and then
  /// the decoded strings.
  private func valueByte(_ index: Int) -> UInt8 {
    index < bytes.count ? bytes[index] : decoded[index - bytes.count]
  }

  /// Compares two keys. The result is negative if the first key sorts before the second, 0 if they are equal, and
  /// otherwise positive.
  private func order(_ first: Int, _ second: Int) -> Int {
    let (a, b) = (nodes[first], nodes[second])
    if a.extent != b.extent { return a.extent < b.extent ? -1 : 1 }
    for step in 0..<Int(a.extent) {
      let (x, y) = (valueByte(Int(a.start) + step), valueByte(Int(b.start) + step))
      if x != y { return x < y ? -1 : 1 }
    }
    return 0
  }

  private func text(of key: Int) -> String {
    let node = nodes[key]
    return String(decoding: (0..<Int(node.extent)).map { valueByte(Int(node.start) + $0) }, as: UTF8.self)
  }

  /// The JSON path of the innermost value that is being parsed.
  var openPath: String {
    var path = ""
    for container in open {
      if nodes[container.node].kind == .array {
        path += "[\(nodes[container.node].start)]"
      } else if let key = container.key {
        JSONPath.append(key: text(of: key), to: &path)
      }
    }
    return path
  }
}
