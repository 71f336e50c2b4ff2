// Command graph measures searches over relations, and the loading of edges.
//
//	go run ./bench/graph [-graphs LIST] [-threads LIST] [-rounds N] [-scale N] [-peers=false] [-results DIR]
//
// It is run from the root of the repository. For every graph it makes a store, loads nodes
// and edges, and runs every workload with every number of threads, all of them once in
// each round, so that a busy moment of the machine meets them alike. LadybugDB, if it is
// installed as docs/BENCHMARKS.md says, loads the same files and answers the same queries in
// fewer rounds; answers are compared. Raw numbers go to RESULTS/graph-DATE.txt, a table of
// medians to standard output.
//
//	graph       what it is
//	components  two components of 1M nodes and 5M edges each
//	grid        1000 x 1000 nodes, 1,998,000 edges
//	social      9,892 persons, 180,623 edges, degrees by a power law
//
//	workload    one query is
//	forward     a shortest path from one component to the other, along the edges: there is none
//	both        the same, whatever the direction of edges
//	corner      the shortest path between opposite corners, but for one edge: 1,997 edges
//	ic13        the length of the shortest path between two persons, of 100 pairs
//	ic1         how many persons with a first name are within 3 hops of one, of 100
//	ic14        all shortest paths between two persons and the weight of each, of 100 pairs
//
// A workload that ends in -deleted has row 0 of every row group of the nodes deleted.
// -scale divides the sizes of all graphs, to try things out.
//
//	go run ./bench/graph load [-nodes N] [-edges N] [-keys int64,text] [-rounds N] [-peers=false] [-results DIR]
//	go run ./bench/graph edges -nodes N -edges N -keys int64|text -files DIR -dir DIR
//
// The first of these measures the COPY of edges between random nodes from a CSV file, each
// time in a new process with a new store, and the peer beside it. Raw numbers go to
// RESULTS/edges-DATE.txt. The second is that process: it prints one line of JSON.
package main
