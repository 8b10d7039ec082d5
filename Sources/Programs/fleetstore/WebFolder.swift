import Failures
import FleetWeb
import Logging

/// The folder with the files of the web app.
enum WebFolder {
  /// The default: `.build/web`, to which `make web` writes, if the program is below `.build`; otherwise
  /// `share/fleetstore/web` beside the program's folder `bin`.
  static var standard: String { ProgramFolder.path(source: ".build/web", installed: "web") }

  /// Reads the web app. If the app is missing or faulty, logs one warning and returns `nil`; the server then has only
  /// the API.
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
