package main

import (
	"time"

	"github.com/ingotdb/ingot"
	"github.com/ingotdb/ingot/columnar"
)

// storeJSON is what info --json prints.
type storeJSON struct {
	Store  string      `json:"store"`
	Files  int         `json:"files"`
	Bytes  int64       `json:"bytes"`
	Tables []tableJSON `json:"tables"`
}

type tableJSON struct {
	Name      string         `json:"name"`
	Rows      uint64         `json:"rows"`
	Deleted   uint64         `json:"deleted"`
	Bytes     int64          `json:"bytes"`
	Columns   []columnJSON   `json:"columns"`
	RowGroups []rowGroupJSON `json:"row_groups"`
}

type columnJSON struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	NotNull bool   `json:"not_null"`
}

type rowGroupJSON struct {
	Index           int            `json:"index"`
	Rows            int            `json:"rows"`
	Deleted         int            `json:"deleted"`
	VisibleRunStart int            `json:"visible_run_start"`
	VisibleRunRows  int            `json:"visible_run_rows"`
	Fragments       []fragmentJSON `json:"fragments"`
}

type fragmentJSON struct {
	FirstRow uint64      `json:"first_row"`
	Rows     int         `json:"rows"`
	File     string      `json:"file,omitempty"`
	Chunks   []chunkJSON `json:"chunks"`
}

type chunkJSON struct {
	Column    string  `json:"column,omitempty"`
	Type      string  `json:"type"`
	Encoding  string  `json:"encoding"`
	Offset    int64   `json:"offset"`
	Bytes     int64   `json:"bytes"`
	OutBytes  int64   `json:"out_bytes"`
	Nulls     int     `json:"nulls"`
	Min       *string `json:"min,omitempty"`
	Max       *string `json:"max,omitempty"`
	MinExact  bool    `json:"min_exact"`
	MaxExact  bool    `json:"max_exact"`
	HasNaN    bool    `json:"has_nan"`
	Ascending bool    `json:"ascending"`
}

func infoJSON(path string, files int, bytes int64, tables []ingot.TableInfo) storeJSON {
	out := storeJSON{Store: path, Files: files, Bytes: bytes, Tables: []tableJSON{}}
	for _, t := range tables {
		tj := tableJSON{
			Name: t.Name, Rows: t.Rows, Deleted: t.Deleted, Bytes: t.Bytes,
			Columns: []columnJSON{}, RowGroups: []rowGroupJSON{},
		}
		for _, c := range t.Columns {
			tj.Columns = append(tj.Columns, columnJSON{c.Name, c.Type.String(), c.NotNull})
		}
		for _, g := range t.RowGroups {
			gj := rowGroupJSON{
				Index: g.Index, Rows: g.Rows, Deleted: g.Deleted,
				VisibleRunStart: int(g.VisibleRun.Start), VisibleRunRows: int(g.VisibleRun.Length),
				Fragments: []fragmentJSON{},
			}
			for _, fr := range g.Fragments {
				fj := fragmentJSON{FirstRow: uint64(fr.First), Rows: fr.Rows, File: fr.File, Chunks: []chunkJSON{}}
				for _, c := range fr.Chunks {
					fj.Chunks = append(fj.Chunks, chunkToJSON(c))
				}
				gj.Fragments = append(gj.Fragments, fj)
			}
			tj.RowGroups = append(tj.RowGroups, gj)
		}
		out.Tables = append(out.Tables, tj)
	}
	return out
}

func chunkToJSON(c columnar.ChunkInfo) chunkJSON {
	cj := chunkJSON{
		Column: c.Column, Type: c.Type.String(), Encoding: c.Encoding, Offset: c.Offset,
		Bytes: c.Bytes, OutBytes: c.OutBytes, Nulls: c.Zone.Nulls,
		MinExact: c.Zone.MinExact, MaxExact: c.Zone.MaxExact, HasNaN: c.Zone.HasNaN, Ascending: c.Zone.Ascending,
	}
	if c.Zone.HasBounds {
		lo := string(c.Zone.Min.AppendText(nil, time.UTC))
		hi := string(c.Zone.Max.AppendText(nil, time.UTC))
		cj.Min, cj.Max = &lo, &hi
	}
	return cj
}
