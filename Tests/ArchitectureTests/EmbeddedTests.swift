import Foundation
import TestKit
import Testing

/// The walled targets allocate nothing and need no runtime and no library. The compiler proves this for the host and
/// for microcontrollers that could be used in an adapter. The test runs the command in docs/Architecture.md.
@Suite struct EmbeddedTests {
  static let walled = ["OBDWire", "NMEAWire"]
  /// Target triples; `nil` for the machine that runs the test.
  static let machines: [String?] = [nil, "aarch64-none-none-elf", "armv7em-none-none-eabi", "riscv32-none-none-eabi"]

  @Test(arguments: walled, machines)
  func walled_target_compiles_without_allocation_and_asks_for_no_allocator(_ target: String, _ machine: String?) throws
  {
    let scratch = try ScratchFolder()
    try FileManager.default.createSymbolicLink(
      atPath: scratch.file("Sources"), withDestinationPath: TestData.projectRoot + "/Sources")
    let compiled = try Self.compile("Sources/Wire/\(target)", machine: machine, allocations: false, in: scratch.path)
    #expect(compiled.status == 0, "\(compiled.errors.prefix(4_000))")
    guard compiled.status == 0 else { return }
    #expect(try Self.allocators(in: scratch.file(Self.object)) == [])
  }

  @Test func a_source_that_allocates_is_refused_by_the_compiler() throws {
    let scratch = try ScratchFolder()
    try scratch.write("grow.swift", Self.allocating)
    let compiled = try Self.compile("grow.swift", machine: nil, allocations: false, in: scratch.path)
    #expect(compiled.status != 0)
    #expect(compiled.errors.contains("error:"))
  }

  @Test(arguments: machines)
  func an_object_that_allocates_is_found_by_its_symbols(_ machine: String?) throws {
    let scratch = try ScratchFolder()
    try scratch.write("grow.swift", Self.allocating)
    let compiled = try Self.compile("grow.swift", machine: machine, allocations: true, in: scratch.path)
    #expect(compiled.status == 0, "\(compiled.errors)")
    #expect(try Self.allocators(in: scratch.file(Self.object)) != [])
  }

  private static let allocating = """
    public func grown(_ byte: UInt8) -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(byte)
      return bytes
    }
    """

  /// The source, target and output in the command of the page. With these values, the command runs unchanged.
  private static let (room, target, object) = ("Sources/Wire/OBDWire", "-target riscv32-none-none-eabi", "OBDWire.o")

  /// - Parameters:
  ///   - sources: a folder or a file in `folder`, in place of the page's.
  ///   - allocations: whether they are allowed, which they are not on the page.
  private static func compile(
    _ sources: String, machine: String?, allocations: Bool, in folder: String
  ) throws -> Tool.Result {
    let shown = try DocumentedCommands.all(.walled)
    try #require(shown.map(\.page) == ["docs/Architecture.md"])
    var command = shown[0].script
    for part in [room, target, "-Xfrontend -no-allocations", "-o \(object)"] {
      try #require(command.contains(part), "the command of the page has no \(part)")
    }
    command.replace(room, with: sources)
    command.replace(target, with: machine.map { "-target \($0)" } ?? "")
    if allocations { command.replace("-Xfrontend -no-allocations", with: "") }
    // Each compiler has its own module cache, because two compilers failed with a shared empty cache.
    return try Tool.shell(
      command, environment: ["XDG_CACHE_HOME": folder + "/cache"], directory: folder, limit: .seconds(600))
  }

  /// The undefined symbols of an object that lead to a heap, or to the random numbers of a hash table's seed.
  private static func allocators(in object: String) throws -> [String] {
    let symbols = try Tool.run("llvm-nm", ["--undefined-only", "--format=just-symbols", object])
    #expect(symbols.status == 0, "\(symbols.errors)")
    let names = symbols.lines.map(String.init)
    return names.filter { name in forbidden.contains { name.hasPrefix($0) } }
  }

  private static let forbidden = [
    "malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign", "free", "swift_alloc",
    "swift_slowAlloc", "swift_initStackObject", "arc4random", "getrandom",
  ]
}
