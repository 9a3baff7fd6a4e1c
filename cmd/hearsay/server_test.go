package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// server plays an MCP server that answers a call with the call's own text.
func server() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var req struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Arguments struct {
					Text string `json:"text"`
				} `json:"arguments"`
			} `json:"params"`
		}
		if err := json.Unmarshal(in.Bytes(), &req); err != nil || req.ID == nil {
			continue
		}
		result := `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"server","version":"1"}}`
		if req.Method == "tools/call" {
			text, err := json.Marshal(req.Params.Arguments.Text)
			if err != nil {
				return
			}
			result = fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, text)
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", req.ID, result)
	}
}

// client plays an MCP client: `client FILE PROGRAM ARG…` starts the program, sends the
// lines of the file, each after the answer to the one before, and prints the answers.
func client() {
	if err := converse(os.Args[1], exec.Command(os.Args[2], os.Args[3:]...)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func converse(file string, program *exec.Cmd) error {
	lines, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	program.Stderr = os.Stderr
	in, err := program.StdinPipe()
	if err != nil {
		return err
	}
	out, err := program.StdoutPipe()
	if err != nil {
		return err
	}
	if err := program.Start(); err != nil {
		return err
	}
	answers := bufio.NewScanner(out)
	for line := range bytes.Lines(lines) {
		if _, err := in.Write(line); err != nil {
			break // it ended; how, Wait says
		}
		if bytes.Contains(line, []byte(`"id":`)) && answers.Scan() {
			fmt.Println(answers.Text())
		}
	}
	return errors.Join(in.Close(), program.Wait())
}
