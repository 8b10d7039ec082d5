import Failures
import Foundation
import TestKit
import Testing

@testable import Gateway

@Suite struct StateFolderTests {
  @Test func a_missing_folder_is_made_with_its_parents_and_not_for_everyone() throws {
    let scratch = try ScratchFolder()
    let folder = scratch.file("lib/obdgate/van 1")
    try StateFolder.make(folder)
    let permissions = try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int
    #expect(permissions.map { $0 & 0o007 } == 0)
    try StateFolder.make(folder)
    try StateFolder.make(scratch.file("slash/"))
    #expect(FileManager.default.fileExists(atPath: scratch.file("slash")))
  }

  @Test(arguments: ["file", "file/below", "file/below/that"])
  func an_obstacle_in_the_state_folder_is_reported_in_one_line(path: String) throws {
    let scratch = try ScratchFolder()
    _ = try scratch.write("file", "")
    let error = #expect(throws: Failure.self) { try StateFolder.make(scratch.file(path)) }
    let text = try #require(error?.description)
    #expect(text.hasPrefix("stateDirectory: \(scratch.path)/file"))
    #expect(!text.contains("\n"))
  }
}
