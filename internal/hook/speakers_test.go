package hook_test

import (
	"encoding/json"
	"maps"
)

// speaker is how a host tells its hooks of what happens. Events come before and after a
// tool runs.
type speaker struct {
	begin  func(session string) map[string]any // nil: the host tells of no starts
	prompt func(session, text string) map[string]any
	fetch  func(session, call, url, text string) []map[string]any
	edit   func(session, call, file, old, now string) (before, after map[string]any)
	run    func(session, call, command string) map[string]any
	call   func(session, call, tool string, args map[string]any) (before, after map[string]any) // of the server "memory"
}

// with returns fields over others.
func with(base map[string]any, more map[string]any) map[string]any {
	out := maps.Clone(base)
	maps.Copy(out, more)
	return out
}

func packed(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// pair is a call before and after it, for hosts that have one name for each and put the
// result beside the call.
func pair(fields map[string]any, event, before, after, result string, value any) (map[string]any, map[string]any) {
	return with(fields, map[string]any{event: before}), with(fields, map[string]any{event: after, result: value})
}

// speakers are all hosts, each by its own lines.
var speakers = map[string]speaker{
	"claude":   snakes("PreToolUse", "PostToolUse", claudeBase, "WebFetch", "Edit", "Bash"),
	"codex":    codexSpeaker(),
	"gemini":   geminiSpeaker(),
	"cursor":   cursorSpeaker(),
	"copilot":  copilotSpeaker(),
	"windsurf": windsurfSpeaker(),
}

func claudeBase(session string) map[string]any {
	return map[string]any{"session_id": session, "transcript_path": "/t", "cwd": "$WORK", "permission_mode": "default"}
}

// snakes is a host that speaks as Claude Code does.
func snakes(before, after string, base func(string) map[string]any, web, edit, shell string) speaker {
	tool := func(session, call, name string, input any) map[string]any {
		return with(base(session), map[string]any{"tool_name": name, "tool_use_id": call, "tool_input": input})
	}
	return speaker{
		begin: func(s string) map[string]any {
			return with(base(s), map[string]any{"hook_event_name": "SessionStart", "source": "startup"})
		},
		prompt: func(s, text string) map[string]any {
			return with(base(s), map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": text})
		},
		fetch: func(s, c, url, text string) []map[string]any {
			b, a := pair(tool(s, c, web, map[string]any{"url": url, "prompt": "x"}), "hook_event_name", before, after, "tool_response", map[string]any{"result": text, "url": url})
			return []map[string]any{b, a}
		},
		edit: func(s, c, file, old, now string) (map[string]any, map[string]any) {
			return pair(tool(s, c, edit, map[string]any{"file_path": file, "old_string": old, "new_string": now}), "hook_event_name", before, after, "tool_response", map[string]any{"filePath": file})
		},
		run: func(s, c, command string) map[string]any {
			return with(tool(s, c, shell, map[string]any{"command": command}), map[string]any{"hook_event_name": before})
		},
		call: func(s, c, name string, args map[string]any) (map[string]any, map[string]any) {
			return pair(tool(s, c, "mcp__memory__"+name, args), "hook_event_name", before, after, "tool_response", "done")
		},
	}
}

func codexSpeaker() speaker {
	base := func(s string) map[string]any {
		return map[string]any{"session_id": s, "turn_id": "t-1", "transcript_path": nil, "cwd": "$WORK", "model": "m", "permission_mode": "default"}
	}
	s := snakes("PreToolUse", "PostToolUse", base, "", "", "Bash")
	tool := func(session, call, name, command string) map[string]any {
		return with(base(session), map[string]any{"tool_name": name, "tool_use_id": call, "tool_input": map[string]any{"command": command}})
	}
	s.fetch = func(session, call, url, text string) []map[string]any {
		b, a := pair(tool(session, call, "Bash", "curl -s "+url), "hook_event_name", "PreToolUse", "PostToolUse", "tool_response", text)
		return []map[string]any{b, a}
	}
	s.edit = func(session, call, _, old, now string) (map[string]any, map[string]any) {
		patch := "*** Begin Patch\n*** Update File: MEMORY.md\n@@\n " + old + "+" + now[len(old):] + "*** End Patch"
		return pair(tool(session, call, "apply_patch", patch), "hook_event_name", "PreToolUse", "PostToolUse", "tool_response", "ok")
	}
	return s
}

func geminiSpeaker() speaker {
	base := func(s string) map[string]any {
		return map[string]any{"session_id": s, "transcript_path": "/t", "cwd": "$WORK", "timestamp": "2026-11-30T09:00:00Z"}
	}
	result := func(text string) any { return map[string]any{"llmContent": text, "returnDisplay": "shown"} }
	tool := func(session, name string, input any) map[string]any {
		return with(base(session), map[string]any{"tool_name": name, "tool_input": input})
	}
	return speaker{
		begin: func(s string) map[string]any {
			return with(base(s), map[string]any{"hook_event_name": "SessionStart", "source": "startup"})
		},
		prompt: func(s, text string) map[string]any {
			return with(base(s), map[string]any{"hook_event_name": "BeforeAgent", "prompt": text})
		},
		fetch: func(s, _, url, text string) []map[string]any {
			b, a := pair(tool(s, "web_fetch", map[string]any{"prompt": "Read " + url}), "hook_event_name", "BeforeTool", "AfterTool", "tool_response", result(text))
			return []map[string]any{b, a}
		},
		edit: func(s, _, file, old, now string) (map[string]any, map[string]any) {
			return pair(tool(s, "replace", map[string]any{"file_path": file, "old_string": old, "new_string": now}), "hook_event_name", "BeforeTool", "AfterTool", "tool_response", result("ok"))
		},
		run: func(s, _, command string) map[string]any {
			return with(tool(s, "run_shell_command", map[string]any{"command": command}), map[string]any{"hook_event_name": "BeforeTool"})
		},
		call: func(s, _, name string, args map[string]any) (map[string]any, map[string]any) {
			call := with(tool(s, "mcp_memory_"+name, args), map[string]any{"mcp_context": map[string]any{"server_name": "memory", "tool_name": name}})
			return pair(call, "hook_event_name", "BeforeTool", "AfterTool", "tool_response", result("done"))
		},
	}
}

func cursorSpeaker() speaker {
	base := func(s string) map[string]any {
		return map[string]any{"conversation_id": s, "generation_id": "g-1", "session_id": s, "model": "m", "cursor_version": "2026.09.18-9a7762b", "workspace_roots": []string{"$WORK"}}
	}
	tool := func(session, call, name string, input any) map[string]any {
		return with(base(session), map[string]any{"tool_name": name, "tool_use_id": call, "tool_input": input})
	}
	return speaker{
		begin: func(s string) map[string]any { return with(base(s), map[string]any{"hook_event_name": "sessionStart"}) },
		prompt: func(s, text string) map[string]any {
			return with(base(s), map[string]any{"hook_event_name": "beforeSubmitPrompt", "prompt": text})
		},
		fetch: func(s, c, url, text string) []map[string]any {
			b, a := pair(tool(s, c, "WebFetch", map[string]any{"url": url}), "hook_event_name", "preToolUse", "postToolUse", "tool_output", packed(map[string]any{"result": text}))
			return []map[string]any{b, a}
		},
		edit: func(s, c, file, old, now string) (map[string]any, map[string]any) {
			return pair(tool(s, c, "StrReplace", map[string]any{"path": file, "old_string": old, "new_string": now}), "hook_event_name", "preToolUse", "postToolUse", "tool_output", "ok")
		},
		run: func(s, c, command string) map[string]any {
			return with(tool(s, c, "Shell", map[string]any{"command": command}), map[string]any{"hook_event_name": "preToolUse"})
		},
		call: func(s, _, name string, args map[string]any) (map[string]any, map[string]any) {
			call := with(base(s), map[string]any{"tool_name": name, "tool_input": packed(args), "mcp_server_name": "memory"})
			return pair(call, "hook_event_name", "beforeMCPExecution", "afterMCPExecution", "result_json", packed("done"))
		},
	}
}

func copilotSpeaker() speaker {
	base := func(s string) map[string]any {
		return map[string]any{"sessionId": s, "timestamp": 1796040793086, "cwd": "$WORK"}
	}
	result := func(text string) map[string]any {
		return map[string]any{"toolResult": map[string]any{"resultType": "success", "textResultForLlm": text}}
	}
	tool := func(session, name string, args any) map[string]any {
		return with(base(session), map[string]any{"toolName": name, "toolArgs": packed(args)})
	}
	return speaker{
		begin:  func(s string) map[string]any { return with(base(s), map[string]any{"source": "new"}) },
		prompt: func(s, text string) map[string]any { return with(base(s), map[string]any{"prompt": text}) },
		fetch: func(s, _, url, text string) []map[string]any {
			call := tool(s, "web_fetch", map[string]any{"url": url})
			return []map[string]any{call, with(call, result(text))}
		},
		edit: func(s, _, file, old, now string) (map[string]any, map[string]any) {
			call := tool(s, "edit", map[string]any{"path": file, "old_str": old, "new_str": now})
			return call, with(call, result("updated"))
		},
		run: func(s, _, command string) map[string]any {
			return tool(s, "bash", map[string]any{"command": command, "description": "x"})
		},
		call: func(s, _, name string, args map[string]any) (map[string]any, map[string]any) {
			call := tool(s, "memory-"+name, args)
			return call, with(call, result("done"))
		},
	}
}

func windsurfSpeaker() speaker {
	event := func(s, name string, info map[string]any) map[string]any {
		return map[string]any{"agent_action_name": name, "trajectory_id": s, "execution_id": "e-1", "timestamp": "2026-11-30T09:00:00Z", "tool_info": info}
	}
	return speaker{
		prompt: func(s, text string) map[string]any {
			return event(s, "pre_user_prompt", map[string]any{"user_prompt": text})
		},
		fetch: func(s, _, url, _ string) []map[string]any {
			info := map[string]any{"command_line": "curl -s " + url, "cwd": "$WORK"}
			return []map[string]any{event(s, "pre_run_command", info), event(s, "post_run_command", info)}
		},
		edit: func(s, _, file, old, now string) (map[string]any, map[string]any) {
			info := map[string]any{"file_path": file, "edits": []any{map[string]any{"old_string": old, "new_string": now}}}
			return event(s, "pre_write_code", info), event(s, "post_write_code", info)
		},
		run: func(s, _, command string) map[string]any {
			return event(s, "pre_run_command", map[string]any{"command_line": command, "cwd": "$WORK"})
		},
		call: func(s, _, name string, args map[string]any) (map[string]any, map[string]any) {
			info := map[string]any{"mcp_server_name": "memory", "mcp_tool_name": name, "mcp_tool_arguments": args}
			return event(s, "pre_mcp_tool_use", info), event(s, "post_mcp_tool_use", with(info, map[string]any{"mcp_result": "done"}))
		},
	}
}
