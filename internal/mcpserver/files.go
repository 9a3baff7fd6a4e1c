package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hearsay-memory/hearsay/internal/memtool"
)

// addFiles declares the memory tool, whose files [Options.Files] keeps, beside our own tools.
func (s *Server) addFiles() {
	name, description, schema := memtool.Tool()
	s.sdk.AddTool(&mcp.Tool{Name: name, Title: "Memory files", Description: description, InputSchema: schema},
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			leave, err := s.enter(ctx)
			if err != nil {
				return nil, err
			}
			defer leave()
			c, err := s.call(ctx, name, req)
			if err != nil {
				return s.failure(name, err), nil
			}
			return s.files(ctx, c), nil
		})
}

// files carries out one command. Who calls and who speaks is what the connection shows.
func (s *Server) files(ctx context.Context, c *call) *mcp.CallToolResult {
	h := *s.Files
	h.Guard, h.Host = s.Guard, s.Host
	h.Source, h.Assumed = s.speaker()
	reply, err := h.MCP(ctx, c.caller, c.guard, c.req.Params.Arguments)
	if err != nil {
		s.Log.Error("a call failed", "tool", c.tool, "error", err)
	}
	return &mcp.CallToolResult{IsError: reply.IsError, Content: []mcp.Content{&mcp.TextContent{Text: reply.Text}}}
}
