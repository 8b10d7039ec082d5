import Foundation
import TestKit
import Testing

/// Commands in README and docs print the documented output.
@Suite struct DocumentationTests {
  static let pages: [String] = {
    let listed = try? ProjectTree.files().filter { $0.hasSuffix(".md") }
    return listed ?? ["README.md"]
  }()

  @Test(arguments: pages)
  func documented_commands_print_the_documented_output(_ page: String) throws {
    let commands = MarkdownBlocks(try ProjectTree.text(page)).commands(.project)
    guard !commands.isEmpty else { return }
    let obdgate = try Tool.obdgate
    try Tool.required("jq")
    let folder = URL(fileURLWithPath: obdgate).deletingLastPathComponent().path
    let path = "\(folder):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
    for command in commands {
      let ran = try Tool.shell(command.script, environment: ["PATH": path], directory: TestData.projectRoot)
      #expect(ran.status == 0, "\(page):\(command.line): status \(ran.status): \(ran.errors)")
      if let output = command.output { #expect(ran.output == output, "\(page):\(command.line)") }
    }
  }

  @Test(arguments: pages)
  func every_documented_command_is_run_by_a_test(_ page: String) throws {
    #expect(MarkdownBlocks(try ProjectTree.text(page)).unknown == [], "\(page)")
  }

  /// Without such blocks, the tests that run them would pass without running anything.
  @Test(arguments: MarkdownBlocks.Place.allCases)
  func every_kind_of_documented_commands_occurs(_ place: MarkdownBlocks.Place) throws {
    #expect(try !DocumentedCommands.all(place).isEmpty)
  }

  @Test(arguments: pages)
  func links_within_the_project_lead_to_a_file_and_to_a_heading_in_it(_ page: String) throws {
    let file = URL(fileURLWithPath: TestData.projectRoot + "/" + page)
    for link in MarkdownBlocks(try ProjectTree.text(page)).links {
      let target = link.path.isEmpty ? file : file.deletingLastPathComponent().appendingPathComponent(link.path)
      let path = target.standardized.path
      #expect(FileManager.default.fileExists(atPath: path), "\(page): \(link.path)")
      guard let fragment = link.fragment, let text = try? String(contentsOfFile: path, encoding: .utf8) else {
        continue
      }
      #expect(
        MarkdownBlocks(text).anchors.contains(fragment), "\(page): \(link.path)#\(fragment): no such heading")
    }
  }

