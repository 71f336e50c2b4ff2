// Command ingot loads files into a store and answers from it.
//
//	ingot sql STORE [-c STATEMENT]... [-f FILE]...   run statements, in the order given
//	ingot copy STORE TABLE from PATH|-               load a file (--create makes the table)
//	ingot copy STORE TABLE to PATH|-                 write a table to a file
//	ingot info STORE                                 show tables, row groups, chunks
//	ingot check STORE                                verify every checksum and invariant
//	ingot version
//
// copy infers the format of a file from its first bytes or its name, and says so, unless
// -o format= gives it; -o NAME=VALUE is any option of COPY. docs/COPY.md has them.
//
// Results go to stdout; tags, notices, progress and errors to stderr. The exit status is
// 0 if everything was done, 1 if a statement failed or check found damage, 2 for wrong
// usage, 3 if the store cannot be opened, 130 if interrupted.
package main

import (
	"fmt"
	"os"

	_ "github.com/ingotdb/ingot/copy/parquet" // the format
)

// Exit statuses.
const (
	statusDone        = 0
	statusFailed      = 1
	statusUsage       = 2
	statusNotOpen     = 3
	statusInterrupted = 130
)

const overview = `Usage:
  ingot sql STORE [-c STATEMENT]... [-f FILE]... [flags]
  ingot copy STORE TABLE from PATH|- [--create] [flags]
  ingot copy STORE TABLE to PATH|- [flags]
  ingot info STORE
  ingot check STORE
  ingot version

ingot COMMAND --help lists the flags of a command.
`

func main() { os.Exit(run(os.Args[1:])) }

// run carries out one command line and returns its exit status.
func run(args []string) int {
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, overview)
		return statusUsage
	}
	name, rest := args[0], args[1:]
	switch name {
	case "sql":
		return runSQL(rest)
	case "copy":
		return runCopy(rest)
	case "info":
		return runInfo(rest)
	case "check":
		return runCheck(rest)
	case "version", "--version":
		return runVersion(rest)
	case "help", "--help", "-h":
		fmt.Fprint(os.Stdout, overview)
		return statusDone
	}
	fmt.Fprintf(os.Stderr, "ingot: unknown command %q\n%s", name, overview)
	return statusUsage
}
