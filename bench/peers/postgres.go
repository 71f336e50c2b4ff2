package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ingotdb/ingot/bench/internal/measure"
)

// postgresBin returns the directory of the server's programs: Debian's newest, or that
// of a postgres in PATH.
func postgresBin() (string, error) {
	dirs, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return "", err
	}
	slices.SortFunc(dirs, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	if len(dirs) > 0 {
		return dirs[len(dirs)-1], nil
	}
	path, err := exec.LookPath("postgres")
	if err != nil {
		return "", errors.New("no PostgreSQL server (Debian's package postgresql)")
	}
	return filepath.Dir(path), nil
}

func postgresMissing() string {
	if _, err := postgresBin(); err != nil {
		return err.Error()
	}
	if os.Getuid() == 0 {
		if _, err := user.Lookup("postgres"); err != nil {
			return "the server does not run as root, and there is no user postgres"
		}
	}
	return programMissing("psql", "Debian's package postgresql-client")
}

// postgresSettings are what a server is given beside its defaults: memory of the size
// that the machine is worth, and no checkpoint in the middle of a load.
var postgresSettings = []string{
	"listen_addresses=", "shared_buffers=1GB", "max_wal_size=8GB", "checkpoint_timeout=1h", "autovacuum=off", "logging_collector=off",
}

// server is a PostgreSQL server that runs in a directory.
type server struct {
	bin, dir string
	asOther  *syscall.SysProcAttr // runs its programs as the user postgres if this process is root
	process  *exec.Cmd
}

// command returns a program of the server's.
func (s *server) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, program), args...)
	cmd.Dir, cmd.SysProcAttr = s.dir, s.asOther
	return cmd
}

// startServer makes a database cluster in dir and starts a server that listens on a
// Unix socket there. It gives up if this process is told to end.
func startServer(dir string, stopped <-chan os.Signal) (*server, error) {
	bin, err := postgresBin()
	if err != nil {
		return nil, err
	}
	s := &server{bin: bin, dir: dir}
	if os.Getuid() == 0 {
		if err := s.becomePostgres(); err != nil {
			return nil, err
		}
	}
	data := filepath.Join(dir, "data")
	if out, err := s.command("initdb", "-D", data, "-U", "bench", "-A", "trust", "-N", "--locale=C", "-E", "UTF8").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	args := []string{"-D", data, "-k", dir}
	for _, set := range postgresSettings {
		args = append(args, "-c", set)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	s.process = s.command("postgres", args...)
	s.process.Stdout, s.process.Stderr = log, log
	if err := errors.Join(s.process.Start(), log.Close()); err != nil {
		return nil, err
	}
	for end := time.Now().Add(30 * time.Second); ; {
		if s.command("pg_isready", "-q", "-h", dir).Run() == nil {
			return s, nil
		}
		if len(stopped) > 0 {
			return nil, errors.Join(errors.New("interrupted"), s.stop())
		}
		if time.Now().After(end) {
			text, err := os.ReadFile(log.Name())
			return nil, errors.Join(fmt.Errorf("the server does not answer: %s", text), err, s.stop())
		}
	}
}

// becomePostgres makes the programs run as the user postgres and gives it the directory.
func (s *server) becomePostgres() error {
	u, err := user.Lookup("postgres")
	if err != nil {
		return err
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return err
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return err
	}
	s.asOther = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	return os.Chown(s.dir, uid, gid)
}

// psql runs statements one after the other and returns what psql prints, with the time
// of each.
func (s *server) psql(statements ...string) (string, error) {
	args := []string{"-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", s.dir, "-U", "bench", "-d", "postgres", "-c", `\timing on`}
	for _, text := range statements {
		args = append(args, "-c", text)
	}
	cmd := exec.Command("psql", args...)
	cmd.Dir = s.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("psql: %w: %s", err, out)
	}
	return string(out), nil
}

// stop stops the server without a checkpoint: its files go next.
func (s *server) stop() error {
	if err := s.process.Process.Signal(syscall.SIGQUIT); err != nil {
		return err
	}
	err := s.process.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil // it says that it was told to
	}
	return err
}

// guard stops the server and ends this process if it is told to end before done.
func (s *server) guard(stopped <-chan os.Signal, done <-chan struct{}) {
	select {
	case <-done:
	case <-stopped:
		if err := s.process.Process.Signal(syscall.SIGQUIT); err != nil {
			fmt.Fprintln(os.Stderr, "peers:", err)
		}
		os.Exit(130)
	}
}

var psqlTime = regexp.MustCompile(`Time: ([0-9.]+) ms`)

// loadPostgres returns the load of PostgreSQL into a table of a kind: "" or "UNLOGGED ".
func loadPostgres(kind string) func(*job) (measure.Sample, error) {
	return func(j *job) (sample measure.Sample, err error) {
		stopped := make(chan os.Signal, 1)
		signal.Notify(stopped, os.Interrupt, syscall.SIGTERM)
		defer signal.Stop(stopped)
		s, err := startServer(j.Dir, stopped)
		if err != nil {
			return sample, err
		}
		done := make(chan struct{})
		defer close(done)
		go s.guard(stopped, done)
		defer func() { err = errors.Join(err, s.stop()) }()
		if _, err := s.psql(createTable(j, kind)); err != nil {
			return sample, err
		}
		pid := s.process.Process.Pid
		cpu := measure.TreeCPUNS(pid)
		out, err := s.psql("COPY " + j.Table + " FROM " + quoted(j.File) + " (FORMAT csv, HEADER)")
		if err != nil {
			return sample, err
		}
		sample.CPUNS = measure.TreeCPUNS(pid) - cpu
		m := psqlTime.FindStringSubmatch(out)
		if m == nil {
			return sample, fmt.Errorf("psql says no time: %s", out)
		}
		ms, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			return sample, err
		}
		sample.WallNS = int64(ms * 1e6)
		out, err = s.psql("SELECT count(*), pg_total_relation_size('"+j.Table+"') FROM "+j.Table, "SHOW server_version")
		if err != nil {
			return sample, err
		}
		return sample, readPostgres(out, &sample)
	}
}

// readPostgres reads what psql prints of the table and of the server's version, with
// lines of \timing between them.
func readPostgres(out string, s *measure.Sample) error {
	var lines []string
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "Tim") {
			lines = append(lines, line)
		}
	}
	if len(lines) != 2 {
		return fmt.Errorf("psql says %q", out)
	}
	if _, err := fmt.Sscanf(lines[0], "%d|%d", &s.Rows, &s.StoredBytes); err != nil {
		return fmt.Errorf("psql says %q: %w", out, err)
	}
	s.Version, _, _ = strings.Cut(lines[1], " ")
	return nil
}
