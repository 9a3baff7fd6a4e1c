package hosts

import (
	"bytes"
	"fmt"
)

// traces are the fields that tell products apart. None of them is a field of another
// product's payload.
type traces struct {
	name string // hook_event_name

	promptID, effort, mode     bool // Claude Code; the mode also Codex
	turnID                     bool // Codex
	cursor, chat, generation   bool // Cursor
	camelSession, camelTool    bool // Copilot CLI
	camelEvent, stamp, cascade bool // VS Code, most others, Windsurf
}

// look gathers the traces of a payload. It need not be one that is read later.
func look(payload []byte) (t traces) {
	skim(payload, func(key string, value []byte) {
		switch key {
		case "hook_event_name":
			t.name = string(bytes.Trim(value, `"`))
		case "prompt_id":
			t.promptID = true
		case "effort":
			t.effort = true
		case "permission_mode":
			t.mode = true
		case "turn_id":
			t.turnID = true
		case "cursor_version":
			t.cursor = true
		case "conversation_id":
			t.chat = true
		case "generation_id":
			t.generation = true
		case "sessionId":
			t.camelSession = true
		case "toolName", "toolArgs":
			t.camelTool = true
		case "hookEventName":
			t.camelEvent = true
		case "timestamp":
			t.stamp = true
		case "agent_action_name", "trajectory_id":
			t.cascade = true
		}
	})
	return t
}

// product names the product that a payload shows to have written it; "" where it
// shows none. A trace of a product that we do not speak to counts for more than one
// of a product that we do: the answer to the wrong one may let a tool run.
func (t traces) product() string {
	switch {
	case t.cursor || t.chat && t.generation || t.name != "" && t.name[0] >= 'a' && t.name[0] <= 'z':
		return "cursor"
	case t.cascade:
		return "windsurf"
	case t.camelEvent:
		return "vscode"
	case t.camelSession || t.camelTool:
		return "copilot"
	}
	switch t.name {
	case "BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection", "PreCompress":
		return "gemini"
	}
	switch claude, codex := t.promptID || t.effort, t.turnID; {
	case t.stamp && !claude && !codex && !t.mode:
		return "copilot" // its form with Claude Code's names; Gemini and VS Code write a timestamp too
	case claude && !codex:
		return "claude"
	case codex && !claude:
		return "codex"
	}
	return ""
}

// maybeGemini reports whether a payload may be one of Gemini CLI's that has the name of
// another product's event. It shows a timestamp and nothing of another product.
func (t traces) maybeGemini() bool {
	shared := t.name == "SessionStart" || t.name == "SessionEnd" || t.name == "Notification"
	return shared && t.stamp && !t.mode && !t.promptID && !t.effort && !t.turnID && !t.cursor && !t.chat && !t.camelSession && !t.camelEvent && !t.cascade
}

// Detect finds the dialect in which a payload is to be read and answered. named is
// the host that the hook's command line names, or "". What the payload shows decides,
// because a settings file of Claude Code is also read by Cursor, VS Code and Copilot
// CLI; where it shows nothing, named does; the environment, which is inherited from
// whatever started the host, only where there is neither. The error wraps
// [ErrUnsupported] and names a product only where one is known here.
func Detect(payload []byte, env func(string) string, named string) (Dialect, error) {
	shown := look(payload)
	product := shown.product()
	if product == "" || named == "gemini" && shown.maybeGemini() {
		product = named
	}
	if product == "" && env != nil {
		product = fromEnvironment(env)
	}
	if product == "cursor" && named != "" && named != product {
		return cursorGuest().dialect(), nil
	}
	if d, ok := Find(product); ok {
		return d, nil
	}
	switch product {
	case "vscode":
		return Dialect{}, fmt.Errorf("%w: %s", ErrUnsupported, product)
	case "":
		return Dialect{}, fmt.Errorf("%w: name the host on the hook's command line", ErrUnsupported)
	}
	return Dialect{}, fmt.Errorf("%w: the name on the hook's command line is not one of them", ErrUnsupported)
}

// fromEnvironment names the product whose hooks have these variables.
func fromEnvironment(env func(string) string) string {
	switch {
	case env("CURSOR_VERSION") != "":
		return "cursor"
	case env("GEMINI_SESSION_ID") != "":
		return "gemini"
	case env("COPILOT_CLI") != "": // it sets the variable of Claude Code too
		return "copilot"
	case env("CLAUDE_PROJECT_DIR") != "" || env("CLAUDECODE") != "":
		return "claude"
	}
	return ""
}
