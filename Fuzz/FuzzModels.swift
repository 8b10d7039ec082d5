// Fuzzes the checks of 3D models with any bytes.
//
// The first byte of an input selects the format of the rest. For any bytes: nothing traps; an error has a reason; the
// counts of a valid model are not negative and within the limits; its box is not inverted; and the files of a package
// are inside it.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzModels(_ start: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 1 else { return 0 }
  let input = Array(UnsafeBufferPointer(start: start + 1, count: size - 1))
  let format = ModelFormat.allCases[Int(start[0]) % ModelFormat.allCases.count]
  do throws(ModelError) {
    let facts = try ModelFacts(checking: ModelBytes(input), as: format)
    verify(facts, count: input.count)
  } catch {
    require(!error.detail.isEmpty, "an error without a reason")
    require(error.kind != .unreadable, "a readable file is unreadable")
  }
  return 0
}

private func verify(_ facts: ModelFacts, count: Int) {
  require((0...ModelLimits.vertices).contains(facts.vertices ?? 0), "a wrong number of vertices")
  require((0...ModelLimits.triangles).contains(facts.triangles ?? 0), "a wrong number of triangles")
  for axis in 0..<3 where !facts.box.isEmpty {
    require(facts.box.least[axis] <= facts.box.most[axis], "an inverted box")
  }
  for entry in facts.entries {
    require(entry.offset % 64 == 0 && entry.offset + entry.count <= count, "a file outside the package")
  }
}
