import Foundation
import JSONText
import TestKit
import Testing

@testable import ModelFiles

/// The shared models, with the verdicts and counts of independent programs.
@Suite struct ModelTruthTests {
  /// Models whose verdict is another one here, and why.
  private static let departures = [
    // The layer is valid. Only the profile of one company's viewer requires another ending of its name.
    "usd_checker_bad_badExtension_arkit": true,
    // A solid without facets. The other such model is valid; this one only lacks the end of its last line.
    "trimesh_stl_empty": true,
  ]

  private struct Case {
    let name: String
    let path: String
    let truth: JSONValue
  }

  private static func cases() throws -> [Case] {
    let folder = try TestData.path("models3d")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    return try names.filter { $0.hasSuffix(".truth.json") }.map { name in
      let base = String(name.dropLast(".truth.json".count))
      let file = try #require(
        names.first { $0.hasPrefix(base + ".") && !$0.hasSuffix(".json") && !$0.hasSuffix(".mtl") })
      let truth = try JSONDocument(parsing: [UInt8](Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))))
      return Case(name: base, path: folder + "/" + file, truth: truth.root)
    }
  }

  private static func facts(_ path: String) throws -> ModelFacts {
    let format = try #require(ModelFormat(rawValue: path.split(separator: ".").last?.lowercased() ?? ""))
    return try ModelFacts(checking: ModelBytes([UInt8](Data(contentsOf: URL(fileURLWithPath: path)))), as: format)
  }

  @Test func models_have_the_expected_verdicts_and_counts() throws {
    let cases = try Self.cases()
    #expect(cases.count >= 118)
    for one in cases {
      let expected = Self.departures[one.name] ?? one.truth["expected_valid"]?.bool
      // A model in several files is not accepted, although its document may be valid.
      let external = one.truth["facts"]?["external_uris"]?.count ?? 0
      do {
        let facts = try Self.facts(one.path)
        #expect(expected != false && external == 0, "\(one.name) was accepted")
        if let truth = one.truth["facts"] { Self.compare(facts, truth, one.name) }
      } catch let error as ModelError {
        #expect(expected != true || (external > 0 && error.kind == .external), "\(one.name): \(error.message)")
      }
    }
  }

  private static func compare(_ facts: ModelFacts, _ truth: JSONValue, _ name: String) {
    func check(_ found: Int?, _ wanted: JSONValue?, _ what: String) {
      if let found, let wanted = wanted?.int { #expect(found == wanted, "\(name): \(what)") }
    }
    check(facts.vertices, truth["vertices"] ?? truth["elements"]?["vertex"], "vertices")
    check(facts.triangles, truth["triangles"], "triangles")
    check(facts.faces, truth["faces"] ?? truth["elements"]?["face"], "faces")
    check(facts.normals, truth["normals"], "normals")
    check(facts.textureCoordinates, truth["texcoords"], "texture coordinates")
    if let counts = truth["counts"] {
      #expect(facts.materials == counts["materials"]?.int ?? 0 && facts.textures == counts["textures"]?.int ?? 0)
    }
    if let used = truth["materials_used"] { #expect(facts.materials == used.count, "\(name): materials") }
    if let box = truth["bbox_local"] {
      #expect(facts.localBox.least == box[0]?.elements.compactMap(\.double), "\(name): box")
      #expect(facts.localBox.most == box[1]?.elements.compactMap(\.double), "\(name): box")
    }
    for (index, entry) in (truth["entries"].map { Array($0.elements) } ?? []).enumerated() {
      #expect(facts.entries[index].name == entry["name"]?.string, "\(name)")
      #expect(facts.entries[index].offset == entry["data_offset"]?.int, "\(name)")
      #expect(facts.entries[index].count == entry["size"]?.int, "\(name)")
    }
  }

  // MARK: Damage

  /// The number of damaged models: some in the suite, more with MODEL_DAMAGES.
  private static let damages = ProcessInfo.processInfo.environment["MODEL_DAMAGES"].flatMap { Int($0) } ?? 3_000

  /// Damaged models are valid or have a reason. Anything else is a crash of the server.
  @Test func damaged_models_are_answered() throws {
    let whole = try Self.cases().map { one in
      (
        try #require(ModelFormat(rawValue: one.path.split(separator: ".").last?.lowercased() ?? "")),
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: one.path)))
      )
    }.filter { !$0.1.isEmpty && $0.1.count < 100_000 }
    var (random, rejected) = (SplitMix(seed: 20_261_128), 0)
    for number in 0..<Self.damages {
      var (format, bytes) = whole[number % whole.count]
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0...4, using: &random) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
        case 1: bytes[place] = [0, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
        case 2: for index in place..<min(place + 4, bytes.count) { bytes[index] = 0xFF }
        case 3: bytes.insert(contentsOf: bytes[place..<min(place + 40, bytes.count)], at: place)
        default: bytes.removeSubrange(place..<min(place + Int.random(in: 1...40, using: &random), bytes.count - 1))
        }
      }
      if Int.random(in: 0..<20, using: &random) == 0 {
        format = ModelFormat.allCases.randomElement(using: &random) ?? .glb
      }
      do throws(ModelError) {
        _ = try ModelFacts(checking: ModelBytes(bytes), as: format)
      } catch {
        #expect(!error.detail.isEmpty)
        rejected += 1
      }
    }
    #expect(rejected > Self.damages / 4)
  }
}
