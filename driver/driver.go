// Package driver makes a store available through database/sql, under the name ingot:
//
//	import _ "github.com/ingotdb/ingot/driver"
//
//	db, err := sql.Open("ingot", "flights.ingot?durability=none")
//
// The data source name is the directory of the store, which is created when it is absent,
// and behind a question mark what else is to be known, as in a URL:
//
//	mode           rw (the default) or ro: open an existing store and refuse to write
//	durability     full (the default) or none; see ingot.Options
//	max_workers    goroutines of one statement at most
//	memory_limit   bytes that sorts, groupings and key indexes may take
//	busy_timeout   how long a writer waits for another, such as 500ms
//	timezone       of a session until SET TIME ZONE, such as Europe/Berlin
//	files          what COPY may name: any (the default), none, or a directory
//
// A directory whose name has a question mark is opened with NewConnector, as is a store
// that the program has open already.
//
// A connection is a session: SET TIME ZONE and BEGIN belong to it. All connections of one
// sql.DB share the open store. There is one write transaction at a time; others wait for
// it as long as busy_timeout says.
//
// COPY FROM STDIN reads from an io.Reader among the arguments and COPY TO STDOUT writes to
// an io.Writer:
//
//	res, err := db.ExecContext(ctx, "COPY flights FROM STDIN (FORMAT csv)", file)
//
// Values arrive as int64, float64, bool, time.Time, []byte for bytea and else string.
// Errors are those of ingot: errors.As finds an *ingot.Error with its SQLSTATE.
package driver

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // zones do not depend on the machine

	"github.com/ingotdb/ingot"
)

func init() { sql.Register("ingot", Driver{}) }

// Driver is what database/sql knows as ingot.
type Driver struct{}

// Open returns a connection to the store that name says, which is closed with it.
func (d Driver) Open(name string) (driver.Conn, error) {
	c, err := d.OpenConnector(name)
	if err != nil {
		return nil, err
	}
	conn, err := c.Connect(context.Background())
	if err != nil {
		return nil, err
	}
	conn.(*Conn).owns = c.(*Connector)
	return conn, nil
}

// OpenConnector returns a connector for a data source name. The store is opened by the
// first connection.
func (Driver) OpenConnector(name string) (driver.Connector, error) {
	path, opt, err := parseName(name)
	if err != nil {
		return nil, err
	}
	return &Connector{path: path, opt: opt, owned: true}, nil
}

// parseName takes a data source name apart.
func parseName(name string) (path string, opt ingot.Options, err error) {
	path, query, _ := strings.Cut(name, "?")
	opt.Files = ingot.AnyFile()
	fail := func(err error) (string, ingot.Options, error) {
		return "", opt, fmt.Errorf("ingot: data source name %q: %w", name, err)
	}
	if path == "" {
		return fail(errors.New("it names no directory"))
	}
	params, err := url.ParseQuery(query)
	if err != nil {
		return fail(err)
	}
	for key, values := range params {
		if len(values) != 1 {
			return fail(fmt.Errorf("%s is given %d times", key, len(values)))
		}
		if err := setOption(&opt, key, values[0]); err != nil {
			return fail(fmt.Errorf("%s=%s: %w", key, values[0], err))
		}
	}
	return path, opt, nil
}

// setOption sets what one parameter of a data source name says.
func setOption(opt *ingot.Options, key, value string) (err error) {
	switch key {
	case "mode":
		if value != "rw" && value != "ro" {
			return errors.New("want rw or ro")
		}
		opt.ReadOnly = value == "ro"
	case "durability":
		switch value {
		case "full":
			opt.Durability = ingot.Full
		case "none":
			opt.Durability = ingot.None
		default:
			return errors.New("want full or none")
		}
	case "max_workers":
		opt.MaxWorkers, err = strconv.Atoi(value)
	case "memory_limit":
		opt.MemoryLimit, err = strconv.ParseInt(value, 10, 64)
	case "busy_timeout":
		opt.BusyTimeout, err = time.ParseDuration(value)
	case "timezone":
		opt.Location, err = time.LoadLocation(value)
	case "files":
		switch value {
		case "any":
		case "none":
			opt.Files = ingot.Files{}
		default:
			opt.Files, err = ingot.FilesIn(value)
		}
	default:
		return errors.New("no such parameter: there are mode, durability, max_workers, memory_limit, busy_timeout, timezone and files")
	}
	return err
}

// Connector opens connections to one store.
type Connector struct {
	path  string
	opt   ingot.Options
	owned bool // the store is opened and closed here

	mu sync.Mutex
	db *ingot.DB
}

// NewConnector returns a connector for a store that is open, for sql.OpenDB. Closing the
// sql.DB does not close the store.
func NewConnector(db *ingot.DB) *Connector { return &Connector{path: db.Path(), db: db} }

// Connect returns a new connection.
func (c *Connector) Connect(ctx context.Context) (driver.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.db == nil {
		db, err := ingot.Open(ctx, c.path, c.opt)
		if err != nil {
			return nil, err
		}
		c.db = db
	}
	return &Conn{db: c.db, session: c.db.Session(ingot.SessionOptions{})}, nil
}

// Driver returns the driver.
func (c *Connector) Driver() driver.Driver { return Driver{} }

// Close closes the store if the connector has opened it.
func (c *Connector) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.owned {
		return nil
	}
	var err error
	if c.db != nil {
		err = c.db.Close()
		c.db = nil
	}
	return errors.Join(err, c.opt.Files.Close())
}
