package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/csv"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"github.com/ingotdb/ingot/bench/internal/measure"
)

// arrowTypes are the types that arrow-go's CSV reader makes of an input's. uuid is text.
var arrowTypes = map[string]arrow.DataType{
	"bigint":           arrow.PrimitiveTypes.Int64,
	"integer":          arrow.PrimitiveTypes.Int32,
	"text":             arrow.BinaryTypes.String,
	"uuid":             arrow.BinaryTypes.String,
	"numeric(12,2)":    arrow.PrimitiveTypes.Float64,
	"double precision": arrow.PrimitiveTypes.Float64,
	"boolean":          arrow.FixedWidthTypes.Boolean,
	"date":             arrow.FixedWidthTypes.Date32,
	"timestamp":        &arrow.TimestampType{Unit: arrow.Microsecond},
}

// loadArrow reads the file into record batches that are all kept until the end.
func loadArrow(j *job) (s measure.Sample, err error) {
	readers := map[string]func(*job, *os.File) (int64, error){"csv": readArrowCSV, "arrow": readArrowIPC, "parquet": readArrowParquet}
	f, err := os.Open(j.File)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	runtime.GOMAXPROCS(j.Threads)
	var rows int64
	s, err = measure.Timed(func() (err error) { rows, err = readers[j.Format](j, f); return err })
	s.Rows, s.Version = rows, strings.TrimPrefix(arrow.PkgVersion, "v")
	return s, err
}

// readArrowCSV reads CSV, which arrow-go does in one goroutine.
func readArrowCSV(j *job, f *os.File) (rows int64, err error) {
	fields := make([]arrow.Field, len(j.Columns))
	for i, c := range j.Columns {
		typ, ok := arrowTypes[c.Type]
		if !ok {
			return 0, fmt.Errorf("no Arrow type for %s", c.Type)
		}
		fields[i] = arrow.Field{Name: c.Name, Type: typ, Nullable: true}
	}
	r := csv.NewReader(f, arrow.NewSchema(fields, nil), csv.WithHeader(true), csv.WithChunk(8192), csv.WithNullReader(true, ""))
	defer r.Release()
	var kept []arrow.RecordBatch
	for r.Next() {
		batch := r.RecordBatch()
		batch.Retain()
		kept = append(kept, batch)
	}
	return released(kept), r.Err()
}

// readArrowIPC reads a file of Arrow's IPC into memory.
func readArrowIPC(_ *job, f *os.File) (rows int64, err error) {
	r, err := ipc.NewFileReader(f)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	var kept []arrow.RecordBatch
	for {
		batch, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, err
		}
		batch.Retain()
		kept = append(kept, batch)
	}
	return released(kept), nil
}

// released releases batches and returns how many rows they had.
func released(batches []arrow.RecordBatch) (rows int64) {
	for _, b := range batches {
		rows += b.NumRows()
		b.Release()
	}
	return rows
}

// readArrowParquet reads a file of Parquet, its columns in parallel, into Arrow data.
func readArrowParquet(j *job, f *os.File) (rows int64, err error) {
	r, err := file.NewParquetReader(f)
	if err != nil {
		return 0, err
	}
	fr, err := pqarrow.NewFileReader(r, pqarrow.ArrowReadProperties{Parallel: j.Threads > 1, BatchSize: 1 << 16}, memory.DefaultAllocator)
	if err != nil {
		return 0, err
	}
	table, err := fr.ReadTable(context.Background())
	if err != nil {
		return 0, err
	}
	defer table.Release()
	return table.NumRows(), nil
}
