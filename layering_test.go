package hearsay_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/hearsay-memory/hearsay"

// below says, for each package, which of ours it may import, by the layout of
// docs/decisions/0001-layout.md. Arrows point down only. A package that is not
// listed may import nothing of ours; "*" may import everything.
var below = map[string][]string{
	"":                          nil,
	"ledger":                    nil,
	"event":                     {"", "ledger"},
	"mark":                      {"", "internal/textfold"},
	"recall":                    {""},
	"policy":                    {"", "internal/source"},
	"internal/textfold":         nil,
	"internal/strictjson":       nil,
	"internal/source":           {"", "internal/strictjson"},
	"internal/lint":             {"", "internal/textfold"},
	"internal/asuser":           nil,
	"internal/attrib":           {"", "internal/textfold"},
	"internal/reviewer":         nil,
	"internal/reviewer/keyfile": {"internal/reviewer"},
	"internal/home":             nil,
	"internal/term":             {"internal/textfold"},
	"internal/term/termtest":    nil,
	"internal/tell":             {"", "event", "internal/term"},
	"internal/blamepage":        {"", "internal/term"},
	"internal/hostproc":         nil,
	"internal/hosts":            {"", "internal/strictjson"},
	"internal/hosts/install":    nil,
	"internal/hosts/setup":      {"", "internal/home", "internal/hosts/install", "internal/hostproc", "internal/instance"},
	"guard":                     {"", "event", "ledger", "policy", "internal/source", "internal/attrib", "internal/reviewer"},
	"internal/store/sqlite":     {"", "event", "guard", "ledger"},
	"internal/store/storetest":  {"", "event", "guard", "ledger"},
	"internal/guardtest":        {"", "guard", "internal/reviewer", "internal/store/sqlite", "ledger", "policy"},
	"internal/mcp/wire":         {"internal/strictjson"},
	"internal/mcp":              {"", "event", "guard", "mark", "internal/mcp/wire", "internal/strictjson"},
	"internal/loopback":         nil,
	"internal/mcpserver":        {"", "event", "guard", "recall", "internal/loopback", "internal/mcp/wire", "internal/memory", "internal/memtool", "internal/strictjson", "internal/token"},
	"internal/mcp/agentend":     {"", "internal/mcp"},
	"internal/detect":           {"", "internal/textfold"},
	"internal/memory":           {"", "event", "guard", "mark", "policy", "recall", "internal/reviewer", "internal/textfold"},
	"internal/command":          nil,
	"internal/memory/embed":     {"internal/command", "internal/memory"},
	"internal/portable":         {"", "internal/memory", "internal/source", "internal/strictjson", "mark", "recall"},
	"internal/memory/sleep":     {"", "event", "guard", "internal/command", "internal/memory", "recall"},
	"internal/audit":            {"", "event", "guard", "ledger", "internal/detect", "internal/memory"},
	"internal/shell":            {""},
	"internal/git":              nil,
	"internal/memfile":          {"", "event", "guard", "internal/git", "internal/memfile/segment", "internal/textfold"},
	"internal/memfile/segment":  {""},
	"internal/memtool":          {"", "event", "guard", "mark", "internal/loopback", "internal/memfile", "internal/memfile/segment", "internal/strictjson", "internal/token"},
	"internal/hook": {"", "event", "guard", "mark", "policy", "internal/git", "internal/hosts", "internal/hosts/install", "internal/memfile",
		"internal/memfile/segment", "internal/shell", "internal/strictjson"},
	"internal/instance": {"", "event", "guard", "ledger", "policy", "internal/home", "internal/lint",
		"internal/reviewer", "internal/store/sqlite"},
	"internal/effect":   {"", "event", "guard", "internal/instance", "internal/strictjson", "internal/tell", "internal/term"},
	"internal/hometest": {"", "event", "guard", "internal/effect", "internal/instance", "internal/people"},
	"internal/review":   {"", "event", "guard", "internal/instance", "internal/memfile", "internal/memory", "internal/reviewer", "internal/tell", "internal/term", "recall"},
	"internal/story":    {"", "event", "guard", "ledger", "policy", "internal/instance", "internal/tell", "internal/term"},
	"internal/blame": {"", "event", "guard", "internal/blamepage", "internal/git", "internal/hook", "internal/instance", "internal/memfile", "internal/memfile/segment",
		"internal/tell", "internal/term"},
	"internal/adopt": {"", "guard", "internal/blame", "internal/hook", "internal/instance", "internal/lint", "internal/memfile", "internal/memfile/segment",
		"internal/reviewer", "internal/tell", "internal/term"},
	"internal/transfer": {"", "guard", "internal/home", "internal/instance", "internal/memory", "internal/portable", "recall"},
	"internal/caller":   {"", "guard", "internal/hostproc", "internal/instance"},
	"internal/token":    {"", "guard"},
	"internal/doctor": {"", "event", "guard", "ledger", "policy", "internal/audit", "internal/detect", "internal/home", "internal/hook", "internal/hosts/install",
		"internal/hosts/setup", "internal/instance", "internal/memfile", "internal/people", "internal/shell", "internal/tell"},
	"internal/people":     {"", "policy", "internal/home", "internal/instance", "internal/reviewer", "internal/reviewer/keyfile", "internal/term"},
	"internal/bench":      {"*"},
	"internal/bench/bare": nil,
	"internal/attack":     {"*"},
	"internal/demo":       {"*"},
	"cmd/hearsay":         {"*"},
	"cmd/hearsay-hook":    {"", "internal/home", "internal/hook", "internal/hosts", "internal/hostproc", "internal/instance", "internal/memfile", "internal/shell", "policy"},
}

