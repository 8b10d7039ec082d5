extension JSONValue {
  /// Calls `body` with the first two numbers of each element of this array, for example for positions:
  /// `[[9.1,47.6],[9.2,47.7,430]]`. The function creates no ``JSONValue`` for the elements, so that an array of
  /// millions of elements takes little time.
  ///
  /// - Returns: `nil` on success; this value if it is not an array; otherwise the first element that is not an array
  ///   beginning with two numbers. Elements after it are not read.
  public func forEachPair(_ body: (Double, Double) -> Void) -> JSONValue? {
    guard node.kind == .array else { return self }
    let nodes = document.nodes.span
    let bytes = document.bytes.span
    let end = Int(nodes[index].extent)
    var next = index + 1
    while next < end {
      let element = nodes[next]
      guard element.kind == .array, element.start >= 2,
        let first = Self.double(nodes[next + 1], bytes), let second = Self.double(nodes[next + 2], bytes)
      else { return JSONValue(document: document, index: next) }
      body(first, second)
      next = Int(element.extent)
    }
    return nil
  }

  @inline(__always)
  private static func double(_ node: JSONNode, _ bytes: Span<UInt8>) -> Double? {
    guard node.kind == .number else { return nil }
    let start = Int(node.start)
    return JSONNumber.double(bytes.extracting(start..<(start + Int(node.extent))))
  }
}
