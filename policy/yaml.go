package policy

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// The bounds of a file. A policy is written by people; what is larger is a mistake
// or an attack on the parser, whose recursion and scans they bound.
const (
	maxFile   = 128 << 10 // bytes
	maxLines  = 5000      // the parser's time grows with the square of the lines
	maxNested = 16        // brackets within brackets, and entries begun on one line
	maxIndent = 64        // columns before the first word of a line
)

// readYAML returns the root of the one document in data, or nil and the problem.
// Only the plain part of YAML is read: anchors, aliases, merge keys, tags and
// directives are refused, because a reader of the file would have to follow them
// in their head, and because they can make a small file a large one.
func readYAML(name string, data []byte) (root ast.Node, problem *Problem) {
	fail := func(line, column int, message, suggestion string) (ast.Node, *Problem) {
		return nil, &Problem{File: name, Line: line, Column: column, Message: message, Suggestion: suggestion}
	}
	if len(data) > maxFile {
		return fail(0, 0, fmt.Sprintf("the file has %d bytes", len(data)), fmt.Sprintf("at most %d are read", maxFile))
	}
	if n := bytes.Count(data, []byte("\n")); n > maxLines {
		return fail(0, 0, fmt.Sprintf("the file has %d lines", n), fmt.Sprintf("at most %d are read", maxLines))
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	if line, what := badText(text); what != "" {
		return fail(line, 0, what, "")
	}
	// The parser is not ours and has been seen to panic on malformed text; a file
	// that it cannot read is refused like any other.
	defer func() {
		if recover() != nil {
			root, problem = fail(0, 0, "the file cannot be read as YAML", "check its indentation and quotes")
		}
	}()
	tokens := lexer.Tokenize(hideColons(text))
	if at, what := badToken(tokens); what != "" {
		return fail(at.Position.Line, at.Position.Column, what, "write it out")
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		line, column, message := 0, 0, "the file cannot be read as YAML"
		if syntax, ok := errors.AsType[*yaml.SyntaxError](err); ok {
			message = "not YAML: " + showColons(syntax.Message)
			if syntax.Token != nil && syntax.Token.Position != nil {
				line, column = syntax.Token.Position.Line, syntax.Token.Position.Column
			}
		}
		return fail(line, column, message, "")
	}
	var bodies []ast.Node
	for _, doc := range file.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.CommentType {
			bodies = append(bodies, doc.Body)
		}
	}
	switch len(bodies) {
	case 0:
		return fail(0, 0, "the file is empty", "")
	case 1:
		return bodies[0], nil
	}
	line, column := position(bodies[1])
	return fail(line, column, "a second document begins here", "one file holds one document")
}

// hiddenColon stands for a colon within a name while the parser sees the text.
const hiddenColon = '\ue000'

// hideColons replaces the colons within names. YAML takes "mcp:wiki" as one
// scalar everywhere; the parser splits it inside braces. A colon with something on
// either side separates nothing, unless it follows a quote or a bracket, so
// replacing one anywhere, in a comment too, changes nothing once it is put back.
func hideColons(text string) string {
	var out strings.Builder
	from := 0
	for i := 1; i < len(text)-1; i++ {
		if text[i] == ':' && strings.IndexByte(" \t\r\n\"'[]{},", text[i-1]) < 0 && strings.IndexByte(" \t\r\n[]{},", text[i+1]) < 0 {
			out.WriteString(text[from:i])
			out.WriteRune(hiddenColon)
			from = i + 1
		}
	}
	if from == 0 {
		return text
	}
	out.WriteString(text[from:])
	return out.String()
}

// showColons puts the colons back.
func showColons(text string) string {
	return strings.ReplaceAll(text, string(hiddenColon), ":")
}

// badText returns the line and the description of the first character that has no
// business in the file.
func badText(text string) (line int, what string) {
	if !utf8.ValidString(text) {
		return 0, "the file is not UTF-8"
	}
	line, column := 1, 0
	leading := true
	for i, r := range text {
		column++
		switch {
		case r == '\n':
			line, column, leading = line+1, 0, true
			continue
		case r == '\t' && leading:
			return line, "a tab indents this line"
		case r == '\r' && strings.HasPrefix(text[i+1:], "\n"):
			continue
		case r < ' ' && r != '\t', r == 0x7f, r == 0xfeff, r == hiddenColon:
			return line, fmt.Sprintf("the character U+%04X does not belong in this file", r)
		}
		if leading && r != ' ' {
			leading = false
			if column > maxIndent {
				return line, fmt.Sprintf("this line is indented by more than %d columns", maxIndent)
			}
		}
	}
	return 0, ""
}

// badToken returns the first token that uses a part of YAML that is refused, or
// that nests too deep, and what is wrong with it.
func badToken(tokens token.Tokens) (at *token.Token, what string) {
	depth, line, begun := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			line, begun = t.Position.Line, 0
		}
		switch t.Type {
		case token.AnchorType, token.AliasType:
			return t, "anchors and aliases are not read"
		case token.MergeKeyType:
			return t, "merge keys are not read"
		case token.TagType:
			return t, "tags are not read"
		case token.DirectiveType:
			return t, "directives are not read"
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth--
		case token.SequenceEntryType, token.MappingKeyType:
			begun++
		}
		if depth > maxNested || begun > maxNested {
			return t, fmt.Sprintf("this is nested more than %d deep", maxNested)
		}
	}
	return nil, ""
}

// position returns where a node begins, or zeros where that is not known.
func position(n ast.Node) (line, column int) {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		n = m.Values[0]
	}
	if v, ok := n.(*ast.MappingValueNode); ok {
		n = v.Key
	}
	if n == nil {
		return 0, 0
	}
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line, t.Position.Column
	}
	return 0, 0
}
