import CPostgres
import FleetDomain
import Glibc

/// A connection to PostgreSQL. Any thread may use it, but only one thread at a time. Its calls block the thread.
@safe
final class PostgreSQLConnection: @unchecked Sendable {
  private let handle: OpaquePointer
  private let interruption: PostgreSQLInterruption
  /// The names of the prepared statements. The keys are the texts of the statements.
  private var prepared: [String: String] = [:]

  /// Connects to a database.
  ///
  /// - Throws: `unavailable` with libpq's message about the connection. If the message is about the address, another
  ///   message replaces it, because it may contain a password.
  init(address: PostgreSQLAddress) throws(StoreFailure) {
    // With these options, the loss of a peer is detected after 30 s + 3 × 10 s, even on a connection that only listens.
    let defaults = [
      ("connect_timeout", "10"), ("tcp_user_timeout", "30000"), ("keepalives_idle", "30"),
      ("keepalives_interval", "10"), ("keepalives_count", "3"), ("application_name", "fleetstore"),
    ]
    var options = defaults.filter { address[$0.0] == nil } + address.options.map { ($0.keyword, $0.value) }
    // Require TLS. By default, libpq falls back to a connection without TLS, and the password could be read in the
    // network.
    let isModeSet = unsafe getenv("PGSSLMODE") != nil
    let demandsTLS = address.isRemoteWithoutMode && !isModeSet
    if demandsTLS { options.append(("sslmode", "require")) }
    if let password = address.password { options.append(("password", password)) }
    options.append(("client_encoding", "UTF8"))
    let handle = unsafe Self.withStrings(options.map(\.0)) { names in
      unsafe Self.withStrings(options.map(\.1)) { values in unsafe PQconnectdbParams(names, values, 0) }
    }
    guard let handle = unsafe handle else { throw StoreFailure(.system, "PostgreSQL", "no memory for a connection") }
    unsafe self.handle = handle
    unsafe interruption = PostgreSQLInterruption(of: handle)
    guard unsafe PQstatus(handle) == CONNECTION_OK else {
      throw StoreFailure(.unavailable, "PostgreSQL", connectingWords(address, demandsTLS: demandsTLS))
    }
    unsafe PQsetNoticeProcessor(handle, { _, _ in }, nil)
    // A commit must be durable, even if the server's setting is `off`. Stricter settings, which also wait for standby
    // servers, are not changed.
    try execute(
      "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'")
  }

  deinit { unsafe PQfinish(handle) }

  /// Whether the connection is open, as far as libpq knows.
  var isOpen: Bool { unsafe PQstatus(handle) == CONNECTION_OK }

  /// Whether a transaction is open. This includes a transaction in which a statement failed.
  var isInTransaction: Bool { unsafe PQtransactionStatus(handle) != PQTRANS_IDLE }

  /// Executes statements that have no parameters and return no rows.
  func execute(_ sql: String) throws(StoreFailure) {
    _ = try unsafe result(PQexec(handle, sql))
  }

  /// Executes a statement. Usually also prepares it, so that later calls are faster.
  ///
  /// - Parameter keeps: whether the statement is prepared. Use `false` for statements that are rarely repeated.
  func query(
    _ sql: String, _ parameters: PostgreSQLParameters = PostgreSQLParameters(), keeps: Bool = true
  ) throws(StoreFailure) -> PostgreSQLResult {
    let name = keeps ? try prepare(sql, parameters.types) : nil
    let lengths = parameters.places.map { Int32($0.count) }
    let formats = [Int32](repeating: 1, count: lengths.count)
    let count = Int32(lengths.count)
    let raw = unsafe parameters.buffer.withUnsafeBytes { buffer in
      let values: [UnsafePointer<CChar>?] = unsafe parameters.places.map { place in
        if place.count < 0 { return nil }
        // libpq needs an address even for an empty value.
        let start = unsafe buffer.baseAddress.map { unsafe $0 + place.start } ?? UnsafeRawPointer(handle)
        return unsafe start.assumingMemoryBound(to: CChar.self)
      }
      if let name { return unsafe PQexecPrepared(handle, name, count, values, lengths, formats, 1) }
      return unsafe PQexecParams(handle, sql, count, parameters.types, values, lengths, formats, 1)
    }
    return try unsafe result(raw)
  }

  /// Executes a COPY … FROM STDIN statement with all its data.
  func copy(_ sql: String, _ data: [UInt8]) throws(StoreFailure) {
    guard let started = unsafe PQexec(handle, sql) else { throw StoreFailure(.unavailable, "PostgreSQL", words) }
    defer { unsafe PQclear(started) }
    guard unsafe PQresultStatus(started) == PGRES_COPY_IN else { throw unsafe failure(started) }
    // libpq accepts at most Int32.max bytes in one call. If data cannot be sent, the statement's result contains the
    // error.
    var start = 0
    while start < data.count {
      let piece = data[start..<min(start + 1 << 20, data.count)]
      let code = unsafe piece.withUnsafeBytes { bytes in
        unsafe PQputCopyData(
          handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(truncatingIfNeeded: bytes.count))
      }
      guard code == 1 else { break }
      start = piece.endIndex
    }
    _ = unsafe PQputCopyEnd(handle, nil)
    var error: StoreFailure?
    while let result = unsafe PQgetResult(handle) {
      if unsafe PQresultStatus(result) != PGRES_COMMAND_OK, error == nil { error = unsafe failure(result) }
      unsafe PQclear(result)
    }
    if error == nil, start < data.count { error = StoreFailure(.unavailable, "PostgreSQL", words) }
    if let error { throw error }
  }

