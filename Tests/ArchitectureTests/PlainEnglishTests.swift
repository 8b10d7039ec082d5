import Foundation
import TestKit
import Testing

/// Pages, schemas, help texts and sources contain none of the phrases that the project's writing rules forbid
/// (``ForbiddenPhrases``).
@Suite struct PlainEnglishTests {
  /// Files and folders that are checked. When a folder of sources is free of the phrases, add it here.
  static let checked = [
    "README.md", "docs", "captures/README.md", "systemd", "packaging", "config.schema.json", "fleetstore.schema.json",
    "Makefile", "scripts", ".ci", "Package.swift", "Sources/Fleet", "Sources/Programs", "Sources/System",
    "Sources/Vehicle", "Sources/Wire", "Tests", "Fuzz", "Benchmarks",
  ]

  /// Files that are not checked: two list the words that are not to be used, and one has samples of the maker Bell.
  static let exempt: Set = [
    "docs/Glossary.md", "Tests/ArchitectureTests/PlainEnglishTests.swift",
    "Tests/FleetConnectorsTests/AEMPMappingTests.swift",
  ]

  private static let files = Result { try ProjectTree.files().filter { !exempt.contains($0) && !$0.hasSuffix(".png") } }

  @Test(arguments: checked) func text_contains_no_forbidden_phrase(_ path: String) throws {
    let files = try Self.files.get().filter { $0 == path || $0.hasPrefix(path + "/") }
    #expect(!files.isEmpty, "\(path): no such file or folder")
    var found: [String] = []
    for file in files {
      for hit in ForbiddenPhrases.found(in: try ProjectTree.text(file)) {
        found.append("\(file):\(hit.line): \(hit.phrase)")
      }
    }
    #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
  }

  @Test func help_of_obdgate_contains_no_forbidden_phrase() throws {
    let program = try Tool.obdgate
    try expectPlainHelp(of: "obdgate", try Self.helpTexts(program))
  }

  @Test func help_of_fleetstore_contains_no_forbidden_phrase() throws {
    let program = try Tool.fleetstore
    try expectPlainHelp(of: "fleetstore", try Self.helpTexts(program))
  }

  @Test func help_of_obdgated_contains_no_forbidden_phrase() throws {
    let program = try Tool.obdgated
    try expectPlainHelp(of: "obdgated", [try Tool.run(program, ["--help"]).output])
  }

  private func expectPlainHelp(of name: String, _ texts: [String]) throws {
    #expect(texts.contains { $0.count > 100 }, "\(name): expected help texts, found \(texts)")
    for text in texts {
      for hit in ForbiddenPhrases.found(in: text) {
        let line = text.split(separator: "\n", omittingEmptySubsequences: false)[hit.line - 1]
        Issue.record("\(name) --help: \(hit.phrase): \(line)")
      }
    }
  }

  /// Returns the help texts of a program and of all its subcommands, options and arguments.
  private static func helpTexts(_ program: String) throws -> [String] {
    let dump = try Tool.run(program, ["--experimental-dump-help"])
    var texts: [String] = []
    collectHelp(try JSONSerialization.jsonObject(with: Data(dump.stdout)), into: &texts)
    return texts
  }

  private static func collectHelp(_ value: Any, into texts: inout [String]) {
    if let object = value as? [String: Any] {
      texts += ["abstract", "discussion"].compactMap { object[$0] as? String }
      for member in object.values { collectHelp(member, into: &texts) }
    } else if let array = value as? [Any] {
      for element in array { collectHelp(element, into: &texts) }
    }
  }
}

/// Phrases that the writing rules forbid, and a search for them.
///
/// A phrase is found in any case, as whole words, and across the end of a line or of a comment line. Punctuation between
/// its words separates them. In comments of Swift, `nil: ` as a condition ("nil: unknown") is found as well.
enum ForbiddenPhrases {
  struct Hit: Equatable {
    /// Line number of the first word, from 1.
    let line: Int
    let phrase: String
  }

