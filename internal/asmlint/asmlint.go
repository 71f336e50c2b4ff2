// Package asmlint checks the rules for assembly that neither the assembler nor vet
// enforces.
//
//	size        TEXT ·Name(SB), flags, $frame-args, with an argument size above 0: a
//	            missing size or 0 switches off vet's check of the arguments
//	nosplit     TEXT carries NOSPLIT
//	comment     between the function before and TEXT Name stands a comment line that
//	            begins with "func Name(", the Go signature
//	call        no CALL (BL on arm64) and no jump to another symbol
//	opcode      no BYTE, WORD, LONG or QUAD: the assembler spells every instruction
//	register    BP (R29 on arm64) is not named: writing it cuts the stack of every
//	            profile that walks frame pointers. On arm64 neither are R18 and R28,
//	            which belong to the platform and to the scheduler
//	vzeroupper  on amd64 every RET of a function that names a Y or Z register comes
//	            after VZEROUPPER, with no label and no such register between them;
//	            every RET in a macro does, whichever function uses the macro
//	file        the name ends in _amd64.s or _arm64.s, which says whose rules hold
//
// The checker reads lines and names, not semantics. It knows #define with continuation
// lines, and follows macros that name wide registers through other macros.
package asmlint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Finding is one violation of a rule.
type Finding struct {
	File string
	Line int // from 1
	Rule string
	What string
}

// String returns f in the form of a compiler message.
func (f Finding) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", f.File, f.Line, f.Rule, f.What)
}

var (
	textRE   = regexp.MustCompile(`^TEXT\s+·\w+\(SB\),\s*[\w|]+,\s*\$\d+-(\d+)$`)
	symbolRE = regexp.MustCompile(`^TEXT\s+·(\w+)`)
	headRE   = regexp.MustCompile(`^//\s*func (\w+)\(`)
	defineRE = regexp.MustCompile(`^#define\s+(\w+)`)
	labelRE  = regexp.MustCompile(`^(\w+):\s*`)
	wideRE   = regexp.MustCompile(`\b[YZ]([12]?\d|3[01])\b`)
	nameRE   = regexp.MustCompile(`\w+`)
	rawRE    = regexp.MustCompile(`^(BYTE|WORD|LONG|QUAD)$`)
	jumpRE   = regexp.MustCompile(`^(JMP|B|J[A-Z]{1,3})$`)

	frameRE = map[string]*regexp.Regexp{
		amd64: regexp.MustCompile(`\b(BP|EBP|RBP)\b`),
		arm64: regexp.MustCompile(`\b(R29|R28|g|R18|R18_PLATFORM)\b`),
	}
)

const (
	amd64 = "amd64"
	arm64 = "arm64"
)

// statement is one instruction, or a label or TEXT alone.
type statement struct {
	line  int
	op    string // upper-case mnemonic, "" for a label
	text  string
	macro string // the macro whose body holds it
}

// Check returns the violations in one file of Go assembly, in the order of lines. Only
// the base of name matters: its ending says the architecture.
func Check(name string, src []byte) []Finding {
	c := checker{file: name, wideMacros: map[string]bool{}}
	switch {
	case strings.HasSuffix(name, "_amd64.s"):
		c.arch = amd64
	case strings.HasSuffix(name, "_arm64.s"):
		c.arch = arm64
	default:
		c.report(1, "file", "the name ends in neither _amd64.s nor _arm64.s")
		return c.findings
	}
	statements := split(string(src))
	c.collectMacros(statements)
	for _, s := range statements {
		c.checkStatement(s)
	}
	c.checkHeaders(string(src))
	if c.arch == amd64 {
		c.checkReturns(statements)
	}
	slices.SortStableFunc(c.findings, func(a, b Finding) int { return a.Line - b.Line })
	return c.findings
}

