// Package torture kills processes that write to a store and looks at what they leave.
//
// It has tests only. A test starts its own binary again as a child, which runs statements
// against a store in a directory and says on a pipe which one it begins and which one was
// acknowledged. The parent kills it with SIGKILL at a random moment: within a statement,
// a checkpoint, the opening of the store and its recovery, and then starts the next child
// on the same directory. What each statement does follows from a seed and its number, so
// that parent and child agree on every state of the store without talking about it.
//
// The parent keeps what it knows in a file of its own, the expected state: how many
// statements were acknowledged, and how many were begun. A child that has opened the store
// compares: it must hold exactly the acknowledged statements, or one more if another had
// been begun; and Check must find nothing.
package torture