  @Test(arguments: pages)
  func every_row_of_a_table_has_the_cells_of_its_heading(_ page: String) throws {
    var columns: Int?
    var isCode = false
    for (index, line) in try ProjectTree.text(page).split(separator: "\n", omittingEmptySubsequences: false)
      .enumerated()
    {
      if line.hasPrefix("```") { isCode.toggle() }
      guard !isCode, line.hasPrefix("|") else {
        columns = nil
        continue
      }
      // A bar inside a cell is written with a backslash.
      let cells = line.replacing(#"\|"#, with: "").count { $0 == "|" } - 1
      #expect(cells == columns ?? cells, "\(page):\(index + 1)")
      columns = columns ?? cells
    }
  }

  @Test(arguments: pages)
  func make_commands_of_the_pages_are_valid(_ page: String) throws {
    let make = try Tool.required("make")
    let makefile = try ProjectTree.text("Makefile")
    for command in MarkdownBlocks(try ProjectTree.text(page)).commands(.make) {
      for line in command.script.split(separator: "\n") {
        let words = line.prefix { $0 != "#" }.split(separator: " ").map(String.init)
        #expect(words.first == "make" && words.count > 1, "\(page): \(line)")
        // Pages do not mention variables that make inherits from its caller, such as the make that runs this test.
        let ran = try Tool.run(
          make, ["--dry-run"] + words.dropFirst(), environment: ["MAKEFLAGS": "", "MAKELEVEL": ""],
          directory: TestData.projectRoot)
        #expect(ran.status == 0 && !ran.lines.isEmpty, "\(page): \(line): \(ran.errors)")
        for variable in words.filter({ $0.contains("=") }).map({ $0.prefix { $0 != "=" } }) {
          let readings = ["$(\(variable))", "$${\(variable)}", "$${\(variable):-"]
          #expect(readings.contains { makefile.contains($0) }, "\(page): \(line): nothing reads \(variable)")
        }
      }
    }
  }

  /// Commands such as `make deb` within a sentence.
  @Test(arguments: pages)
  func make_targets_that_a_page_names_exist(_ page: String) throws {
    let makefile = try ProjectTree.text("Makefile")
    for named in try ProjectTree.text(page).matches(of: /`make (?:-s )?([a-z-]+)[^`]*`/) {
      #expect(makefile.contains("\n\(named.1):"), "\(page): make \(named.1)")
    }
  }

  @Test func the_configuration_page_agrees_with_the_schemas() throws {
    let obdgate = try Tool.obdgate
    let python = try Tool.required("python3")
    let ran = try Tool.run(python, [TestData.projectRoot + "/scripts/configuration.py", obdgate, "--check"])
    #expect(ran.status == 0, "\(ran.errors)")
  }

  /// Folders of this machine do not exist elsewhere, and a key in a repository is not secret.
  @Test func no_file_names_a_folder_of_one_machine_or_holds_a_key() throws {
    // Concatenated, so that this file does not contain them.
    let folders = ["home", "Users", "root", "tmp", "work"].map { "/" + $0 + "/" }
    let keys = ["-----BEGIN " + "PRIVATE", "-----BEGIN " + "RSA", "-----BEGIN " + "OPENSSH", "AK" + "IA", "gh" + "p_"]
    var offences: [String] = []
    for file in try ProjectTree.files() {
      guard let data = FileManager.default.contents(atPath: TestData.projectRoot + "/" + file) else { continue }
      let text = String(decoding: data, as: UTF8.self)
      offences += folders.filter { Self.names($0, in: text) }.map { "\(file) names \($0)" }
      offences += keys.filter { text.contains($0) }.map { "\(file) holds \($0)…" }
    }
    #expect(offences == [])
  }

  /// Whether a text contains the folder at the beginning of an absolute path, and not in the middle of a longer path or
  /// of an address.
  private static func names(_ folder: String, in text: String) -> Bool {
    var rest = text[...]
    while let found = rest.range(of: folder) {
      let before = found.lowerBound == text.startIndex ? nil : text[text.index(before: found.lowerBound)]
      if before.map({ !$0.isLetter && !$0.isNumber && !"._-~*}/".contains($0) }) ?? true { return true }
      rest = text[found.upperBound...]
    }
    return false
  }
}

/// Blocks and links are read in the way in which a page shows them.
@Suite struct MarkdownBlocksTests {
  @Test func code_blocks_are_parsed_with_their_kind_and_output() {
    let blocks = MarkdownBlocks(
      """
      # Page [one](docs/a.md#part) and [two](https://example.org/x)
      See [below](#what-is-it-1), or [b](b.md "title").
      ## What is `it`?
      ## What is it
      ```sh make
      make run
      ```
      ```sh
      echo 1
      ```
      prints
      ```json output
      1
      ```
      ```sh norun
      echo 2
      ```
      ```text
      [not](a/link)
      ```
      """)
    #expect(
      blocks.commands == [
        .init(line: 5, place: .make, script: "make run\n"),
        .init(line: 8, place: .project, script: "echo 1\n", output: "1\n"),
      ])
    #expect(blocks.unknown == ["15: sh norun"])
    #expect(
      blocks.links == [
        .init(path: "docs/a.md", fragment: "part"), .init(path: "", fragment: "what-is-it-1"), .init(path: "b.md"),
      ])
    #expect(blocks.anchors == ["page-one-and-two", "what-is-it", "what-is-it-1"])
  }
}
