package strictjson

import "strings"

// accepted are inputs that every reader takes for the same value.
var accepted = []string{
	`null`, `true`, `false`, `0`, `-0`, `-0.0`, `1e5`, `1E+5`, `1.5e-300`, `""`, `[]`, `{}`, ` [ ] `, "\t{\r\n}\n",
	`1e999`, `-1e-999`, `123456789012345678901234567890.123456789012345678901234567890`, strings.Repeat("9", 4000),
	`"\u0000"`, `{"a\u0000":1,"a":2}`, `"\"\\\/\b\f\n\r\t"`, `"\u001F\u001f\u007f\u000A"`, `"\uD83D\uDE00 😀"`, `"\ufffe\uFFFF"`,
	"\"\u007f\u0085\u2028\u2029\ufeff\uffff\U0010ffff\"", `"\u0085\u2028\u2029"`, `"\u00e9é"`,
	`{"__proto__":{"x":1},"constructor":2,"toString":null}`, `{"":1," ":2}`, `{"é":1,"e\u0301":2}`, `{"ß":1,"ss":2}`,
	`{"a":{"a":{"a":[{"a":1},{"a":2},{"A":3}]}}}`, `[{"a":1},{"a":1}]`, `{"10":1,"2":2,"01":3}`,
	`{"a[b":1,"a{b":2,"a@b":3,"a` + "`" + `b":4,"a\\b":5,"a|b":6}`, // pairs that differ only in bit 5
	`[1,-2.5,"x",true,false,null,[[]],{"k":[]}]`, `{"jsonrpc":"2.0","id":1.50,"method":"tools\/call","params":{"name":"x"}}`,
	"[1,\r{\"jsonrpc\":\"2.0\"}\r]", `{"abcdefgh":1,"abcdefghi":2,"abcdefgx":3,"xbcdefgh":4}`,
	`"` + strings.Repeat("0123456", 30) + `\n"`, `{"` + strings.Repeat("k", 300) + `":"` + strings.Repeat("日本語 ", 50) + `"}`,
	nested(40),
}

// A refusal is an input with the fault it must be refused for.
type refusal struct {
	name   string
	in     string
	kind   ErrorKind
	offset int64
}

