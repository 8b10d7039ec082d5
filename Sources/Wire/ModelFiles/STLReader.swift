/// Reads STL, binary or as text.
enum STLReader {
  private static let head = 84, triangle = 50

  static func facts(_ bytes: ModelBytes) throws(ModelError) -> ModelFacts {
    // The header of a binary file may begin with `solid`, too. Only the length distinguishes it from text.
    if bytes.count >= head, Int(try bytes.uint32(at: 80)) == (bytes.count - head) / triangle,
      (bytes.count - head) % triangle == 0
    {
      return try binary(bytes)
    }
    if try bytes.matches("solid", at: 0) { return try text(bytes) }
    guard bytes.count >= head else {
      throw ModelError(.truncated, "header", "expected at least \(head) bytes, found \(bytes.count)")
    }
    let count = Int(try bytes.uint32(at: 80))
    throw ModelError(
      .truncated, "header", "expected \(head + count * triangle) bytes for \(count) triangles, found \(bytes.count)")
  }

  private static func finish(_ facts: inout ModelFacts, _ triangles: Int) throws(ModelError) {
    try ModelLimits.check(triangles, ModelLimits.triangles, "triangles")
    (facts.triangles, facts.vertices) = (triangles, 3 * triangles)
    (facts.materials, facts.textures, facts.box) = (0, 0, facts.localBox)
  }

  private static func binary(_ bytes: ModelBytes) throws(ModelError) -> ModelFacts {
    var facts = ModelFacts(.stl)
    let count = (bytes.count - head) / triangle
    try ModelLimits.check(count, ModelLimits.triangles, "triangles")
    for index in 0..<count {
      for corner in 1...3 {
        let offset = head + index * triangle + 12 * corner
        let (x, y, z) = (try bytes.float(at: offset), try bytes.float(at: offset + 4), try bytes.float(at: offset + 8))
        guard x.isFinite, y.isFinite, z.isFinite else {
          throw ModelError(.malformed, "triangle \(index)", "a coordinate is not a finite number")
        }
        facts.localBox.add(Double(x), Double(y), Double(z))
      }
    }
    try finish(&facts, count)
    return facts
  }

  private static func text(_ bytes: ModelBytes) throws(ModelError) -> ModelFacts {
    var (facts, text, triangles) = (ModelFacts(.stl), ModelText(bytes), 0)
    // `step` selects the line that must follow. The corners of a triangle are on three lines.
    var (isOpen, step) = (false, 0)
    while try text.next() {
      guard !text.words.isEmpty else { continue }
      func isWords(_ words: StaticString...) -> Bool {
        text.words.count >= words.count && words.indices.allSatisfy { text.word($0, is: words[$0]) }
      }
      switch step {
      case 0 where !isOpen && isWords("solid"): isOpen = true
      case 0 where isOpen && isWords("endsolid"): isOpen = false
      case 0 where isOpen && isWords("facet", "normal"):
        for word in 2..<5 { _ = try text.double(word) }
        step = 1
      case 1 where isWords("outer", "loop"): step = 2
      case 2...4 where isWords("vertex"):
        let (x, y, z) = (try text.double(1), try text.double(2), try text.double(3))
        guard x.isFinite, y.isFinite, z.isFinite else {
          throw ModelError(.malformed, text.place, "a coordinate is not a finite number")
        }
        facts.localBox.add(x, y, z)
        step += 1
      case 5 where isWords("endloop"): step = 6
      case 6 where isWords("endfacet"):
        triangles += 1
        step = 0
      default:
        let expected = ["facet normal or endsolid", "outer loop", "vertex", "vertex", "vertex", "endloop", "endfacet"]
        throw ModelError(
          .malformed, text.place, "expected \(step == 0 && !isOpen ? "solid" : expected[step]), found \(text.shown(0))")
      }
      try ModelLimits.check(triangles, ModelLimits.triangles, "triangles", text.place)
    }
    guard !isOpen else { throw ModelError(.truncated, "", "expected endsolid, found the end of the file") }
    try finish(&facts, triangles)
    return facts
  }
}
