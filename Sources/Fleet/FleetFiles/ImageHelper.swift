import FleetDomain
import Glibc
import ModelFiles
import Synchronization

/// Runs the program that decodes images. Each run has its own sandbox: without network, without the server's files, and
/// with limits of memory and time. If the program crashes or exceeds a limit, the image counts as unusable.
public final class ImageHelper: Sendable {
  /// A file that the program has made from an uploaded one: a smaller copy of an image, an image of a 3D model, or the
  /// model in another format.
  public struct Copy: Sendable {
    public let version: StoredFile.Version
    public let bytes: [UInt8]
  }

  /// The reason why no image can be decoded now. It is written to the log, because the image is not the cause.
  public struct Unavailable: Error, Sendable {
    public let reason: String
  }

  /// The reason why this image cannot be used. It is shown to the person who uploaded the image.
  public struct Unusable: Error, Sendable {
    public let reason: String

    public init(reason: String) { self.reason = reason }
  }

  /// The time limit for one image, s.
  private static let seconds = 40
  /// The maximum length of the program's output, bytes.
  private static let mostBytes = 64 << 20
  private static let sandbox = "/usr/bin/bwrap"
  private static let interpreter = "/usr/bin/python3"

  private let folder: String
  private let packages: String?
  private let recognizer: String?
  private let threads: FileThreads

  /// Finds the helper.
  ///
  /// - Parameters:
  ///   - folder: the folder with the helper's files.
  ///   - packages: the folder with the Python packages that convert 3D models; `nil` if there is none.
  ///   - recognizer: the folder of the networks that recognize text. If it is `nil` or missing, tesseract is used.
  ///   - count: the maximum number of images that are decoded at the same time.
  /// - Throws: `Unavailable`, which names a missing program or file.
  public init(
    folder: String, packages: String? = nil, recognizer: String? = nil, count: Int = 1
  ) throws(Unavailable) {
    (self.folder, self.packages, self.recognizer) = (folder, packages, recognizer)
    threads = FileThreads(count)
    for (path, package) in [
      (Self.sandbox, "bubblewrap"), (Self.interpreter, "python3"), (folder + "/images.py", "fleetstore"),
      ("/usr/lib/python3/dist-packages/PIL", "python3-pil"),
    ] {
      guard unsafe access(path, R_OK) == 0 else { throw Unavailable(reason: "\(path) is missing: install \(package)") }
    }
  }

  /// Makes the copies of an image.
  ///
  /// - Parameter keepsPosition: whether to read the position from the metadata of the photo.
  public func copies(
    of content: any StoredContent, keepsPosition: Bool
  ) async throws -> (copies: [Copy], capture: StoredFile.Capture?) {
    let answer = try await run(["copies"] + (keepsPosition ? ["--position"] : []), content)
    do throws(FieldError) {
      let copies = try Self.copies(answer) { ContentType(rawValue: $0)?.isImage ?? false }
      let capture = try StoredFile.Capture(json: answer.json["capture"] ?? .object([:]))
      return (copies, capture == StoredFile.Capture() ? nil : capture)
    } catch {
      throw Unavailable(reason: Self.strange)
    }
  }

  /// Makes images of a valid 3D model, and converts it to binary glTF if it has another format.
  ///
  /// - Returns: the images and the converted model. If there is no converted model, also the reason, as a text for
  ///   people.
  public func model(
    in content: any StoredContent, _ format: ModelFormat
  ) async throws -> (copies: [Copy], problem: String?) {
    let answer = try await run(["model", format.rawValue], content)
    do throws(FieldError) {
      let copies = try Self.copies(answer) {
        $0 == ContentType.glb.rawValue || ContentType(rawValue: $0)?.isImage ?? false
      }
      return (copies, answer.json["problem"]?.textValue)
    } catch {
      throw Unavailable(reason: Self.strange)
    }
  }

  private static func copies(
    _ answer: (json: JSON, rest: [UInt8]), isAllowed: (String) -> Bool
  ) throws(FieldError) -> [Copy] {
    guard case .array(let listed)? = answer.json["versions"] else { throw FieldError("", "") }
    var (copies, rest) = ([Copy](), answer.rest[...])
    for json in listed {
      let version = try StoredFile.Version(json: json)
      let sizes = version.mediaType == ContentType.glb.rawValue ? 0...0 : Int64(1)...100_000
      guard version.size > 0, version.size <= rest.count, sizes.contains(version.width), sizes.contains(version.height),
        isAllowed(version.mediaType)
      else { throw FieldError("", "") }
      copies.append(Copy(version: version, bytes: Array(rest.prefix(Int(version.size)))))
      rest = rest.dropFirst(Int(version.size))
    }
    return copies
  }

  /// The kinds of values that can be read on a photo.
  public enum Subject: String, Sendable {
    case receipt, vin, odometer
  }

  /// Reads a photo.
  public func reading(of subject: Subject, in content: any StoredContent) async throws -> JSON {
    try await run([subject.rawValue], content).json
  }

  private static let strange = "the image helper gave an unknown answer"

