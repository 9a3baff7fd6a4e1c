package hosts

import (
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestImportsStayLight: the package is linked into a program that starts for every
// tool call, so what it imports is counted.
func TestImportsStayLight(t *testing.T) {
	allowed := []string{"bytes", "crypto/sha256", "errors", "fmt", "slices", "strings", "unicode/utf8", "github.com/hearsay-memory/hearsay/internal/strictjson"}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, imp := range parsed.Imports {
			if name, err := strconv.Unquote(imp.Path.Value); err != nil || !slices.Contains(allowed, name) {
				t.Errorf("%s imports %s", f.Name(), imp.Path.Value)
			}
		}
	}
}
