package parquet_test

import (
	"fmt"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// peers are programs that read the file of their first argument and write what they read to the
// second. Their packages are what make peers installs.
var peers = map[string]string{
	"nodejs-polars": `require("nodejs-polars").readParquet(process.argv[1]).writeParquet(process.argv[2], {compression: process.argv[3]})`,
	"chdb": `const q = s => "'" + s + "'";
		require("chdb").query("SELECT * FROM file(" + q(process.argv[1]) + ", Parquet) INTO OUTFILE " + q(process.argv[2]) +
			" TRUNCATE FORMAT Parquet SETTINGS output_format_parquet_compression_method = " + q(process.argv[3]))`,
}

// TestPeers has Polars and ClickHouse read what is written here, and reads what they make of it.
func TestPeers(t *testing.T) {
	modules, err := filepath.Abs("../../bench/peers/node/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	node, err := osexec.LookPath("node")
	if err != nil {
		t.Skip("node, which runs the peers, is not installed")
	}
	columns := "i int8, s text, d date, ts timestamp, f float4, g float8, n numeric(10,2), u uuid, l int4[], ok bool, tz timestamptz, i2 int2, big numeric(38,10)"
	for peer, script := range peers {
		for _, compression := range []string{"snappy", "zstd"} {
			t.Run(peer+"/"+compression, func(t *testing.T) {
				if _, err := os.Stat(filepath.Join(modules, peer)); err != nil {
					t.Skipf("the package %s is not installed: make peers", peer)
				}
				db := openDB(t, 2)
				path := write(t, db, "a", ", COMPRESSION "+compression+", ROW_GROUP_SIZE 2", "CREATE TABLE a ("+columns+")",
					`INSERT INTO a VALUES (1, '7', '2020-02-03', '2020-02-03 04:05:06.5', 1.5, 0.1, 12.50, '00112233-4455-6677-8899-aabbccddeeff', '{1,NULL,3}', true, '2020-01-01 00:00:00+00', -7, 1234567890123456789.5),
					(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{5}', NULL, NULL, NULL, NULL),
					(-9223372036854775808, 'äöü "," x', '1969-12-31', '1969-12-31 23:59:59.999999', -0, 'NaN', -0.01, 'ffffffff-ffff-ffff-ffff-ffffffffffff', '{}', false, '1900-01-01 00:00:00+00', 32767, -0.0000000001)`)
				theirs := filepath.Join(t.TempDir(), "theirs.parquet")
				cmd := osexec.Command(node, "-e", script, path, theirs, compression)
				cmd.Env = append(os.Environ(), "NODE_PATH="+modules)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				exec(t, db, "CREATE TABLE t ("+columns+")")
				exec(t, db, fmt.Sprintf("COPY t FROM '%s' (FORMAT parquet)", theirs))
				want, got := query(t, db, "SELECT * FROM a"), query(t, db, "SELECT * FROM t")
				if !slices.Equal(got, want) {
					t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			})
		}
	}
}
