import ArgumentParser
import CommandLineSupport
import Failures
import FleetAPI
import FleetDomain
import FleetFiles
import Glibc
import Telemetry

/// `fleetstore import`: reads an archive that `fleetstore export` has printed.
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Reads an archive of `fleetstore export` into an empty tenant.",
    discussion: """
      Makes the tenant if it does not exist. An import that was interrupted continues if it is started again with the \
      same archive. Until it is finished, nobody should use the tenant. People set new passwords afterwards; gateways and \
      tokens keep their keys.
      """)

  @Argument(help: "The archive; - for stdin.", completion: .file()) var file: String
  @Option(
    name: .customLong("tenant"), help: ArgumentHelp("The tenant. (default: that of the archive)", valueName: "name"))
  var name: String?
  @OptionGroup var store: CommandStore

  func run() async throws {
    let lines = try ArchiveLines(path: file)
    let tenant = try name.map { name throws(Failure) in try TenantOption.tenant(named: name) }
    let contents = try store.store.contents()
    try await store.withStorage { storage in
      do {
        // Check the whole archive first, so that an archive with an error is not imported in part.
        for (isCheck, verb) in [(true, "checked"), (false, "imported")] {
          var work = TenantImport(storage: storage, tenant: tenant, contents: contents, isCheck: isCheck)
          var progress = ArchiveProgress(verb)
          try lines.rewind()
          while let line = try lines.next() {
            try await work.add(line)
            progress.add(bytes: line.count + 1)
          }
          let counts = try await work.finish()
          guard !isCheck else { continue }
          StandardError.print("fleetstore: imported \(counts.rows) rows and \(counts.records) records")
          ArchiveProgress.warn(ofMissing: counts)
        }
      } catch let error as FieldError {
        let path = error.path.isEmpty ? "" : "\(error.path): "
        throw Failure(.badData, "\(lines.name): line \(max(lines.number, 1)): \(path)\(error.message)")
      } catch let error as FileError {
        throw Failure(.unreadable, "the contents of files cannot be stored: \(error)")
      }
    }
  }
}

/// Reads the lines of a file or of stdin, if necessary several times. Input that can be read only once, such as a pipe,
/// is first copied to a temporary file.
final class ArchiveLines {
  /// The maximum length of a line in bytes.
  private static let longest = 64 << 20

  let name: String
  /// The number of the line that was read last, from 1; 0 before the first line.
  private(set) var number = 0
  private var descriptor: Int32
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false

  /// Opens the file.
  ///
  /// - Throws: a failure if the file cannot be read.
  init(path: String) throws(Failure) {
    name = path == "-" ? "stdin" : path
    descriptor = path == "-" ? STDIN_FILENO : unsafe open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw Failure(.noInput, path, "cannot be read: \(systemReason(errno))") }
    if lseek(descriptor, 0, SEEK_CUR) < 0 { try copyToFile() }
  }

  deinit { if descriptor > 0 { close(descriptor) } }

  /// Goes back to the first line.
  func rewind() throws(Failure) {
    guard lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw Failure(.unreadable, name, "cannot be read again: \(systemReason(errno))")
    }
    (buffer, start, isAtEnd, number) = ([], 0, false, 0)
  }

  /// Copies the input to a temporary file without a name, and reads this file instead.
  private func copyToFile() throws(Failure) {
    let folder = TemporaryFile.folder
    let copy = TemporaryFile.open()
    if copy < 0 { throw Failure(.unreadable, folder, "no temporary file can be made: \(systemReason(errno))") }
    while !isAtEnd {
      buffer = []
      try readMore()
      let error = writeAll(buffer.span, to: copy)
      if error != 0 {
        throw Failure(.unreadable, folder, "the temporary file cannot be written: \(systemReason(error))")
      }
    }
    if descriptor > 0 { close(descriptor) }
    descriptor = copy
  }

  /// Returns the next line without its line feed; `nil` at the end.
  func next() throws(Failure) -> [UInt8]? {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0A) {
        defer { start = end + 1 }
        number += 1
        return Array(buffer[start..<end])
      }
      if isAtEnd {
        guard start < buffer.count else { return nil }
        defer { start = buffer.count }
        number += 1
        return Array(buffer[start...])
      }
      buffer.removeSubrange(..<start)
      start = 0
      searched = buffer.count
      guard buffer.count <= Self.longest else {
        throw Failure(.badData, "\(name): line \(number + 1): longer than \(Self.longest) bytes; not an archive")
      }
      try readMore()
    }
  }

  private func readMore() throws(Failure) {
    var piece = [UInt8](repeating: 0, count: 256 << 10)
    var count = 0
    repeat {
      count = unsafe piece.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
    } while count < 0 && errno == EINTR
    if count < 0 { throw Failure(.unreadable, name, "cannot be read: \(systemReason(errno))") }
    if count == 0 { isAtEnd = true }
    buffer += piece[..<count]
  }
}
