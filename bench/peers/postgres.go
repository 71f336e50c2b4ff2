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
	"github.com/ingotdb/ingot/bench/internal/results"
	"github.com/ingotdb/ingot/bench/internal/tasks"
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
	settings string // options of the sessions
}

// command returns a program of the server's.
func (s *server) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, program), args...)
	cmd.Dir, cmd.SysProcAttr = s.dir, s.asOther
	return cmd
}

// startServer starts a server that listens on a Unix socket in dir, with the database
// cluster there, or a new one. It gives up if this process is told to end.
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
	if _, err := os.Stat(filepath.Join(data, "PG_VERSION")); err != nil {
		if out, err := s.command("initdb", "-D", data, "-U", "bench", "-A", "trust", "-N", "--locale=C", "-E", "UTF8").CombinedOutput(); err != nil {
			return nil, fmt.Errorf("initdb: %w: %s", err, out)
		}
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
	cmd.Env = append(os.Environ(), "PGOPTIONS="+s.settings)
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

// withServer starts a server in dir for the time of f, or until this process is told to end.
func withServer(dir string, f func(s *server) error) (err error) {
	stopped := make(chan os.Signal, 1)
	signal.Notify(stopped, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(stopped)
	s, err := startServer(dir, stopped)
	if err != nil {
		return err
	}
	done := make(chan struct{})
	defer close(done)
	go s.guard(stopped, done)
	defer func() { err = errors.Join(err, s.stop()) }()
	return f(s)
}

// postgresOptions are the options of PostgreSQL's COPY for a format.
var postgresOptions = map[string]string{"csv": "FORMAT csv, HEADER", "text": "FORMAT text", "binary": "FORMAT binary"}

// loadPostgres returns the load of PostgreSQL into a table of a kind: "" or "UNLOGGED ". What
// it leaves is vacuumed and checkpointed, as it would be some time later, so that another
// server may start there at once.
func loadPostgres(kind string) func(*job) (measure.Sample, error) {
	return func(j *job) (sample measure.Sample, err error) {
		err = withServer(j.Dir, func(s *server) error {
			if _, err := s.psql(createTable(j, kind)); err != nil {
				return err
			}
			timed, err := s.timed(1, "COPY "+j.Table+" FROM "+quoted(j.File)+" ("+postgresOptions[j.Format]+")")
			if err != nil {
				return err
			}
			sample = timed[0].Sample
			out, err := s.psql("SELECT count(*), pg_total_relation_size('"+j.Table+"') FROM "+j.Table, "SHOW server_version")
			if err != nil {
				return err
			}
			if j.Keep {
				if _, err := s.psql("VACUUM ANALYZE "+j.Table, "CHECKPOINT"); err != nil {
					return err
				}
			}
			return readPostgres(out, &sample)
		})
		return sample, err
	}
}

var psqlTime = regexp.MustCompile(`(?m)^Time: ([0-9.]+) ms.*\n`)

// timed runs a statement n times in one session and returns what psql says of each: its time
// and, as the answer, its rows or tag. Processor time is the mean.
func (s *server) timed(n int, statement string) ([]results.TaskSample, error) {
	pid := s.process.Process.Pid
	cpu := measure.TreeCPUNS(pid)
	out, err := s.psql(slices.Repeat([]string{statement}, n)...)
	if err != nil {
		return nil, err
	}
	cpu = (measure.TreeCPUNS(pid) - cpu) / int64(n)
	out = strings.TrimPrefix(out, "Timing is on.\n")
	samples := make([]results.TaskSample, n)
	for i := range samples {
		at := psqlTime.FindStringSubmatchIndex(out)
		if at == nil {
			return nil, fmt.Errorf("psql says no time: %s", out)
		}
		ms, err := strconv.ParseFloat(out[at[2]:at[3]], 64)
		if err != nil {
			return nil, err
		}
		samples[i].Answer = out[:at[0]]
		samples[i].WallNS, samples[i].CPUNS = int64(ms*1e6), cpu
		out = out[at[1]:]
	}
	return samples, nil
}

// doPostgres does tasks with the database that a load has left.
func doPostgres(w *work, each func(results.TaskSample) error) error {
	return withServer(w.Dir, func(s *server) error {
		s.settings = "-c max_parallel_workers_per_gather=" + strconv.Itoa(w.Threads-1)
		version, err := s.psql("SHOW server_version")
		if err != nil {
			return err
		}
		version, _, _ = strings.Cut(strings.TrimPrefix(version, "Timing is on.\n"), " ")
		for _, t := range w.Tasks {
			text := t.Query
			if text == "" {
				text = "COPY " + w.Table + " TO " + quoted(w.output(t.Name)) + " (" + postgresOptions[t.Name] + ")"
			}
			samples, err := s.timed(w.runs(t), text)
			if err != nil {
				if err := each(results.TaskSample{Task: t.Name, Failed: err.Error()}); err != nil {
					return err
				}
				continue
			}
			var size int64
			if t.Query == "" {
				if size, err = removed(w.output(t.Name)); err != nil {
					return err
				}
			}
			for _, r := range samples {
				r.Task, r.Version, r.StoredBytes = t.Name, version, size
				if t.Query != "" {
					rows := psqlRows(r.Answer)
					r.Answer, r.Rows = tasks.Answer(rows), int64(len(rows))
				} else {
					_, err := fmt.Sscanf(r.Answer, "COPY %d", &r.Rows)
					if r.Answer = ""; err != nil {
						return err
					}
				}
				if err := each(r); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// psqlRows returns the rows that psql has printed.
func psqlRows(text string) [][]string {
	var rows [][]string
	for line := range strings.Lines(text) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "|"))
	}
	return rows
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
