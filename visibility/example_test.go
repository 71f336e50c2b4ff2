package visibility_test

import (
	"fmt"

	"github.com/ingotdb/ingot/visibility"
)

func ExampleNewGroup() {
	g := visibility.NewGroup(10_000)
	fmt.Println(g.Rows(), g.Live(), g.LongestRun())
	// Output: 10000 10000 {0 10000}
}

func ExampleGroup_WithDeleted() {
	old := visibility.NewGroup(100)
	g, n := old.WithDeleted([]uint32{0, 40, 40})
	fmt.Println(n, g.Visible(40), old.Visible(40))
	// Output: 2 false true
}

func ExampleGroup_WithDeletedRange() {
	g, n := visibility.NewGroup(5000).WithDeletedRange(2048, 4000)
	state, _ := g.Vector(1)
	fmt.Println(n, g.Live(), state)
	// Output: 2952 2048 all
}

func ExampleGroup_WithRows() {
	g, _ := visibility.NewGroup(10).WithDeleted([]uint32{9})
	g = g.WithRows(30)
	fmt.Println(g.Rows(), g.Deleted(), g.LongestRun())
	// Output: 30 1 {10 20}
}

func ExampleGroup_Runs() {
	g, _ := visibility.NewGroup(100).WithDeleted([]uint32{0, 40, 41})
	for r := range g.Runs() {
		fmt.Println(r.Start, r.Length)
	}
	// Output:
	// 1 39
	// 42 58
}

func ExampleGroup_NextRun() {
	g, _ := visibility.NewGroup(100).WithDeleted([]uint32{40})
	fmt.Println(g.NextRun(30), g.NextRun(40), g.NextRun(100))
	// Output: {30 10} {41 59} {0 0}
}

func ExampleDecodeGroup() {
	g, _ := visibility.NewGroup(131_072).WithDeleted([]uint32{7})
	b := g.AppendBinary(nil)
	back, rest, err := visibility.DecodeGroup(b)
	fmt.Println(len(b), back.Visible(7), back.Visible(8), len(rest), err)
	_, _, err = visibility.DecodeGroup(b[:20])
	fmt.Println(err)
	// Output:
	// 27 false true 0 <nil>
	// visibility: malformed row group: 12 bytes for 64 vectors
}

func ExampleGroups() {
	var table visibility.Groups
	loaded := table.Append(300_000)
	deleted, n := loaded.WithDeleted([]visibility.RowID{5, 200_000})
	fmt.Println(deleted.Len(), deleted.Rows(), deleted.Live(), n)
	fmt.Println(loaded.Visible(200_000), deleted.Visible(200_000), deleted.Visible(300_000))
	for i, g := range deleted.All() {
		fmt.Println(i, g.Rows(), g.Deleted())
	}
	// Output:
	// 3 300000 299998 2
	// true false false
	// 0 131072 1
	// 1 131072 1
	// 2 37856 0
}

func ExampleHead() {
	head := visibility.NewHead("version 1", func(v string) { fmt.Println(v, "is dead") })
	reader := head.Acquire()
	head.Publish("version 2")
	fmt.Println("the reader still sees", reader.Value())
	reader.Release()
	head.Close()
	// Output:
	// the reader still sees version 1
	// version 1 is dead
	// version 2 is dead
}