// sourceFile is one Go file of the tree.
type sourceFile struct {
	name string // slash-separated, from the root
	file *ast.File
	test bool
}

func (s sourceFile) pkg() string {
	if d := path.Dir(s.name); d != "." {
		return d
	}
	return ""
}

// sources parses every Go file: the files themselves, because the answer of a
// `go list` inside a test can be stale.
func sources(t *testing.T, mode parser.Mode) []sourceFile {
	t.Helper()
	var out []sourceFile
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != "." || d.Name() == "testdata" || d.Name() == "bin") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, mode)
		if err != nil {
			return err
		}
		out = append(out, sourceFile{filepath.ToSlash(name), f, strings.HasSuffix(name, "_test.go")})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestArrowsPointDown(t *testing.T) {
	for _, s := range sources(t, parser.ImportsOnly) {
		if s.test {
			continue
		}
		allowed, listed := below[s.pkg()]
		if !listed {
			t.Errorf("%s: package %q has no place in the layout: add it to below", s.name, s.pkg())
			continue
		}
		for _, imp := range s.file.Imports {
			name, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			ours, ok := strings.CutPrefix(name, module)
			if !ok {
				continue
			}
			ours = strings.TrimPrefix(ours, "/")
			if !contains(allowed, ours) {
				t.Errorf("%s imports %q: that arrow points up", s.name, name)
			}
		}
	}
}

func contains(allowed []string, name string) bool {
	for _, a := range allowed {
		if a == name || a == "*" {
			return true
		}
	}
	return false
}

func TestOnePackageDoc(t *testing.T) {
	docs := make(map[string]int)
	for _, s := range sources(t, parser.ParseComments) {
		if s.test {
			continue
		}
		n := docs[s.pkg()]
		if s.file.Doc != nil {
			n++
		}
		docs[s.pkg()] = n
	}
	for pkg, n := range docs {
		if n != 1 {
			t.Errorf("package %q has %d package comments, want one", pkg, n)
		}
	}
}

// TestCallersAreMadeAtTheEdge keeps identity out of payloads' reach: only surfaces,
// and what plays one, make a caller.
func TestCallersAreMadeAtTheEdge(t *testing.T) {
	edge := map[string]bool{"internal/instance": true, "internal/mcp": true, "internal/attack": true, "internal/demo": true, "internal/bench": true, "cmd/hearsay": true}
	for _, s := range sources(t, 0) {
		if s.test || edge[s.pkg()] {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			if sel, ok := lit.Type.(*ast.SelectorExpr); ok && sel.Sel.Name == "Caller" {
				t.Errorf("%s makes a hearsay.Caller: callers are made by surfaces only", s.name)
			}
			return true
		})
	}
}

func TestNoInitFunctions(t *testing.T) {
	for _, s := range sources(t, 0) {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s has an init function: construct in main instead", s.name)
			}
		}
	}
}

// TestReadmeCommands keeps the two set-up commands of the README true.
func TestReadmeCommands(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"try", "test"} {
		if !strings.Contains(string(readme), "make "+target) {
			t.Errorf("the README does not say `make %s`", target)
		}
		if !strings.Contains(string(makefile), "\n"+target+":") {
			t.Errorf("the Makefile has no target %s", target)
		}
	}
}
