import Failures
import Glibc

/// Finds processes that have a device open, as far as /proc shows this to the current user.
public enum DeviceHolder {
  /// Returns the name of a process that has a device open under any of its paths, for example `ModemManager (pid 812)`;
  /// `nil` if there is none. The calling process is returned only if no other process has the device open.
  ///
  /// - Parameters:
  ///   - path: path of the device file.
  ///   - own: the number of a descriptor that the calling process has open. This descriptor is ignored; -1 to ignore
  ///     none.
  public static func of(_ path: String, exceptBy own: Int32 = -1) -> String? {
    guard let wanted = device(path) else { return nil }
    let me = getpid()
    var isOurs = false
    for process in entries(of: "/proc") {
      guard let pid = Int32(process) else { continue }
      // Folders of other users cannot be listed, and processes may end meanwhile. In both cases, the list is empty.
      let isHolder = entries(of: "/proc/\(process)/fd").contains { name in
        if pid == me, Int32(name) == own { return false }
        let link = "/proc/\(process)/fd/\(name)"
        // Examine only devices. Any other file may be on a file system that does not respond.
        return target(of: link)?.hasPrefix("/dev/") == true && device(link) == wanted
      }
      if isHolder && pid != me { return "\(command(of: process)) (pid \(process))" }
      isOurs = isOurs || isHolder
    }
    return isOurs ? "this program itself" : nil
  }

  /// Returns the device number of the file at a path; `nil` if the file is not a character device.
  private static func device(_ path: String) -> dev_t? {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR ? status.st_rdev : nil
  }

  /// Returns those elements of `names` that are the names of running processes. A process name has at most 15
  /// characters (proc(5), `comm`).
  public static func running(of names: Set<String>) -> Set<String> {
    names.intersection(entries(of: "/proc").filter { Int32($0) != nil }.map(command))
  }

  private static func command(of process: String) -> String {
    var buffer = [UInt8](repeating: 0, count: 64)
    let number = unsafe open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { return "a program" }
    var span = buffer.mutableSpan
    let count = Descriptor(owning: number).read(into: &span)
    guard count > 1 else { return "a program" }
    return String(decoding: buffer[..<(count - 1)], as: UTF8.self)
  }

  private static func entries(of folder: String) -> [String] {
    FolderListing.names(in: folder) ?? []
  }

  private static func target(of link: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink(link, &buffer, buffer.count)
    guard count > 0 else { return nil }
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
