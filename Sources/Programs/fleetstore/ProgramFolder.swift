import Glibc

/// The folders with files that belong to the program.
enum ProgramFolder {
  /// Returns the path of a folder.
  ///
  /// - Parameters:
  ///   - source: the path of the folder in the source tree. It is used if the program is below the folder `.build` of a
  ///     source tree.
  ///   - installed: the name of the folder in `share/fleetstore`, which is beside the program's folder `bin`. It is
  ///     used if the program is elsewhere.
  static func path(source: String, installed: String) -> String {
    var buffer = [CChar](repeating: 0, count: 4_096)
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0 else { return "/usr/share/fleetstore/\(installed)" }
    // .build/TRIPLE/debug/fleetstore
    let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let parts = path.split(separator: "/").dropLast()
    guard let build = parts.firstIndex(of: ".build") else {
      return "/" + (parts.dropLast() + ["share", "fleetstore", installed[...]]).joined(separator: "/")
    }
    return "/" + (parts[..<build] + [source[...]]).joined(separator: "/")
  }
}
