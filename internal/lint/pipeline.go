package lint

import "strings"

// pipeline reads a command line from the name of a download on, to tell whether
// a shell reads what it wrote: "curl … | sudo /bin/sh". It reads each byte once,
// however many names of shells follow. The zero value has read nothing.
type pipeline struct {
	from, at int // text[from:at] is read
	line     lineState
	feeds    bool // since the last bar, nothing but words that start another program
	argument bool // the word before was an option, which may take this one
	word     word
}

// lineState says whether a shell reads past the end of this line.
type lineState uint8

const (
	lineFlows  lineState = iota
	lineJoins            // a backslash was the last to stand on the line
	linePipes            // a bar was
	lineEnded            // it ended, and only a bar that follows takes the command up
	lineBroken           // another command began
)

// word is the word being read.
type word struct {
	start  int // 0 between words
	option bool
	path   bool // or an assignment
}

// piped reports whether the interpreter text[start:end] reads what the download
// before it wrote.
func piped(s *Scratch, text string, after, start, end int) bool {
	if start < after {
		return false
	}
	p := &s.pipe
	if p.from != after {
		*p = pipeline{from: after, at: after}
	}
	for p.at < start {
		p.read(text)
		p.at++
	}
	return p.feeds && p.line != lineBroken && p.starts(text) && !ownProgram(text[start:end], text[end:])
}

func (p *pipeline) read(text string) {
	c := text[p.at]
	barBefore := p.at > p.from && text[p.at-1] == '|'
	switch {
	case p.line == lineBroken, c == '&' && barBefore:
	case c == '\n':
		p.endWord(text)
		p.line = [...]lineState{lineFlows: lineEnded, lineJoins: lineFlows, linePipes: linePipes, lineEnded: lineBroken}[p.line]
	case c == ' ', c == '\t', c == '\r':
		p.endWord(text)
	case c == '|':
		p.feeds, p.argument, p.word, p.line = !barBefore, false, word{}, linePipes
	case p.line == lineEnded:
		p.line = lineBroken
	default:
		if p.word.start == 0 {
			p.word = word{start: p.at, option: c == '-'}
		}
		p.word.path = p.word.path || c == '/' || c == '='
		p.line = lineFlows
		if c == '\\' {
			p.line = lineJoins
		}
	}
}

func (p *pipeline) endWord(text string) {
	if p.word.start == 0 {
		return
	}
	p.feeds = p.feeds && (p.argument || p.starts(text))
	p.argument = p.word.option
	p.word = word{}
}

// starts reports whether the word so far may stand before the name of a program
// that is started.
func (p *pipeline) starts(text string) bool {
	if p.word.start == 0 || p.word.option || p.word.path {
		return true
	}
	switch text[p.word.start:p.at] {
	case "sudo", "doas", "env", "exec", "nohup", "command", "busybox", "nice", "time", `\`:
		return true
	}
	return false
}

// ownProgram reports whether an interpreter that is no shell is given its program
// as an argument, so that what it reads is data: python3 -m json.tool.
func ownProgram(interpreter, rest string) bool {
	switch name := strings.ToLower(strings.TrimRight(interpreter, "0123456789")); name {
	case "python", "perl", "ruby", "node", "php":
		rest = strings.TrimLeft(rest, " ")
		return len(rest) > 1 && rest[0] == '-' && strings.IndexByte("mcenpr", rest[1]) >= 0
	}
	return false
}
