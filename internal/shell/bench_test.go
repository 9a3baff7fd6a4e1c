package shell

import (
	"strings"
	"testing"
	"time"
)

// repeated returns s as often as it fits into n bytes.
func repeated(s string, n int) string { return strings.Repeat(s, n/len(s)) }

// ordinary is a command of 1 KiB as agents write them.
var ordinary = repeated("cd /w/app && go test ./... 2>&1 | tail -20; git add -A && git commit -m \"fix: $(date)\"; sed -i 's/a/b/' README.md; for f in *.go; do gofmt -l \"$f\"; done; cat <<'EOF' > notes.md\nsome words in a file\nEOF\n", 1024)

// worst are shapes that cost the most for their length.
var worst = map[string]func(n int) string{
	"parens":     func(n int) string { return repeated("(", n) },
	"balanced":   func(n int) string { return repeated("(", n/2) + repeated(")", n/2) },
	"subst":      func(n int) string { return repeated("$(", n) },
	"quotes":     func(n int) string { return repeated("\"$(", n) },
	"backquotes": func(n int) string { return repeated("`a ", n) },
	"pipe":       func(n int) string { return repeated("a|", n) + "a" },
	"and":        func(n int) string { return repeated("cd a&&", n) + "a" },
	"or":         func(n int) string { return repeated("cd a||", n) + "a" },
	"lines":      func(n int) string { return repeated("a\n", n) },
	"if":         func(n int) string { return repeated("if a;then ", n) },
	"unary":      func(n int) string { return "((" + repeated("-", n) },
	"ternary":    func(n int) string { return "((" + repeated("1?", n) },
	"assign":     func(n int) string { return repeated("x=$x$x;", n) },
	"variables":  func(n int) string { return repeated("a$x=b;(c=d);", n) },
	"words":      func(n int) string { return "rm " + repeated("a ", n) },
	"braces":     func(n int) string { return "rm " + repeated("{a,b}", n) },
	"open":       func(n int) string { return "rm " + repeated("{", n) },
	"functions":  func(n int) string { return "a(){ b;b;b; };b(){ c;c;c; };c(){ a;a;a; };" + repeated("a;", n) },
	"loops":      func(n int) string { return repeated("for i in a b;do i=$i$i;", n) + repeated("done;", n) },
	"heredocs":   func(n int) string { return repeated("a<<A;", n) + "\n" + repeated("A\n", n) },
	"eval":       func(n int) string { return "eval " + repeated("eval ", n) + "a" },
	"nested":     func(n int) string { return "x='" + repeated("$x ", n) + "';" + repeated("eval $x;", n) },
	"files":      func(n int) string { return repeated("echo a>b;sh b;", n) },
	"growing":    func(n int) string { return repeated("echo a>>b;cat b>>b;", n) },
	"python":     func(n int) string { return "python -c '" + repeated("open(\"a\",\"w\");", n) + "'" },
	"system":     func(n int) string { return "python -c '" + repeated("system(\"a\");", n) + "'" },
	"sed":        func(n int) string { return "sed '" + repeated("s/a/b/w c\n", n) + "'" },
	"copy":       func(n int) string { return repeated("cp a b c d;", n) },
	"cds":        func(n int) string { return repeated("cd a;cat b;", n) },
	"quotesonly": func(n int) string { return repeated("'", n) },
	"dollars":    func(n int) string { return repeated("${a:-", n) },
	"tests":      func(n int) string { return "[[ " + repeated("a && ", n) + "a ]]" },
	"find":       func(n int) string { return "find a " + repeated("-exec a {} + ", n) },
	"commands":   func(n int) string { return repeated("sudo ", n) + "a" },
	"set":        func(n int) string { return "set -- " + repeated("a ", n) + ";" + repeated("$@;", n) },
}

func BenchmarkOrdinary(b *testing.B) {
	b.SetBytes(int64(len(ordinary)))
	b.ReportAllocs()
	for b.Loop() {
		Analyze(ordinary, here)
	}
}

func BenchmarkShort(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Analyze("git status && go test ./...", here)
	}
}

func BenchmarkWorst(b *testing.B) {
	for name, shape := range worst {
		s := shape(1024)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Analyze(s, here)
			}
		})
	}
}

// No shape takes long, in either dialect: a command cannot stop the door.
func TestWorstShapesAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads 128 KiB of each shape")
	}
	// So long that a square of it takes longer than that, and what is linear not a second;
	// a busy machine decides nothing.
	const size, bound = 1 << 17, 30 * time.Second
	for name, shape := range worst {
		s := shape(size)
		for d := Bash; d <= PowerShell; d++ {
			c := here
			c.Dialect = d
			start := time.Now()
			checkEffects(t, name, Analyze(s, c))
			took := time.Since(start)
			t.Logf("%s, dialect %d: %v", name, d, took)
			if took > bound {
				t.Errorf("%s, dialect %d: took %v", name, d, took)
			}
		}
	}
}