// split cuts src into statements: comments removed, one label, instruction or TEXT each.
func split(src string) []statement {
	var out []statement
	macro := ""
	for i, line := range strings.Split(src, "\n") {
		code, _, _ := strings.Cut(line, "//")
		code = strings.TrimSpace(code)
		goesOn := strings.HasSuffix(code, `\`)
		code = strings.TrimSpace(strings.TrimSuffix(code, `\`))
		if m := defineRE.FindStringSubmatch(code); m != nil {
			macro = m[1]
			code = strings.TrimPrefix(code, m[0])
			if strings.HasPrefix(code, "(") {
				_, code, _ = strings.Cut(code, ")")
			}
		} else if strings.HasPrefix(code, "#") {
			continue
		}
		for part := range strings.SplitSeq(code, ";") {
			part = strings.TrimSpace(part)
			if m := labelRE.FindString(part); m != "" {
				out = append(out, statement{line: i + 1, text: m, macro: macro})
				part = part[len(m):]
			}
			if op, _, _ := strings.Cut(strings.ReplaceAll(part, "\t", " "), " "); op != "" {
				out = append(out, statement{i + 1, op, part, macro})
			}
		}
		if !goesOn {
			macro = ""
		}
	}
	return out
}

type checker struct {
	file, arch string
	wideMacros map[string]bool // macros that name a wide register
	findings   []Finding
}

func (c *checker) report(line int, rule, what string) {
	c.findings = append(c.findings, Finding{c.file, line, rule, what})
}

// collectMacros finds the macros that name a wide register, also through others.
func (c *checker) collectMacros(statements []statement) {
	for grown := true; grown; {
		grown = false
		for _, s := range statements {
			if s.macro != "" && !c.wideMacros[s.macro] && c.isWide(s) {
				c.wideMacros[s.macro] = true
				grown = true
			}
		}
	}
}

// isWide reports whether s names a Y or Z register or a macro that does.
func (c *checker) isWide(s statement) bool {
	if wideRE.MatchString(s.text) {
		return true
	}
	for _, name := range nameRE.FindAllString(s.text, -1) {
		if c.wideMacros[name] {
			return true
		}
	}
	return false
}

// checkStatement holds s against every rule that needs nothing around it.
func (c *checker) checkStatement(s statement) {
	switch {
	case s.op == "TEXT":
		c.checkText(s)
		return
	case s.op == "CALL" || c.arch == arm64 && (s.op == "BL" || s.op == "BLR"):
		c.report(s.line, "call", s.text)
	case jumpRE.MatchString(s.op) && strings.Contains(s.text, "(SB)"):
		c.report(s.line, "call", s.text)
	case rawRE.MatchString(s.op):
		c.report(s.line, "opcode", s.text)
	}
	if r := frameRE[c.arch].FindString(s.text); r != "" && s.op != "" {
		c.report(s.line, "register", r+" in "+s.text)
	}
}

func (c *checker) checkText(s statement) {
	m := textRE.FindStringSubmatch(s.text)
	switch {
	case m == nil:
		c.report(s.line, "size", "no exact $frame-args: "+s.text)
	case m[1] == "0":
		c.report(s.line, "size", "an argument size of 0 is not checked by vet: "+s.text)
	}
	if !strings.Contains(s.text, "NOSPLIT") {
		c.report(s.line, "nosplit", s.text)
	}
}

// checkHeaders looks for the signature above every TEXT, since the TEXT before it.
func (c *checker) checkHeaders(src string) {
	described := map[string]bool{}
	for i, line := range strings.Split(src, "\n") {
		if m := headRE.FindStringSubmatch(line); m != nil {
			described[m[1]] = true
		}
		if m := symbolRE.FindStringSubmatch(line); m != nil {
			if !described[m[1]] {
				c.report(i+1, "comment", "no comment says func "+m[1])
			}
			clear(described)
		}
	}
}

// checkReturns holds every function and every macro against the rule vzeroupper.
func (c *checker) checkReturns(statements []statement) {
	bodies := map[string][]statement{} // of macros, by name
	var function []statement
	for _, s := range statements {
		if s.macro != "" {
			bodies[s.macro] = append(bodies[s.macro], s)
			continue
		}
		if s.op == "TEXT" {
			c.checkBody(function)
			function = nil
		}
		function = append(function, s)
	}
	c.checkBody(function)
	for _, body := range bodies {
		c.checkBody(body)
	}
}

// checkBody walks the statements of one function or one macro.
func (c *checker) checkBody(body []statement) {
	wide := false
	for _, s := range body {
		wide = wide || s.macro != "" || c.isWide(s)
	}
	if !wide {
		return
	}
	clean := false
	for _, s := range body {
		switch {
		case s.op == "VZEROUPPER":
			clean = true
		case s.op == "" || c.isWide(s):
			clean = false
		case s.op == "RET" && !clean:
			c.report(s.line, "vzeroupper", "RET without VZEROUPPER before it")
		}
	}
}