  private func prepare(_ sql: String, _ types: [UInt32]) throws(StoreFailure) -> String {
    // A null parameter has no type, so the server chooses one. The statement is prepared once for each combination of
    // nulls.
    let key = types.contains(0) ? sql + types.map { $0 == 0 ? "0" : "1" }.joined() : sql
    if let name = prepared[key] { return name }
    let name = "s\(prepared.count)"
    _ = try unsafe result(PQprepare(handle, name, sql, Int32(types.count), types))
    prepared[key] = name
    return name
  }

  @unsafe private func result(_ raw: OpaquePointer?) throws(StoreFailure) -> PostgreSQLResult {
    guard let raw = unsafe raw else { throw StoreFailure(.unavailable, "PostgreSQL", words) }
    switch unsafe PQresultStatus(raw) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return unsafe PostgreSQLResult(raw)
    default:
      defer { unsafe PQclear(raw) }
      throw unsafe failure(raw)
    }
  }

  /// Interrupts a call that is in progress on another thread. That call and all later ones fail with `unavailable`.
  func interrupt() { interruption.run() }

  /// Returns the value of a TCP option of the connection's socket (tcp(7)); `nil` if the socket does not use TCP.
  func socketOption(_ option: Int32) -> Int32? {
    var (value, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
    return unsafe getsockopt(PQsocket(handle), Int32(IPPROTO_TCP), option, &value, &size) == 0 ? value : nil
  }

  // MARK: Notifications

  /// Waits for notifications.
  ///
  /// - Parameter milliseconds: maximum time to wait, ms.
  /// - Returns: the payloads of the notifications; empty if there was none.
  func notifications(within milliseconds: Int32) throws(StoreFailure) -> [String] {
    var descriptor = pollfd(fd: unsafe PQsocket(handle), events: Int16(POLLIN), revents: 0)
    _ = unsafe poll(&descriptor, 1, milliseconds)
    guard unsafe PQconsumeInput(handle) == 1, isOpen else { throw StoreFailure(.unavailable, "PostgreSQL", words) }
    var all: [String] = []
    while let notification = unsafe PQnotifies(handle) {
      unsafe all.append(String(cString: notification.pointee.extra))
      unsafe PQfreemem(notification)
    }
    return all
  }

  /// Name and version of the server, for example `PostgreSQL 15.18`.
  var serverName: String { unsafe "PostgreSQL " + String(cString: PQparameterStatus(handle, "server_version")) }

  /// Version of the server as a number: major version × 10,000 + minor version.
  var serverVersion: Int { unsafe Int(PQserverVersion(handle)) }

  // MARK: Errors

  /// Returns the message for a failed attempt to connect. libpq's own text is used only if it is about a host to which
  /// libpq tried to connect, because other texts may repeat parts of the address.
  private func connectingWords(_ address: PostgreSQLAddress, demandsTLS: Bool) -> String {
    let words = words
    guard words.hasPrefix("connection to server ") || words.hasPrefix("could not translate host name ") else {
      let names = address.options.map(\.keyword).joined(separator: ", ")
      return "libpq rejects options of the address; expected other values of \(names)"
    }
    guard demandsTLS, words.contains("SSL") else { return words }
    return words
      + "; a password is sent to another machine only with TLS: give the server a certificate, or write ?sslmode=prefer"
  }

  private var words: String { unsafe Self.line(String(cString: PQerrorMessage(handle))) }

  @unsafe private func failure(_ raw: OpaquePointer) -> StoreFailure {
    // The arguments are the values of PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY, which are character macros that
    // Swift cannot import.
    let state = unsafe PQresultErrorField(raw, Int32(UInt8(ascii: "C"))).map { unsafe String(cString: $0) } ?? ""
    let message = unsafe PQresultErrorField(raw, Int32(UInt8(ascii: "M"))).map { unsafe String(cString: $0) }
    let detail = message ?? words
    let kind: StorageError.Kind =
      switch state {
      case "53100", "53200": .full
      case "25006": .readOnly
      case "XX001", "XX002": .damaged
      case _ where !isOpen || state.isEmpty: .unavailable
      case _ where state.hasPrefix("08") || state.hasPrefix("57P") || state == "53300": .unavailable
      // Serialization failure, deadlock, lock timeout, or cancelled statement.
      case "40001", "40P01", "55P03", "57014": .unavailable
      default: .system
      }
    // Serialization failure, deadlock, a missing or dropped partition, or a VIN that another transaction has stored
    // meanwhile.
    let mayRetry = ["40001", "40P01", "23514", "42P01", "23505"].contains(state)
    var failure = StoreFailure(
      kind, "PostgreSQL", state.isEmpty ? detail : "\(detail) (SQLSTATE \(state))", mayRetry: mayRetry && isOpen)
    failure.isDuplicateKey = state == "23505"
    return failure
  }

  private static func line(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// Calls `body` with an array of C strings that ends with a null pointer.
  private static func withStrings<Value>(
    _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
  ) -> Value {
    var copies: [UnsafePointer<CChar>?] = unsafe strings.map { unsafe UnsafePointer(strdup($0)) } + [nil]
    defer { for index in unsafe copies.indices { unsafe free(UnsafeMutablePointer(mutating: copies[index])) } }
    return unsafe copies.withUnsafeMutableBufferPointer { buffer in
      // The array is never empty, because it contains the null pointer.
      unsafe body(UnsafePointer(buffer.baseAddress!))
    }
  }
}