  private static let list = """
    whoever, anew, seldom, all the same, somebody, anybody, everybody, now and again, for want of, in the midst
    tells, is told, are told, was told, were told, be told, being told, takes note, take note, hears of, heard of
    is said, are said, was said, were said, be said, being said
    nil where, where there is no, where there is none, where there is nobody, where there are no, where there are none
    hand it on, hand it over, hands it on, hands it over, hand them on, hand them over, hands them on, hands them over
    hands on, hands over, handed on, handed over, put aside, puts aside, let go, lets go
    left alone, leave it alone, leaves alone, leaves it alone, refused whole, that is none, that are none
    as it stands, by so much, owe, owes, to be had, in turn, in turns, behind it, its like
    comes behind, goes on, held up, hold up, holds up, given up, gives up, gave up, give up, let us, lets us
    passed over, passes over, speaks no, takes none, turns up, worked out
    of its own accord, on its own account, take turns, takes turns, hangs up, of theirs, of ours, whose it is, had by
    learns of, knows of, hears, hear of, takes nothing, says nothing, said so, comes by, come by, has to tell, had to tell
    comes of it, come of it, stands in, stand in, stands beside, lies beside, means harm, wants to know, has its say
    desk, bell, errand, shelf, sightings
    """

  /// Words of each phrase, by its first word.
  private static let phrases: [String: [[String]]] = {
    let phrases = list.split { $0 == "," || $0 == "\n" }.map { $0.split(separator: " ").map(String.init) }
    return Dictionary(grouping: phrases) { $0[0] }
  }()

  static func found(in text: String) -> [Hit] {
    let words = Word.all(in: text)
    var hits: [Hit] = []
    for index in words.indices {
      for phrase in phrases[words[index].text] ?? [] where index + phrase.count <= words.count {
        let candidate = words[index..<index + phrase.count]
        guard candidate.map(\.text) == phrase, candidate.dropFirst().allSatisfy(\.followsWord) else { continue }
        hits.append(Hit(line: words[index].line, phrase: phrase.joined(separator: " ")))
      }
    }
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      guard let comment = line.range(of: "//"), line[comment.upperBound...].contains(" nil: ") else { continue }
      hits.append(Hit(line: index + 1, phrase: "nil:"))
    }
    return hits
  }

  /// A word of a text, in lower case.
  private struct Word {
    var text = ""
    let line: Int
    /// Whether only white space and comment marks are between the previous word and this one.
    let followsWord: Bool

    static func all(in text: String) -> [Word] {
      var words: [Word] = []
      var word: Word?
      var line = 1
      var isAdjacent = false
      for byte in text.utf8 {
        let lowerCase = byte | 0x20
        if byte >= 0x41, (0x61...0x7A).contains(lowerCase) {
          if word == nil { word = Word(line: line, followsWord: isAdjacent) }
          word?.text.unicodeScalars.append(Unicode.Scalar(lowerCase))
          continue
        }
        if let ended = word {
          words.append(ended)
          word = nil
          isAdjacent = true
        }
        if byte == 0x0A { line += 1 }
        if ![0x09, 0x0A, 0x20, 0x23, 0x2A, 0x2F, 0x5C].contains(byte) { isAdjacent = false }
      }
      if let ended = word { words.append(ended) }
      return words
    }
  }
}

@Suite struct ForbiddenPhrasesTests {
  @Test func phrases_are_found_as_whole_words_in_any_case_with_their_lines() {
    #expect(
      ForbiddenPhrases.found(in: "Renewed.\nWhoever reads\nbells, a Bell\n")
        == [.init(line: 2, phrase: "whoever"), .init(line: 3, phrase: "bell")])
  }

  @Test func phrases_are_found_across_lines_of_a_comment_but_not_across_punctuation() {
    #expect(
      ForbiddenPhrases.found(in: "/// A record is\n  /// told.\n# what is\n# said\n")
        == [.init(line: 1, phrase: "is told"), .init(line: 3, phrase: "is said")])
    #expect(ForbiddenPhrases.found(in: "what it is. Told again; `in`, turn") == [])
  }

  @Test func nil_as_a_condition_is_found_in_comments_only() {
    #expect(
      ForbiddenPhrases.found(in: "case nil: return\n/// - Parameter baud: nil: unknown.\n")
        == [.init(line: 2, phrase: "nil:")])
  }
}
