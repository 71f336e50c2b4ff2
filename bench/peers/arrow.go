package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/csv"

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
	fields := make([]arrow.Field, len(j.Columns))
	for i, c := range j.Columns {
		typ, ok := arrowTypes[c.Type]
		if !ok {
			return s, fmt.Errorf("no Arrow type for %s", c.Type)
		}
		fields[i] = arrow.Field{Name: c.Name, Type: typ, Nullable: true}
	}
	f, err := os.Open(j.File)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	cpu, faults := measure.ProcessUsage()
	begin := time.Now()
	r := csv.NewReader(f, arrow.NewSchema(fields, nil), csv.WithHeader(true), csv.WithChunk(8192), csv.WithNullReader(true, ""))
	defer r.Release()
	var kept []arrow.RecordBatch
	for r.Next() {
		batch := r.RecordBatch()
		batch.Retain()
		kept = append(kept, batch)
	}
	if err := r.Err(); err != nil {
		return s, err
	}
	s.WallNS = int64(time.Since(begin))
	cpuEnd, faultsEnd := measure.ProcessUsage()
	s.CPUNS, s.MinorFaults = cpuEnd-cpu, faultsEnd-faults
	s.Version = strings.TrimPrefix(arrow.PkgVersion, "v")
	for _, batch := range kept {
		s.Rows += batch.NumRows()
		batch.Release()
	}
	return s, nil
}