var refused = []refusal{
	{"empty", ``, Malformed, 0},
	{"only space", " \n", Malformed, 2},
	{"byte order mark", "\ufeff{}", Malformed, 0},
	{"NUL", "\x00", Malformed, 0},
	{"NUL after value", "{}\x00", TrailingData, 2},
	{"vertical tab is no white space", "\v1", Malformed, 0},
	{"no-break space is none either", "[1,\u00a02]", Malformed, 3},
	{"second value", `{} {}`, TrailingData, 3},
	{"second bracket", `[]]`, TrailingData, 2},
	{"comment", `[1/**/]`, Malformed, 2},
	{"open array", `[1,`, Malformed, 3},
	{"open array after value", `[1`, Malformed, 2},
	{"open object", `{"a":1`, Malformed, 6},
	{"open string", `"abc`, Malformed, 4},
	{"open long string", `"abcdefghijklmnop`, Malformed, 17},
	{"open escape", `"a\`, Malformed, 3},
	{"trailing comma in array", `[1,]`, Malformed, 3},
	{"trailing comma in object", `{"a":1,}`, Malformed, 7},
	{"missing comma", `[1 2]`, Malformed, 3},
	{"missing comma in object", `{"a":1 "b":2}`, Malformed, 7},
	{"missing colon", `{"a" 1}`, Malformed, 5},
	{"missing value", `{"a":}`, Malformed, 5},
	{"unquoted key", `{a:1}`, Malformed, 1},
	{"number as key", `{1:1}`, Malformed, 1},
	{"single quotes", `'a'`, Malformed, 0},
	{"mismatched brackets", `[1}`, Malformed, 2},
	{"literal in capitals", `True`, Malformed, 0},
	{"literal cut short", `nul`, Malformed, 0},
	{"literal too long", `nulll`, TrailingData, 4},
	{"NaN", `NaN`, Malformed, 0},
	{"Infinity", `[-Infinity]`, Malformed, 2},
	{"plus sign", `+1`, Malformed, 0},
	{"leading zero", `[01]`, Malformed, 2},
	{"bare leading zero", `01`, TrailingData, 1},
	{"hexadecimal", `[0x10]`, Malformed, 2},
	{"bare minus", `-`, Malformed, 1},
	{"no digit before the point", `[.5]`, Malformed, 1},
	{"no digit after the point", `[1.]`, Malformed, 3},
	{"no digit in the exponent", `[1e+]`, Malformed, 4},
	{"unknown escape", `"\x41"`, Malformed, 1},
	{"capital escape", `"\U0041"`, Malformed, 1},
	{"escape of a quote in single style", `"\'"`, Malformed, 1},
	{"short unicode escape", `"\u12"`, Malformed, 1},
	{"unicode escape at the end", `"\u12`, Malformed, 1},
	{"non-hex unicode escape", `"\u00g0"`, Malformed, 1},
	{"signed unicode escape", `"\u+123"`, Malformed, 1},
	{"raw line feed", "\"a\nb\"", Malformed, 2},
	{"raw tab", "\"\t\"", Malformed, 1},
	{"raw NUL", "\"01234567\x00\"", Malformed, 9},
	{"raw control after eight bytes", "\"0123456789abcde\x1f\"", Malformed, 16},

	{"duplicate", `{"a":1,"a":2}`, DuplicateKey, 7},
	{"duplicate by escape", `{"a":1,"\u0061":2}`, DuplicateKey, 7},
	{"duplicate by solidus", `{"\/":1,"/":2}`, DuplicateKey, 8},
	{"duplicate by surrogate pair", `{"😀":1,"\ud83d\ude00":2}`, DuplicateKey, 10},
	{"duplicate empty", `{"":1,"":2}`, DuplicateKey, 6},
	{"duplicate of a long key", `{"abcdefghijk":1,"abcdefghijk":2}`, DuplicateKey, 17},
	{"duplicate deep", `[{"x":{"y":[{"z":0,"q":1,"z":2}]}}]`, DuplicateKey, 25},
	{"duplicate after a nested object", `{"a":{"b":1},"a":2}`, DuplicateKey, 13},
	{"duplicate with NUL", `{"a\u0000":1,"a\u0000":2}`, DuplicateKey, 13},
	{"duplicate __proto__", `{"__proto__":1,"__proto__":2}`, DuplicateKey, 15},
	{"duplicate among many", "{" + members(100) + `,"k57":0}`, DuplicateKey, int64(len(members(100)) + 2)},
	{"duplicate at the seventeenth", "{" + members(16) + `,"k0":0}`, DuplicateKey, int64(len(members(16)) + 2)},
	{"duplicate by escape among many", "{" + members(100) + `,"\u006b57":0}`, DuplicateKey, int64(len(members(100)) + 2)},

	{"case variant", `{"name":1,"NAME":2}`, CaseVariantKey, 10},
	{"case variant by escape", `{"name":1,"n\u0041me":2}`, CaseVariantKey, 10},
	{"case variant: Kelvin sign", "{\"key\":1,\"\u212aey\":2}", CaseVariantKey, 9},
	{"case variant: escaped Kelvin sign", `{"\u212aey":1,"key":2}`, CaseVariantKey, 14},
	{"case variant: long s", "{\"params\":1,\"param\u017f\":2}", CaseVariantKey, 12},
	{"case variant: Greek", `{"σ":1,"ς":2}`, CaseVariantKey, 8},
	{"case variant: Cyrillic", `{"Имя":1,"имя":2}`, CaseVariantKey, 12},
	{"case variant: Cherokee", "{\"\u13a0\":1,\"\uab70\":2}", CaseVariantKey, 9},
	{"case variant deep", `{"params":{"arguments":{"a":1,"A":2}}}`, CaseVariantKey, 30},
	{"case variant among many", "{" + members(100) + `,"K57":0}`, CaseVariantKey, int64(len(members(100)) + 2)},
	{"case variant of a long key", `{"protocolVersion":1,"protocolversion":2}`, CaseVariantKey, 21},

	{"lone continuation", "\"\x80\"", InvalidUTF8, 1},
	{"cut two-byte rune", "\"\xc3\"", InvalidUTF8, 1},
	{"cut three-byte rune", "\"abc\xe2\x82\"", InvalidUTF8, 4},
	{"cut at the end", "\"\xe2\x82", InvalidUTF8, 1},
	{"overlong solidus", "\"\xc0\xaf\"", InvalidUTF8, 1},
	{"overlong three bytes", "\"\xe0\x80\xaf\"", InvalidUTF8, 1},
	{"encoded surrogate", "\"\xed\xa0\x80\"", InvalidUTF8, 1},
	{"above U+10FFFF", "\"\xf4\x90\x80\x80\"", InvalidUTF8, 1},
	{"0xFF", "\"0123456789\xff\"", InvalidUTF8, 11},
	{"in a key", "{\"a\xff\":1}", InvalidUTF8, 3},
	{"valid then not", "\"日\xe6\x97\"", InvalidUTF8, 4},

	{"high surrogate alone", `"\ud800"`, LoneSurrogate, 1},
	{"low surrogate alone", `"\udc00"`, LoneSurrogate, 1},
	{"two high surrogates", `"\ud800\ud800"`, LoneSurrogate, 1},
	{"swapped pair", `"\udc00\ud800"`, LoneSurrogate, 1},
	{"high surrogate then text", `"\ud800xdc00!"`, LoneSurrogate, 1},
	{"high surrogate then letter", `"\ud800\u0041"`, LoneSurrogate, 1},
	{"high surrogate then bad hex", `"\ud800\udcg0"`, LoneSurrogate, 1},
	{"high surrogate at the end", `"\ud800\u`, LoneSurrogate, 1},
	{"in a key", `{"\udfff":1}`, LoneSurrogate, 2},

	{"too deep", nested(41), TooDeep, 40},
	{"too deep mixed", strings.Repeat(`{"a":[`, 21), TooDeep, 120},
	{"much too deep", strings.Repeat("[", 1<<19), TooDeep, 40},
	{"too large", strings.Repeat(" ", 1<<20) + "1", TooLarge, 1 << 20},
}

// nested is n arrays in each other.
func nested(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

// members are the members k0 to k(n-1) of an object.
func members(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"k` + itoa(i) + `":` + itoa(i))
	}
	return b.String()
}
