// Package visibility knows which rows of a table a reader sees. It knows rows, never
// files.
//
// # Words
//
// A row id is a dense position in a table. A row group is a fixed range of 131,072 ids,
// a vector is 2,048 of them:
//
//	 63                          17 16       11 10         0
//	+------------------------------+-----------+-----------+
//	|          row group           |  vector   |  bit      |   RowID
//	+------------------------------+-----------+-----------+
//	                               |<- row of its group -->|   uint32
//
// The delete state of a vector is none, all, or a bitmap of 32 words in which bit i%64
// of word i/64 is set when row i is deleted. A visible run is a range of consecutive
// rows of one group that are all visible.
//
// # Versions
//
// Nothing here changes after it is made. A change makes a new value that shares with the
// old one whatever did not change:
//
//	Head ──▶ Ref(version n)     one atomic pointer to what is current
//	              │
//	           Groups           pointers to nodes of 64 groups
//	            │ │ └───▶ node  shared with version n-1
//	            │ └─────▶ node  shared
//	            └───────▶ node  copied: one of its groups changed
//	                       │
//	                     Group  rows, deleted rows, longest visible run, and 64
//	                       │    pointers to bitmaps: of zeros for none and of ones
//	                       │    for all, which every group shares, else
//	                       ▼
//	                     bitmap  256 bytes that this version or an older one wrote
//
// A group is 544 bytes for 131,072 rows. Deleting k rows copies k bitmaps at most, each
// group touched, one node of 512 bytes for each 64 groups touched, and the list of nodes:
// 8 bytes for each 8.4 million rows of the table.
//
// # Why there is no lock
//
// A reader takes a reference on the current version with [Head.Acquire] and reads
// through plain pointers. No one writes to what it can reach: a writer fills new
// memory first and makes it reachable last, by the atomic store in [Head.Publish], which
// orders all earlier writes before it for whoever loads the pointer. So a reader sees
// one commit point, whole, for as long as it likes. Rows of a transaction that has not
// committed are in no published version, and those of one that rolled back never were;
// neither needs a mark on a row. Ids are not used twice, so a deleted row stays deleted in
// every later version.
//
// Writers must exclude each other: two that start from the same version would each
// publish one without the other's change. The store has one write transaction at a time.
//
// # References
//
// A version owns resources outside this package (mapped files), so its end must be known
// without the garbage collector. Each version carries a count; being current is worth one
// reference, each Acquire another. Acquire loads the pointer, then raises the count only if
// it is not zero. Zero means that the version was replaced and its last reader left
// between the two steps; Acquire loads again and finds the newer one. A count that has
// reached zero never rises, so exactly one release sees it reach zero, and that one reports
// the version dead. Memory is the collector's business: a stale pointer still points to a
// Ref, never to something that took its place.
//
// # Cost of one check
//
// [Group.Visible] is one comparison inside the longest visible run when that run covers at
// least 15/16 of the group, and otherwise one bit test through one pointer, the same for
// every delete state. No branch in it depends on the row in a way that random rows make
// hard to predict: this is why a shorter run is not tried first (a mispredicted branch
// costs more than the bit test), and why a vector without deletes points to zeros instead
// of being nil. One deleted row anywhere in a group changes no other row's cost by more than the
// bit test.
package visibility
