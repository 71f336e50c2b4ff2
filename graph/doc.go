// Package graph searches node and rel tables: neighbours, paths, shortest paths, what can
// be reached, and work over whole graphs. It reads the adjacency that columnar keeps beside
// the edges of a rel table and writes nothing.
//
// # Numbers
//
// A node is a row of a node table, an edge a row of a rel table. Inside a search the nodes
// of all tables of a graph have one space of 32-bit numbers, a range per table, so that a
// set of nodes is one bitmap whatever the tables:
//
//	0            rows of table 0      first[1]     rows of table 1
//	|------------------------|........|------------------|....
//	                          unused  ^ on a multiple of 2,048, so that a vector's delete
//	                                    state covers whole words of a bitmap
//
// A hop is one way from nodes of one table to nodes of another: a rel table's adjacency
// run, along its edges or against them. Direction picks the hops of a search; the code of a
// search is the same for one table and for many, for one run and for several.
//
// # What is never seen
//
// Deleted edges are still in adjacency runs, and an edge may lead to a deleted node. The
// visibility of the graph's own version decides, at the price of a test only where a table
// has deletes at all:
//
//	edges    a range of consecutive edges that lies in a visible run needs one test; other
//	         edges are tested one by one
//	nodes    a wide level is masked with the delete state of each vector, whole words at a
//	         time; in a narrow one each node found is tested once
//
// A filter on nodes or edges makes rows as if they were deleted, for this search. Filters
// are called with batches of row ids, and for a node once for each search, however many
// edges lead to it.
//
// # A search, level by level
//
//	visited   a bit for each node, once it is found
//	level     how many hops away; defined where visited is set, so it is never cleared
//	queue     the nodes found, level after level; the last level is the frontier
//
// A level whose frontier is narrow is expanded by the calling goroutine: each neighbour is
// tested in visited and added to the queue, without a branch on the outcome. Nothing is
// proportional to the table, so a path of two thousand hops costs what it touches. Where the
// frontier turns out to have far more edges than its nodes promised, the level is finished
// like a wide one.
//
// A wide level is expanded with bitmaps. Workers take pieces of the frontier, and each sets
// the bit of every neighbour in a bitmap of its own, without a test and without an atomic
// operation. Then, in ranges of words: the bitmaps are joined, what is visited or deleted is
// taken away, and the rest is added to visited and appended to the queue, in ascending order,
// so that the next level reads the adjacency in order. Where fewer edges have to be looked at
// from the other end (few nodes left, most of them next to the frontier), each node that
// is not visited looks for a neighbour in the frontier and stops at the first.
//
// No parents are kept. A path is read off the levels: a node at level k has a neighbour
// at level k-1, found by going one hop back. When both ends are known two searches run
// towards each other, always the one with the narrower frontier, until they meet. A shortest
// path has exactly one node at the level where they met, so the shortest paths are, for each
// such node, every way back along falling levels of one side with every way on along falling
// levels of the other: enumeration never runs into a dead end.
//
// # Memory
//
// Bitmaps, levels and queues come from a pool and go back clean: what a search has touched is
// cleared, node by node or, if that was much, as a whole. A repeated search allocates nothing
// that grows with the graph. The first takes, for each side, 4 bytes for each row of the node
// tables, or one bit where nobody asks for levels, and as much again once it has found most of
// them. Work over whole graphs says what it takes.
//
// # Concurrency and lifetime
//
// A Graph is immutable and safe for concurrent use. It reads the tables of the Snapshot or
// Txn that it was opened on, as they were then, and only until that ends. Mapped memory is
// read inside mmap.Guard, in the goroutine that reads, and never while an iterator's consumer
// runs: a fault in the store is an error of the search, a fault of the consumer's is his own.
// Iterators run their search as they are consumed; leaving the loop early ends it.
package graph
