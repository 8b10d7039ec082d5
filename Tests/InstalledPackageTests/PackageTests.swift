import Foundation
import TestKit
import Testing

/// The content of the packages.
@Suite struct PackageTests {
  @Test func lintian_reports_nothing() throws {
    let packages = try Packages()
    let lintian = try Tool.required("lintian")
    let judged = try Tool.run(
      lintian, ["--allow-root", "--fail-on", "error,warning"] + packages.paths, limit: .seconds(600))
    #expect(judged.status == 0, "\(judged.output)\(judged.errors)")
    #expect(judged.output == "")
  }

  @Test func the_daemon_and_its_command_take_less_than_30_MB() throws {
    let packages = try Packages()
    let root = try Unpacked(packages.paths[0])
    let bytes = try root.files.reduce(0) { sum, file in
      sum + (try FileManager.default.attributesOfItem(atPath: root.path + file)[.size] as? Int ?? 0)
    }
    #expect(bytes <= 30_000_000)
    let field = try Tool.run("dpkg-deb", ["--field", packages.paths[0], "Installed-Size"]).output
    #expect(Int(field.dropLast()).map { $0 <= 30_000_000 / 1_024 } == true, "\(field)")
  }

  @Test func programs_say_the_version_of_their_package() throws {
    let packages = try Packages()
    for (path, programs) in zip(packages.paths, [["obdgate", "obdgated"], ["fleetstore"]]) {
      let root = try Unpacked(path)
      let version = try Tool.run("dpkg-deb", ["--field", path, "Version"]).output
      for program in programs {
        #expect(try Tool.run(root.path + "/usr/bin/" + program, ["--version"]).output == version)
      }
    }
  }

  @Test func the_configuration_of_a_package_names_a_schema_that_the_package_brings() throws {
    let packages = try Packages()
    for path in packages.paths {
      let root = try Unpacked(path)
      let file = try #require(root.files.first { $0.hasPrefix("/etc/") && $0.hasSuffix(".json") })
      let text = try Data(contentsOf: URL(fileURLWithPath: root.path + file))
      let read = try JSONSerialization.jsonObject(with: text) as? [String: Any]
      let schema = try #require(read?["$schema"] as? String)
      #expect(root.files.contains(schema), "\(file): \(schema)")
    }
  }

  @Test func packages_have_all_pages_of_the_documentation_with_valid_links() throws {
    let packages = try Packages()
    let pages = try FileManager.default.contentsOfDirectory(atPath: TestData.projectRoot + "/docs")
      .filter { $0.hasSuffix(".md") }
    for (path, name) in zip(packages.paths, ["obdgate", "fleetstore"]) {
      let root = try Unpacked(path)
      for page in pages {
        #expect(root.files.contains("/usr/share/doc/\(name)/\(page)"), "\(name)")
      }
    }
    #expect(try Unpacked(packages.paths[0]).files.contains("/usr/share/doc/obdgate/Simulator.md"))
  }

  @Test func programs_carry_their_runtime_and_look_for_libraries_nowhere_else() throws {
    let packages = try Packages()
    for path in packages.paths {
      let root = try Unpacked(path)
      for file in root.files where file.hasPrefix("/usr/bin/") {
        let loaded = try Tool.run("ldd", [root.path + file])
        #expect(!loaded.output.contains("swift") && !loaded.output.contains("Foundation"), "\(loaded.output)")
        let dynamic = try Tool.run("readelf", ["--dynamic", root.path + file]).output
        #expect(!dynamic.contains("RUNPATH") && !dynamic.contains("RPATH"), "\(file)")
      }
    }
  }

  @Test func every_program_has_a_page_and_completions_that_their_readers_take() throws {
    let packages = try Packages()
    let man = try Tool.required("man")
    let zsh = try Tool.required("zsh")
    for path in packages.paths {
      let root = try Unpacked(path)
      for file in root.files where file.hasPrefix("/usr/bin/") {
        let name = file.split(separator: "/").last.map(String.init) ?? ""
        let page = try #require(root.files.first { $0.contains("/man/") && $0.contains("/\(name).") })
        let shown = try Tool.run(
          man, ["--warnings", "-E", "UTF-8", "-l", root.path + page],
          environment: ["MANWIDTH": "80", "LC_ALL": "C.UTF-8"])
        #expect(shown.status == 0 && shown.errors == "", "\(shown.errors)")
        #expect(shown.output.contains("\(name) - "))
        let bash = root.path + "/usr/share/bash-completion/completions/" + name
        let parsed = try Tool.run("bash", ["-n", bash])
        #expect(parsed.status == 0, "\(parsed.errors)")
        let read = try Tool.run(zsh, ["-n", root.path + "/usr/share/zsh/vendor-completions/_" + name])
        #expect(read.status == 0, "\(read.errors)")
      }
    }
  }

  @Test func a_page_names_every_subcommand_and_option() throws {
    let packages = try Packages()
    let root = try Unpacked(packages.paths[0])
    let page = try Tool.run("zcat", [root.path + "/usr/share/man/man1/obdgate.1.gz"]).output
    for name in ["replay", "decode", "nmea", "fences", "scan", "info", "dtc", "record", "signals", "simulate"] {
      #expect(page.contains("\n.SS \(name)\n"), "\(name)")
      let help = try Tool.run(root.path + "/usr/bin/obdgate", [name, "--help"]).output
      for option in help.matches(of: /\n  (--[a-z-]+)/).map({ String($0.1) }) where option != "--version" {
        #expect(page.contains(option.replacingOccurrences(of: "-", with: "\\-")), "\(name) \(option)")
      }
    }
  }

  /// The licence file names all linked libraries.
  @Test func the_copyright_names_what_is_linked() throws {
    let packages = try Packages()
    let texts = try packages.paths.map { path in
      let root = try Unpacked(path)
      let file = try #require(root.files.first { $0.hasSuffix("/copyright") })
      return try String(contentsOfFile: root.path + file, encoding: .utf8)
    }
    #expect(texts[0].contains("swift-argument-parser"))
    #expect(!texts[0].contains("swift-nio"))
    for name in ["swift-nio", "swift-nio-ssl", "hummingbird", "GRDB.swift", "swift-log", "llhttp", "Unicode"] {
      #expect(texts[1].localizedCaseInsensitiveContains(name), "\(name)")
    }
    for text in texts {
      #expect(text.contains("Apache-2.0") && text.contains("Swift runtime") && text.contains("GCC Runtime Library"))
    }
  }

  /// A package that is unpacked without running its scripts.
  private struct Unpacked: ~Copyable {
    let scratch: ScratchFolder
    let files: [String]
    var path: String { scratch.path }

    init(_ package: String) throws {
      let scratch = try ScratchFolder()
      let unpacked = try Tool.run("dpkg-deb", ["--extract", package, scratch.path])
      guard unpacked.status == 0 else { throw Tool.Failure.system("dpkg-deb", reason: unpacked.errors) }
      let found = try Tool.run("find", [scratch.path, "-type", "f", "-printf", "/%P\\n"])
      files = found.lines.map(String.init)
      self.scratch = scratch
    }
  }
}
