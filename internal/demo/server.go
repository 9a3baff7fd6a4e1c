package demo

import (
	"bufio"
	"encoding/json"
	"io"
)

// tool is one tool of a built-in server: it takes arguments and returns a structured
// result, or an error for the agent.
type tool func(args json.RawMessage) (any, error)

// message is a request or notification of JSON-RPC 2.0.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"params"`
}

// serve answers requests until in ends: the legacy handshake, a list of tools, and
// calls. It is a stage prop, not a general server.
func serve(in io.Reader, out io.Writer, name string, tools map[string]tool) error {
	enc := json.NewEncoder(out)
	for sc := bufio.NewScanner(in); sc.Scan(); {
		var m message
		if err := json.Unmarshal(sc.Bytes(), &m); err != nil {
			return err
		}
		if m.ID == nil {
			continue
		}
		if err := enc.Encode(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": answer(m, name, tools)}); err != nil {
			return err
		}
	}
	return nil
}

func answer(m message, name string, tools map[string]tool) any {
	switch m.Method {
	case "initialize":
		return map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{"tools": map[string]any{}},
			"serverInfo": map[string]any{"name": name, "version": "1"}}
	case "tools/call":
		call, ok := tools[m.Params.Name]
		if !ok {
			return failed("no such tool")
		}
		result, err := call(m.Params.Arguments)
		if err != nil {
			return failed(err.Error())
		}
		text, err := json.Marshal(result)
		if err != nil {
			return failed(err.Error())
		}
		return map[string]any{"content": []any{textBlock(string(text))}, "structuredContent": result}
	}
	return map[string]any{}
}

func failed(text string) any {
	return map[string]any{"content": []any{textBlock(text)}, "isError": true}
}

func textBlock(text string) any { return map[string]any{"type": "text", "text": text} }
