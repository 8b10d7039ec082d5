import Glibc

/// Who has a device open, as far as /proc tells this user.
enum DeviceHolder {
  /// `ModemManager (pid 812)`: the first other process that has it open, or this one.
  static func of(_ path: String) -> String? {
    guard let wanted = resolved(path) else { return nil }
    var own = false
    for process in entries(of: "/proc") {
      guard let pid = Int32(process) else { continue }
      // Other users' folders cannot be listed, and processes end while we look: both read as empty.
      let isHolder = entries(of: "/proc/\(process)/fd").contains { target(of: "/proc/\(process)/fd/\($0)") == wanted }
      if isHolder && pid != getpid() { return "\(command(of: process)) (pid \(process))" }
      own = own || isHolder
    }
    return own ? "this program itself" : nil
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

  private static func resolved(_ path: String) -> String? {
    // In a buffer of our own: a testbed that rewrites paths may write more than glibc has allocated for the shorter one.
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard unsafe realpath(path, &buffer) != nil else { return nil }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
