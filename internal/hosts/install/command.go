package install

import "strings"

// shellLine quotes a command line for a shell. Words that are not plain names stand in
// single quotes, where only a single quote needs care.
func shellLine(argv []string) string {
	var b strings.Builder
	for i, a := range argv {
		if i > 0 {
			b.WriteByte(' ')
		}
		if plain(a, "") {
			b.WriteString(a)
			continue
		}
		b.WriteString("'" + strings.ReplaceAll(a, "'", `'\''`) + "'")
	}
	return b.String()
}

// cmdLine quotes a command line for cmd.exe, which cannot quote a quotation mark and
// reads %NAME% everywhere. A line that it would misread is replaced by one that names no
// program, so that a gating hook blocks. Plain paths stand without quotes: Codex hands
// the line over in an argument in which they would be escaped once more.
func cmdLine(argv []string) string {
	var b strings.Builder
	for i, a := range argv {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch {
		case strings.ContainsAny(a, `"%!`):
			return hookProgram + "-cannot-be-quoted"
		case plain(a, `:\/.+=@`):
			b.WriteString(a)
		default:
			b.WriteString(`"` + a + `"`)
		}
	}
	return b.String()
}

// line is the command line of a host that hands it to the system's own shell: PowerShell on
// Windows. As a gate it blocks also where the program cannot be run.
func (o Options) line(gate bool) string {
	argv := append([]string{o.Binary}, o.Args...)
	if windowsProgram(o.Binary) {
		return powerLine(argv, gate)
	}
	line := shellLine(argv)
	if gate {
		line += shellBlock
	}
	return line
}

// windowsProgram reports whether a path is one of Windows.
func windowsProgram(path string) bool {
	return len(path) > 2 && path[1] == ':' || strings.HasPrefix(path, `\\`)
}

// powerLine quotes a command line for PowerShell, which runs a quoted program after an
// ampersand only. Where the program cannot be started there is no exit code, and that
// blocks too.
func powerLine(argv []string, gate bool) string {
	var b strings.Builder
	b.WriteString("&")
	for _, a := range argv {
		b.WriteString(" '" + strings.NewReplacer("'", "''", "\u2018", "\u2018\u2018", "\u2019", "\u2019\u2019", "\u201a", "\u201a\u201a", "\u201b", "\u201b\u201b").Replace(a) + "'")
	}
	if gate {
		b.WriteString(powerBlock)
	}
	return b.String()
}

// powerBlock ends a gating command line for PowerShell.
const powerBlock = `; if ($LASTEXITCODE -ne 0) { [Console]::Error.WriteLine('hearsay: the hook failed'); exit 2 }`

// plain reports whether s is made of letters, digits, - and _, and of what else says.
func plain(s, what string) bool {
	for _, r := range s {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_', strings.ContainsRune(what, r):
		default:
			return false
		}
	}
	return s != ""
}

// firstWord returns the program of a shell's command line, without quotes. Variables
// that are set in front of it are skipped.
func firstWord(line string) string {
	line = strings.TrimPrefix(line, "& ") // of PowerShell
	for {
		word, rest := cutWord(strings.TrimLeft(line, " \t\r\n"))
		name, _, set := strings.Cut(word, "=")
		if !set || !plain(name, "") || rest == "" {
			return word
		}
		line = rest
	}
}

// restWords returns the words after the program of a shell's command line, up to the
// first operator.
func restWords(line string) []string {
	var out []string
	program := firstWord(line)
	line = strings.TrimPrefix(line, "& ")
	for seen := false; len(out) < maxArgs; {
		line = strings.TrimLeft(line, " \t\r\n")
		if line == "" || strings.IndexByte(";&|<>()", line[0]) >= 0 {
			break
		}
		var word string
		word, line = cutWord(line)
		switch {
		case seen:
			out = append(out, word)
		case word == program:
			seen = true
		}
	}
	return out
}

func cutWord(line string) (word, rest string) {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\t', '\r', '\n', ';', '&', '|', '<', '>', '(', ')':
			return b.String(), line[i:]
		case '\'', '"':
			for i++; i < len(line) && line[i] != c; i++ {
				if c == '"' && line[i] == '\\' && i+1 < len(line) && (line[i+1] == '"' || line[i+1] == '\\') {
					i++
				}
				b.WriteByte(line[i])
			}
		case '\\':
			// A backslash before a letter is a Windows path.
			if i+1 < len(line) && !plain(line[i+1:i+2], "") {
				i++
			}
			b.WriteByte(line[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}
