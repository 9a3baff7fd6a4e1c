package demo

import (
	"context"
	"io"

	"github.com/hearsay-memory/hearsay"
	"github.com/hearsay-memory/hearsay/internal/mcp"
	"github.com/hearsay-memory/hearsay/internal/mcp/agentend"
)

// connect puts a proxy in front of a built-in server and shakes hands.
func connect(ctx context.Context, server *Server, o mcp.Options) (*agentend.Agent, error) {
	serverIn, toServer := io.Pipe()
	fromServer, serverOut := io.Pipe()
	go func() { serverOut.CloseWithError(server.Serve(serverIn, serverOut)) }()
	return agentend.Connect(ctx, "demo", func(ctx context.Context, client mcp.Pipe) error {
		defer toServer.Close()
		return mcp.Serve(ctx, client, mcp.Pipe{In: fromServer, Out: toServer}, o)
	})
}

// save saves one note through the memory server.
func save(a *agentend.Agent, name, text string, parents ...hearsay.RecordID) (string, error) {
	return a.Call("create_entities", map[string]any{"entities": []entity{{Name: name, EntityType: "note", Observations: []string{text}}}}, parents...)
}
