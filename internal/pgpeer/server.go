package pgpeer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// RequireEnv is the environment variable that turns the skip of Start into a failure if
// it is 1.
const RequireEnv = "INGOT_REQUIRE_POSTGRES"

// startTimeout bounds initdb and the start of the server, each.
const startTimeout = 60 * time.Second

// Server is a running PostgreSQL. It is safe for concurrent use.
type Server struct {
	bin     string // directory of the binaries
	dir     string // temporary directory: data/, files/ and the socket
	major   int
	schemas atomic.Int64 // schemas made so far

	watcher *exec.Cmd      // the shell that watches over the server
	leash   io.WriteCloser // its standard input: closing it ends the server
	drained chan struct{}  // closed when the server's log has ended
}

// errMissing says what is not installed.
type errMissing struct{ what string }

func (e errMissing) Error() string { return "pgpeer: no PostgreSQL here: " + e.what }

// shared is the server of the test binary.
var shared struct {
	sync.Mutex
	tried  bool
	server *Server
	err    error
}

// Start returns the server of the test binary, which the first call starts. It skips or
// fails the test if there is none. The server is for reading and for Run, which gives
// every caller a schema of its own.
func Start(tb testing.TB) *Server {
	tb.Helper()
	shared.Lock()
	defer shared.Unlock()
	if !shared.tried {
		shared.tried = true
		shared.server, shared.err = start()
	}
	var missing errMissing
	switch {
	case errors.As(shared.err, &missing) && os.Getenv(RequireEnv) != "1":
		tb.Skipf("%v (Debian package postgresql; %s=1 makes this a failure)", shared.err, RequireEnv)
	case shared.err != nil:
		tb.Fatal(shared.err)
	}
	return shared.server
}

// Main runs the tests of a binary and stops the server they started. It returns the exit
// status; TestMain passes it to os.Exit.
func Main(m *testing.M) int {
	status := m.Run()
	shared.Lock()
	defer shared.Unlock()
	if shared.server == nil {
		return status
	}
	if err := shared.server.stop(); err != nil && status == 0 {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	shared.server = nil
	return status
}

// Major returns the major version of the server: 15.
func (s *Server) Major() int { return s.major }

// Files returns a directory that the server and the test may both read and write. What
// the test writes there must be readable by everybody.
func (s *Server) Files() string { return filepath.Join(s.dir, "files") }

// binaries returns the directory with initdb, postgres and psql, and their major version.
// Debian's directories come first, the newest before the others.
func binaries() (dir string, major int, err error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return "", 0, fmt.Errorf("pgpeer: find binaries: %w", err)
	}
	best := ""
	for _, d := range found {
		v, err := strconv.Atoi(filepath.Base(filepath.Dir(d)))
		if err == nil && v > major {
			best, major = d, v
		}
	}
	if best == "" {
		p, err := exec.LookPath("initdb")
		if err != nil {
			return "", 0, errMissing{"initdb is neither in /usr/lib/postgresql/*/bin nor in PATH"}
		}
		best = filepath.Dir(p)
	}
	for _, name := range []string{"initdb", "postgres", "psql"} {
		if _, err := os.Stat(filepath.Join(best, name)); err != nil {
			return "", 0, errMissing{fmt.Sprintf("%s has no %s", best, name)}
		}
	}
	out, err := exec.Command(filepath.Join(best, "postgres"), "--version").Output()
	if err != nil {
		return "", 0, fmt.Errorf("pgpeer: version of %s: %w", best, err)
	}
	m := regexp.MustCompile(`\(PostgreSQL\) (\d+)`).FindSubmatch(out)
	if m == nil {
		return "", 0, fmt.Errorf("pgpeer: version of %s: %q has no number", best, out)
	}
	major, err = strconv.Atoi(string(m[1]))
	if err != nil {
		return "", 0, fmt.Errorf("pgpeer: version of %s: %w", best, err)
	}
	return best, major, nil
}

