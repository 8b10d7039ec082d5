import ArgumentParser
import Failures
import Telemetry

/// Options that select all keys that were created after a time, instead of a single key by its id.
struct MadeAfter: ParsableArguments {
  @Option(
    name: .customLong("made-after"),
    help: ArgumentHelp("Revoke all keys that were made after this time (RFC 3339).", valueName: "time"))
  var time: String?

  @Flag(name: .customLong("all-tenants"), help: "With --made-after: revoke keys of all tenants.")
  var allTenants = false

  /// Returns the time after which the selected keys were created.
  ///
  /// - Parameters:
  ///   - id: the argument that names a single key.
  ///   - what: the kind of key, for messages.
  ///   - owner: the option that names a tenant; it must not be used together with `--all-tenants`.
  /// - Returns: the time; `nil` if the command names a single key.
  func moment(insteadOf id: String?, _ what: String, of owner: TenantOption) throws(Failure) -> Timestamp? {
    guard let time else {
      guard id != nil else { throw Failure(.usage, "\(what): expected an id or --made-after TIME") }
      guard !allTenants else { throw Failure(.usage, "\(what): --all-tenants goes with --made-after") }
      return nil
    }
    guard !allTenants || owner.name == nil else {
      throw Failure(.usage, "\(what): expected --tenant or --all-tenants, found both")
    }
    guard id == nil else { throw Failure(.usage, "\(what): expected an id or --made-after TIME, found both") }
    do {
      return try Timestamp(parsing: time.utf8.span)
    } catch {
      throw Failure(
        .usage, "--made-after: expected a time like 2024-12-18T07:41:06Z (RFC 3339), found \"\(time)\"")
    }
  }
}
