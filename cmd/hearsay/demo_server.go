package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/hearsay-memory/hearsay/internal/demo"
)

// demoServerCommand is one of the servers of the story as a program, to put behind a
// proxy where no real one is installed. It guards nothing.
func (a *app) demoServerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "demo-server memory|web",
		Hidden: true,
		Short:  "Run one of the demo's MCP servers over stdio",
		Long: `Run a small MCP server over stdio: memory, a knowledge graph that is kept in the file
MEMORY_FILE_PATH if that is set and forgotten otherwise, or web, a reader of a few
built-in pages. To try the proxy with nothing installed:

  hearsay mcp --profile server-memory --assume agent -- hearsay demo-server memory
  hearsay mcp -- hearsay demo-server web`,
		Args: exactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			switch args[0] {
			case "memory":
				m, err := demo.NewMemory(os.Getenv("MEMORY_FILE_PATH"))
				if err != nil {
					return err
				}
				return m.Server().Serve(a.in, a.out)
			case "web":
				return demo.Web().Serve(a.in, a.out)
			}
			return usageError("no demo server %q: there are memory and web", args[0])
		},
	}
}
