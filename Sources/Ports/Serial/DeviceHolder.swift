import Glibc

/// Who has a device open, and who might want it, as far as /proc tells this user.
public enum DeviceHolder {
  /// `ModemManager (pid 812)`: the first other process that has it open, or this one; by whichever of its names.
  ///
  /// - Parameter own: a descriptor of this process that does not count.
  public static func of(_ path: String, exceptBy own: Int32 = -1) -> String? {
    guard let wanted = device(path) else { return nil }
    let me = getpid()
    var isOurs = false
    for process in entries(of: "/proc") {
      guard let pid = Int32(process) else { continue }
      // Other users' folders cannot be listed, and processes end while we look: both read as empty.
      let isHolder = entries(of: "/proc/\(process)/fd").contains { name in
        if pid == me, Int32(name) == own { return false }
        let link = "/proc/\(process)/fd/\(name)"
        // What is no device is not looked at: it may lie on a file system that does not answer.
        return target(of: link)?.hasPrefix("/dev/") == true && device(link) == wanted
      }
      if isHolder && pid != me { return "\(command(of: process)) (pid \(process))" }
      isOurs = isOurs || isHolder
    }
    return isOurs ? "this program itself" : nil
  }

  /// The number of the device behind a path; nil where there is none.
  private static func device(_ path: String) -> dev_t? {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR ? status.st_rdev : nil
  }

  /// Which of these programs run, by the names of their processes: at most 15 characters each (proc(5), `comm`).
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
    guard let listing = unsafe opendir(folder) else { return [] }
    defer { unsafe _ = closedir(listing) }
    var names: [String] = []
    while let entry = unsafe readdir(listing) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }

  private static func target(of link: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink(link, &buffer, buffer.count)
    guard count > 0 else { return nil }
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
