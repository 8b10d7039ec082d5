import Glibc

/// Ignores the signals that would end the process when a write fails. Instead, the write returns an error.
public func ignoreWriteSignals() {
  // SIGPIPE is sent if the other end of a pipe or socket was closed.
  _ = signal(SIGPIPE, SIG_IGN)
  // SIGXFSZ is sent if a file would exceed the maximum file size (RLIMIT_FSIZE).
  _ = signal(SIGXFSZ, SIG_IGN)
}
