package columnar

import "context"

// nodeKeys prepares look-ups of the keys of nodes.
func (t *Table) nodeKeys(ctx context.Context) (*Keys, error) { return t.Keys(ctx) }
