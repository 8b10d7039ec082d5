/// The right of long work to use a processor. Long work asks regularly whether it may continue (``mayContinue``). If
/// work of other tenants is waiting, it runs before the call returns.
///
///     for row in rows {
///       guard WorkTurn.mayContinue else { break }
///       …
///     }
///
/// Work that was stopped may return any result or error, because its caller discards them.
public struct WorkTurn: Sendable {
  /// The turn of the work that runs on the current thread; `nil` for work that is not limited.
  @TaskLocal public static var current: WorkTurn?

  private let pass: @Sendable () -> Bool

  /// - Parameter pass: lets other work run, and returns whether this work may continue.
  public init(_ pass: @escaping @Sendable () -> Bool) { self.pass = pass }

  /// Whether the current work may continue. The call may block the thread until the tenant's next turn.
  public static var mayContinue: Bool { current?.pass() ?? true }
}
