import Failures
import FleetWeb
import Glibc
import Logging

/// The folder with the files of the web app.
enum WebFolder {
  /// The default: `.build/web`, to which `make web` writes, if the program is below `.build`; otherwise
  /// `share/fleetstore/web` beside the program's folder `bin`.
  static var standard: String {
    var buffer = [CChar](repeating: 0, count: 4_096)
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0 else { return installed }
    // .build/TRIPLE/debug/fleetstore
    let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let parts = path.split(separator: "/").dropLast()
    guard let build = parts.firstIndex(of: ".build") else {
      return "/" + (parts.dropLast() + ["share", "fleetstore", "web"]).joined(separator: "/")
    }
    return "/" + (parts[...build] + ["web"]).joined(separator: "/")
  }

  private static let installed = "/usr/share/fleetstore/web"

  /// Reads the app. If it is missing or faulty, the log has one warning, and the server has only the API.
  static func read(_ folder: String, _ logger: Logger) -> WebSite? {
    do throws(Failure) {
      return try WebSite(folder: folder)
    } catch {
      logger.warning("\(text(error))")
      return nil
    }
  }

  /// Returns the reason why a server would have only the API; `nil` if the app is complete.
  static func fault(_ folder: String) -> String? {
    do throws(Failure) {
      _ = try WebSite(folder: folder)
      return nil
    } catch {
      return text(error)
    }
  }

  private static func text(_ failure: Failure) -> String {
    "no web app, only the API: \(failure); make it (make web), or name its folder in web.folder"
  }
}
