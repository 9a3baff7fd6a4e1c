package demo

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// maxLine bounds one message to a built-in server, in bytes.
const maxLine = 16 << 20

// Server is a small MCP server over a pair of pipes, with the handshake of protocol
// versions up to 2025-11-25. It is a stage prop for people and tests and not a general
// server: it serves one client, one request after the other.
type Server struct {
	name  string
	tools map[string]tool
}

// tool is one tool of a built-in server.
type tool struct {
	about  string
	schema string                             // of its arguments: a JSON Schema
	call   func(json.RawMessage) (any, error) // returns the structured result, or an error for the agent
}

// message is a request or notification of JSON-RPC 2.0.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// fault is an error object of JSON-RPC 2.0.
type fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// The codes of JSON-RPC 2.0 that are used.
const (
	codeMethod  = -32601
	codeInvalid = -32602
)

// Serve answers requests until in ends, which is no error.
func (s *Server) Serve(in io.Reader, out io.Writer) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	sc := bufio.NewScanner(in)
	sc.Buffer(nil, maxLine)
	for sc.Scan() {
		var m message
		if err := json.Unmarshal(sc.Bytes(), &m); err != nil {
			return fmt.Errorf("%s server: the client sent no JSON-RPC message: %w", s.name, err)
		}
		if m.ID == nil {
			continue // notifications change nothing here
		}
		answer := map[string]any{"jsonrpc": "2.0", "id": m.ID}
		if result, fail := s.answer(m); fail != nil {
			answer["error"] = fail
		} else {
			answer["result"] = result
		}
		if err := enc.Encode(answer); err != nil {
			return fmt.Errorf("%s server: %w", s.name, err)
		}
	}
	if err := sc.Err(); err != nil && !errors.Is(err, io.ErrClosedPipe) {
		return fmt.Errorf("%s server: %w", s.name, err)
	}
	return nil
}

func (s *Server) answer(m message) (any, *fault) {
	switch m.Method {
	case "initialize":
		return map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{"tools": map[string]any{}},
			"serverInfo": map[string]any{"name": s.name, "version": "1"}}, nil
	case "ping":
		return map[string]any{}, nil
	case "tools/list":
		list := []any{}
		for _, name := range slices.Sorted(maps.Keys(s.tools)) {
			t := s.tools[name]
			list = append(list, map[string]any{"name": name, "description": t.about, "inputSchema": json.RawMessage(t.schema)})
		}
		return map[string]any{"tools": list}, nil
	case "tools/call":
		return s.call(m.Params)
	}
	return nil, &fault{codeMethod, "no method " + m.Method}
}

func (s *Server) call(params json.RawMessage) (any, *fault) {
	var p struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, &fault{codeInvalid, err.Error()}
	}
	t, ok := s.tools[p.Name]
	if !ok {
		return nil, &fault{codeInvalid, "no tool " + p.Name}
	}
	if p.Arguments == nil {
		p.Arguments = json.RawMessage("{}")
	}
	result, err := t.call(p.Arguments)
	if err != nil {
		return map[string]any{"content": []any{textBlock(err.Error())}, "isError": true}, nil
	}
	text, err := json.MarshalIndent(result, "", "  ")
	if err != nil {
		return map[string]any{"content": []any{textBlock(err.Error())}, "isError": true}, nil
	}
	return map[string]any{"content": []any{textBlock(string(text))}, "structuredContent": result}, nil
}

func textBlock(text string) any { return map[string]any{"type": "text", "text": text} }

// typed makes a tool's call of a function with typed arguments.
func typed[In any](f func(In) (any, error)) func(json.RawMessage) (any, error) {
	return func(args json.RawMessage) (any, error) {
		var in In
		if err := json.Unmarshal(args, &in); err != nil {
			return nil, fmt.Errorf("arguments: %w", err)
		}
		return f(in)
	}
}
