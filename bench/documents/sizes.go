package main

// document says how many rows each of its statements has. Those of nodes fill the first
// tables of nodes in their order; those of edges fill tables of edges between them.
//
// The sizes are made up so that together they are distributed as doc.go says; a test
// counts.
type document struct{ nodes, edges []int }

// documents are the documents, the smallest first.
var documents = []document{
	{nodes: []int{1, 2, 3, 4, 3, 2, 4, 3},
		edges: []int{1, 1, 1, 1, 1, 5, 2, 3, 3, 3}},
	{nodes: []int{1, 10, 12, 7, 6, 28},
		edges: []int{37, 4, 6, 6, 1, 3, 3, 3}},
	{nodes: []int{1, 23, 70, 1, 21, 26, 31},
		edges: []int{39, 109, 5, 1, 1, 1, 2, 8, 3, 3}},
	{nodes: []int{1, 28, 49, 10, 20, 3, 207, 100},
		edges: []int{179, 39, 18, 6, 6, 27, 1, 3, 41, 5, 16, 76}},
	{nodes: []int{1, 12, 72, 62, 82, 30, 9, 1011, 25},
		edges: []int{73, 2, 2, 2, 1, 1, 30, 46, 88, 118, 244, 361, 335}},
	{nodes: []int{1, 22, 78, 400, 29, 43, 3, 795, 6},
		edges: []int{47, 1, 1, 1, 26, 121, 242, 29, 54, 2, 151, 8, 141, 552}},
	{nodes: []int{1, 18, 82, 22, 104, 1036, 30, 125, 1, 2},
		edges: []int{128, 17, 127, 96, 117, 265, 73, 9, 4, 1, 15, 437, 118, 13}},
	{nodes: []int{1, 13, 61, 8, 8, 16, 187, 22, 206, 499, 461},
		edges: []int{2, 2, 4, 25, 101, 121, 21, 146, 174, 105, 1, 1, 1, 209, 152, 31, 92, 290, 3}},
	{nodes: []int{1, 23, 48, 1027, 266, 39, 60, 3, 33, 30},
		edges: []int{257, 37, 115, 60, 4, 84, 35, 166, 175, 75, 18, 230, 138, 128, 7}},
	{nodes: []int{1, 20, 36, 149, 16, 8, 1, 135, 1085, 1, 166},
		edges: []int{299, 37, 138, 128, 102, 12, 115, 145, 5, 47, 227, 227, 1, 30, 45, 59}},
	{nodes: []int{1, 20, 40, 1314, 23, 18, 7, 8, 159, 117},
		edges: []int{1022, 240, 1, 1, 109, 6, 6, 6, 3, 201, 2, 2, 4, 4, 25, 8, 11, 55}},
	{nodes: []int{1, 10, 61, 22, 380, 1057, 12, 6, 39, 142, 105},
		edges: []int{10, 50, 1076, 2, 2, 4, 4, 102, 17, 7, 7, 9, 244, 104, 87, 108, 1}},
	{nodes: []int{1, 28, 43, 131, 137, 1043, 136, 42, 12, 122, 62, 233},
		edges: []int{162, 136, 171, 16, 1080, 4, 25, 1, 102, 109, 44, 36, 10, 19, 59, 7, 8}},
	{nodes: []int{1, 20, 49, 3, 305, 119, 1135, 81, 51, 239, 143},
		edges: []int{82, 82, 143, 50, 76, 2, 103, 63, 326, 6, 53, 1, 1, 1023, 109, 10, 10, 5}},
	{nodes: []int{1, 43, 97, 11297, 1015, 1710, 1082, 1861, 1242, 1046, 1251, 1290},
		edges: []int{1049, 1102, 317, 1079, 42, 10240, 1040, 1179, 1, 1044, 5, 1057, 87, 1007, 1250, 1230, 7, 18, 172, 8}},
}

// statements returns the number of statements that load d.
func (d *document) statements() int { return len(d.nodes) + len(d.edges) }

// nodeCount returns the number of nodes of d.
func (d *document) nodeCount() int { return sum(d.nodes) }

// rows returns the number of rows of d, nodes and edges.
func (d *document) rows() int { return sum(d.nodes) + sum(d.edges) }

func sum(v []int) (n int) {
	for _, x := range v {
		n += x
	}
	return n
}