  private func run(_ arguments: [String], _ content: any StoredContent) async throws -> (json: JSON, rest: [UInt8]) {
    let command = command(arguments)
    let input = try await LocalCopy.file(of: content)
    // The random key selects any thread, because images need not be decoded in order.
    let answer = try await threads.run(UInt64.random(in: 0 ... .max)) { () throws(FileError) in
      try HelperProcess.run(command, input: input, limit: Self.mostBytes, seconds: Self.seconds)
    }
    if answer == .tooSlow { throw Unusable(reason: "decoding it takes too long") }
    guard case .finished(let bytes) = answer, bytes.count >= 4 else {
      try await requireSandbox()
      throw Unusable(reason: "the decoder crashed")
    }
    let length = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
    guard bytes.count - 4 >= length, let json = try? JSON(parsing: Array(bytes[4..<(4 + length)])) else {
      throw Unavailable(reason: Self.strange)
    }
    if let reason = json["error"]?.textValue { throw Unusable(reason: reason) }
    return (json, Array(bytes[(4 + length)...]))
  }

  /// Checks that the program can start. This is called after the program has ended without an answer, to find out
  /// whether the image was the cause.
  private func requireSandbox() async throws {
    let command = command(["check"])
    let answer = try await threads.run(0) { () throws(FileError) in
      try HelperProcess.run(
        command, input: FolderFile("/dev/null", O_RDONLY), limit: Self.mostBytes, seconds: Self.seconds)
    }
    guard case .finished(let bytes) = answer, !bytes.isEmpty else {
      throw Unavailable(
        reason:
          "the sandbox does not start: \(Self.sandbox) needs namespaces of users, which this machine or unit forbids")
    }
  }

  func command(_ arguments: [String]) -> [String] {
    [
      Self.sandbox, "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv",
      "--setenv", "PATH", "/usr/bin", "--setenv", "OMP_THREAD_LIMIT", "1", "--setenv", "LANG", "C.UTF-8",
      "--ro-bind", "/usr", "/usr", "--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache",
      // A Debian library that several packages offer is behind a link in this folder, for example the one for linear
      // algebra.
      "--ro-bind-try", "/etc/alternatives", "/etc/alternatives",
      "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64", "--symlink", "usr/bin", "/bin",
      "--symlink", "usr/sbin", "/sbin",
    ] + (packages.map { ["--ro-bind-try", $0, "/packages"] } ?? [])
      + (recognizer.map { ["--ro-bind-try", $0, "/recognizer"] } ?? []) + [
        // The library of the networks selects its instructions by the kind of processor.
        "--ro-bind-try", "/proc/cpuinfo", "/proc/cpuinfo", "--dev", "/dev", "--size", "67108864", "--tmpfs", "/tmp",
        "--ro-bind", folder, "/helper", "--chdir", "/tmp",
        // -I: Python does not import modules from the working folder or from folders that the environment names.
        Self.interpreter, "-I", "/helper/images.py",
      ] + arguments
  }
}

/// Runs a program that reads a file on standard input and writes its answer to standard output.
enum HelperProcess {
  enum Answer: Equatable, Sendable {
    case finished([UInt8])
    case tooSlow
    /// The program ended with an error, or its answer was too long.
    case failed
  }

  static func run(
    _ command: [String], input: FolderFile, limit: Int, seconds: Int
  ) throws(FileError) -> Answer {
    var ends: [Int32] = [0, 0]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw .last("socketpair") }
    let (output, given) = (ends[0], ends[1])
    defer { close(output) }
    let process: pid_t
    do throws(FileError) {
      process = try spawn(command, input.descriptor, given)
    } catch {
      close(given)
      throw error
    }
    close(given)
    var answer = read(output, limit: limit, seconds: seconds)
    if case .finished = answer {} else { kill(process, SIGKILL) }
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    if status != 0, case .finished = answer { answer = .failed }
    return answer
  }

  private static func spawn(
    _ command: [String], _ input: Int32, _ output: Int32
  ) throws(FileError) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
    unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // The server ignores or blocks some signals; the helper must not.
    var signals = sigset_t()
    unsafe sigfillset(&signals)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
    var arguments = unsafe command.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
    var environment: [UnsafeMutablePointer<CChar>?] = unsafe [nil]
    var process: pid_t = 0
    // Begin at the first byte: the file may have been read before.
    _ = lseek(input, 0, SEEK_SET)
    let code = unsafe posix_spawn(&process, command[0], &actions, &attributes, &arguments, &environment)
    guard code == 0 else {
      errno = code
      throw .last(command[0])
    }
    return process
  }

  private static func read(_ output: Int32, limit: Int, seconds: Int) -> Answer {
    let deadline = ContinuousClock.now + .seconds(seconds)
    var bytes: [UInt8] = []
    while true {
      let left = (deadline - .now) / .milliseconds(1)
      guard left > 0 else { return .tooSlow }
      var poll = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      guard unsafe Glibc.poll(&poll, 1, Int32(left.rounded(.up))) > 0 else { continue }
      var count = 0
      let piece = unsafe [UInt8](unsafeUninitializedCapacity: 256 << 10) { buffer, initialized in
        count = unsafe Glibc.read(output, buffer.baseAddress, 256 << 10)
        initialized = max(count, 0)
      }
      if count == 0 { return .finished(bytes) }
      if count < 0 {
        if errno == EINTR { continue }
        return .failed
      }
      bytes += piece
      guard bytes.count <= limit else { return .failed }
    }
  }
}
