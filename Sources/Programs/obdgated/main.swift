import CommandLineSupport
import Failures
import Gateway
import GatewayOutput
import Glibc

/// The usage text of `obdgated`, the program of the daemon, which runs in the foreground.
let usage = """
  usage: obdgated [--config FILE] [--check]

  Finds OBD-II adapters, polls them, and writes records as JSON lines to stdout.

    --config FILE  the configuration (JSON); without it, the daemon finds adapters itself
    --check        only check the configuration, and the files and folders that it names
    --version      print the version

  SIGHUP reloads the configuration, SIGTERM ends the daemon. Exit status, by sysexits.h: 0 done, 64 wrong usage,
  66 no such file, 69 unavailable, 74 unreadable, 78 bad configuration.
  """

/// Prints a text to stdout, and ends the process.
func put(_ text: String) -> Never {
  do throws(Failure) {
    try StandardOutput.write(text + "\n")
    exit(0)
  } catch {
    Log.write(error.description, .error)
    exit(error.kind.rawValue)
  }
}

func wrongUsage(_ what: String) -> Never {
  Log.write("\(what); see obdgated --help", .error)
  exit(64)
}

var path: String?

/// Stores the path of the configuration file. Reports wrong usage if `--config` is given twice.
func set(_ path: inout String?, to file: String) {
  if path != nil { wrongUsage("--config given twice") }
  path = file
}

var isCheck = false
var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
  switch argument {
  case "--config":
    guard let next = arguments.popFirst() else { wrongUsage("--config: expected a file after it") }
    set(&path, to: next)
  case "--check": isCheck = true
  case "--version":
    put(Version.text)
  case "--help", "-h":
    put(usage)
  default:
    if argument.hasPrefix("--config=") {
      set(&path, to: String(argument.dropFirst(9)))
    } else {
      wrongUsage("\(argument): no such argument")
    }
  }
}

do throws(Failure) {
  if isCheck {
    let settings = try Settings(path: path)
    let files = settings.checkFiles(of: path)
    for line in settings.warnings + files.warnings { Log.write(line, .warning) }
    guard files.faults.isEmpty else { throw Failure(.badConfiguration, lines: files.faults) }
    exit(0)
  }
  var daemon = try Daemon(path: path)
  // `exit` is not used: its handlers would free data that a sink's thread may still use in a library call. No output is
  // lost, because output is not buffered.
  _exit(try daemon.run())
} catch {
  for line in error.lines { Log.write(line, .error) }
  _exit(error.kind.rawValue)
}
