package hosts

import (
	"cmp"
	"strings"
	"testing"
	"unicode/utf16"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hearsay-memory/hearsay/internal/strictjson"
)

// get returns the value at a path of keys in a reply's output.
func get(t *testing.T, r Reply, keys ...string) string {
	t.Helper()
	if len(r.Stdout) == 0 {
		return ""
	}
	v, err := limits.Parse(r.Stdout)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		v, _ = v.Get(k)
	}
	return v.String()
}

// TestNoAskBecomesNothing: on every host and in every mode an Ask either asks or
// denies, and a Deny denies, wherever the host can be told.
func TestNoAskBecomesNothing(t *testing.T) {
	for _, f := range families() {
		for _, ev := range f.events {
			for _, mode := range []string{"", "default", "plan", "acceptEdits", "auto", "dontAsk", "bypassPermissions", "yolo"} {
				e := Event{Host: f.name, Name: ev.name, Kind: ev.kind, Session: "s", Mode: mode}
				for _, v := range []Verdict{Ask, Deny, Deny + 1} {
					r := f.encode(e, Answer{Verdict: v, Reason: " \x00 ", Approve: "hearsay review approve q"})
					isOneObject(t, f.dialect(), r.Stdout)
					denied := r.Exit == 2 && len(r.Stderr) > 0 ||
						get(t, r, "hookSpecificOutput", "permissionDecision") == "deny" && get(t, r, "hookSpecificOutput", "permissionDecisionReason") != "" ||
						get(t, r, "permissionDecision") == "deny" && get(t, r, "permissionDecisionReason") != "" ||
						get(t, r, "hookSpecificOutput", "decision", "behavior") == "deny" && get(t, r, "hookSpecificOutput", "decision", "message") != "" ||
						get(t, r, "decision") == cmp.Or(f.denies, "block") && get(t, r, "reason") != "" ||
						get(t, r, "permission") == "deny" && get(t, r, "agent_message") != "" && get(t, r, "user_message") != "" ||
						strings.HasPrefix(string(r.Stdout), `{"continue":false,"user_message":"`) ||
						get(t, r, "hookSpecificOutput", "action") == "decline"
					asks := v == Ask && f.asks(e)
					if want := ev.deny != cannot && !asks; denied != want {
						t.Errorf("%s %s in mode %q, %s: denied %t: %s", f.name, ev.name, mode, v, denied, said(r))
					}
					if asks && ev.deny == byDecision && get(t, r, "hookSpecificOutput", "permissionDecision") != "ask" {
						t.Errorf("%s %s in mode %q does not ask: %s", f.name, ev.name, mode, said(r))
					}
				}
			}
		}
		if f != claude {
			for _, ev := range f.events {
				if f.asks(Event{Name: ev.name}) {
					t.Errorf("%s asks on %s: the tool would run", f.name, ev.name)
				}
			}
		}
	}
}

// TestCodexIsToldOnlyWhatItKnows: it fails the hook, and goes on, on any other field.
func TestCodexIsToldOnlyWhatItKnows(t *testing.T) {
	known := map[string]string{
		"SessionStart": "additionalContext", "UserPromptSubmit": "additionalContext", "SubagentStart": "additionalContext",
		"PreToolUse": "permissionDecision permissionDecisionReason", "PermissionRequest": "decision", "PostToolUse": "additionalContext",
	}
	for _, ev := range codex.events {
		for _, a := range answers() {
			e := Event{Name: ev.name, Kind: ev.kind, response: strictjson.String("x")}
			r := codex.encode(e, a)
			if len(r.Stdout) == 0 {
				continue
			}
			v, err := limits.Parse(r.Stdout)
			if err != nil {
				t.Fatal(err)
			}
			for key, in := range v.Members() {
				switch {
				case key == "systemMessage" && ev.name != "SessionEnd":
				case (key == "decision" || key == "reason") && (ev.name == "UserPromptSubmit" || ev.name == "PostToolUse"):
				case key == "hookSpecificOutput":
					for field := range in.Members() {
						if field != "hookEventName" && !strings.Contains(" "+known[ev.name]+" ", " "+field+" ") {
							t.Errorf("%s: %s in %s", ev.name, field, r.Stdout)
						}
					}
				default:
					t.Errorf("%s: %s in %s", ev.name, key, r.Stdout)
				}
			}
			if d := get(t, r, "hookSpecificOutput", "permissionDecision"); d != "" && d != "deny" {
				t.Errorf("%s: decision %q", ev.name, d)
			}
		}
	}
}

