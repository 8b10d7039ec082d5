import Failures
import FleetWeb
import TestKit
import Testing

/// Creates a folder of the web app.
@Suite struct WebSiteTests {
  private func folder(_ site: String, _ files: [String: String] = [:]) throws -> ScratchFolder {
    let folder = try ScratchFolder()
    try folder.write("site.json", site)
    for (name, text) in files { try folder.write(name, text) }
    return folder
  }

  private static func entry(_ path: String, codings: String = "") -> String {
    #"{"path":"\#(path)","type":"text/html","tag":"ab","immutable":false,"codings":[\#(codings)]}"#
  }

  @Test func reads_the_files_and_their_compressed_copies() throws {
    let folder = try folder(
      #"{"files":[\#(Self.entry("/index.html", codings: #""gzip","br""#))]}"#,
      ["index.html": "a page", "index.html.br": "br", "index.html.gz": "gzip"])
    let site = try WebSite(folder: folder.path)
    let page = try #require(site.file(at: "/", isNavigation: false))
    #expect(String(buffer: page.plain) == "a page")
    #expect(page.packed.map(\.coding) == ["br", "gzip"])
    #expect(page.packed.map { String(buffer: $0.content) } == ["br", "gzip"])
  }

  @Test func gives_the_page_for_every_address_that_a_browser_opens() throws {
    let folder = try folder(#"{"files":[\#(Self.entry("/index.html"))]}"#, ["index.html": "a page"])
    let site = try WebSite(folder: folder.path)
    #expect(site.file(at: "/vehicles/VAN.001", isNavigation: true)?.tag == "ab")
    #expect(site.file(at: "/vehicles/VAN.001", isNavigation: false) == nil)
    #expect(site.count == 1)
  }

  @Test(arguments: [
    (#"{"files":[]}"#, "expected the file /index.html"),
    (#"{"files":[\#(Self.entry("/../secret"))]}"#, "a path below the folder"),
    (#"{"files":[\#(Self.entry("/index.html"))]}"#, "index.html: cannot be read: No such file or directory"),
    (#"{"files":[\#(Self.entry("/index.html", codings: #""zip""#))]}"#, "codings[0]"),
    ("", "site.json:1:1"),
  ])
  func names_what_is_missing_or_faulty(site: String, expected: String) throws {
    let folder = try folder(site)
    do {
      _ = try WebSite(folder: folder.path)
      Issue.record("the folder was accepted")
    } catch {
      #expect("\(error)".contains(expected), "\(error)")
    }
  }

  @Test func names_the_list_of_a_folder_that_does_not_exist() {
    do {
      _ = try WebSite(folder: "/nowhere/web")
      Issue.record("the folder was accepted")
    } catch {
      #expect("\(error)" == "/nowhere/web/site.json: cannot be read: No such file or directory")
    }
  }
}
