package attack

import (
	"os"
	"path/filepath"
)

// MemoryServer finds the real memory server that `make deps` installs: under
// HEARSAY_NPM_DIR, else in the project's own folder for what tests need. Nil where
// it is not there.
func MemoryServer(getenv func(string) string) []string {
	for _, dir := range [...]string{getenv("HEARSAY_NPM_DIR"), filepath.Join(".deps", "npm", "node_modules")} {
		if dir == "" {
			continue
		}
		abs, err := filepath.Abs(filepath.Join(dir, "@modelcontextprotocol", "server-memory", "dist", "index.js"))
		if err != nil {
			continue
		}
		if _, err := os.Stat(abs); err == nil {
			return []string{"node", abs}
		}
	}
	return nil
}
