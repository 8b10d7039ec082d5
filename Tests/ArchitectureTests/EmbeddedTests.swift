import Foundation
import TestKit
import Testing

/// The walled targets hold no allocation, no runtime and no library: the compiler proves it, for the host and for the
/// microcontrollers that an adapter could be built around.
@Suite struct EmbeddedTests {
  static let walled = ["OBDWire", "NMEAWire"]
  /// nil: the machine that runs the test.
  static let machines: [String?] = [nil, "aarch64-none-none-elf", "armv7em-none-none-eabi", "riscv32-none-none-eabi"]

  @Test(arguments: walled, machines)
  func walled_target_compiles_without_allocation_and_asks_for_no_allocator(_ target: String, _ machine: String?) throws
  {
    let scratch = try ScratchFolder()
    let sources = try ProjectTree.swiftFiles(under: "Sources/\(target)")
    #expect(!sources.isEmpty)
    let object = scratch.file("walled.o")
    let compiled = try Self.compile(sources, machine: machine, allocations: false, to: object)
    #expect(compiled.status == 0, "\(compiled.errors.prefix(4_000))")
    guard compiled.status == 0 else { return }
    #expect(try Self.allocators(in: object) == [])
  }

  @Test func a_source_that_allocates_is_refused_by_the_compiler() throws {
    let scratch = try ScratchFolder()
    let source = try scratch.write("grow.swift", Self.allocating)
    let compiled = try Self.compile([source], machine: nil, allocations: false, to: scratch.file("grow.o"))
    #expect(compiled.status != 0)
    #expect(compiled.errors.contains("error:"))
  }

  @Test(arguments: machines)
  func an_object_that_allocates_is_found_by_its_symbols(_ machine: String?) throws {
    let scratch = try ScratchFolder()
    let source = try scratch.write("grow.swift", Self.allocating)
    let compiled = try Self.compile([source], machine: machine, allocations: true, to: scratch.file("grow.o"))
    #expect(compiled.status == 0, "\(compiled.errors)")
    #expect(try Self.allocators(in: scratch.file("grow.o")) != [])
  }

  private static let allocating = """
    public func grown(_ byte: UInt8) -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(byte)
      return bytes
    }
    """

  private static func compile(
    _ sources: [String], machine: String?, allocations: Bool, to object: String
  ) throws -> Tool.Result {
    var arguments = ["-O", "-wmo", "-parse-as-library", "-swift-version", "6", "-strict-memory-safety"]
    arguments += ["-enable-experimental-feature", "Embedded", "-enable-experimental-feature", "Lifetimes"]
    arguments += ["-warnings-as-errors"]
    if let machine { arguments += ["-target", machine] }
    if !allocations { arguments += ["-Xfrontend", "-no-allocations"] }
    // Each compiler gets a module cache of its own: two at once over a cold one have been seen to trip each other.
    let cache = URL(fileURLWithPath: object).deletingLastPathComponent().appendingPathComponent("cache").path
    return try Tool.run(
      "swiftc", arguments + ["-module-cache-path", cache, "-c"] + sources + ["-o", object], limit: .seconds(600))
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
