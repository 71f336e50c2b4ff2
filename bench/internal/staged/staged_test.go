package staged

import (
	"path/filepath"
	"reflect"
	"testing"
)

func TestReadWrite(t *testing.T) {
	w := &Workload{
		Tables:    []Table{{Name: "n", Columns: []Column{{"id", "bigint PRIMARY KEY"}, {"a", "text"}}}, {Name: "e", From: "n", To: "n"}},
		Documents: [][]Statement{{{"n", "n.csv", 3}}, nil},
	}
	path := filepath.Join(t.TempDir(), "w.json")
	if err := w.Write(path); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(path); err != nil || !reflect.DeepEqual(got, w) {
		t.Errorf("got %+v, %v", got, err)
	}
	if got := w.Tables[0].Create(); got != "CREATE TABLE n (id bigint PRIMARY KEY, a text)" {
		t.Error(got)
	}
}
