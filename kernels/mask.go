package kernels

import "fmt"

// wordBits is the number of rows that one bitmap word covers.
const wordBits = 64

// wordsFor returns the number of bitmap words that n rows take.
func wordsFor(n int) int { return (n + wordBits - 1) / wordBits }

// checkRows panics if bitmap does not cover n rows, naming the kernel.
func checkRows(kernel string, bitmap []uint64, n int) {
	if n < 0 || wordsFor(n) > len(bitmap) {
		panic(fmt.Sprintf("kernels: %s: %d rows in a bitmap of %d words", kernel, n, len(bitmap)))
	}
}

// validWords returns the words of valid that cover n rows, and nil for nil (every row
// present). It panics if valid is too short.
func validWords(valid []uint64, n int) []uint64 {
	if valid == nil {
		return nil
	}
	return valid[:wordsFor(n)]
}

// present reports whether row i has a value.
func present(valid []uint64, i int) bool {
	return valid == nil || valid[i/wordBits]>>(i%wordBits)&1 != 0
}

// wholeWords cuts v and the validity of v after the last row that fills a bitmap word.
// The validity is nil in both parts where valid is nil.
func wholeWords[T any](v []T, valid []uint64) (head, tail []T, headValid, tailValid []uint64) {
	words := len(v) / wordBits
	head, tail = v[:words*wordBits], v[words*wordBits:]
	if valid != nil {
		headValid, tailValid = valid[:words], valid[words:]
	}
	return head, tail, headValid, tailValid
}