// TestWhatIsSaidIsBounded: within the hosts' bounds, without controls, valid, and
// with the way to approve whole.
func TestWhatIsSaidIsBounded(t *testing.T) {
	const approve = "hearsay review approve q-01"
	long := strings.Repeat("a\x1b[2K\u202e🏄\xff\r\u2028\n", 9_000)
	for _, f := range families() {
		for _, ev := range f.events {
			e := Event{Name: ev.name, Kind: ev.kind, Mode: "dontAsk"}
			r := f.encode(e, Answer{Verdict: Ask, Reason: long, Approve: approve, Context: long, Notice: long, Watch: []string{"/a\nb", "", "/ok"}})
			isOneObject(t, f.dialect(), r.Stdout)
			if len(r.Stdout) == 0 {
				continue
			}
			v, err := limits.Parse(r.Stdout)
			if err != nil {
				t.Fatal(err)
			}
			for s := range v.Strings() {
				text := s.String()
				if n := len(utf16.Encode([]rune(text))); n > 10_000 {
					t.Errorf("%s: %d units", ev.name, n)
				}
				if strings.ContainsAny(text, "\x1b\r\u2028\x00") {
					t.Errorf("%s: controls in %.60q", ev.name, text)
				}
			}
			if ev.deny == byDecision && !strings.HasSuffix(get(t, r, "hookSpecificOutput", "permissionDecisionReason")+get(t, r, "permissionDecisionReason"), ": "+approve) {
				t.Errorf("%s: the way to approve is cut", ev.name)
			}
			if strings.Contains(get(t, r, "systemMessage"), "\n") {
				t.Errorf("%s: a notice of several lines", ev.name)
			}
		}
	}
}

func TestClean(t *testing.T) {
	for _, c := range []struct {
		in    string
		most  int
		plain bool
		want  string
	}{
		{"", 3, true, ""},
		{"abc", 3, true, "abc"},
		{"abcd", 3, true, "ab…"},
		{"a🏄", 3, true, "a🏄"},
		{"a🏄b", 3, true, "a…"},
		{"ab🏄", 3, true, "ab…"},
		{"🏄🏄", 3, true, "🏄…"},
		{"abcd", 0, true, "…"},
		{"a\x00b\x7f\u0085c\td\n", 9, true, "abc\td\n"},
		{"a\u202eb\u200dc\ufeff", 9, true, "abc"},
		{"a\u202eb\u200dc", 9, false, "a\u202eb\u200dc"},
		{"a\xffb", 9, true, "a\ufffdb"},
	} {
		if got := clean(c.in, c.most, c.plain); got != c.want {
			t.Errorf("clean(%q, %d, %t) = %q, want %q", c.in, c.most, c.plain, got, c.want)
		}
	}
}

// TestOutputKeepsTheShape: an edit replaces strings and nothing else, and an edit that
// changes nothing is not said at all.
func TestOutputKeepsTheShape(t *testing.T) {
	const response = `{"b":[{"text":"x","n":1.50,"k":null},["y",true]],"a":"z","":"w"}`
	e := decoded(t, claude.dialect(), []byte(`{"session_id":"s","cwd":"/","hook_event_name":"PostToolUse","tool_name":"T","tool_input":{},"tool_use_id":"c","tool_response":`+response+`}`))
	var seen []string
	r := claude.encode(e, Answer{Output: func(key, text string) string {
		seen = append(seen, key+"="+text)
		return text
	}})
	if len(r.Stdout) != 0 {
		t.Errorf("an identity is said: %s", r.Stdout)
	}
	if diff := gocmp.Diff([]string{"text=x", "b=y", "a=z", "=w"}, seen); diff != "" {
		t.Errorf("strings (-want +got):\n%s", diff)
	}
	r = claude.encode(e, Answer{Output: func(_, text string) string { return text + "!" }})
	want := `{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":{"b":[{"text":"x!","n":1.50,"k":null},["y!",true]],"a":"z!","":"w!"}}}` + "\n"
	if diff := gocmp.Diff(want, string(r.Stdout)); diff != "" {
		t.Errorf("edited (-want +got):\n%s", diff)
	}
	if r := codex.encode(e, Answer{Output: func(_, text string) string { return text }}); len(r.Stdout) != 0 {
		t.Errorf("codex withholds what is unchanged: %s", r.Stdout)
	}
}