// identity returns who runs the server: nil is the user of the test. The server refuses
// to run as root, so root becomes the user postgres.
func identity() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, errMissing{"the test runs as root and there is no user postgres"}
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("pgpeer: user postgres: %w", err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("pgpeer: user postgres: %w", err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// watch runs the server given as "$2"... and ends it, and removes the directory "$1", when
// standard input does: the other end is in the test process, whose death closes it.
const watch = `dir=$1; shift
exec 3<&0
"$@" </dev/null &
read -r line <&3
kill -QUIT $!
wait $!
cd / && rm -rf "$dir"`

// start makes a cluster and serves it.
func start() (_ *Server, err error) {
	bin, major, err := binaries()
	if err != nil {
		return nil, err
	}
	who, err := identity()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pgpeer")
	if err != nil {
		return nil, fmt.Errorf("pgpeer: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	s := &Server{bin: bin, dir: dir, major: major, drained: make(chan struct{})}
	if err := os.Mkdir(s.Files(), 0o755); err != nil {
		return nil, fmt.Errorf("pgpeer: %w", err)
	}
	if who != nil {
		for _, d := range []string{dir, s.Files()} {
			if err := os.Chown(d, int(who.Uid), int(who.Gid)); err != nil {
				return nil, fmt.Errorf("pgpeer: %w", err)
			}
		}
	}

	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	data := filepath.Join(dir, "data")
	initdb := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "-D", data, "-U", "postgres", "-A", "trust",
		"-E", "UTF8", "--locale=C", "--lc-ctype=C.UTF-8", "--no-sync")
	initdb.Dir, initdb.SysProcAttr = dir, &syscall.SysProcAttr{Credential: who}
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("pgpeer: initdb: %w\n%s", err, out)
	}
	return s, s.serve(data, who)
}

// serve starts the server on the cluster in data and returns when it answers.
func (s *Server) serve(data string, who *syscall.Credential) error {
	args := []string{"-c", watch, "pgpeer", s.dir, filepath.Join(s.bin, "postgres"), "-D", data}
	for _, set := range []string{
		"listen_addresses=", "unix_socket_directories=" + s.dir, "max_connections=20", "shared_buffers=32MB",
		"fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off", "max_wal_size=4GB",
		"timezone=UTC", "datestyle=ISO,MDY", "lc_messages=C", "client_min_messages=warning", "jit=off",
	} {
		args = append(args, "-c", set)
	}
	s.watcher = exec.Command("/bin/sh", args...)
	s.watcher.Dir = s.dir
	// A process group of its own, so that an interrupt of the test run reaches the test
	// process alone and the shell ends the server in order.
	s.watcher.SysProcAttr = &syscall.SysProcAttr{Credential: who, Setpgid: true}
	leash, err := s.watcher.StdinPipe()
	if err != nil {
		return fmt.Errorf("pgpeer: %w", err)
	}
	s.leash = leash
	log, err := s.watcher.StderrPipe()
	if err != nil {
		return fmt.Errorf("pgpeer: %w", err)
	}
	if err := s.watcher.Start(); err != nil {
		return fmt.Errorf("pgpeer: %w", err)
	}
	ready := make(chan error, 1)
	go s.follow(log, ready)
	select {
	case err = <-ready:
	case <-time.After(startTimeout):
		err = fmt.Errorf("pgpeer: the server did not start within %v", startTimeout)
	}
	if err != nil {
		return errors.Join(err, s.stop())
	}
	return nil
}

// follow reads the server's log to its end and reports when the server is ready or has
// said why it cannot be.
func (s *Server) follow(log io.Reader, ready chan<- error) {
	defer close(s.drained)
	var head strings.Builder
	lines := bufio.NewReader(log)
	waiting := true
	for {
		line, err := lines.ReadString('\n')
		if waiting {
			head.WriteString(line)
			switch {
			case strings.Contains(line, "ready to accept connections"):
				ready <- nil
				waiting = false
			case strings.Contains(line, "FATAL:"), err != nil:
				ready <- fmt.Errorf("pgpeer: the server did not start:\n%s", head.String())
				waiting = false
			}
		}
		if err != nil {
			return
		}
	}
}

// stop ends the server and waits until it and its directory are gone.
func (s *Server) stop() error {
	if err := s.leash.Close(); err != nil {
		return fmt.Errorf("pgpeer: stop: %w", err)
	}
	<-s.drained
	if err := s.watcher.Wait(); err != nil {
		return fmt.Errorf("pgpeer: stop: %w", err)
	}
	return nil
}
